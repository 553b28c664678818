"""Three estimators of the hypergradient: mean and covariance are those of oracles/laws.py, and a wrong one is seen.

Means and covariances come from exact moments and, while they are few, from all outcomes. Entries are compared relative
to the two parts of the hypergradient, whose sum each is rounded with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from oracles.laws import Array, Laws
from ratecert.solvers import (
    AuxiliaryGradient,
    HypergradientThrough,
    RandomTruncation,
    StochasticNeumann,
)
from ratecert.solvers.engines.at_a_point import estimate_moments, estimate_outcomes, estimate_products
from ratecert.synthetic import Quadratic, random_quadratic, scalar

THETA = 0.2
NAMES = ("E1", "E2", "E3")
NOISE: dict[str, Any] = {"sigma_H": 0.6, "sigma_J": 0.3}
WORLDS = {
    "scalar": scalar(a=0.5, b=-0.2, s_f=0.5, **NOISE),
    "scalar, g noisy": scalar(a=0.5, b=-0.2, **NOISE),
    "1 x 2": random_quadratic(d_x=1, d_y=2, seed=2, s_f=0.5, **NOISE),
    "3 x 3": random_quadratic(d_x=3, d_y=3, seed=0, **NOISE),
}
ENUMERATED = {"scalar": 4, "scalar, g noisy": 6, "1 x 2": 3, "3 x 3": 6}  # terms; up to 65536 outcomes
PRODUCTS = {
    "E1": lambda n: (n - 1) / 2,
    "E2": lambda n: n - 1,
    "E3": lambda n: n,
}  # with a Hessian, on average


@dataclass(frozen=True, kw_only=True)
class AuxiliarySteps:
    """n steps of the auxiliary variable with (x, y) fixed, and the hypergradient through what they give."""

    tau: float
    n: int
    label: str = "xi_hat"

    def sample(self, problem: Any, bits: Any) -> Any:
        steps = [AuxiliaryGradient().sample(problem, bits) for _ in range(self.n)]
        return steps, HypergradientThrough().sample(problem, bits)

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        (steps, last), (x, y, r) = sample, point
        for step in steps:
            r = r - self.tau * AuxiliaryGradient().evaluate(problem, step, x, y, r)
        return HypergradientThrough().evaluate(problem, last, x, y, r)


def estimator(name: str, n: int, theta: float = THETA) -> Any:
    if name == "E1":
        return RandomTruncation(theta=theta, N=n)
    return StochasticNeumann(theta=theta, Q=n - 1) if name == "E2" else AuxiliarySteps(tau=theta, n=n)


def point(world: Any, name: str) -> Sequence[Array]:
    """One at which grad_y f is not zero."""
    x, y = world.a + 1.0, world.b - 0.5
    return (x, y, np.zeros(world.d_y)) if name == "E3" else (x, y)


def laws_of(world: Quadratic, theta: float = THETA) -> Laws:
    return Laws(world, *point(world, "E2"), theta)


def gaps(world: str, name: str, n: int, h: Any) -> tuple[float, float]:
    """Of the mean and of the covariance to their laws; the larger of both ways of computing."""
    problem, laws = WORLDS[world], laws_of(WORLDS[world])
    at = point(problem, name)
    found = [estimate_moments(problem, h, at)]
    if n <= ENUMERATED[world]:
        found += [estimate_outcomes(problem, h, at)[:2]]
    mean, covariance = laws.tilde + laws.bias(n), laws.covariance(name, n)
    series = problem.B.T @ laws.rho(n)
    size = float(np.trace(covariance) + series @ series)  # the law subtracts the square of a mean
    return (
        max(float(np.abs(m - mean).max()) for m, _ in found) / laws.size,
        max(float(np.abs(c - covariance).max()) for _, c in found) / size,
    )


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", NAMES)
def test_mean_and_covariance_are_those_of_the_laws(name: str, world: str) -> None:
    """All three have the same mean: (I - theta A)^n is what the inverse has and a sum of n terms has not."""
    for n in range(1, 7):
        h = estimator(name, n)
        assert max(gaps(world, name, n, h)) <= 1e-12
        assert gaps(world, name, n, estimator(name, n + 1))[0] > 1e-3
        assert estimate_products(WORLDS[world], h, point(WORLDS[world], name)) == PRODUCTS[name](n)


HALVES = Quadratic(A=1.0, E=0.5, B=1.0, P=1.0, D=1.0)  # at y = 1, theta = 1/2: w = 1 and factors 1/4 or 3/4


@pytest.mark.parametrize(
    ("name", "count", "variance", "products"),
    [("E1", 4, 3 / 32, 1 / 2), ("E2", 2, 1 / 64, 1), ("E3", 4, 1 / 64, 2)],
)
def test_two_terms_by_hand(name: str, count: int, variance: float, products: float) -> None:
    """E1 is 1 with k = 0 (of two outcomes) and 1/4 or 3/4 with k = 1; E2 and E3 are 1/2 + 1/8 or 1/2 + 3/8.

    E3 has a sign more than E2: that of its first step, which meets r = 0. The mean is 3/4 instead of 1. The variance of
    E1 is (2 + 1/16 + 9/16)/4 - 9/16 = 3/32.
    """
    h, zero, y = estimator(name, 2, theta=0.5), np.zeros(1), np.ones(1)
    at = (zero, y, zero) if name == "E3" else (zero, y)
    laws = Laws(HALVES, zero, y, 0.5)
    assert (laws.tilde, laws.bias(2)) == (1.0, -1 / 4)
    *outcomes, n = estimate_outcomes(HALVES, h, at)
    assert n == count
    for mean, covariance in (estimate_moments(HALVES, h, at), outcomes):
        assert mean == pytest.approx(3 / 4, rel=1e-15)
        assert covariance == pytest.approx(variance, rel=1e-14)
    assert laws.covariance(name, 2) == pytest.approx(variance, rel=1e-14)
    assert estimate_products(HALVES, h, at) == products


def test_the_laws_take_several_directions_of_noise() -> None:
    """Two directions of E and of F, each with a sign of its own, against all outcomes."""
    base = random_quadratic(d_x=2, d_y=2, seed=4)
    E = [[[0.2, 0.1], [0.1, -0.1]], [[0.0, 0.2], [0.2, 0.1]]]
    F = [[[0.1, 0.0], [0.2, 0.3]], [[0.0, -0.2], [0.1, 0.1]]]
    world = Quadratic(A=base.A, E=E, B=base.B, F=F, P=base.P, D=base.D, a=base.a, b=base.b, s_f=0.3)
    laws = laws_of(world)
    for name in NAMES:
        mean, covariance, _ = estimate_outcomes(world, estimator(name, 2), point(world, name))
        np.testing.assert_allclose(mean - laws.tilde, laws.bias(2), rtol=1e-12)
        np.testing.assert_allclose(covariance, laws.covariance(name, 2), rtol=1e-12)


@pytest.mark.parametrize("world", WORLDS)
def test_an_auxiliary_variable_remembers_where_it_began_and_has_no_bias_where_its_mean_stays(
    world: str,
) -> None:
    problem, laws = WORLDS[world], laws_of(WORLDS[world])
    x, y, zero = point(problem, "E3")
    rest = np.linalg.solve(problem.A, problem.D @ (y - problem.b))
    for r, bias in ((zero + 1.0, laws.bias(4, 1.0)), (rest, 0.0)):
        mean = estimate_moments(problem, estimator("E3", 4), (x, y, r))[0]
        np.testing.assert_allclose(mean - laws.tilde, bias, rtol=0, atol=1e-12 * laws.size)


# Wrong estimators.


class Scaled:
    """A problem whose grad_y f is multiplied by c."""

    def __init__(self, problem: Any, c: float) -> None:
        self.problem, self.c = problem, c

    def __getattr__(self, name: str) -> Any:
        return getattr(self.problem, name)

    def grad_y_f(self, *arguments: Any) -> Any:
        return self.c * self.problem.grad_y_f(*arguments)


class Unweighted(RandomTruncation):
    """Without the factor N."""

    def evaluate(self, problem: Any, sample: Any, *at: Any) -> Any:
        return super().evaluate(Scaled(problem, 1 / self.N), sample, *at)


class OneMore(RandomTruncation):
    """k uniform on {0, ..., N}."""

    def sample(self, problem: Any, bits: Any) -> Any:
        return RandomTruncation(theta=self.theta, N=self.N + 1).sample(problem, bits)


class Uncut(RandomTruncation):
    """On arrays every lane goes to the end; on symbols, where k is one number, it is right."""

    def evaluate(self, problem: Any, sample: Any, *at: Any) -> Any:
        if not isinstance(sample.k, int):
            sample = replace(sample, k=np.full_like(sample.k, self.N))
        return super().evaluate(problem, sample, *at)


class WithoutStep(StochasticNeumann):
    """The sum without its factor theta."""

    def evaluate(self, problem: Any, sample: Any, *at: Any) -> Any:
        return super().evaluate(Scaled(problem, 1 / self.theta), sample, *at)


class Short(StochasticNeumann):
    """A term too few."""

    def evaluate(self, problem: Any, sample: Any, *at: Any) -> Any:
        return super().evaluate(
            problem, replace(sample, factors=type(sample.factors)(sample.factors[1:])), *at
        )


class Horner(StochasticNeumann):
    """The factors in the other order: the same mean."""

    def evaluate(self, problem: Any, sample: Any, *at: Any) -> Any:
        x, y = at
        first = self.theta * problem.grad_y_f(sample.xi, x, y)
        total = 1.0 * first
        for zeta_j in sample.factors:
            total = first + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)
        return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, total)


class SmallerSteps(AuxiliarySteps):
    """Another tau."""

    def evaluate(self, problem: Any, sample: Any, *at: Any) -> Any:
        return AuxiliarySteps(tau=0.9 * self.tau, n=self.n).evaluate(problem, sample, *at)


@pytest.mark.parametrize(
    ("name", "wrong", "mean", "covariance"),
    [
        ("E1", Unweighted(theta=THETA, N=3), True, True),
        ("E1", OneMore(theta=THETA, N=3), True, True),
        ("E1", Uncut(theta=THETA, N=3), True, True),
        ("E2", WithoutStep(theta=THETA, Q=2), True, True),
        ("E2", Short(theta=THETA, Q=2), True, True),
        ("E2", Horner(theta=THETA, Q=2), False, True),
        ("E3", SmallerSteps(tau=THETA, n=3), True, True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_wrong_estimator_is_seen(name: str, wrong: Any, mean: bool, covariance: bool) -> None:
    """In the mean, and what has the same mean in the covariance, where Hessians do not commute and f is noisy."""
    seen = gaps("1 x 2", name, 3, wrong)
    assert [gap > 1e-6 for gap in seen] == [mean, covariance]
