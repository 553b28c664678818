"""The world whose f is quadratic near (a, b) and linear far away: its truth, its constants, and the engines on it.

Sampled checks have fixed seeds. The z-scores against exact expectations are refused above 4.5: 8 of them, so that
another seed would raise a false alarm with probability 8 * 6.8e-6 = 6e-5.
"""

import copy
import math
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

from oracles.world_signs import every_outcome, noise_free, random_outcomes
from ratecert.errors import NoCertificateError, NotAffineError
from ratecert.registry import paper
from ratecert.solvers import (
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    Stage,
    State,
    StochasticNeumann,
    enumerate_outcomes,
    exact_hypergradient,
    expect,
    reachable_radius,
    simulate,
    stationary,
)
from ratecert.solvers.contract.result import MEASURES
from ratecert.solvers.engines.certificates.certified import asks_at_iterates_only
from ratecert.solvers.engines.certificates.reach import certified_reach
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.engines.monte_carlo.noise import Reader
from ratecert.solvers.engines.monte_carlo.numpy_tile import schedule_of_steps
from ratecert.synthetic import Quadratic, random_quadratic, scalar
from ratecert.synthetic.worlds.huberised import Huberised, huberised
from ratecert.theory.numbers.assumptions import check_assumptions

Array = NDArray[np.float64]

PLAIN = random_quadratic(d_x=2, d_y=3, s_f=0.5, s_g=0.5, seed=4)
NOISY = random_quadratic(d_x=2, d_y=3, sigma_H=0.3, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=4)
SMALL = scalar(s_f=0.3, s_g=0.3, a=0.5, b=-0.4, c=0.2)


# The truth: SymPy, Lemma 1, Taylor.


def symbolic_Phi(x: sp.Matrix, radius: sp.Rational) -> tuple[sp.Expr, dict[str, sp.Matrix]]:
    """Phi and the matrices of a rational world with d_x = 2, d_y = 1, straight from the formulas."""
    P, D, B = sp.Matrix([[2, 1], [1, 3]]) / 3, sp.Rational(5, 2), sp.Matrix([[1, -2]]) / 2
    a, b, c, A = sp.Matrix([1, -1]) / 4, sp.Rational(1, 3), sp.Rational(1, 5), sp.Rational(3, 2)
    u, v = x - a, ((B * x)[0] + c) / A - b
    square = (u.T * P * u)[0] + D * v**2
    delta = radius * sp.sqrt(sp.Max(D, *P.eigenvals()))
    Phi = sp.Piecewise((square / 2, square <= delta**2), (delta * sp.sqrt(square) - delta**2 / 2, True))
    one_by_one = {name: sp.Matrix([[value]]) for name, value in {"A": A, "D": D, "b": b, "c": c}.items()}
    return Phi, {"B": B, "P": P, "a": a, **one_by_one}


@pytest.mark.smoke
@pytest.mark.parametrize("wrong", [1.0, 1.01])
def test_truth_equals_sympy(wrong: float) -> None:
    """Inside and outside; with a radius that is one per cent off, outside only."""
    x, radius = sp.Matrix(sp.symbols("x:2", real=True)), sp.Rational(3, 2)
    Phi, matrices = symbolic_Phi(x, radius)
    numbers = {k: np.array(v.tolist(), dtype=float) for k, v in matrices.items()}
    world = Quadratic(**{k: v[:, 0] if k in "abc" else v for k, v in numbers.items()})
    h = huberised(world, radius=wrong * float(radius))
    for point, inside in (((1, 1), True), ((0, 0), True), ((7, -2), False), ((-30, 40), False)):
        at = dict(zip(x, point, strict=True))
        gradient = np.array([Phi.diff(x_i).subs(at).evalf() for x_i in x], dtype=float)
        value = float(Phi.subs(at))
        same = np.allclose(h.hypergradient(point), gradient, rtol=1e-13) and math.isclose(
            h.objective(point), value, rel_tol=1e-13
        )
        assert same == (inside or wrong == 1.0)


class Bent:
    """A world with the f of PLAIN and y*(x) = A^{-1}(B sin(x) + c): quadratic in y, not in x."""

    P, D, a, b, s_f, d_x, d_y = PLAIN.P, PLAIN.D, PLAIN.a, PLAIN.b, PLAIN.s_f, 2, 3
    x_star, curvature = None, PLAIN.curvature
    sample_f, sample_g = PLAIN.sample_f, PLAIN.sample_g
    sample_hessian, sample_jacobian = PLAIN.sample_hessian, PLAIN.sample_jacobian
    grad_x_f, grad_y_f = PLAIN.grad_x_f, PLAIN.grad_y_f
    hessian_g, neumann_factor_g = PLAIN.hessian_g, PLAIN.neumann_factor_g

    def y_star(self, x: Any) -> Array:
        return PLAIN.y_star(np.sin(x))

    def objective(self, x: Any) -> Any:
        x = np.asarray(x, dtype=float)
        u, v = (x.T - self.a).T, (self.y_star(x).T - self.b).T
        return 0.5 * ((u * (self.P @ u)).sum(axis=0) + (v * (self.D @ v)).sum(axis=0))

    def hypergradient(self, x: Any) -> Array:
        """By Lemma 1 from the oracles."""
        return exact_hypergradient(self, x)

    def grad_y_g(self, zeta: Any, x: Any, y: Any) -> Any:
        return PLAIN.grad_y_g(zeta, np.sin(x), y)

    def jacobian_g(self, zeta: Any, x: Any, y: Any, r: Any) -> Any:
        return np.cos(x) * PLAIN.jacobian_g(zeta, x, y, r)


