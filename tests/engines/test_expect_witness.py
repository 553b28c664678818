"""Monte Carlo as the witness of exact expectations, on worlds too large to enumerate.

z = (simulate - expect)/(standard error) is standard normal where both are right. Seeds are fixed, so every test here is
deterministic; the probabilities are those with which another choice of seeds would have raised a false alarm:

    forty settings      Kolmogorov-Smirnov against the standard normal, refused below a p-value of 1e-3,
                        and no |z| above 4.5: 40 * 6.8e-6 = 3e-4
    the right variant   |z| <= 4, for ten z-scores: 10 * 6.3e-5 = 6e-4 at most

Wrong variants are told apart by a named measure with |z| > 6 and, where `expect` takes them (it refuses a sample that
multiplies itself), by an exact gap, which needs no statistics. One more Neumann term, a larger noise or another period
are the business of `expect` alone, so those are held against the same right simulation; a wrong estimator is simulated.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from ratecert.solvers import ALGORITHMS, LocalBSGM, LocalBSGVRM, StochasticNeumann, expect, simulate
from ratecert.solvers.contract.result import MEASURES, Result
from ratecert.solvers.engines.moments.estimator_moments import EstimatorMoments
from ratecert.solvers.estimators.hypergradient import NeumannSample
from ratecert.synthetic import Quadratic, random_quadratic
from ratecert.synthetic.algebra.signs import combinations

pytestmark = pytest.mark.nightly

Array = NDArray[np.float64]


def z_score(sampled: Result, exact: Any, measure: str) -> float:
    return float(
        (getattr(sampled, measure) - getattr(exact, measure)) / getattr(sampled.standard_error, measure)
    )


# Forty settings.

READINGS: list[tuple[str, dict[str, str]]] = [
    ("LocalBSGM", {"momenta": "carry"}),
    ("LocalBSGM", {"momenta": "fresh"}),
    ("LocalBSGVRM", {"momenta": "carry", "previous": "local"}),
    ("LocalBSGVRM", {"momenta": "carry", "previous": "averaged"}),
    ("LocalBSGVRM", {"momenta": "fresh"}),
]
SETTINGS = 40
REPLICATES = 4000


@dataclass(frozen=True)
class Setting:
    world: Quadratic
    solver: Any
    call: dict[str, Any]


def random_world(rng: np.random.Generator, seed: int) -> Quadratic:
    noise = dict(zip(("sigma_H", "sigma_J", "s_f", "s_g"), rng.uniform(0, [0.4, 0.4, 1.0, 1.0]), strict=True))
    d_x, d_y = (int(d) for d in rng.integers(1, 4, 2))
    return random_quadratic(d_x=d_x, d_y=d_y, mu=1.0, L_1=3.0, seed=seed, **noise)


def random_setting(i: int) -> Setting:
    """Dimensions 1..3, K and p 1..4, T 10..60, Q 0..4, every reading eight times; steps at which all are stable."""
    rng = np.random.default_rng([3, i])
    world = random_world(rng, i)
    algorithm, reading = READINGS[i % len(READINGS)]
    names = ("eta", "alpha", "beta", "rho_1", "rho_2", "theta")
    lowest, highest = [0.05, 2.0, 2.0, 0.05, 0.2, 0.1], [0.2, 5.0, 5.0, 0.15, 0.5, 0.3]
    steps = dict(zip(names, rng.uniform(lowest, highest).tolist(), strict=True))
    K, p, B, T, Q = (int(n) for n in rng.integers([1, 1, 1, 10, 0], [5, 5, 4, 61, 5]))
    batch = {"B": B} if algorithm == "LocalBSGVRM" else {}
    solver = ALGORITHMS[algorithm](**steps, p=p, Q=Q, **batch, **reading)
    start = {"x0": rng.uniform(-1, 1, world.d_x), "y0": rng.uniform(-1, 1, world.d_y)}
    return Setting(world, solver, {"K": K, "T": T, **start})


@cache
def sampled_settings() -> list[tuple[Setting, Result]]:
    settings = [random_setting(i) for i in range(SETTINGS)]
    return [
        (s, simulate(s.world, s.solver, **s.call, replicates=REPLICATES, seed=i))
        for i, s in enumerate(settings)
    ]


def p_value(z: list[float]) -> float:
    return float(stats.kstest(z, "norm").pvalue)


def test_z_scores_over_forty_settings_are_standard_normal() -> None:
    z = [
        z_score(sampled, expect(s.world, s.solver, **s.call), "gradient") for s, sampled in sampled_settings()
    ]
    assert p_value(z) > 1e-3
    assert max(map(abs, z)) < 4.5


@pytest.mark.parametrize("shift", [{"Q": 1}, {"p": 1}], ids=["Q-one-more", "period-p+1"])
def test_z_scores_of_another_algorithm_are_not(shift: dict[str, int]) -> None:
    """By the gradient for Q, and for p, which hardly changes it, by the drift, where there are devices to drift."""
    ((name, by),) = shift.items()
    measure = "gradient" if name == "Q" else "drift_y"
    z = []
    for s, sampled in sampled_settings():
        other = replace(s.solver, **{name: getattr(s.solver, name) + by})
        if measure == "gradient" or sampled.drift_y > 0:
            z.append(z_score(sampled, expect(s.world, other, **s.call), measure))
    assert len(z) >= 15
    assert p_value(z) < 1e-6


# One setting in which much noise meets directions that do not commute, begun at the solution.

MATRICES: dict[str, Any] = {
    "A": [[2.5, 0.0], [0.0, 1.2]],
    "E": [[0.1, 1.0], [1.0, -0.1]],
    "B": [[1.0, 0.3], [-0.4, 0.8]],
    "F": [[0.3, 0.1], [0.0, 0.3]],
    "P": [[1.0, 0.2], [0.2, 0.8]],
    "D": [[1.0, 0.3], [0.3, 2.0]],
    "a": [0.5, -0.3],
    "b": [1.0, -2.0],
    "c": [0.3, 0.4],
    "s_f": 0.5,
    "s_g": 0.5,
}
WORLD = Quadratic(**MATRICES)
STEPS: dict[str, Any] = {"eta": 0.2, "rho_1": 0.3, "rho_2": 0.4, "p": 3, "theta": 0.4, "Q": 3}
SOLVERS: dict[str, Any] = {
    "BSGM": LocalBSGM(alpha=3.0, beta=3.0, **STEPS),
    "BSGVRM": LocalBSGVRM(alpha=10.0, beta=10.0, **STEPS),
}
CALL: dict[str, Any] = {"K": 2, "T": 100, "x0": WORLD.x_star, "y0": WORLD.y_star(WORLD.x_star)}


@cache
def right(name: str) -> Result:
    return simulate(WORLD, SOLVERS[name], **CALL, replicates=40_000, seed=3)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_right_variant_agrees_in_every_measure(name: str) -> None:
    exact = expect(WORLD, SOLVERS[name], **CALL)
    for measure in MEASURES:
        assert abs(z_score(right(name), exact, measure)) <= 4


# (what is changed in the solver, what in the world, the measure that tells, its least relative gap)
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str, float]] = {
    "Q-one-more": ({"Q": 4}, {}, "gradient", 0.03),
    "Q-one-less": ({"Q": 2}, {}, "gradient", 0.2),
    "period-p+1": ({"p": 4}, {}, "drift_x", 0.2),
    "Hessian-noise-5-percent": ({}, {"E": 1.05 * np.array(MATRICES["E"])}, "drift_y", 0.02),
    "Jacobian-noise-5-percent": ({}, {"F": 1.05 * np.array(MATRICES["F"])}, "drift_x", 0.01),
    "s_f-5-percent": ({}, {"s_f": 1.05 * 0.5}, "gradient", 0.02),
    "s_g-5-percent": ({}, {"s_g": 1.05 * 0.5}, "tracking", 0.01),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(("fields", "matrices", "measure", "least"), WRONG.values(), ids=WRONG)
def test_a_wrong_hyperparameter_or_noise_level_is_told_apart(
    fields: dict[str, Any], matrices: dict[str, Any], measure: str, least: float, name: str
) -> None:
    world, solver = Quadratic(**{**MATRICES, **matrices}), replace(SOLVERS[name], **fields)
    wrong, exact = expect(world, solver, **CALL), expect(WORLD, SOLVERS[name], **CALL)
    assert abs(getattr(wrong, measure) / getattr(exact, measure) - 1) > least
    assert abs(z_score(right(name), wrong, measure)) > 6


# Wrong estimators.


@dataclass(frozen=True, kw_only=True)
class OneHessian(StochasticNeumann):
    """One Hessian sample for all factors: another mean, because E[(I - theta(A + e E))^2] is not (I - theta A)^2."""

    def sample(self, problem: Any, bits: Any) -> NeumannSample:
        sample = super().sample(problem, bits)
        return replace(sample, factors=sample.factors[:1] * self.Q)


@dataclass(frozen=True, kw_only=True)
class Horner(StochasticNeumann):
    """r + F_Q(r + F_{Q-1}(r + ...)): the mean of the running product, and another covariance."""

    def evaluate(self, problem: Any, sample: NeumannSample, *point: Any) -> Any:
        x, y = point
        r = self.theta * problem.grad_y_f(sample.xi, x, y)
        total = 1.0 * r
        for zeta_j in sample.factors:
            total = r + problem.neumann_factor_g(zeta_j, x, y, total, self.theta)
        return problem.grad_x_f(sample.xi, x, y) - problem.jacobian_g(sample.zeta, x, y, total)


def with_estimator(algorithm: Any, estimator: Any) -> Any:
    """The algorithm with another estimator of the hypergradient."""

    def hypergradient(self: Any) -> StochasticNeumann:
        chosen: StochasticNeumann = estimator(theta=self.theta, Q=self.Q)
        return chosen

    name = f"{algorithm.__name__}With{estimator.__name__}"
    return type(name, (algorithm,), {"hypergradient": property(hypergradient)})


WRONG_ESTIMATORS = {"one-Hessian-sample": (OneHessian, "gradient"), "Horner": (Horner, "drift_x")}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(("estimator", "measure"), WRONG_ESTIMATORS.values(), ids=WRONG_ESTIMATORS)
def test_a_wrong_estimator_is_told_apart(estimator: Any, measure: str, name: str) -> None:
    """Simulated with 4000 replicates, held against the exact expectation of the right one."""
    solver = SOLVERS[name]
    wrong = with_estimator(type(solver), estimator)(**vars(solver))
    sampled = simulate(WORLD, wrong, **CALL, replicates=4000, seed=5)
    assert abs(z_score(sampled, expect(WORLD, solver, **CALL), measure)) > 6


@pytest.mark.parametrize("name", SOLVERS)
def test_horner_has_exact_moments_of_its_own(name: str) -> None:
    """A tenth more drift than the running product, exactly; Monte Carlo agrees with each and not with the other."""
    solver = SOLVERS[name]
    horner = with_estimator(type(solver), Horner)(**vars(solver))
    exact = expect(WORLD, horner, **CALL)
    assert exact.drift_x > 1.1 * expect(WORLD, solver, **CALL).drift_x
    sampled = simulate(WORLD, horner, **CALL, replicates=4000, seed=5)
    assert abs(z_score(sampled, exact, "drift_x")) <= 4
    assert abs(z_score(right(name), exact, "drift_x")) > 6


# The covariance of one estimate, without any algorithm around it.


def covariance_by_outcomes(estimator: StochasticNeumann, x: Array, y: Array) -> Array:
    """Over all signs of the Q factors and the Jacobian, with s_f = 0: h = P(x - a) + (B + e'F)' N D (y - b)."""
    r = estimator.theta * WORLD.D @ (y - WORLD.b)
    factors = np.eye(2) - estimator.theta * combinations(WORLD.A, WORLD.E)
    values = []
    for coupling, *chosen in product(combinations(WORLD.B, WORLD.F), *[factors] * estimator.Q):
        term = total = r
        for factor in chosen:
            if isinstance(estimator, Horner):
                total = r + factor @ total
            else:
                term = factor @ term
                total = total + term
        values.append(WORLD.P @ (x - WORLD.a) + coupling.T @ total)
    return np.cov(np.array(values).T, bias=True)


ESTIMATORS = {"running-product": StochasticNeumann(theta=0.4, Q=3), "Horner": Horner(theta=0.4, Q=3)}


def covariance(estimator: StochasticNeumann, x: Array, y: Array) -> Array:
    quiet = Quadratic(**{**MATRICES, "s_f": 0.0})
    z = np.concatenate([x, y, [1.0]])
    return EstimatorMoments(quiet, estimator, (2, 2)).covariance(np.outer(z, z))


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_covariance_of_an_estimate_is_that_over_all_outcomes(estimator: StochasticNeumann) -> None:
    """To 1e-13; the other order of the product has another covariance, by a tenth at least."""
    x, y = np.array([0.7, -0.2]), np.array([0.4, 1.1])
    mine, outcomes = covariance(estimator, x, y), covariance_by_outcomes(estimator, x, y)
    np.testing.assert_allclose(mine, outcomes, rtol=1e-13, atol=1e-13 * np.abs(outcomes).max())
    (other,) = (e for e in ESTIMATORS.values() if e is not estimator)
    assert np.abs(covariance(other, x, y) - outcomes).max() > 0.1 * np.abs(outcomes).max()
