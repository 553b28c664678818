"""Constants hold certainly, and the next double does not: checked in fractions, by elimination."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.base.arrays import Rationals
from ratecert.base.exact import rational
from ratecert.base.promised import root_above, spectral_norm

Matrix = list[list[Fraction]]


def fractions(values: Any) -> Matrix:
    return [[Fraction(v) for v in row] for row in np.asarray(values).tolist()]


def is_positive(M: Matrix) -> bool:
    """Whether no eigenvalue is negative, by symmetric elimination; a zero pivot needs a row of zeros."""
    M = [row[:] for row in M]
    for k, pivots in enumerate(M):
        if pivots[k] < 0 or (pivots[k] == 0 and any(pivots[k:])):
            return False
        for i in range(k + 1, len(M)) if pivots[k] else ():
            share = M[i][k] / pivots[k]
            M[i] = [a - share * b for a, b in zip(M[i], pivots, strict=True)]
    return True


def less(c: Any, H: Matrix) -> Matrix:
    """c I - H."""
    return [[Fraction(c) * (i == j) - value for j, value in enumerate(row)] for i, row in enumerate(H)]


def rotated(d: int, seed: int, spread: float = 1e6) -> Any:
    return rc.worlds.single_level(np.geomspace(1.0, spread, d), seed=seed, noise_H=0.3, correlated=0.2, s=0.1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_L_and_mu_are_the_nearest_doubles_that_hold(d: int, seed: int) -> None:
    world = rotated(d, seed)
    H, known = fractions(world.H), world.constants()
    L, mu = known["L"], known["mu"]
    minus = [[-value for value in row] for row in H]
    assert is_positive(less(L, H))
    assert not is_positive(less(math.nextafter(L, 0), H))
    assert is_positive(less(-mu, minus))
    assert not is_positive(less(-math.nextafter(mu, math.inf), minus))


def test_eigenvalues_in_doubles_do_not_hold() -> None:
    """Negative test: LAPACK's are too small here for L, and too large for mu."""
    worlds = [rotated(3, seed) for seed in range(12)]
    spectra = [(fractions(world.H), np.linalg.eigvalsh(world.H)) for world in worlds]
    assert not all(is_positive(less(float(own[-1]), H)) for H, own in spectra)
    assert not all(is_positive(less(-float(own[0]), [[-v for v in row] for row in H])) for H, own in spectra)


@pytest.mark.parametrize("seed", range(6))
def test_noise_and_smoothness_in_the_mean_hold(seed: int) -> None:
    """E||grad F(x; xi) - grad F(x*; xi)||^2 <= 2 calL (F(x) - F*) and L_average^2, as matrices, and sigma_star^2."""
    world = rotated(3, seed, spread=100.0)
    known = world.constants()
    H, E = (np.array(fractions(matrix), dtype=object) for matrix in (world.H, world.E[0]))
    second = H @ H + E @ E
    assert is_positive((Fraction(known["calL"]) * H - second).tolist())
    assert is_positive(less(Fraction(known["L_average"]) ** 2, second.tolist()))
    sigma2 = sum(Fraction(c) ** 2 for c in world.c[0].tolist()) + 3 * Fraction(world.s) ** 2
    assert (
        Fraction(math.nextafter(known["sigma_star"], 0)) ** 2 < sigma2 <= Fraction(known["sigma_star"]) ** 2
    )
    assert known["sigma"] == math.inf  # somewhere: E is not 0


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 3e5, 1e150])
def test_of_a_number_they_are_that_number(size: float) -> None:
    known = rc.worlds.SingleLevel(H=size, s=size).constants()
    assert (known["L"], known["mu"], known["sigma"], known["L_average"]) == (size,) * 4
    assert spectral_norm(Rationals.of([[-size]])) == size


def test_roots() -> None:
    assert root_above(rational(2)) ** 2 > 2 > math.nextafter(root_above(rational(2)), 0) ** 2
    assert [root_above(rational(square)) for square in (0, 0.25, 4, 9)] == [0.0, 0.5, 2.0, 3.0]


def test_many_outcomes_are_a_trillionth_off() -> None:
    """Of 2^7 outcomes of one size the largest is not told apart: the constant holds, and hardly exceeds it."""
    world = rc.worlds.SingleLevel(H=np.eye(7), E=[0.1 * np.diag(row) for row in np.eye(7)])
    assert 1.1 < world.constants()["L_sample"] <= 1.1 * (1 + 2e-12)