TRUTHS: dict[str, Any] = {
    "quadratic": PLAIN,
    "nonlinear y*": Bent(),
    "flat in x": replace(PLAIN, P=np.zeros((2, 2))),
}
RADIUS = 2.0


def size(world: Any, x: Array, y: Array) -> Array:
    """s by its definition."""
    u, v = (x.T - world.a).T, (y.T - world.b).T
    return np.sqrt((u * (world.P @ u)).sum(axis=0) + (v * (world.D @ v)).sum(axis=0))


def at_size(world: Any, factor: float, direction: Array) -> Array:
    """x along a ray from a, at which s(x, y*(x)) = factor delta; the ray must cross."""
    delta, low, high = huberised(world, radius=RADIUS).delta, 0.0, 1e6
    for _ in range(200):
        middle = 0.5 * (low + high)
        x = world.a + middle * direction
        low, high = (middle, high) if size(world, x, world.y_star(x)) < factor * delta else (low, middle)
    return world.a + low * direction


def order(Phi: Callable[[Array], Any], gradient: Array, x: Array) -> float:
    """The least order, as h falls, of the largest remainder of Phi(x + h d) = Phi(x) + h gradient'd over 20 d."""
    d = np.random.default_rng(3).standard_normal((len(x), 20))
    remainders = [
        np.abs(Phi(x[:, None] + h * d) - Phi(x) - h * gradient @ d).max() for h in 0.01 * 2.0 ** -np.arange(6)
    ]
    return float(np.log2(np.array(remainders[:-1]) / remainders[1:]).min())


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.001, 5.0], ids=["inside", "kink", "just outside", "outside"])
@pytest.mark.parametrize("name", TRUTHS)
def test_taylor(name: str, factor: float) -> None:
    """The hypergradient is right to second order, across the kink too; the plain world's is not, outside."""
    world = TRUTHS[name]
    h, x = huberised(world, radius=RADIUS), at_size(world, factor, np.array([0.6, 0.8]))
    assert order(h.objective, h.hypergradient(x), x) >= 1.9
    if factor > 1.5:
        assert order(h.objective, world.hypergradient(x), x) < 1.1
    np.testing.assert_allclose(h.hypergradient(x), exact_hypergradient(h, x), rtol=1e-12)
    np.testing.assert_allclose(h.hypergradient(x) * max(1.0, factor), world.hypergradient(x), rtol=1e-12)


@pytest.mark.parametrize("factor", [0.5, 1.0, 5.0], ids=["inside", "kink", "outside"])
def test_taylor_of_f(factor: float) -> None:
    """grad_x f and grad_y f are the gradient of f as the docstring has it, in (x, y) together."""
    h = huberised(PLAIN, radius=RADIUS)
    xi, centre = noise_free(h.sample_f), np.concatenate([h.a, h.b])

    def f(z: Array) -> Array:
        s = size(PLAIN, z[:2], z[2:])
        return np.where(s <= h.delta, s**2 / 2, h.delta * s - h.delta**2 / 2)

    ray = np.random.default_rng(5).standard_normal(5)
    z = centre + ray * factor * h.delta / size(PLAIN, *np.split(centre + ray, [2]))
    x, y = z[:2, None], z[2:, None]
    gradient = np.concatenate([h.grad_x_f(xi, x, y), h.grad_y_f(xi, x, y)])[:, 0]
    plain = np.concatenate([PLAIN.grad_x_f(xi, x, y), PLAIN.grad_y_f(xi, x, y)])[:, 0]
    assert order(f, gradient, z) >= 1.9
    if factor > 1.5:
        assert order(f, plain, z) < 1.1


def test_x_star_stays() -> None:
    """No random point, near or far, is lower; the centre a, another candidate, is not lowest."""
    h, rng = huberised(PLAIN, radius=0.5), np.random.default_rng(0)
    assert size(PLAIN, PLAIN.x_star, PLAIN.y_star(PLAIN.x_star)) > h.delta  # on the linear part
    assert np.linalg.norm(h.hypergradient(h.x_star)) < 1e-13
    around = h.x_star[:, None] + rng.standard_normal((2, 2000)) * 10.0 ** rng.uniform(-3, 3, 2000)
    assert (h.objective(around) > h.objective(h.x_star)).all()
    assert h.objective(h.a) > h.objective(h.x_star)


