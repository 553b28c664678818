"""The world `wavy` against SymPy, its own oracles, and brute force.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'(B w(x) + c) + s_g n'y,      w(x) = x + (dial/omega) sin(omega (x - a))
    f(x, y; xi)   = 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

Four things are special: all stationary points of a nonconvex Phi are known; at dial = 0 it is the base world bit for
bit; the rate of Corollary 1 is seen on it; and the printed L_Phi, too small in its units, is never exceeded on it.
"""

import copy
import math
import pickle
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import brentq

from oracles.watched import Watched
from oracles.world_signs import every_outcome, noise_free, random_outcomes
from ratecert.errors import NotAffineError
from ratecert.registry import paper
from ratecert.solvers import (
    LocalBSGM,
    LocalBSGVRM,
    StochasticNeumann,
    exact_hypergradient,
    expect,
    reachable_radius,
    simulate,
    stationary,
)
from ratecert.synthetic import Quadratic
from ratecert.synthetic.constants.norm_readings import Reading
from ratecert.synthetic.worlds.quadratic import LowerSample
from ratecert.synthetic.worlds.wavy import LEAST_WITH_MORE_ROOTS, Wavy, wavy
from ratecert.theory.numbers.assumptions import check_assumptions
from ratecert.theory.numbers.evaluation import with_constants

Array = NDArray[np.float64]
READINGS: list[Reading] = ["joint", "block"]
TWO: dict[str, Any] = {
    "d": 2, "dial": 2.0, "omega": 1.5, "A": [1.0, 2.0], "E": [0.25, -0.5], "B": [1.0, -0.75], "D": [1.0, 0.5],
    "a": [0.25, -1.0], "b": [0.5, -0.125], "s_f": 0.25, "s_g": 0.5,
}  # fmt: skip
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.5, "p": 3, "theta": 0.4, "Q": 3}


# SymPy: the two printed lines, differentiated; TWO has binary fractions only, so that nothing is rounded on the way.


@cache
def symbolic() -> dict[str, Callable[..., Any]]:
    """Truth and oracles of TWO as functions of (x, y, r, signs): four of f, then e and two of n."""
    exact = {
        k: [sp.Rational(e) for e in v] if isinstance(v, list) else sp.Rational(v) for k, v in TWO.items()
    }
    x, y, r, m, n = (
        sp.symbols(f"{name}:{size}") for name, size in zip("xyrmn", (2, 2, 2, 4, 2), strict=True)
    )
    e, dial, omega = sp.Symbol("e"), exact["dial"], exact["omega"]
    f = g = sp.Integer(0)
    for i in range(2):
        A, E, B, D, a, b = (exact[name][i] for name in ("A", "E", "B", "D", "a", "b"))
        w = x[i] + dial / omega * sp.sin(omega * (x[i] - a))
        g += (A + e * E) * y[i] ** 2 / 2 - y[i] * (B * w + A * b - B * a) + exact["s_g"] * n[i] * y[i]
        f += D * (y[i] - b) ** 2 / 2 + exact["s_f"] * (m[i] * x[i] + m[2 + i] * y[i])
    silent = dict.fromkeys((*m, *n, e), 0)
    y_star = sp.solve([g.diff(s).subs(silent) for s in y], list(y), dict=True)[0]
    Phi = f.subs(silent).subs(y_star)
    made = {
        "y_star": [y_star[s] for s in y],
        "objective": Phi,
        "hypergradient": [Phi.diff(s) for s in x],
        "grad_x_f": [f.diff(s) for s in x],
        "grad_y_f": [f.diff(s) for s in y],
        "grad_y_g": [g.diff(s) for s in y],
        "hessian_g": [sum(g.diff(s, t) * q for t, q in zip(y, r, strict=True)) for s in y],
        "jacobian_g": [sum(g.diff(s, t) * q for t, q in zip(y, r, strict=True)) for s in x],
    }
    return {k: sp.lambdify([*x, *y, *r, *m, e, *n], v, "math") for k, v in made.items()}


def values_by_sympy(name: str, x: Array, y: Array, r: Array, signs: Array) -> Array:
    return np.array([symbolic()[name](*column) for column in np.concatenate([x, y, r, signs]).T]).T


