"""What is special about the world `wavy`: all stationary points of a nonconvex Phi; at dial = 0 the base world.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'(B w(x) + c) + s_g n'y,      w(x) = x + (dial/omega) sin(omega (x - a))
    f(x, y; xi)   = 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

Truth, samples and constants are tested with those of the other worlds.
"""

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from oracles.quotients import READINGS
from ratecert.errors import NotAffineError
from ratecert.solvers import LocalBSGM, LocalBSGVRM, expect, reachable_radius, stationary
from ratecert.synthetic import Quadratic
from ratecert.synthetic.wavy import LEAST_WITH_MORE_ROOTS, Wavy, wavy

Array = NDArray[np.float64]
TWO: dict[str, Any] = {
    "d": 2, "dial": 2.0, "omega": 1.5, "A": [1.0, 2.0], "E": [0.25, -0.5], "B": [1.0, -0.75], "D": [1.0, 0.5],
    "a": [0.25, -1.0], "b": [0.5, -0.125], "s_f": 0.25, "s_g": 0.5,
}  # fmt: skip
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.5, "p": 3, "theta": 0.4, "Q": 3}
START: dict[str, Any] = {"x0": [1.0, 0.5], "y0": [0.0, -1.0]}


# The stationary points of Phi.


def roots_by_search(world: Wavy, within: float) -> Array:
    """Where Phi' changes its sign, for d = 1: between neighbours on a grid, then by bisection."""
    grid = np.linspace(-within, within, 20_001) + 1e-7
    slopes = world.hypergradient(world.a[:, None] + grid)[0]
    found = np.flatnonzero(np.sign(slopes[1:]) != np.sign(slopes[:-1]))
    return np.array([brentq(lambda v: world.hypergradient(world.a + v)[0], *grid[i : i + 2]) for i in found])


@pytest.mark.parametrize("dial", [0.0, 0.3, 0.99, 1.2, 2.0, 3.5, 4.6])
@pytest.mark.parametrize("omega", [0.7, 3.0])
def test_all_stationary_points_are_known(dial: float, omega: float) -> None:
    world = wavy(dial=dial, omega=omega, a=0.4, b=-1.0, B=2.0)
    closed = world.stationary_offsets(within=12.0)
    assert closed == pytest.approx(roots_by_search(world, 12.0), abs=1e-9)
    assert len(closed) > 1 or dial < 1
    other = wavy(dial=dial + 1e-3 if dial < 4.6 else 4.5, omega=omega, a=0.4)
    assert dial < 1 or closed != pytest.approx(other.stationary_offsets(within=12.0), abs=1e-9)


@pytest.mark.parametrize("dial", [1.2, 4.6])
def test_a_minimum_follows_a_maximum(dial: float) -> None:
    """In the order of |v|: x_star, where Phi = 0, then maximum, minimum, ..., with Phi > 0."""
    world, h = wavy(dial=dial, omega=2.0), 1e-4
    right = world.stationary_offsets(within=20.0)
    right = right[right >= 0]
    Phi = world.objective(right[None])
    curvature = world.objective(right[None] + h) + world.objective(right[None] - h) - 2 * Phi
    assert np.array_equal(np.sign(curvature), [1, *([-1, 1] * len(right))[: len(right) - 1]])
    assert Phi[0] == world.x_star == 0
    assert Phi[1:].min() > 0


def test_at_dial_1_maxima_and_minima_fall_together() -> None:
    """Phi' = 0 without a change of sign, at omega v = pi (2k + 1)."""
    world = wavy(dial=1.0, omega=2.0)
    found = world.stationary_offsets(within=8.0)
    assert found == pytest.approx(np.pi / 2 * np.array([-5, -3, -1, 0, 1, 3, 5]), rel=1e-15)
    assert np.abs(world.hypergradient(found[None])).max() < 1e-12
    assert len(roots_by_search(world, 8.0)) == 1


