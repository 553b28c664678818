"""The upper end of a bound is a double that the bound is at most, and not much more than it."""

from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import pytest
import sympy

from ratecert.theory.numbers.enclosed import enclosed, holds, upper_end

a, b, c, x = sympy.symbols("a b c x", positive=True)


@pytest.mark.parametrize(
    ("expression", "values", "exact"),
    [
        (x / 3, {"x": 1.0}, Fraction(1, 3)),
        (x / 3, {"x": 2.0}, Fraction(2, 3)),  # of which the nearest double is too small
        (a + b, {"a": 0.1, "b": 0.2}, Fraction(0.1) + Fraction(0.2)),
        (a * b + c, {"a": 0.1, "b": 0.3, "c": 1.0}, Fraction(0.1) * Fraction(0.3) + 1),
        ((1 - a) ** 2, {"a": 1e-9}, (1 - Fraction(1e-9)) ** 2),
        (sympy.Float(0.1) * x, {"x": 1.0}, Fraction(0.1)),  # a decimal is the double that it was read as
    ],
)
def test_it_is_not_below_the_exact_value_and_hardly_above(
    expression: Any, values: dict[str, float], exact: Fraction
) -> None:
    found = Fraction(upper_end(expression, values))
    assert exact <= found <= exact * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize(
    ("expression", "of"),
    [(sympy.sqrt(x), mpmath.sqrt), (sympy.exp(-x), lambda v: mpmath.exp(-v)), (sympy.log(x), mpmath.log)],
)
@pytest.mark.parametrize("value", [2.0, 3.0, 5.0, 7.0])
def test_functions_are_enclosed(expression: Any, of: Any, value: float) -> None:
    with mpmath.workdps(80):
        exact, found = of(mpmath.mpf(value)), mpmath.mpf(upper_end(expression, {"x": value}))
        assert exact <= found <= exact * (1 + mpmath.mpf(2) ** -50)


CANCELLED = {"a": 1e40, "b": 1e-20, "c": 1e40}
ROOTS = sympy.sqrt(a + b) * sympy.sqrt(c) - c  # about b/2, sixty digits below its parts


def test_where_digits_cancel_it_takes_as_many_as_are_needed() -> None:
    assert Fraction(upper_end(a + b - c, CANCELLED)) == Fraction(1e-20)
    assert 5e-21 <= upper_end(ROOTS, CANCELLED) <= 5e-21 * (1 + 1e-15)


def test_it_is_zero_only_where_the_bound_is() -> None:
    assert upper_end(a * x, {"a": 0.0, "x": 3.0}) == 0.0
    assert upper_end(a * x, {"a": 5e-324, "x": 1.0}) >= 5e-324


@pytest.mark.parametrize(("first", "second"), [(1.0, 3.0), (3.0, 1.0)])
def test_the_smaller_and_the_larger_of_two(first: float, second: float) -> None:
    values = {"a": first, "b": second}
    assert upper_end(sympy.Min(a, b), values) == pytest.approx(1.0, rel=1e-15)
    assert upper_end(sympy.Max(a, b), values) == pytest.approx(3.0, rel=1e-15)


def test_of_roots_the_larger_upper_end_counts() -> None:
    least, most = ({**CANCELLED, "x": value} for value in (1e-21, 1.0))
    roots = upper_end(ROOTS, least)
    assert upper_end(sympy.Max(ROOTS, x), least) == upper_end(sympy.Min(ROOTS, x), most) == roots
    assert upper_end(sympy.Min(ROOTS, x), least) == 1e-21
    assert upper_end(sympy.Max(ROOTS, x), most) == 1.0


@pytest.mark.parametrize(
    ("left", "right", "values", "true"),
    [
        (sympy.sqrt(a) * sympy.sqrt(b), sympy.sqrt(a * b), {"a": 0.1, "b": 0.3}, {"<=", "=", ">="}),
        (sympy.sqrt(a + b), a, {"a": 1.0, "b": 1e-100}, {">=", ">"}),  # in the hundredth digit
    ],
    ids=["equal in all digits", "larger in the hundredth"],
)
def test_two_sides_are_equal_where_no_number_of_digits_separates_them(
    left: Any, right: Any, values: dict[str, float], true: set[str]
) -> None:
    found = {
        r
        for r in ("<=", "<", "=", ">=", ">")
        if holds(r, *(partial(enclosed, e, values) for e in (left, right)))
    }
    assert found == true