def assert_truth(world: Wavy) -> None:
    x = np.random.default_rng(0).uniform(-6, 6, (2, 20))
    for name in ("y_star", "objective", "hypergradient"):
        expected = values_by_sympy(name, x, x, x, np.zeros((7, 20)))
        np.testing.assert_allclose(getattr(world, name)(x), expected, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(getattr(world, name)(x[:, 0]), expected[..., 0], rtol=1e-12, atol=1e-13)


def assert_oracles(world: Wavy) -> None:
    """Every outcome of the signs, at points of its own."""
    rng = np.random.default_rng(1)
    xi, n_f = every_outcome(world.sample_f)
    zeta, n_g = every_outcome(world.sample_g)
    nothing = np.zeros((7, max(n_f, n_g)))
    for names, sample, n, rows, signs in (
        (("grad_x_f", "grad_y_f"), xi, n_f, slice(0, 4), [xi.m_x, xi.m_y]),
        (("grad_y_g", "hessian_g", "jacobian_g"), zeta, n_g, slice(4, 7), [zeta.e, zeta.n]),
    ):
        x, y, r = (rng.uniform(-4, 4, (2, n)) for _ in range(3))
        all_signs = nothing[:, :n].copy()
        all_signs[rows] = np.concatenate(signs)
        for name in names:
            extra = (r,) if name in ("hessian_g", "jacobian_g") else ()
            expected = values_by_sympy(name, x, y, r, all_signs)
            np.testing.assert_allclose(
                getattr(world, name)(sample, x, y, *extra), expected, rtol=1e-12, atol=1e-13
            )
            if name == "hessian_g":
                factor = world.neumann_factor_g(sample, x, y, r, 0.375)
                np.testing.assert_allclose(factor, r - 0.375 * expected, rtol=1e-12, atol=1e-13)


@pytest.mark.smoke
def test_truth_and_oracles_equal_sympy() -> None:
    assert_truth(wavy(**TWO))
    assert_oracles(wavy(**TWO))


@pytest.mark.parametrize("name", sorted(TWO.keys() - {"d"}))
def test_sympy_sees_every_wrong_field(name: str) -> None:
    wrong = wavy(**{**TWO, name: 1.01 * np.array(TWO[name])})
    with pytest.raises(AssertionError, match="Not equal"):
        assert_oracles(wrong)
    if name not in ("E", "s_f", "s_g"):
        with pytest.raises(AssertionError, match="Not equal"):
            assert_truth(wrong)


# Taylor: the remainder of a first-order expansion has order 2.


def order(function: Callable[[Array], Array], derivative: Array, x: Array, v: Array) -> float:
    """The least d log remainder / d log h over h = 2^-8 .. 2^-13."""
    h = 2.0 ** -np.arange(8, 14)
    rest = [np.linalg.norm(function(x + s * v) - function(x) - s * derivative) for s in h]
    return float((np.diff(np.log(rest)) / np.diff(np.log(h))).min())


def slope_of_y_star(world: Wavy, x: Array) -> Array:
    """-[grad_yy g]^{-1} (grad_xy g)', column by column from the oracles."""
    zeta, y = noise_free(world.sample_g), world.y_star(x)
    at = (zeta, x[:, None], y[:, None])
    jacobian = np.hstack([world.jacobian_g(*at, e[:, None]) for e in np.eye(world.d_y)])
    hessian = np.hstack([world.hessian_g(*at, e[:, None]) for e in np.eye(world.d_y)])
    return -np.linalg.solve(hessian, jacobian.T)


@pytest.mark.parametrize("dial", [0.5, 1.0, 2.0, 4.5])
def test_taylor(dial: float) -> None:
    world, rng = wavy(**{**TWO, "dial": dial}), np.random.default_rng(2)
    for _ in range(5):
        x, v = rng.uniform(-3, 3, 2), rng.standard_normal(2)
        slope, gradient = slope_of_y_star(world, x), world.hypergradient(x)
        assert order(world.y_star, slope @ v, x, v) > 1.9
        assert order(world.objective, gradient @ v, x, v) > 1.9
        assert order(world.y_star, 1.01 * slope @ v, x, v) < 1.9
        assert order(world.objective, 1.01 * gradient @ v, x, v) < 1.9
        np.testing.assert_allclose(exact_hypergradient(world, x), gradient, rtol=1e-11, atol=1e-12)


# The stationary points of Phi.


def roots_by_search(world: Wavy, within: float) -> Array:
    """Where Phi' changes its sign, for d = 1: between neighbours on a grid, then by bisection."""
    grid = np.linspace(-within, within, 20_001) + 1e-7
    slopes = world.hypergradient(world.a[:, None] + grid)[0]
    found = np.flatnonzero(np.sign(slopes[1:]) != np.sign(slopes[:-1]))
    return np.array(
        [brentq(lambda v: world.hypergradient(world.a + v)[0], grid[i], grid[i + 1]) for i in found]
    )


@pytest.mark.parametrize("dial", [0.0, 0.3, 0.99, 1.2, 2.0, 3.5, 4.6])
@pytest.mark.parametrize("omega", [0.7, 3.0])
def test_all_stationary_points_are_known(dial: float, omega: float) -> None:
    world = wavy(dial=dial, omega=omega, a=0.4, b=-1.0, B=2.0)
    closed, within = world.stationary_offsets(within=12.0), 12.0
    assert closed == pytest.approx(roots_by_search(world, within), abs=1e-9)
    assert len(closed) > 1 or dial < 1
    other = wavy(dial=dial + 1e-3 if dial < 4.6 else 4.5, omega=omega, a=0.4)  # twin: those of another dial
    assert dial < 1 or closed != pytest.approx(other.stationary_offsets(within=12.0), abs=1e-9)


@pytest.mark.parametrize("dial", [1.2, 2.0, 4.6])
def test_a_minimum_follows_a_maximum(dial: float) -> None:
    """In the order of |v|: x_star, where Phi = 0, then maximum, minimum, ..., with Phi > 0."""
    world, h = wavy(dial=dial, omega=2.0), 1e-4
    right = world.stationary_offsets(within=20.0)
    right = right[right >= 0]
    Phi = world.objective(right[None])
    curvature = world.objective(right[None] + h) + world.objective(right[None] - h) - 2 * Phi
    assert np.array_equal(np.sign(curvature), [1, *([-1, 1] * len(right))[: len(right) - 1]])
    assert Phi[0] == 0
    assert Phi[1:].min() > 0
    assert world.x_star == 0.0


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
    assert (grid + (LEAST_WITH_MORE_ROOTS - 1e-6) * np.sin(grid)).min() > 0
    assert (grid + (LEAST_WITH_MORE_ROOTS + 1e-4) * np.sin(grid)).min() < 0


@pytest.mark.parametrize("dial", [0.01, 0.48, 0.487, 1.0, 4.0])
def test_phi_is_nonconvex_for_every_dial_but_zero(dial: float) -> None:
    """Phi'' = h (1 - dial^2 - dial omega v) at omega v = pi/2 + 2 pi k; for k = 0 negative from 0.4862 on."""
    omega, h = 1.5, 1e-4
    k = math.ceil(1 / (2 * math.pi * dial))
    for turns, negative in ((0, dial > 0.4862), (k, True)):
        v = (math.pi / 2 + 2 * math.pi * turns) / omega
        still, waves = (wavy(dial=t, omega=omega) for t in (0.0, dial))
        second = [
            float(w.hypergradient([v + h])[0] - w.hypergradient([v - h])[0]) / (2 * h) for w in (waves, still)
        ]
        assert second[0] == pytest.approx(1 - dial**2 - dial * omega * v, abs=1e-6)
        assert (second[0] < 0) == negative
        assert second[1] == pytest.approx(1.0, rel=1e-9)  # twin: the base world is convex


# dial = 0.


def run(world: Any, solver: Any) -> Any:
    return simulate(
        world, solver, K=3, T=40, x0=[1.0, 0.5], y0=[0.0, -1.0], replicates=70, seed=3, times=range(41)
    )


@pytest.mark.smoke
@pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])
def test_at_dial_0_it_is_the_base_world_bit_for_bit(algorithm: Any) -> None:
    """`base`, written out here once more; a dial of 1e-9 shows in the digits and only there."""
    still, solver = wavy(**{**TWO, "dial": 0.0}), algorithm(eta=0.1, **STEPS)
    base = Quadratic(
        A=np.diag(still.A), E=np.diag(still.E), B=np.diag(still.B), P=np.zeros((2, 2)), D=np.diag(still.D),
        a=still.a, b=still.b, c=still.A * still.b - still.B * still.a, s_f=still.s_f, s_g=still.s_g,
    )  # fmt: skip
    ours, theirs, nearly = (run(world, solver).curves for world in (still, base, replace(still, dial=1e-9)))
    for measure in ("gradient", "tracking", "drift_x", "drift_y"):
        assert np.array_equal(getattr(ours, measure), getattr(theirs, measure))
        assert not np.array_equal(getattr(ours, measure), getattr(nearly, measure))
        np.testing.assert_allclose(getattr(ours, measure), getattr(nearly, measure), rtol=1e-6, atol=1e-12)
    call: dict[str, Any] = {"K": 3, "T": 10**6, "x0": [1.0, 0.5], "y0": [0.0, -1.0]}
    assert np.array_equal(
        expect(still, solver, **call).curves.gradient, expect(base, solver, **call).curves.gradient
    )
    for reading, radius in product(READINGS, (0.5, math.inf)):
        constants = still.constants(radius=radius, reading=reading)
        assert constants == base.constants(radius=radius, reading=reading)
        assert constants != wavy(**TWO).constants(radius=radius, reading=reading)
    assert np.allclose(base.x_star, still.x_star, rtol=1e-14)