def test_columns_are_points() -> None:
    h = huberised(PLAIN, radius=RADIUS)
    x = np.random.default_rng(1).standard_normal((2, 7)) * np.logspace(-2, 3, 7)
    for truth in (h.y_star, h.objective, h.hypergradient):
        np.testing.assert_allclose(truth(x), np.array([truth(column) for column in x.T]).T, rtol=1e-12)


def test_far_away_nothing_overflows() -> None:
    """The slope of f is the same at 1e200, whose square is no float; points that are not finite stay so."""
    h = huberised(replace(PLAIN, s_f=0.0), radius=RADIUS)
    gradients = [h.hypergradient(h.a + t * np.array([0.6, 0.8])) for t in (1e12, 1e200)]
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-10)
    with np.errstate(invalid="ignore"):
        assert not np.isfinite(h.hypergradient(np.full((2, 1), np.inf))).any()


def test_a_flat_f_stays_flat() -> None:
    flat = huberised(Quadratic(A=2.0, B=1.0, P=0.0, D=0.0, s_f=0.4), radius=1.0)
    assert flat.hypergradient(3.0) == flat.objective(3.0) == 0.0
    assert flat.constants()["L_0"] == pytest.approx(0.4 * math.sqrt(2), rel=1e-15)


# The constants.


def gradient_f(world: Any, xi: Any, z: Array) -> Array:
    x, y = z[: world.d_x], z[world.d_x :]
    return np.concatenate([world.grad_x_f(xi, x, y), world.grad_y_f(xi, x, y)])


def far_points(world: Any, n: int, rng: np.random.Generator) -> Array:
    """Directions at random, distances from a tenth to a thousand radii."""
    z = rng.standard_normal((world.d_x + world.d_y, n))
    z *= RADIUS * 10.0 ** rng.uniform(-1, 3, n) / np.linalg.norm(z, axis=0)
    return np.concatenate([world.a, world.b])[:, None] + z


def sampled(world: Any, n: int = 20_000) -> dict[str, float]:
    """The worst quotients of f over pairs of points, near, far, and across the kink; mu and sigma_H of g."""
    rng = np.random.default_rng(17)
    z, w, xi = far_points(world, n, rng), far_points(world, n, rng), random_outcomes(world.sample_f, rng, n)
    w[:, ::2] = z[:, ::2] + 0.1 * RADIUS * rng.standard_normal(z[:, ::2].shape)
    difference = np.linalg.norm(gradient_f(world, xi, z) - gradient_f(world, xi, w), axis=0)
    noise = gradient_f(world, xi, z) - gradient_f(world, noise_free(world.sample_f), z)
    x, y, r = z[: world.d_x], z[world.d_x :], rng.standard_normal((world.d_y, n))
    zeta = random_outcomes(world.sample_hessian, rng, n)
    turned = (r * world.hessian_g(zeta, x, y, r)).sum(axis=0) / (r**2).sum(axis=0)
    spread = world.hessian_g(zeta, x, y, r) - world.hessian_g(noise_free(world.sample_hessian), x, y, r)
    return {
        "L_0": float(np.linalg.norm(gradient_f(world, xi, z), axis=0).max()),
        "L_1": float((difference / np.linalg.norm(z - w, axis=0)).max()),
        "sigma_f": float(np.sqrt((noise**2).sum(axis=0).mean())),
        "sigma_H": float((np.linalg.norm(spread, axis=0) / np.linalg.norm(r, axis=0)).max()),
        "mu": float(turned.min()),
    }


CURVED = replace(NOISY, P=4.0 * NOISY.P, D=5.0 * NOISY.D)  # f is what L_1 is about
FACTORS = {"L_0": 1.1, "L_1": 1.15, "sigma_f": 1 + 1e-12, "sigma_H": 1.01, "mu": 1.01}


def factors(world: Any, constants: dict[str, float]) -> dict[str, float]:
    """Constant over worst quotient, the other way round for mu: 1 is attained, less is wrong."""
    worst = sampled(world)
    return {k: (worst[k] / constants[k] if k == "mu" else constants[k] / worst[k]) for k in worst}


def test_constants_hold_on_the_whole_space_and_are_not_loose() -> None:
    """Random directions in five dimensions come within 15 % of the top eigenvector, which attains L_0 and L_1.

    Signs of f align with it only in part, which costs s_f sqrt(5) (1 - cos) of L_0, a few per cent.
    """
    h = huberised(CURVED, radius=RADIUS)
    found = factors(h, h.constants())
    assert {k for k, factor in found.items() if not 1 - 1e-12 <= factor <= FACTORS[k]} == set()
    for name in found:  # twin: a constant that is 20 % too small is seen
        shrunk = {**h.constants(), name: h.constants()[name] * (1 / 0.8 if name == "mu" else 0.8)}
        assert {k for k, factor in factors(h, shrunk).items() if factor < 1 - 1e-12} == {name}
    assert sampled(CURVED)["L_0"] > 100 * h.constants()["L_0"]  # twin: the plain f has no such bound