def test_in_two_dimensions_every_combination_is_stationary_and_nothing_else() -> None:
    """Else: a point with one entry that is none of the offsets.

    omega within = 12 and dial = 2: 2 pi/3, 4 pi/3 and these plus 2 pi, their negatives, and 0.
    """
    world = wavy(**TWO)
    offsets = world.stationary_offsets(within=8.0)
    points = world.a[:, None] + np.array(list(product(offsets, offsets))).T
    assert np.abs(world.hypergradient(points)).max() < 1e-12
    moved = points + np.array([[0.05], [0.0]])
    assert np.linalg.norm(world.hypergradient(moved), axis=0).min() > 1e-2
    assert points.shape[1] == (2 * 4 + 1) ** 2


def test_the_largest_dial_is_the_one_at_which_y_star_meets_b_again() -> None:
    """w = a at v != 0 means u + dial sin u = 0; the least such dial is min -u/sin u on (pi, 2 pi), at tan u = u."""
    u = brentq(lambda u: math.tan(u) - u, 4.4, 4.6, xtol=1e-15)
    assert pytest.approx(-u / math.sin(u), rel=1e-14) == LEAST_WITH_MORE_ROOTS
    grid = np.linspace(1e-3, 60.0, 200_001)
    for more, meets in ((-1e-6, False), (1e-4, True)):
        assert ((grid + (LEAST_WITH_MORE_ROOTS + more) * np.sin(grid)).min() < 0) == meets


@pytest.mark.parametrize("dial", [0.01, 0.48, 0.487, 1.0, 4.0])
def test_phi_is_nonconvex_for_every_dial_but_zero(dial: float) -> None:
    """Phi'' = h (1 - dial^2 - dial omega v) at omega v = pi/2 + 2 pi k; for k = 0 negative from 0.4862 on."""
    omega, h = 1.5, 1e-4
    for turns, negative in ((0, dial > 0.4862), (math.ceil(1 / (2 * math.pi * dial)), True)):
        v = (math.pi / 2 + 2 * math.pi * turns) / omega
        still, waves = (
            float(w.hypergradient([v + h])[0] - w.hypergradient([v - h])[0]) / (2 * h)
            for w in (wavy(dial=0.0, omega=omega), wavy(dial=dial, omega=omega))
        )
        assert waves == pytest.approx(1 - dial**2 - dial * omega * v, abs=1e-6)
        assert (waves < 0) == negative
        assert still == pytest.approx(1.0, rel=1e-9)  # the base world is convex


# dial = 0.


@pytest.mark.smoke
@pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])
def test_at_dial_0_it_is_the_base_world_bit_for_bit(algorithm: Any) -> None:
    """`base`, written out here once more; a dial of 1e-9 shows in the digits of the hypergradient and only there."""
    still, solver = wavy(**{**TWO, "dial": 0.0}), algorithm(eta=0.1, **STEPS)
    base = Quadratic(
        **{k: np.diag(getattr(still, k)) for k in "AEBD"}, P=np.zeros((2, 2)), a=still.a, b=still.b,
        c=still.A * still.b - still.B * still.a, s_f=still.s_f, s_g=still.s_g,
    )  # fmt: skip
    told, same, nearly = (w.hypergradient([1.0, 0.5]) for w in (still, base, replace(still, dial=1e-9)))
    assert np.array_equal(told, same)
    assert not np.array_equal(told, nearly)
    assert told == pytest.approx(nearly, rel=1e-6)
    runs = [expect(w, solver, K=3, T=10**6, **START).curves.gradient for w in (still, base)]
    assert np.array_equal(*runs)
    for reading, radius in product(READINGS, (0.5, math.inf)):
        constants = still.constants(radius=radius, reading=reading)
        assert constants == base.constants(radius=radius, reading=reading)
        assert constants != wavy(**TWO).constants(radius=radius, reading=reading)
    assert np.allclose(base.x_star, still.x_star, rtol=1e-14)


def test_above_0_exact_moments_are_refused() -> None:
    solver, world = LocalBSGM(eta=0.1, **STEPS), wavy(**{**TWO, "E": 0.0, "dial": 1e-12})
    for ask in (
        lambda w: expect(w, solver, K=2, T=10, **START),
        lambda w: stationary(w, solver, K=2),
        lambda w: reachable_radius(w, solver, 2),
    ):
        with pytest.raises(NotAffineError, match="dial = 1e-12"):
            ask(world)
        ask(replace(world, dial=0.0))