@pytest.mark.parametrize("algorithm", [LocalBSGM, LocalBSGVRM])
def test_above_0_exact_moments_are_refused_in_one_sentence(algorithm: Any) -> None:
    solver, world = algorithm(eta=0.1, **STEPS), wavy(**{**TWO, "E": 0.0, "dial": 1e-12})
    start = {"x0": [1.0, 0.5], "y0": [0.0, -1.0]}
    sentence = r"^\w+ on Wavy is not affine .* \(with dial = 1e-12 > 0 g has a sine of x\); use simulate\.$"
    for ask in (
        lambda w: expect(w, solver, K=2, T=10, **start),
        lambda w: stationary(w, solver, K=2),
        lambda w: reachable_radius(w, solver, 2),
    ):
        with pytest.raises(NotAffineError, match=sentence):
            ask(world)
        ask(replace(world, dial=0.0))  # twin: accepted


# The constants: never exceeded by random quotients, and how nearly they are reached.

WORLDS: dict[str, Wavy] = {
    "d=1": wavy(E=0.3, s_f=0.2, s_g=0.1),
    "d=2": wavy(**TWO),
    "steep": wavy(dial=4.5, omega=3.0, E=0.1, b=1.0),
    "fast": wavy(d=2, dial=1.0, omega=20.0, B=[0.1, 0.2], A=[1.0, 0.5], E=0.2, D=0.3),
}
RADII = [0.3, 1.0, 4.0]
CASES = list(product(WORLDS, RADII))


def gradient_f(world: Wavy, xi: Any, z: Array) -> Array:
    x, y = z[: world.d], z[world.d :]
    return np.concatenate([world.grad_x_f(xi, x, y), world.grad_y_f(xi, x, y)])