def test_sigma_exists_everywhere_without_noise_in_the_matrices() -> None:
    """sigma^2 = s_g^2 d_y is the variance of grad_y g at every point, over all outcomes; with E and F it grows."""
    for world, grows in ((PLAIN, False), (NOISY, True)):
        h = huberised(world, radius=RADIUS)
        zeta, n = every_outcome(h.sample_g)
        for z in far_points(h, 5, np.random.default_rng(1)).T:
            x, y = np.repeat(z[:2, None], n, axis=1), np.repeat(z[2:, None], n, axis=1)
            noise = h.grad_y_g(zeta, x, y) - h.grad_y_g(noise_free(h.sample_g), x, y)
            spread = math.sqrt((noise**2).sum(axis=0).mean())
            assert (spread == pytest.approx(PLAIN.constants()["sigma"], rel=1e-12)) != grows
        assert math.isinf(h.constants()["sigma"]) == grows


@pytest.mark.parametrize("reading", ["joint", "block"])
def test_constants_are_attained(reading: Any) -> None:
    """L_0 without noise: along the top eigenvector at any distance from the radius on. L_1: inside, along it."""
    world = replace(CURVED, s_f=0.0)
    h, xi = huberised(world, radius=RADIUS), noise_free(world.sample_f)
    constants, centre = h.constants(reading=reading), np.concatenate([h.a, h.b])[:, None]
    top = np.concatenate([np.zeros(2), np.linalg.eigh(world.D)[1][:, -1]])[:, None]
    for t in (1.0, 1.5, 1e3):
        slope = np.linalg.norm(gradient_f(h, xi, centre + t * RADIUS * top))
        assert constants["L_0"] == pytest.approx(slope, rel=1e-12)
    assert np.linalg.norm(gradient_f(h, xi, centre + 0.9 * RADIUS * top)) < 0.95 * constants["L_0"]
    inside = gradient_f(h, xi, centre + RADIUS * top) - gradient_f(h, xi, centre)
    assert constants["L_1"] == pytest.approx(np.linalg.norm(inside) / RADIUS, rel=1e-12)


@pytest.mark.parametrize("reading", ["joint", "block"])
def test_second_derivatives_of_f_have_no_larger_blocks(reading: Any) -> None:
    """The x-y block, zero inside, appears outside: its norm is seen, and stays below L_1 in both readings."""
    h = huberised(CURVED, radius=RADIUS)
    xi, centre, step = noise_free(h.sample_f), np.concatenate([h.a, h.b]), 1e-4
    largest = {"within": 0.0, "across": 0.0}
    for z in far_points(h, 300, np.random.default_rng(2)).T:
        columns = np.repeat(z[:, None], 10, axis=1) + step * np.hstack([np.eye(5), -np.eye(5)])
        values = gradient_f(h, xi, columns)
        hessian = (values[:, :5] - values[:, 5:]) / (2 * step)
        largest["within"] = max(
            largest["within"], *(np.linalg.norm(hessian[s, s], 2) for s in (slice(2), slice(2, 5)))
        )
        largest["across"] = max(largest["across"], float(np.linalg.norm(hessian[:2, 2:], 2)))
        if np.linalg.norm(z - centre) < 0.99 * RADIUS:
            assert np.linalg.norm(hessian[:2, 2:], 2) < 1e-6
    assert 0.1 * h.constants(reading=reading)["L_1"] < largest["across"] < h.constants(reading=reading)["L_1"]
    assert largest["within"] <= h.constants(reading=reading)["L_1"] * (1 + 1e-7)


@pytest.mark.parametrize("reading", ["joint", "block"])
@pytest.mark.parametrize("ball", [0.1, RADIUS, 3.0, math.inf])
def test_only_L_0_differs_from_the_plain_world_and_only_beyond_the_radius(reading: Any, ball: float) -> None:
    h = huberised(NOISY, radius=RADIUS)
    mine, plain = h.constants(radius=ball, reading=reading), NOISY.constants(radius=ball, reading=reading)
    assert {k for k in plain if mine[k] != plain[k]} == ({"L_0"} if ball > RADIUS else set())
    assert mine["L_0"] == pytest.approx(
        NOISY.constants(radius=min(ball, RADIUS), reading=reading)["L_0"], rel=1e-15
    )
    assert math.isinf(mine["sigma"]) == math.isinf(ball)


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (huberised(PLAIN, radius=RADIUS), ["everywhere", "everywhere", "everywhere"]),
        (huberised(NOISY, radius=RADIUS), ["everywhere", "everywhere", "on the ball"]),
        (PLAIN, ["everywhere", "on the ball", "everywhere"]),
    ],
    ids=["E = F = 0", "E and F", "plain"],
)
def test_assumptions(world: Any, expected: list[str]) -> None:
    """Assumptions 1, 2 and 3, on the whole space or within 5 of the centre."""
    assert [standing.holds for standing in check_assumptions(paper(), world, radius=5.0)] == expected


# Paths.

