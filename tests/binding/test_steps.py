"""Letters that are left are chosen inside a theorem's conditions: a fraction of the most that each of them may be."""

import math
from fractions import Fraction
from typing import Any

import pytest

import ratecert as rc
from oracles.small_papers import small_paper
from ratecert.binding.steps import SMALLEST, chosen, is_open
from ratecert.errors import OutsideConditionsError

s = rc.statements
L, T, p, alpha, beta, mu = s.letters("L T p alpha beta mu")
EVERY = "L T p alpha beta mu"


def choose(
    conditions: dict[str, Any],
    known: dict[str, float],
    at_least: dict[str, int] | None = None,
    **fractions: float,
) -> dict[str, float]:
    """The letters that have fractions, in their order."""
    paper = small_paper("letters-by-hand", terms={"all": L}, conditions=conditions, letters=EVERY)
    theorem = paper.the(s.Theorem, "theorem-1")
    return chosen(paper, theorem, known, fractions, list(fractions), at_least or {})


def one(relation: str, *clauses: Any, fraction: float = 1.0, **known: float) -> float:
    return choose({"alpha": s.Condition(alpha, relation, clauses)}, known, alpha=fraction)["alpha"]


# A letter that a condition bounds by itself.


@pytest.mark.parametrize("fraction", [1.0, 0.5, 1e-6])
def test_a_letter_is_a_fraction_of_its_bound(fraction: float) -> None:
    assert one("<=", 1 / L, fraction=fraction, L=4.0) == fraction / 4


def test_the_smallest_clause_is_the_bound_and_strictly_below_is_the_next_number_below() -> None:
    assert one("<=", 1 / L, 1 / L**2, 2 / L, L=4.0) == 1 / 16
    assert one("<", 1 / L, L=4.0) == math.nextafter(0.25, 0.0)


@pytest.mark.parametrize("value", [3.0, 10.0, 49.0])
def test_the_bound_is_met_in_exact_numbers(value: float) -> None:
    """The double 0.1 is above a tenth; 1/49 times 49 is no 1 in doubles."""
    found = one("<=", 1 / L, L=value)
    assert Fraction(found) <= 1 / Fraction(value)
    assert found == pytest.approx(1 / value, rel=1e-15)


def between(lower: str, fraction: float) -> float:
    """alpha <= 1 and alpha > 1/L, or >=, with L = 4."""
    conditions = {"most": s.Condition(alpha, "<=", (1,)), "least": s.Condition(alpha, lower, (1 / L,))}
    return choose(conditions, {"L": 4.0}, alpha=fraction)["alpha"]


def test_of_two_bounds_the_lower_one_is_kept_however_small_the_fraction() -> None:
    assert between(">", 1e-6) == math.nextafter(0.25, math.inf)
    assert between(">=", 1e-6) == 0.25
    assert between(">", 0.5) == 0.5


@pytest.mark.parametrize("relation", [">", ">="])
def test_a_letter_that_is_bounded_from_below_alone_grows_as_its_fraction_falls(relation: str) -> None:
    assert one(relation, 1 / L, L=4.0) == pytest.approx(0.25, rel=1e-8)
    assert one(relation, 1 / L, L=4.0) > 0.25
    assert one(relation, 1 / L, fraction=0.01, L=4.0) == pytest.approx(25.0, rel=1e-8)


def test_of_several_least_values_the_largest_counts() -> None:
    conditions = {"least": s.Condition(alpha, ">=", (1 / L,)), "more": s.Condition(alpha, ">=", (3 / L,))}
    assert choose(conditions, {"L": 4.0}, alpha=1.0)["alpha"] == pytest.approx(0.75, rel=1e-8)
    bounded = {**conditions, "most": s.Condition(alpha, "<=", (2,))}
    assert choose(bounded, {"L": 4.0}, alpha=1e-6)["alpha"] == 0.75


# Letters that come together in a condition.