def gradient_g(world: Wavy, zeta: Any, z: Array) -> Array:
    """x and y meet in -y'B w(x) alone, so grad_x g = grad_xy g y."""
    x, y = z[: world.d], z[world.d :]
    return np.concatenate([world.jacobian_g(zeta, x, y, y), world.grad_y_g(zeta, x, y)])


def in_ball(world: Wavy, radius: float, rng: np.random.Generator, n: int) -> Array:
    z = rng.standard_normal((2 * world.d, n))
    z *= radius * rng.uniform(size=n) ** rng.choice([0.0, 1.0], n) / np.linalg.norm(z, axis=0)
    return np.concatenate([world.a, world.b])[:, None] + z


def blocks(world: Wavy, reading: Reading) -> list[slice]:
    return [slice(None)] if reading == "joint" else [slice(0, world.d), slice(world.d, None)]


def mean_square(world: Wavy, oracle: Callable[[Any, Array], Array], sampler: Any, z: Array) -> Array:
    """E||oracle(sample) - oracle||^2 at each column of z."""
    sample, n = every_outcome(sampler)
    total = np.zeros(z.shape[1])
    for j in range(n):
        one = type(sample)(**{k: v[:, j : j + 1] for k, v in vars(sample).items() if v is not None})
        total += ((oracle(one, z) - oracle(noise_free(sampler), z)) ** 2).sum(axis=0) / n
    return total


def jacobians(world: Wavy, x: Array) -> Array:
    """grad_xy g at columns, as (n, d, d)."""
    zeta = noise_free(world.sample_g)
    unit = [np.repeat(e[:, None], x.shape[1], axis=1) for e in np.eye(world.d)]
    return np.stack([world.jacobian_g(zeta, x, x, e).T for e in unit], axis=2)


def sampled(world: Wavy, radius: float, reading: Reading) -> dict[str, float]:
    """The worst quotients over random points, pairs and outcomes."""
    rng, n = np.random.default_rng(7), 4000
    z, far = in_ball(world, radius, rng, n), in_ball(world, radius, rng, n)
    xi, zeta = random_outcomes(world.sample_f, rng, n), random_outcomes(world.sample_g, rng, n)
    L_1 = 0.0
    for gradient, moved in product((partial_f(world, xi), partial_g(world, zeta)), blocks(world, reading)):
        to = z.copy()
        to[moved] += 0.01 * (far - z)[moved]
        difference, step = gradient(to) - gradient(z), np.linalg.norm(to - z, axis=0)
        L_1 = max(
            L_1, *(np.max(np.linalg.norm(difference[rows], axis=0) / step) for rows in blocks(world, reading))
        )
    r = rng.standard_normal((world.d, n))
    x, y, to_x = z[: world.d], z[world.d :], far[: world.d]
    turned = np.linalg.norm(jacobians(world, x) - jacobians(world, to_x), 2, axis=(1, 2))
    few, length = z[:, :200], (r**2).sum(axis=0)
    hessian_noise = mean_square(
        world, lambda s, v: world.hessian_g(s, v, v, v), world.sample_hessian, r[:, :200]
    )
    return {
        "mu": float(((r * world.hessian_g(zeta, x, y, r)).sum(axis=0) / length).min()),
        "L_0": float(np.linalg.norm(gradient_f(world, xi, z), axis=0).max()),
        "L_1": float(L_1),
        "L_21": float((turned / np.linalg.norm(x - to_x, axis=0)).max()),
        "sigma": math.sqrt(
            mean_square(world, lambda s, v: gradient_g(world, s, v), world.sample_g, few).max()
        ),
        "sigma_f": math.sqrt(
            mean_square(world, lambda s, v: gradient_f(world, s, v), world.sample_f, few).max()
        ),
        "sigma_H": math.sqrt((hessian_noise / length[:200]).max()),
    }


def partial_f(world: Wavy, xi: Any) -> Callable[[Array], Array]:
    return lambda z: gradient_f(world, xi, z)


def partial_g(world: Wavy, zeta: Any) -> Callable[[Array], Array]:
    return lambda z: gradient_g(world, zeta, z)


def beaten(quotients: dict[str, float], constants: dict[str, float]) -> set[str]:
    above = {k for k in quotients if k != "mu" and quotients[k] > constants[k] * (1 + 1e-7) + 1e-12}
    return above | ({"mu"} if quotients["mu"] < constants["mu"] * (1 - 1e-9) else set())


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("name", "radius"), CASES)
def test_sampled_quotients_never_exceed_the_constants(name: str, radius: float, reading: Reading) -> None:
    """Twin: a third of a constant is exceeded, unless it is zero."""
    world = WORLDS[name]
    constants, quotients = world.constants(radius=radius, reading=reading), sampled(world, radius, reading)
    assert beaten(quotients, constants) == set()
    assert constants["L_22"] == 0.0
    for k in quotients:
        small = {**constants, k: constants[k] * 3 if k == "mu" else constants[k] / 3}
        assert beaten(quotients, small) == ({k} if constants[k] > 0 else set())


# mu, L_0, sigma, sigma_f and sigma_H are those of the base world, on which test_world_constants.py reaches them.