STEPS: dict[str, Any] = {"eta": 0.1, "rho_1": 0.2, "rho_2": 1.0, "p": 2, "theta": 0.2, "Q": 2}
SOLVERS: dict[str, Any] = {
    "bsgm": LocalBSGM(alpha=2.0, beta=2.0, **STEPS),
    "bsgm-fresh": LocalBSGM(alpha=2.0, beta=2.0, momenta="fresh", **STEPS),
    "vrm-local": LocalBSGVRM(alpha=5.0, beta=5.0, B=2, **STEPS),
    "vrm-averaged": LocalBSGVRM(alpha=5.0, beta=5.0, previous="averaged", **STEPS),
    "vrm-fresh": LocalBSGVRM(alpha=5.0, beta=5.0, momenta="fresh", **STEPS),
}
every_solver = pytest.mark.parametrize("name", SOLVERS)


def values(result: Any) -> list[float]:
    return [getattr(result, measure) for measure in MEASURES]


def run_on(world: Any, **changes: Any) -> dict[str, Any]:
    x0 = world.x_star + 0.5
    return {"K": 2, "T": 20, "x0": x0, "y0": world.y_star(x0) + 0.1} | changes


@every_solver
@pytest.mark.parametrize("world", [PLAIN, NOISY], ids=["E = F = 0", "E and F"])
def test_paths_are_those_of_the_plain_world_bit_by_bit(world: Quadratic, name: str) -> None:
    run = run_on(world, replicates=64, seed=1)
    plain, large, tight = (
        simulate(w, SOLVERS[name], **run)
        for w in (world, huberised(world, radius=1e3), huberised(world, radius=1.0))
    )
    for measure in MEASURES:
        assert np.array_equal(getattr(plain.curves, measure), getattr(large.curves, measure))
    assert values(plain) == values(large)
    assert plain.gradient != tight.gradient  # twin: where the linear part is reached, bits differ


# Exact expectations, where nothing leaves the quadratic part, and refusals, where something might.


def certified(world: Quadratic, solver: Any, **run: Any) -> Huberised:
    """With the least radius that is accepted, up to 1e-9."""
    reach = certified_reach(world, solver, run["K"], x0=run["x0"], y0=run["y0"])
    return huberised(world, radius=max(reach.iterates, reach.truth) * (1 + 1e-9))


@every_solver
def test_expectations_are_those_of_the_plain_world_and_of_all_outcomes(name: str) -> None:
    """Enumeration runs the huberised oracles themselves; it agrees to 1e-12."""
    run = run_on(SMALL, T=3 if name == "bsgm" else 2)
    h = certified(SMALL, SOLVERS[name], **run)
    exact = expect(h, SOLVERS[name], **run)
    assert values(exact) == values(expect(SMALL, SOLVERS[name], **run))
    np.testing.assert_allclose(values(enumerate_outcomes(h, SOLVERS[name], **run)), values(exact), rtol=1e-12)


@pytest.mark.parametrize("name", ["bsgm", "vrm-averaged"])
def test_expectations_agree_with_sampling(name: str) -> None:
    run = run_on(PLAIN, T=40)
    h = certified(PLAIN, SOLVERS[name], **run)
    exact, draws = expect(h, SOLVERS[name], **run), simulate(h, SOLVERS[name], replicates=2000, seed=3, **run)
    for measure in MEASURES:
        z = (getattr(draws, measure) - getattr(exact, measure)) / getattr(draws.standard_error, measure)
        assert abs(z) < 4.5


def sentence(error: pytest.ExceptionInfo[Any]) -> str:
    message = str(error.value)
    assert message.endswith("use simulate.")
    assert "\n" not in message
    return message


@every_solver
def test_a_radius_that_is_too_small_is_refused_and_has_to_be(name: str) -> None:
    """By enumeration, exactly, the plain expectation is wrong there by more than a tenth."""
    run = run_on(SMALL, T=3 if name == "bsgm" else 2)
    tight = huberised(SMALL, radius=0.3)
    with pytest.raises(
        NoCertificateError, match=r"radius = 0\.3 .* iterates may get .* or use simulate"
    ) as error:
        expect(tight, SOLVERS[name], **run)
    sentence(error)
    plain, truth = expect(SMALL, SOLVERS[name], **run), enumerate_outcomes(tight, SOLVERS[name], **run)
    assert abs(plain.gradient - truth.gradient) > 0.1 * truth.gradient


def test_sampling_sees_that_the_refusal_is_needed() -> None:
    run = run_on(PLAIN, T=40)
    draws = simulate(huberised(PLAIN, radius=0.5), SOLVERS["bsgm"], replicates=500, seed=3, **run)
    plain = expect(PLAIN, SOLVERS["bsgm"], **run)
    assert abs(draws.gradient - plain.gradient) > 50 * draws.standard_error.gradient


@every_solver
@pytest.mark.parametrize("K", [1, 2])
def test_the_radius_that_a_refusal_names_is_enough(name: str, K: int) -> None:
    run = run_on(PLAIN, K=K)
    with pytest.raises(NoCertificateError, match="make radius >= ") as error:
        expect(huberised(PLAIN, radius=0.1), SOLVERS[name], **run)
    enough = float(re.findall(r"radius >= (\S+) or", str(error.value))[0])
    exact = expect(huberised(PLAIN, radius=enough), SOLVERS[name], **run)
    assert values(exact) == values(expect(PLAIN, SOLVERS[name], **run))
    with pytest.raises(NoCertificateError, match="make radius >= "):
        expect(huberised(PLAIN, radius=enough * (1 - 1e-4)), SOLVERS[name], **run)


