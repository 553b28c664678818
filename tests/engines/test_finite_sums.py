"""Finite sums: a sample is one of their terms. SGD and SVRG, exactly, against all outcomes and their theorems."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError

WORLD = rc.worlds.FiniteSum(
    H=[[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]], [[0.5, 0.25], [0.25, 0.5]]],
    a=[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]],
)
LINE = rc.worlds.FiniteSum(H=[1.0, 2.0, 0.5], a=[1.0, -1.0, 2.0])
MEASURES = {"gap": rc.measures.gap(), "last": rc.measures.gap().last(), "drift": rc.measures.drift("x")}


def random_sum(seed: int, n: int, d: int) -> rc.worlds.FiniteSum:
    rng = np.random.default_rng([9, seed])
    roots = rng.standard_normal((n, d, d))
    return rc.worlds.FiniteSum(
        H=roots @ np.swapaxes(roots, 1, 2) + 0.3 * np.eye(d), a=rng.standard_normal((n, d))
    )


@pytest.mark.parametrize("world", [WORLD, LINE], ids=["plane", "line"])
@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize("K", [1, 2])
def test_sgd_is_the_mean_over_all_indices(world: Any, certified: bool, K: int) -> None:
    run: dict[str, Any] = {
        "K": K,
        "T": 3,
        "x0": np.ones(world.d_x),
        "measures": MEASURES,
        "times": [0, 1, 2, 3],
    }
    solver = rc.methods.SGD(alpha=0.2, p=2)
    exact = rc.expect(world, solver, **run, certified=certified)
    outcomes = rc.enumerate_outcomes(world, solver, **run)
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12, abs=1e-20)
    other = rc.expect(world, rc.methods.SGD(alpha=0.201, p=2), **run)
    assert other.gap != pytest.approx(outcomes.gap, rel=1e-4)


@pytest.mark.parametrize("certified", [True, False])
def test_svrg_is_the_mean_over_all_indices_and_lengths(certified: bool) -> None:
    run: dict[str, Any] = {
        "K": 1,
        "T": 4,
        "x0": 1.5,
        "measures": {"gap": rc.measures.gap("w").last()},
        "times": [],
    }
    solver = rc.methods.SVRG(alpha=0.2, m=3)
    exact = rc.expect(LINE, solver, **run, certified=certified)
    assert exact.gap == pytest.approx(rc.enumerate_outcomes(LINE, solver, **run).gap, rel=1e-12, abs=0)
    assert exact.gap != pytest.approx(rc.expect(LINE, rc.methods.SVRG(alpha=0.2, m=4), **run).gap, rel=1e-3)


def test_sampling_agrees() -> None:
    """Five standard errors, probability 6e-7, fixed seed."""
    run: dict[str, Any] = {"K": 2, "T": 10, "x0": [1.0, 1.0], "measures": MEASURES, "times": []}
    for solver in (rc.methods.SGD(alpha=0.1, p=2), rc.methods.SVRG(alpha=0.1, m=5)):
        sampled, exact = (
            rc.simulate(WORLD, solver, **run, replicates=4000, seed=2),
            rc.expect(WORLD, solver, **run),
        )
        for name in MEASURES:
            assert (
                abs(sampled.values[name] - exact.values[name])
                <= 5 * sampled.standard_error.values[name] + 1e-15
            )


def contraction(world: Any, alpha: float, m: int, x0: Any) -> float:
    """(E F(w_1) - F*) / (F(w_0) - F*) of one epoch."""
    read = {"gap": rc.measures.gap("w").last()}
    after = rc.expect(world, rc.methods.SVRG(alpha=alpha, m=m), K=1, T=2, x0=x0, measures=read, times=[]).gap
    return float(after / (world.objective(np.asarray(x0)) - world.objective(world.x_star)))


@pytest.mark.by_night("1", "2", "3")
@pytest.mark.parametrize("seed", range(40))
def test_an_epoch_of_svrg_contracts_as_its_theorem_says(seed: int) -> None:
    """rho = 1/(mu eta (1 - 2 L eta) m) + 2 L eta/(1 - 2 L eta) (Johnson and Zhang 2013), L the largest of the terms."""
    rng = np.random.default_rng([4, seed])
    world = random_sum(seed, n=4, d=2)
    constants = world.constants()
    L, mu = constants["L_max"], constants["mu"]
    eta, m = float(rng.uniform(0.02, 0.2)) / L, int(rng.integers(10, 400))
    rho = 1 / (mu * eta * (1 - 2 * L * eta) * m) + 2 * L * eta / (1 - 2 * L * eta)
    assert contraction(world, eta, m, rng.standard_normal(2)) <= rho


@pytest.mark.parametrize("seed", range(40))
def test_sgd_under_expected_smoothness(seed: int) -> None:
    """E||x_k - x*||^2 <= (1 - gamma mu)^k ||x_0 - x*||^2 + 2 gamma sigma^2/mu for gamma <= 1/(2 calL) (Gower, 2019)."""
    rng = np.random.default_rng([6, seed])
    world = random_sum(seed, n=5, d=2)
    c = world.constants()
    gamma, k, x0 = (
        float(rng.uniform(0.05, 1.0)) / (2 * c["calL"]),
        int(rng.integers(1, 500)),
        rng.standard_normal(2),
    )
    read = {"distance": rc.measures.distance().last()}
    found = rc.expect(world, rc.methods.SGD(alpha=gamma), K=1, T=k, x0=x0, measures=read, times=[]).distance
    start = float(np.sum((x0 - world.x_star) ** 2))
    assert found <= (1 - gamma * c["mu"]) ** k * start + 2 * gamma * c["sigma"] ** 2 / c["mu"]
    assert found > 0.01 * gamma * c["sigma"] ** 2 / c["mu"] * (1 - (1 - gamma * c["mu"]) ** k)


def test_constants_are_attained() -> None:
    c, rng = WORLD.constants(), np.random.default_rng(0)
    smooth = average = 0.0
    for _ in range(400):
        x = WORLD.x_star + rng.standard_normal(2)
        u = x - WORLD.x_star
        spread = float(np.mean([np.sum((H @ u) ** 2) for H in WORLD.H]))
        smooth = max(smooth, spread / (2 * float(WORLD.objective(x) - WORLD.objective(WORLD.x_star))))
        average = max(average, float(np.sqrt(spread / np.sum(u**2))))
    assert 0.99 * c["calL"] < smooth <= c["calL"] * (1 + 1e-12)
    assert 0.99 * c["L_average"] < average <= c["L_average"] * (1 + 1e-12)
    assert WORLD.gradient(WORLD.x_star) == pytest.approx(np.zeros(2), abs=1e-14)


def test_costs_by_hand() -> None:
    """An epoch: (m - 1)/2 inner samples on average, and all n terms at a snapshot; one snapshot at the start."""
    counts = rc.contract.count(WORLD, rc.methods.SVRG(alpha=0.1, m=5), 20)
    assert counts.samples_f == 3 + 10 * (2 + 3)
    assert counts.rounds == 10


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"H": [1.0, -1.0], "a": [0.0, 0.0]}, r"H\[1\] has the eigenvalue -1"),
        ({"H": [1.0, 2.0], "a": [0.0]}, "a must have one point for each H"),
        ({"H": [0.0, 0.0], "a": [0.0, 0.0]}, "must be positive definite"),
        ({"H": 1.0, "a": 0.0}, "H must be a list"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        rc.worlds.FiniteSum(**arguments)


@dataclass(frozen=True)
class TwoTerms:
    """grad F_i + grad F_j, with i and j drawn for one sample."""

    label: str = "two"

    def sample(self, problem: Any, bits: Any) -> Any:
        return problem.sample_f(bits), problem.sample_f(bits)

    def evaluate(self, problem: Any, sample: Any, *point: Any) -> Any:
        return problem.grad_f(sample[0], *point) + problem.grad_f(sample[1], *point)


@dataclass(frozen=True, kw_only=True)
class TwoAtOnce(rc.methods.SGD):
    def step(self, t: int, s: Any, oracle: Any) -> Any:
        return s.but(x=s.x - self.step_size(t) * oracle.sample(TwoTerms(), t)(s.x))


def test_numbers_that_one_sample_draws_are_independent() -> None:
    """From 0, half of two terms with centres -1 and 1 ends at -1, 0, 0 or 1; with i = j at -1 or 1."""
    world = rc.worlds.FiniteSum(H=[1.0, 1.0], a=[-1.0, 1.0])
    read = {"square": rc.measures.form(lambda _, s: s.x).last()}
    run: dict[str, Any] = {"K": 1, "T": 1, "x0": 0.0, "measures": read, "times": []}
    for engine in (rc.expect, rc.enumerate_outcomes):
        assert engine(world, TwoAtOnce(alpha=0.5), **run).square == pytest.approx(0.5, rel=1e-14)
    assert rc.simulate(world, TwoAtOnce(alpha=0.5), **run, replicates=4000, seed=1).square == pytest.approx(
        0.5, abs=0.05
    )