def test_the_wave_has_no_part_in_the_noise_nor_in_f() -> None:
    world, other = wavy(**TWO), wavy(**{**TWO, "E": [0.25, -0.4], "s_f": 0.2, "D": 1.1})
    z = in_ball(world, 3.0, np.random.default_rng(3), 50)
    for make, oracle in (("sample_g", gradient_g), ("sample_f", gradient_f)):
        ours, still, twin = (
            mean_square(w, lambda s, v, w=w, oracle=oracle: oracle(w, s, v), getattr(w, make), z)
            for w in (world, replace(world, dial=0.0), other)
        )
        np.testing.assert_allclose(ours, still, rtol=1e-12)
        assert not np.allclose(ours, twin, rtol=1e-3)
    xi = noise_free(world.sample_f)
    assert np.array_equal(gradient_f(world, xi, z), gradient_f(replace(world, dial=0.0), xi, z))
    assert not np.allclose(gradient_f(world, xi, z), gradient_f(other, xi, z), rtol=1e-3)
    assert world.curvature == replace(world, dial=0.0).curvature != other.curvature


def planes(world: Wavy, radius: float) -> Array:
    """Points of the ball with one entry of x and the same of y moved: g is a sum over entries, the worst is there.

    |v| <= pi/omega is enough: the rest repeats it, with less room for y.
    """
    most = min(radius, math.pi / world.omega)
    v, u = np.meshgrid(np.linspace(-most, most, 201), np.linspace(-1, 1, 21))
    moves = np.zeros((2 * world.d, world.d, v.size))
    for i in range(world.d):
        moves[i, i], moves[world.d + i, i] = v.ravel(), (u * np.sqrt(radius**2 - v**2)).ravel()
    return np.concatenate([world.a, world.b])[:, None] + moves.reshape(2 * world.d, -1)


def reached(world: Wavy, radius: float, reading: Reading) -> dict[str, float]:
    """The largest norms of the Hessian in (x, y) of a sample of g, and of the derivative of grad_xy g.

    By central differences of the oracles on a grid of the ball, every sign of E.
    """
    z, d, h = planes(world, radius), world.d, 1e-5 / world.omega
    L_1 = float(world.D.max())
    for e in (-1.0, 1.0):
        zeta = LowerSample(e=np.full((len(world.base.E), 1), e), e_F=np.zeros((0, 1)), n=np.zeros((d, 1)))
        steps = [h * np.eye(2 * d)[:, i : i + 1] for i in range(2 * d)]
        columns = [gradient_g(world, zeta, z + s) - gradient_g(world, zeta, z - s) for s in steps]
        hessians = np.moveaxis(np.array(columns), 2, 0) / (2 * h)
        for rows, cut in product(blocks(world, reading), repeat=2):
            L_1 = max(L_1, float(np.linalg.norm(hessians[:, rows, cut], 2, axis=(1, 2)).max()))
    x, L_21 = z[:d], 0.0
    for i in range(d):
        step = h * np.eye(d)[:, i : i + 1]
        turned = (jacobians(world, x + step) - jacobians(world, x - step)) / (2 * h)
        L_21 = max(L_21, float(np.linalg.norm(turned, 2, axis=(1, 2)).max()))
    return {"L_1": L_1, "L_21": L_21}


def factors(name: str, radius: float, reading: Reading) -> dict[str, float]:
    """A constant over what is reached."""
    world = WORLDS[name]
    constants = world.constants(radius=radius, reading=reading)
    return {k: constants[k] / value for k, value in reached(world, radius, reading).items()}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("name", "radius"), CASES)
def test_the_factor_between_a_constant_and_what_is_reached(
    name: str, radius: float, reading: Reading
) -> None:
    """L_21 is attained. L_1 is at most 3 times (block: twice) too large, as the docstring of the world proves."""
    found = factors(name, radius, reading)
    assert found["L_21"] == pytest.approx(1, rel=2e-4)
    assert 1 - 1e-7 <= found["L_1"] <= {"joint": 3, "block": 2}[reading]


def test_the_search_sees_constants_that_are_too_small() -> None:
    """Those of a world with half the dial are exceeded, and not on that world itself."""
    world = WORLDS["d=1"]
    half = replace(world, dial=world.dial / 2)
    for radius, reading in product(RADII, READINGS):
        small = half.constants(radius=radius, reading=reading)
        for constant in ("L_1", "L_21"):
            assert reached(world, radius, reading)[constant] > small[constant]
            assert reached(half, radius, reading)[constant] <= small[constant] * (1 + 1e-7)


def test_the_assumptions_and_where_they_hold() -> None:
    """A1 everywhere; A2 on balls, as f and grad_xx g grow with y; A3 everywhere without E, else on balls."""
    for E, third in ((0.0, "everywhere"), (0.3, "on the ball")):
        world = wavy(E=E, s_g=0.2)
        for radius, second in ((5.0, "on the ball"), (math.inf, "no")):
            found = [s.holds for s in check_assumptions(paper(), world, radius=radius)]
            assert found == ["everywhere", second, third if E == 0 or math.isfinite(radius) else "no"]
    everywhere = wavy().constants()
    assert [k for k in everywhere if math.isinf(everywhere[k])] == ["L_0", "L_1"]
    assert math.isfinite(wavy(dial=0.0).constants()["L_1"])  # twin: the wave alone makes L_1 infinite