def test_the_measures_need_a_radius_too() -> None:
    """At y0 = b, far from y*(x0) = 2: all iterates stay within 2, the path is right, and grad Phi(x0) is not."""
    world = Quadratic(A=1.0, B=2.0, P=1.0, D=1.0, s_f=0.01)
    solver = LocalBSGM(alpha=5.0, beta=5.0, **{**STEPS, "rho_1": 1.0, "rho_2": 0.02, "Q": 20})
    run, h = {"K": 1, "T": 1, "x0": [1.0], "y0": [0.0]}, huberised(world, radius=2.0)
    reach = certified_reach(world, solver, 1, x0=[1.0], y0=[0.0])
    assert reach.iterates < h.radius < reach.truth
    with pytest.raises(NoCertificateError, match=r"make radius >= 2\.\d+ or"):
        expect(h, solver, **run)
    plain, truth = expect(world, solver, **run), enumerate_outcomes(h, solver, **run)
    assert truth.tracking == pytest.approx(plain.tracking, rel=1e-14)
    assert truth.gradient == pytest.approx(plain.gradient * 4 / 5, rel=1e-12)  # (delta/s)^2, s^2 = 1 + 2^2


def test_the_limit_is_that_of_the_plain_world() -> None:
    """And of long runs from a start of its own."""
    solver = SOLVERS["bsgm"]
    enough = certified_reach(PLAIN, solver, 3)
    h = huberised(PLAIN, radius=1.01 * max(enough.iterates, enough.truth))
    limit = stationary(h, solver, K=3)
    assert values(limit) == values(stationary(PLAIN, solver, K=3))
    with pytest.raises(NoCertificateError, match="make radius >= ") as error:
        stationary(huberised(PLAIN, radius=1.0), solver, K=3)
    sentence(error)
    run = {"K": 3, "x0": PLAIN.x_star, "y0": PLAIN.y_star(PLAIN.x_star), "times": []}
    gaps = [expect(h, solver, T=T, **run).gradient - limit.gradient for T in (10**6, 10**7)]
    assert gaps[1] == pytest.approx(gaps[0] / 10, rel=1e-6)


def test_shared_noise_is_covered() -> None:
    run = run_on(PLAIN, shared_noise=True)
    h = certified(PLAIN, SOLVERS["vrm-local"], **{**run, "K": 1})
    assert values(expect(h, SOLVERS["vrm-local"], **run)) == values(
        expect(PLAIN, SOLVERS["vrm-local"], **run)
    )


@pytest.mark.parametrize("name", ["bsgm", "vrm-local"])
def test_decaying_steps_are_covered(name: str) -> None:
    """And a radius that is a little smaller than the certified one is refused."""
    decaying = replace(SOLVERS[name], eta=CubeRoot(scale=SOLVERS[name].step_size(0)))
    run = run_on(PLAIN)
    start = {key: run[key] for key in ("x0", "y0")}
    reach = certified_reach(PLAIN, decaying, run["K"], **start)
    needed = max(reach.iterates, reach.truth)
    enough, little = (huberised(PLAIN, radius=factor * needed) for factor in (1.0, 0.99))
    assert values(expect(enough, decaying, **run)) == values(expect(PLAIN, decaying, **run))
    with pytest.raises(NoCertificateError, match="make radius >="):
        expect(little, decaying, **run)


@pytest.mark.parametrize(
    ("world", "solver", "reason"),
    [
        (
            NOISY,
            LocalBSGM(alpha=1.0, beta=1.0, **{**STEPS, "eta": CubeRoot(scale=0.1)}),
            "step sizes vary and the noise grows",
        ),
        (scalar(sigma_H=0.9, sigma_J=0.5), SOLVERS["bsgm"], "the slowest mode"),
        (NOISY, SOLVERS["vrm-local"], "not every field is averaged|the slowest mode"),
    ],
    ids=["schedule", "strong noise", "partial average"],
)
def test_without_a_certificate_the_reason_is_said(world: Quadratic, solver: Any, reason: str) -> None:
    run = run_on(world)
    with pytest.raises(NoCertificateError, match=f"radius = 1e.06 .* no certificate: .*({reason})") as error:
        expect(huberised(world, radius=1e6), solver, **run)
    sentence(error)
    assert expect(world, solver, **run).gradient > 0  # twin: the plain world is taken


def test_a_nonlinear_lower_level_is_refused_as_before() -> None:
    with pytest.raises(NotAffineError, match=r"on Bent is not affine .*use simulate"):
        expect(huberised(Bent(), radius=1e6), SOLVERS["bsgm"], K=1, T=2, x0=np.ones(2), y0=np.ones(3))


