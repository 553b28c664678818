"""Rationals, balls and polynomials: exact, enclosing, and in arrays that behave like numpy's."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from ratecert.base import arrays
from ratecert.base.arrays import (
    Balls,
    Polynomials,
    Rationals,
    doubles,
    like,
    matrix_power,
    on_the_other_side,
    solve,
    spectral_norm,
)
from ratecert.base.exact import (
    ETA,
    ONE_OVER_K,
    around,
    ball,
    cube_root,
    is_zero,
    rational,
    working_precision,
)

RNG = np.random.default_rng(0)
KINDS = [Rationals, Balls, Polynomials]


@pytest.mark.parametrize(
    "value", [0.1, 7, Fraction(1, 3), np.float64(1e-300), mpmath.mpf("0.3"), mpmath.mpf(-0.3), -0.1]
)
def test_a_number_is_taken_as_the_rational_that_it_is(value: object) -> None:
    exact = rational(value)
    if isinstance(value, mpmath.mpf):
        assert Fraction(int(exact.p), int(exact.q)) == Fraction(float(value))
    else:
        assert Fraction(int(exact.p), int(exact.q)) == Fraction(value)  # type: ignore[arg-type]


def test_two_doubles_are_around_a_ball() -> None:
    with working_precision(200):
        third = ball(fmpq(1, 3))
        low, high = around(third)
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert math.nextafter(low, 1) == high
    assert around(arb(0.5)) == (0.5, 0.5)
    assert around(arb("nan")) == (-math.inf, math.inf)


def test_a_ball_that_may_be_zero_is_zero_in_doubles() -> None:
    with working_precision(200):
        third = ball(fmpq(1, 3))
        cancelled, small = third + third + third - 1, third - ball(fmpq(1, 3) - fmpq(1, 2**150))
    assert float(arb(1, 2)) == 1.0  # its midpoint
    numbers = Balls.of([third, cancelled, small, arb(1, 2), arb("nan")])
    np.testing.assert_array_equal(doubles(numbers), [1 / 3, 0.0, 2.0**-150, 0.0, np.nan])


def test_a_cube_root_of_an_exact_number_is_enclosed() -> None:
    with working_precision(200):
        low, high = around(cube_root(rational(2.0)))
    assert Fraction(low) ** 3 < 2 < Fraction(high) ** 3
    assert math.isclose(cube_root(27.0), 3.0, rel_tol=1e-15)


def test_a_ball_that_may_be_zero_is_not_certainly_zero() -> None:
    assert is_zero(arb(0))
    assert is_zero(fmpq(0))
    assert not is_zero(arb(0, 1e-30))
    assert not is_zero(ETA)
    assert is_zero(ETA - ETA)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 2), (2, 4)),
        ((2,), (2, 4)),
        ((3, 2), (2,)),
        ((5, 3, 2), (2, 4)),
        ((3, 2), (5, 2, 4)),
        ((3, 0), (0, 2)),
    ],
)
def test_products_are_those_of_numpy(kind: type, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    A, B = RNG.normal(size=left), RNG.normal(size=right)
    with working_precision(200):
        both, one = kind.of(A) @ kind.of(B), A @ kind.of(B)  # type: ignore[attr-defined]
        assert isinstance(one, kind)
        values = [doubles(Rationals.of(v)) if kind is Polynomials else doubles(v) for v in (both, one)]
    for value in values:
        np.testing.assert_allclose(value, A @ B, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stacked_with_doubles_keeps_its_kind(kind: type) -> None:
    A = kind.of(np.eye(2))  # type: ignore[attr-defined]
    for made in (np.hstack([A, np.eye(2)]), np.column_stack([A, A[:, 0]]), np.stack([A, A]), A.T, A[0]):
        assert isinstance(made, kind)
    assert isinstance(like(np.eye(2), A), kind)
    assert like(A, np.eye(2)).dtype == np.float64


def test_a_solution_is_exact_or_enclosed_and_a_singular_matrix_is_refused() -> None:
    A, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 0.5])
    exact = solve(Rationals.of(A), Rationals.of(b))
    assert [Fraction(int(v.p), int(v.q)) for v in exact] == [Fraction(1, 2), Fraction(0)]
    with working_precision(100):
        for found, truth in zip(solve(Balls.of(A), Balls.of(b)), exact, strict=True):
            assert found.contains(arb(truth))
        for singular in (Rationals.of(np.ones((2, 2))), Balls.of(np.ones((2, 2)))):
            with pytest.raises(np.linalg.LinAlgError):
                solve(singular, b)


@pytest.mark.parametrize("small", [0, 10**9])
@pytest.mark.parametrize(
    "shapes", [((1, 2), (2, 1)), ((3, 3), (3, 4)), ((2, 3, 3), (3, 2)), ((2, 3), (4, 3, 2))]
)
def test_products_by_numpy_and_by_flint_are_exact_or_enclose(
    shapes: tuple[tuple[int, ...], ...], small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = (RNG.normal(size=shape) for shape in shapes)
    terms = np.vectorize(Fraction, otypes=[object])
    truth = np.matmul(terms(left), terms(right)).ravel()
    monkeypatch.setattr(arrays, "SMALL", small)
    exact = (Rationals.of(left) @ Rationals.of(right)).ravel()
    with working_precision(64):
        enclosing = (Balls.of(left) @ Balls.of(right)).ravel()
    for fraction, number, around_it in zip(truth, exact, enclosing, strict=True):
        assert number == rational(fraction)
        with working_precision(256):
            assert around_it.contains(arb(rational(fraction)))
            assert not around_it.overlaps(arb(rational(fraction + Fraction(1, 10**12))))


def test_powers_are_repeated_products() -> None:
    A = Rationals.of(np.array([[1, -2], [3, 5]])) * fmpq(1, 3)
    assert (matrix_power(A, 1) == A).all()
    assert (matrix_power(A, 5) == A @ A @ A @ A @ A).all()
    assert matrix_power(Rationals.zeros(0, 0), 3).shape == (0, 0)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 2), (4, 4)])
def test_a_spectral_norm_is_an_upper_bound_and_sharp(shape: tuple[int, int]) -> None:
    A = RNG.normal(size=shape)
    with working_precision(256):
        bound = float(spectral_norm(Balls.of(A)))
    assert np.linalg.norm(A, 2) * (1 - 1e-14) <= bound <= np.linalg.norm(A, 2) * (1 + 1e-6)


def test_polynomials_are_closed_under_what_a_step_does() -> None:
    p = (1 - 3 * ETA) * (1 + ETA * ONE_OVER_K) - fmpq(1, 2)
    assert p.coefficients() == {(0, 0): fmpq(1, 2), (1, 0): fmpq(-3), (1, 1): fmpq(1), (2, 1): fmpq(-3)}
    assert (p * ETA) / ETA == p
    with pytest.raises(TypeError, match="is not a number"):
        rational(p)


def test_the_double_on_the_other_side() -> None:
    """Of a third it is above or below, whichever the nearest is not; a double has no other side."""
    with working_precision(100):
        third = Balls.of([1]) / 3
        near, other = float(doubles(third)[0]), float(on_the_other_side(third)[0])
    assert abs(other - near) == np.spacing(near)
    assert (Fraction(near) - Fraction(1, 3)) * (Fraction(other) - Fraction(1, 3)) < 0
    assert on_the_other_side(Balls.of([0.5, -2.0, 0.0])).tolist() == [0.5, -2.0, 0.0]


@pytest.mark.parametrize("kind", [Rationals, Balls])
@pytest.mark.parametrize(
    ("left", "right"), [((3, 4), (3, 1)), ((3, 1), (3, 4)), ((1,), (4,)), ((4,), (1,)), ((1,), (1,))]
)
def test_one_matrix_acts_on_a_whole_stack(kind: type, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    A, B = (rng.integers(-5, 5, (*shape, 2, 2)).astype(float) for shape in (left, right))
    made = kind.of(A) @ kind.of(B)
    assert isinstance(made, kind)
    np.testing.assert_array_equal(doubles(made), A @ B)
    with pytest.raises(ValueError, match="zip"):
        kind.of(rng.random((2, 2, 2))) @ kind.of(rng.random((3, 2, 2)))