# L_Phi, printed with L_21 L_0^2/mu and repaired with L_21 L_0/mu, where L_0 < 1.
#
# Where L_22 = 0, as here, the print is never exceeded: with kappa = ||dy*/dx|| <= L_1/mu and mu <= L_1,
#     ||Phi''|| <= L_1 kappa^2 + L_0 L_21/mu <= L_1^3/mu^2 + L_0 L_21 L_1/mu^2,
# two terms of both. They differ by L_21 L_0 (1 - L_0)/mu, and on this world also L_0 L_21 <= L_1^2, because
# L_0 = D radius and the first entry in the formula of L_1 is at least L_21 radius. With k = L_1/mu >= 1
#     1 - printed/repaired <= (1 - L_0) k/((1 + k)(1 + 2k)) <= (1 - L_0)/6.


def scaled(*, A: float, B: float, D: float, dial: float, turns: float, L_0: float) -> tuple[Wavy, float]:
    """A world without noise and the radius on which its L_0 is the given one, in which omega v goes to `turns`."""
    radius = L_0 / (A * D)
    return wavy(A=A, B=A * B, D=A * D, dial=dial, omega=turns / radius), radius


def steepness(world: Wavy, radius: float) -> float:
    """The largest quotient of grad Phi between near points with (x, y*(x)) in the ball, for d = 1."""
    x = np.linspace(-radius, radius, 4001)
    inside = np.hypot(x, world.y_star(x[None])[0]) <= radius
    quotients = np.abs(np.diff(world.hypergradient(x[None])[0]) / np.diff(x))
    return float(quotients[inside[1:] & inside[:-1]].max())


def both(world: Wavy, radius: float, reading: Reading) -> tuple[float, float, dict[str, float]]:
    """L_Phi printed and repaired, and the constants in them."""
    constants = world.constants(radius=radius, reading=reading)
    printed, repaired = (with_constants(paper(v), constants)["L_Phi"] for v in ("printed", "repaired"))
    return printed, repaired, constants


@pytest.mark.parametrize("reading", READINGS)
def test_the_printed_L_Phi_is_not_exceeded_and_at_most_a_sixth_smaller(reading: Reading) -> None:
    """200 worlds, sizes drawn over decades in the logarithm.

    Twin: without the two terms that the proof needs the print is exceeded, on every tenth world or so.
    """
    rng, exceeded = np.random.default_rng(5), 0
    for _ in range(200):
        A, B, D, turns = 10 ** rng.uniform([-2, -2, -2, -2], [2, 2, 2, 1.5])
        L_0 = 10 ** rng.uniform(-3, 0)
        world, radius = scaled(A=A, B=B, D=D, dial=rng.uniform(0.01, 4.6), turns=turns, L_0=L_0)
        printed, repaired, c = both(world, radius, reading)
        true = steepness(world, radius)
        assert true <= printed < repaired
        assert c["L_0"] == pytest.approx(L_0, rel=1e-12)
        assert c["L_0"] * c["L_21"] <= c["L_1"] ** 2 * (1 + 1e-12)
        assert 1 - printed / repaired <= (1 - L_0) / 6 * (1 + 1e-12)
        needed = c["L_1"] ** 3 / c["mu"] ** 2 + c["L_0"] * c["L_21"] * c["L_1"] / c["mu"] ** 2
        assert true <= needed * (1 + 1e-9)
        exceeded += true > printed - needed
    assert exceeded >= 10


def test_how_near_they_come() -> None:
    """The largest parts found by differential evolution over log B, log D, dial, log omega radius, in both readings.

    All of the print, in the limit of a stiff lower level, by kappa^2 and not by L_21; where Phi'' < 0, so that L_21
    is in charge, 6 per cent; and 1 - printed/repaired = (1 - L_0)/6 at k = 1.
    """
    stiff, radius = scaled(A=1.0, B=461.0, D=1000.0, dial=1.17, turns=0.01, L_0=1e-3)
    assert (
        0.99 * both(stiff, radius, "block")[0] < steepness(stiff, radius) <= both(stiff, radius, "block")[0]
    )
    bent, radius = scaled(A=1.0, B=0.491, D=2.59, dial=0.585, turns=9.04, L_0=1e-3)
    x = np.linspace(0, radius, 4001)
    inside = np.hypot(x, bent.y_star(x[None])[0]) <= radius
    least = (np.diff(bent.hypergradient(x[None])[0]) / np.diff(x))[inside[1:]].min()
    assert 0.05 < -least / both(bent, radius, "block")[0] < 0.07
    apart, radius = scaled(A=1.0, B=0.15, D=1.0, dial=3.5, turns=1.9, L_0=1e-3)
    printed, repaired, c = both(apart, radius, "block")
    assert c["L_1"] / c["mu"] == pytest.approx(1.0, rel=1e-2)
    assert 1 - printed / repaired == pytest.approx((1 - 1e-3) / 6, rel=1e-2)


# L_tilde and L_hat.