def test_the_reach_of_the_world_itself_is_refused_with_a_hint() -> None:
    with pytest.raises(NoCertificateError, match=r"quadratic near .* only; .* quadratic_part"):
        reachable_radius(huberised(PLAIN, radius=1e6), SOLVERS["bsgm"], 1)
    assert reachable_radius(huberised(PLAIN).quadratic_part, SOLVERS["bsgm"], 1) > 0


# What the certificate rests on: where f is asked, and how far (xbar, y*(xbar)) gets.


@dataclass(frozen=True, kw_only=True)
class Ahead(LocalBSGM):
    """Asks at a point that is no iterate."""

    def momentum(self, t: int, s: State, oracle: Any) -> tuple[Any, Any]:
        return super().momentum(t, State(**{**vars(s), "x": 3.0 * s.x}), oracle)


@dataclass(frozen=True)
class Elsewhere(StochasticNeumann):
    """An estimate from another point than the one it is given."""

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return super().evaluate(problem, sample, 3.0 * point[0], point[1])


@dataclass(frozen=True, kw_only=True)
class Estranged(LocalBSGM):
    @property
    def hypergradient(self) -> StochasticNeumann:
        return Elsewhere(theta=self.theta, Q=self.Q)


@dataclass(frozen=True, kw_only=True)
class HalfAveraged(LocalBSGVRM):
    """(mean of x_previous, own y_previous) need not lie where the iterates do."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        (stage,) = super().stages
        return (Stage(stage.step, stage.repeats, (*stage.averaged, "x_previous")),)


@every_solver
@pytest.mark.parametrize("p", [1, 2, 5])
def test_the_algorithms_ask_at_iterates_only(name: str, p: int) -> None:
    assert asks_at_iterates_only(replace(SOLVERS[name], p=p))


@pytest.mark.parametrize("kind", [Ahead, Estranged])
def test_an_algorithm_that_asks_elsewhere_is_refused_and_has_to_be(kind: Any) -> None:
    """No iterate leaves the radius, but at 3 x0 = 30 f is linear: the expectation is another one."""
    world, solver = (
        Quadratic(A=1.0, B=0.1, P=1.0, D=1.0, s_f=0.1, s_g=0.1),
        kind(alpha=2.0, beta=2.0, **STEPS),
    )
    run = {"K": 1, "T": 3, "x0": [10.0], "y0": [0.0]}
    h = certified(world, solver, **run)
    with pytest.raises(
        NoCertificateError, match=f"{kind.__name__} asks for gradients of f away from its iterates"
    ) as error:
        expect(h, solver, **run)
    sentence(error)
    plain, truth = expect(world, solver, **run), enumerate_outcomes(h, solver, **run)
    assert abs(plain.gradient - truth.gradient) > 1e-3 * truth.gradient


def test_half_an_average_is_seen() -> None:
    half = HalfAveraged(alpha=5.0, beta=5.0, **STEPS)
    assert not asks_at_iterates_only(half)
    assert asks_at_iterates_only(SOLVERS["vrm-averaged"])


class Kept:
    """Every pattern of signs, each kept for a time of the lane's own before it is turned round."""

    def __init__(self) -> None:
        self.patterns: dict[tuple[str, int], int] = {}
        self.periods = np.repeat(np.geomspace(2, 4000, 32), 8)

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        turn = np.where(np.floor(t / self.periods) % 2 == 0, 1.0, -1.0)

        def source(start: int, count: int) -> Array:
            numbers = [
                self.patterns.setdefault((label, i), len(self.patterns)) for i in range(start, start + count)
            ]
            rows = [turn * (1 - 2 * ((np.arange(256) >> j) & 1)) for j in numbers]
            return np.array(rows).reshape(count, 256)

        return Reader(source, ahead)


def farthest(world: Quadratic, solver: Any, x0: Array, y0: Array) -> float:
    """The largest ||(x - a, y*(x) - b)|| over 1500 iterations on one device."""
    oracle, found = ArrayOracle(world, Kept()), 0.0
    s = solver.start(
        State(x=np.repeat(x0[:, None], 256, axis=1), y=np.repeat(y0[:, None], 256, axis=1)), oracle
    )
    for t, stage, _ in schedule_of_steps(solver, 1500):
        z = np.concatenate([s.x - world.a[:, None], world.y_star(s.x) - world.b[:, None]])
        found = max(found, float(np.linalg.norm(z, axis=0).max()))
        s = stage.step(t, s, oracle)
    return found


@pytest.mark.parametrize("name", ["bsgm", "vrm-averaged"])
@pytest.mark.parametrize("away", [0.0, 2.0])
def test_adversarial_noise_keeps_the_truth_within_its_radius_and_comes_near(name: str, away: float) -> None:
    """Three signs of an iteration, all 8 patterns, in 32 rhythms; the radius for a tenth of the noise is left."""
    x0 = SMALL.x_star + away
    start = {"x0": x0, "y0": SMALL.y_star(x0)}
    seen, reach = (
        farthest(SMALL, SOLVERS[name], *start.values()),
        certified_reach(SMALL, SOLVERS[name], 1, **start),
    )
    assert seen <= reach.truth <= 5 * seen
    if away == 0.0:  # otherwise the start is what the radius is about
        quiet = replace(SMALL, s_f=0.1 * SMALL.s_f, s_g=0.1 * SMALL.s_g)
        assert certified_reach(quiet, SOLVERS[name], 1, **start).truth < seen