TOGETHER = s.Condition(alpha * L + alpha**2 * L**2 * p, "<=", (1,))


@pytest.mark.parametrize(
    ("p_", "root"), [(2.0, 0.5), (6.0, 1 / 3), (12.0, 0.25), (1.0, (math.sqrt(5) - 1) / 2)]
)
@pytest.mark.parametrize("L_", [1.0, 1e6, 1e-6])
def test_the_largest_value_is_found_to_its_last_digits(p_: float, root: float, L_: float) -> None:
    """x + p x^2 <= 1 for x = alpha L up to (sqrt(1 + 4p) - 1)/(2p); and the condition holds there in doubles."""
    found = choose({"together": TOGETHER}, {"L": L_, "p": p_}, alpha=1.0)["alpha"]
    assert found * L_ == pytest.approx(root, rel=4e-16)
    assert found * L_ + found**2 * L_**2 * p_ <= 1
    assert choose({"together": TOGETHER}, {"L": L_, "p": p_}, alpha=0.5)["alpha"] == found / 2


def test_all_conditions_hold_at_the_largest_value() -> None:
    """The first would allow 1/2, the second 1/4, the third 1."""
    conditions = {
        "together": TOGETHER,
        "tighter": s.Condition(2 * alpha * p, "<=", (1,)),
        "wider": s.Condition(alpha * L, "<=", (1,)),
    }
    assert choose(conditions, {"L": 1.0, "p": 2.0}, alpha=1.0)["alpha"] == pytest.approx(0.25, rel=4e-16)


def test_a_condition_that_no_value_meets_is_refused() -> None:
    with pytest.raises(OutsideConditionsError, match="admits no alpha, however small"):
        choose({"together": s.Condition(alpha + L, "<=", (1,))}, {"L": 2.0}, alpha=1.0)


def test_a_letter_waits_for_those_that_bound_it() -> None:
    """beta <= alpha/2 is known once alpha is, whatever the order in which they are asked for."""
    conditions = {"beta": s.Condition(beta, "<=", (alpha / 2,)), "alpha": s.Condition(alpha, "<=", (1 / L,))}
    for fractions in ({"beta": 0.5, "alpha": 1.0}, {"alpha": 1.0, "beta": 0.5}):
        assert choose(conditions, {"L": 4.0}, **fractions) == {"alpha": 0.25, "beta": 0.0625}


# Letters that nothing bounds, and whole numbers.


def test_what_nothing_bounds_goes_from_a_thousandth_to_a_thousand_and_a_count_is_one_or_large() -> None:
    assert choose({}, {}, alpha=1.0) == {"alpha": 1e3}
    assert choose({}, {}, alpha=SMALLEST) == {"alpha": pytest.approx(1e-3)}
    assert choose({}, {}, p=1.0) == {"p": 1.0}
    assert choose({}, {}, p=SMALLEST) == {"p": 1000.0}
    assert choose({}, {}, {"p": 2}, p=1.0) == {"p": 2.0}


@pytest.mark.parametrize(
    ("most", "fraction", "found"), [(5.5, 1.0, 5), (6.0, 0.5, 3), (7.0, 0.5, 3), (1.5, 0.1, 1)]
)
def test_a_bounded_count_is_the_whole_number_below_and_at_least_one(
    most: float, fraction: float, found: int
) -> None:
    assert choose({"p": s.Condition(p, "<=", (L,))}, {"L": most}, p=fraction) == {"p": found}


def test_a_letter_is_open_where_no_condition_has_it() -> None:
    conditions = {"alpha": s.Condition(alpha, "<=", (1 / L,)), "together": s.Condition(beta * mu, "<", (1,))}
    theorem = small_paper("open-by-hand", terms={"all": L}, conditions=conditions, letters=EVERY)["theorem-1"]
    assert [name for name in EVERY.split() if is_open(theorem, name)] == ["T", "p"]