def root_mean_square_steepness(world: Wavy, radius: float, theta: float, Q: int) -> float:
    """The largest ||h(z; .) - h(z'; .)|| / ||z - z'|| over near and far pairs; all outcomes, root mean square."""
    neumann, rng = StochasticNeumann(theta=theta, Q=Q), np.random.default_rng(9)
    sample, n = every_outcome(lambda bits: neumann.sample(world, bits))
    z, far = (in_ball(world, radius, rng, 150) for _ in range(2))
    largest = 0.0
    z[:, 0] = np.concatenate([world.a, world.b])
    far[:, 0] = z[:, 0] + radius * np.eye(2 * world.d)[world.d]
    for part in (1e-3, 1.0):
        to = z + part * (far - z)
        for one, other in zip(z.T, to.T, strict=True):
            points = (np.split(np.repeat(p[:, None], n, axis=1), 2) for p in (one, other))
            h, h_2 = (neumann.evaluate(world, sample, *point) for point in points)
            rms = math.sqrt(((h_2 - h) ** 2).sum() / n)
            largest = max(largest, rms / float(np.linalg.norm(other - one)))
    return largest


def tracking_steepness(world: Wavy, radius: float) -> float:
    """The largest ||grad Phi(x) - tilde(x, y)|| / ||y - y*(x)||: Lemma 1 at (x, y), by the oracles."""
    z, xi = in_ball(world, radius, np.random.default_rng(4), 1000), noise_free(world.sample_f)
    x, y, zeta = z[: world.d], z[world.d :], noise_free(world.sample_g)
    tilde = world.grad_x_f(xi, x, y) - world.jacobian_g(
        zeta, x, y, world.grad_y_f(xi, x, y) / world.A[:, None]
    )
    away = np.linalg.norm(y - world.y_star(x), axis=0)
    return float((np.linalg.norm(world.hypergradient(x) - tilde, axis=0) / away).max())


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", WORLDS)
def test_L_tilde_and_L_hat_hold(name: str, reading: Reading) -> None:
    """The search is not blind: at x = a, the first entry of y alone gives (1 + dial)|B| D theta sum (1 - theta A)^q.

    Twin: with the constants of the base world L_tilde is exceeded on the steepest wave.
    """
    world, radius, Q = WORLDS[name], 1.0, 2
    theta = 0.3 / world.constants(radius=radius)["L_1"]
    found = {
        "L_hat": root_mean_square_steepness(world, radius, theta, Q),
        "L_tilde": tracking_steepness(world, radius),
    }
    ours, still = (
        with_constants(
            paper("repaired"), {**w.constants(radius=radius, reading=reading), "theta": theta, "Q": Q}
        )
        for w in (world, replace(world, dial=0.0))
    )
    assert all(found[k] <= ours[k] for k in found)
    terms = theta * sum((1 - theta * world.A[0]) ** q for q in range(Q + 1))
    assert found["L_hat"] >= (1 + world.dial) * abs(world.B[0]) * world.D[0] * terms
    assert name != "steep" or found["L_tilde"] > still["L_tilde"]


# The rate on a nonconvex Phi.
#
# Corollary 1: p ~ T^{1/4}/K^{3/4}, eta ~ (K/T)^{1/2}, and gradient + L_tilde^2 tracking ~ T^{-1/2}. Runs start where
# Phi is concave along both entries; one entry goes down to x_star, the other to a minimum with Phi > 0. The next order
# in eta makes log measure = c + slope log T + k T^{-1/2}, fitted by weighted least squares with the standard errors of
# the samples, which are independent (each T has a seed of its own). A 99 % interval is slope +- 2.58 standard errors:
# for a true slope of -1/2 another choice of seeds would fall outside with probability about 1/100.

WAVES: dict[str, Any] = {"d": 2, "dial": 2.0, "E": 0.1, "s_f": 0.5, "s_g": 0.5}
START = np.array([1.5, 2.8])
RADIUS = 9.0


def corollary_1(T: int, K: int, power: float) -> LocalBSGM:
    p = max(1, round(T ** (1 / 4) / K ** (3 / 4)))
    eta = math.sqrt(K) * T**-power
    return LocalBSGM(eta=eta, alpha=1.0, beta=1.0, rho_1=0.03, rho_2=1.0, p=p, theta=0.9, Q=4)


def measured(T: int, K: int, power: float, replicates: int, weight: float) -> tuple[float, float]:
    world = wavy(**WAVES)
    result = simulate(
        world, corollary_1(T, K, power), K=K, T=T, x0=START, y0=world.y_star(START), replicates=replicates, seed=T,
        times=[],
    )  # fmt: skip
    return result.measure(weight)


def rate(
    exponents: Sequence[int], *, power: float = 0.5, K: int = 2, replicates: int = 512
) -> tuple[float, float]:
    """The slope in T over T = 2^exponents and its standard error."""
    world = wavy(**WAVES)
    L_tilde = with_constants(paper("repaired"), world.constants(radius=RADIUS))["L_tilde"]
    rows = np.array([measured(2**k, K, power, replicates, L_tilde) for k in exponents])
    log_T, error = math.log(2) * np.array(exponents), rows[:, 1] / rows[:, 0]
    design = np.stack([np.ones_like(log_T), log_T, np.exp(-log_T / 2)], axis=1) / error[:, None]
    covariance = np.linalg.inv(design.T @ design)
    coefficients = covariance @ design.T @ (np.log(rows[:, 0]) / error)
    return float(coefficients[1]), math.sqrt(covariance[1, 1])


