"""Finite sums: a sample is one of their terms. SGD and SVRG, exactly, against all outcomes."""

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