def test_without_noise_the_truth_stays_at_the_solution() -> None:
    """Q = 200 makes the Neumann sum exact, so that the solution is the fixed point."""
    quiet, solver = replace(PLAIN, s_f=0.0, s_g=0.0), replace(SOLVERS["bsgm"], Q=200, rho_1=0.02)
    here = np.linalg.norm(np.concatenate([quiet.x_star - quiet.a, quiet.y_star(quiet.x_star) - quiet.b]))
    reach = certified_reach(quiet, solver, 2)
    assert (reach.iterates, reach.truth) == pytest.approx((here, here), rel=1e-8)
    assert certified_reach(PLAIN, solver, 2).truth > 1.1 * here


# Wrong worlds and radii.


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf, "1", None, [1.0, 2.0], 1e-200, 1j])
def test_a_bad_radius_is_refused(radius: Any) -> None:
    with pytest.raises(ValueError, match=r"^radius must be one finite number > 0.*got radius = .*\.$"):
        huberised(PLAIN, radius=radius)
    assert huberised(PLAIN, radius=np.float32(2)).radius == 2.0


INDEFINITE = {"P": {"P": -0.125, "D": 1.0}, "D": {"P": 2.0, "D": -0.25}}


@pytest.mark.parametrize("name", INDEFINITE)
def test_an_indefinite_f_is_refused_with_its_eigenvalue(name: str) -> None:
    world = Quadratic(A=1.0, B=1.0, **INDEFINITE[name])
    lowest = str(INDEFINITE[name][name])
    with pytest.raises(
        ValueError, match=rf"^{name} must be positive semidefinite .* eigenvalue is {lowest}, .*\.$"
    ):
        huberised(world, radius=1.0)
    huberised(replace(world, **{name: 0.0}), radius=1.0)


def test_rounding_does_not_make_a_singular_f_indefinite() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        root = rng.standard_normal((4, 2))
        P = root @ root.T
        P = 0.5 * (P + P.T)
        world = huberised(Quadratic(A=1.0, B=np.ones((1, 4)), P=P, D=1.0), radius=1.0)
        assert np.isfinite(world.objective(rng.standard_normal((4, 10)))).all()  # no root of a rounded zero


LETTERS = {name: getattr(PLAIN, name) for name in ("P", "D", "a", "b", "s_f", "d_x", "d_y", "y_star")}
LETTERS["objective"] = lambda x: 1.0  # of another f
STRANGE: dict[str, tuple[Any, str]] = {
    "no world": (3.0, "got 3.0 without P, D, a, b, s_f, d_x, d_y"),
    "a class": (Quadratic, "without P"),
    "huberised before": (huberised(PLAIN), "without P, D, s_f"),
    "devices": (
        SimpleNamespace(devices=[PLAIN, PLAIN]),
        "devices that are all alike, got SimpleNamespace with 2",
    ),
    "other letters": (
        SimpleNamespace(**LETTERS),
        "must have Phi = .* got 1 instead of .* from SimpleNamespace",
    ),
    "a diagonal": (
        SimpleNamespace(**LETTERS | {"D": np.ones(3)}),
        r"D of the world must have shape \(3, 3\)",
    ),
    "overflow": (Quadratic(A=1.0, B=1.0, P=1e200, D=1.0), "largest slope of f, must be finite"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_world_is_refused(name: str) -> None:
    world, words = STRANGE[name]
    with pytest.raises(ValueError, match=words) as error:
        huberised(world, radius=1e120)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


# What a world has to be.


@pytest.mark.smoke
def test_copies_are_the_same_world() -> None:
    h, x = huberised(NOISY, radius=RADIUS), np.array([30.0, -4.0])
    for other in (pickle.loads(pickle.dumps(h)), copy.deepcopy(h), copy.copy(h), replace(h)):
        assert np.array_equal(other.hypergradient(x), h.hypergradient(x))
        assert other.constants() == h.constants()
        assert not any(root.flags.writeable for root in other._roots)
    assert not np.array_equal(replace(h, radius=1.0).hypergradient(x), h.hypergradient(x))
    with pytest.raises(AttributeError, match="no attribute 'A'"):
        _ = h.A


@pytest.mark.smoke
def test_the_default_is_a_world() -> None:
    h = huberised()
    assert (h.d_x, h.d_y, h.radius) == (1, 1, 10.0)
    xi, n = every_outcome(h.sample_f)
    far = np.full((1, n), 1e3)
    mean, noise = h.grad_x_f(xi, far, far).mean(), h.grad_x_f(xi, far, far).std()
    assert noise == pytest.approx(0.5, rel=1e-12)  # additive, far away as everywhere
    assert mean == pytest.approx(10.0 / math.sqrt(2), rel=1e-12)