def interval(slope: float, error: float) -> tuple[float, float]:
    return slope - 2.58 * error, slope + 2.58 * error


@pytest.mark.untraced
def test_the_rate_of_corollary_1() -> None:
    """An interval of (-0.55, -0.44) from T = 2^7 .. 2^11. Twin: eta ~ T^{-1/4} leaves noise of that order."""
    low, high = interval(*rate(range(7, 12)))
    assert low < -1 / 2 < high
    assert high - low < 0.15
    low, high = interval(*rate(range(7, 11), power=1 / 4))
    assert -1 / 2 < low < -1 / 4 < high


def test_the_runs_start_where_phi_is_concave_and_end_at_two_kinds_of_minimum() -> None:
    """Every xbar_t stays in the ball of L_tilde. Twin: from 1.5 in both entries the second ends elsewhere."""
    world, h = wavy(**WAVES), 1e-4
    second = world.stationary_offsets(within=5.0)[-1]
    for entry in h * np.eye(2):
        around = world.objective(START + entry) + world.objective(START - entry)
        assert around < 2 * world.objective(START)
    for x0, end in ((START, [0.0, second]), (np.full(2, 1.5), [0.0, 0.0])):
        watched = Watched(world)
        simulate(
            watched, corollary_1(512, 2, 0.5), K=2, T=512, x0=x0, y0=world.y_star(x0), replicates=64, seed=1
        )
        path = np.moveaxis(np.array(watched.path), 1, 0)
        y = world.y_star(path.reshape(2, -1)).reshape(path.shape)
        assert np.abs(path[:, -1] - np.array(end)[:, None]).max() < 0.5
        assert np.linalg.norm(np.concatenate([path, y]), axis=0).max() < RADIUS


# Bad input, copies, and the figure.

BAD: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "dial < 0": ({"dial": -0.1}, "dial must be >= 0, got dial = -0.1.", {"dial": 0.0}),
    "dial nan": ({"dial": math.nan}, "dial must be finite, got dial = nan.", {"dial": 0.1}),
    "dial too large": (
        {"dial": 4.61},
        "dial must lie in [0, 4.6033388487517), where all stationary points have a closed form, got 4.61.",
        {"dial": 4.6},
    ),
    "omega 0": ({"omega": 0.0}, "omega must be > 0, got omega = 0.0; for no waves take dial = 0.", {"omega": 1e-9}),
    "omega < 0": ({"omega": -2}, "omega must be > 0, got omega = -2.0; for no waves take dial = 0.", {"omega": 2}),
    "omega inf": ({"omega": math.inf}, "omega must be finite, got omega = inf.", {"omega": 1e9}),
    "omega tiny": ({"omega": 1e-308, "dial": 4.0}, "dial/omega must be finite", {"omega": 1e-307, "dial": 4.0}),
    "d": ({"d": 1.5}, "d must be an integer >= 1, got d = 1.5.", {"d": 2}),
    "length": ({"d": 2, "B": [1, 2, 3]}, "B must be a number or d = 2 numbers, got shape (3,).", {"d": 2, "B": [1, 2]}),
    "B": ({"d": 2, "B": [1.0, 0.0]}, "Every entry of B must be != 0, got 0.0; else a is not", {"d": 2, "B": [1, -1]}),
    "D": ({"D": -1.0}, "Every entry of D must be > 0, got -1.0; else a is not", {"D": 1e-3}),
    "E": ({"E": 1.0}, "A + e E must be positive definite for every sign", {"E": 0.99}),
    "s_g": ({"s_g": -1.0}, "s_g must be >= 0, got s_g = -1.0.", {"s_g": 0.0}),
    "sizes": ({"a": 1e200, "B": 1e200}, "c = Ab - Ba must be finite", {"a": 1e20, "B": 1e20}),
}  # fmt: skip


@pytest.mark.parametrize(("bad", "message", "good"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence(bad: dict[str, Any], message: str, good: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        wavy(**bad)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
    wavy(**good)
    with pytest.raises(ValueError, match=re.escape(message)):
        replace(wavy(d=bad.get("d", 1) if isinstance(bad.get("d", 1), int) else 1), **bad)


def test_offsets_are_asked_for_within_reason() -> None:
    with pytest.raises(ValueError, match=r"within must lie in \[0, 1e6/omega\] = \[0, 500000\], got -1"):
        wavy(omega=2.0).stationary_offsets(within=-1)
    with pytest.raises(ValueError, match="within must be finite"):
        wavy().stationary_offsets(within=math.inf)
    assert len(wavy(omega=2.0).stationary_offsets(within=0.0)) == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda world: pickle.loads(pickle.dumps(world))])
def test_a_copy_is_the_same_world_and_read_only(copied: Callable[[Wavy], Wavy]) -> None:
    world = wavy(**TWO)
    twin = copied(world)
    for field in fields(Wavy):
        value = getattr(twin, field.name)
        assert np.array_equal(value, getattr(world, field.name))
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 1.0
    x = np.ones(2)
    assert np.array_equal(twin.hypergradient(x), world.hypergradient(x))
    assert not np.array_equal(twin.hypergradient(x), replace(world, omega=1.4).hypergradient(x))
