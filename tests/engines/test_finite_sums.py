"""Finite sums: a sample is one of their terms. What conformance of SGD, SVRG, SAGA, PAGE and STORM does not ask.

Tables, batches, additive noise, steps that fall, devices with sums of their own, and costs.

That engines and sampling agree on each method is tests/methods/test_one_level_methods.py; their theorems are in the
library.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError

LINE = rc.worlds.FiniteSum(H=[1.0, 2.0, 0.5], a=[1.0, -1.0, 2.0])
PLANE = rc.worlds.FiniteSum(
    H=[[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]], [[0.5, 0.25], [0.25, 0.5]]],
    a=[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]],
)
NOISY = rc.worlds.SingleLevel(
    H=[[2.0, 0.5], [0.5, 1.0]], a=[1.0, -1.0], E=[[[0.25, 0.0], [0.0, 0.125]]], c=[[0.5, 0.25]]
)
SLOW = rc.contract.CubeRoot(scale=0.2, offset=3.0)
SAGA, SVRG, PAGE, STORM, SGD = (
    getattr(rc.methods, name) for name in ("SAGA", "SVRG", "PAGE", "STORM", "SGD")
)
MEASURES = {"gap": rc.measures.gap(), "last": rc.measures.distance().last(), "drift": rc.measures.drift("x")}


def of_field(name: str) -> Any:
    return rc.measures.form(lambda _problem, s: getattr(s, name)).last()


# a world, a method, one that differs, T on one device and on two, a measure of its own
CASES: dict[str, tuple[Any, Any, Any, tuple[int, int], Any]] = {
    "SAGA": (PLANE, SAGA(alpha=0.1, n=3, p=2), SAGA(alpha=0.101, n=3, p=2), (5, 4), rc.measures.drift("phi_2")),
    "SAGA with smaller and smaller steps": (
        LINE, SAGA(alpha=SLOW, n=3, p=3), SAGA(alpha=0.14, n=3, p=3), (4, 4), rc.measures.distance("phi_0")),
    "PAGE with a batch": (
        LINE, PAGE(alpha=0.3, p=0.125, b=2), PAGE(alpha=0.3, p=0.125, b=1), (3, 2),
        rc.measures.form(lambda problem, s: s.g - problem.gradient(s.x))),
    "PAGE with noise": (NOISY, PAGE(alpha=0.3, p=0.3), PAGE(alpha=0.3, p=0.31), (5, 4), of_field("g")),
    "STORM": (NOISY, STORM(eta=SLOW, c=5.0, p=2), STORM(eta=SLOW, c=5.05, p=2), (5, 4), rc.measures.drift("d")),
    "STORM with a batch": (
        LINE, STORM(eta=0.2, c=5.0, p=2, B=2), STORM(eta=0.2, c=5.0, p=2, B=1), (3, 3), of_field("d")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize("K", [1, 2])
def test_exact_moments_are_means_over_all_outcomes(name: str, certified: bool, K: int) -> None:
    world, solver, other, T, own = CASES[name]
    run: dict[str, Any] = {"K": K, "T": T[K - 1], "x0": np.full(world.d_x, 1.5), "times": range(T[K - 1])}
    run["measures"] = {**MEASURES, "own": own}
    exact = rc.expect(world, solver, **run, certified=certified)
    outcomes = rc.enumerate_outcomes(world, solver, **run)
    assert exact.certified == certified
    for found, mean in ((exact, outcomes), (exact.curves, outcomes.curves)):
        for measure, value in mean.values.items():
            assert found.values[measure] == pytest.approx(value, rel=1e-12, abs=1e-20)
    assert rc.expect(world, other, **run).values != pytest.approx(outcomes.values, rel=1e-4, abs=1e-20)


class Differing:
    """Devices with finite sums of their own, and their mean."""

    def __init__(self, *devices: rc.worlds.FiniteSum) -> None:
        self.devices, self.d_x = devices, devices[0].d_x

    def gradient(self, x: Any) -> Any:
        first, *others = (device.gradient(x) for device in self.devices)
        return sum(others, first) / len(self.devices)

    def sample_f(self, bits: Any) -> Any:
        raise AssertionError("only devices draw")

    grad_f = sample_f


SAME_LENGTH = Differing(LINE, rc.worlds.FiniteSum(H=[3.0, 0.5, 1.0], a=[2.0, -1.0, 0.0]))
OTHER_LENGTH = Differing(LINE, rc.worlds.FiniteSum(H=[3.0, 0.5], a=[2.0, -1.0]))


@pytest.mark.parametrize(
    ("world", "solver"),
    [
        (SAME_LENGTH, SAGA(alpha=0.1, n=3, p=3)),
        (OTHER_LENGTH, SGD(alpha=0.1, p=2)),
        (OTHER_LENGTH, SVRG(alpha=0.1, m=3)),
        (OTHER_LENGTH, PAGE(alpha=0.1, p=0.3)),
        (OTHER_LENGTH, STORM(eta=0.1, c=2.0, p=2)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_on_devices_that_differ_too(world: Differing, solver: Any) -> None:
    """Each draws from its own terms: exact moments, all outcomes, and samples within five standard errors."""
    read = {"gradient": rc.measures.gradient(), "drift": rc.measures.drift("x")}
    run: dict[str, Any] = {"K": 2, "T": 4, "x0": 1.5, "times": [], "measures": read}
    exact, outcomes = rc.expect(world, solver, **run), rc.enumerate_outcomes(world, solver, **run)
    assert exact.values == pytest.approx(outcomes.values, rel=1e-12, abs=1e-20)
    sampled = rc.simulate(world, solver, **run, replicates=4000, seed=5)
    for measure, value in exact.values.items():
        assert abs(sampled.values[measure] - value) <= 5 * sampled.standard_error.values[measure] + 1e-15
    alike = rc.expect(Differing(LINE, LINE), solver, **run)
    assert alike.gradient != pytest.approx(outcomes.gradient, rel=1e-2)


@pytest.mark.parametrize(
    ("world", "solver", "T", "samples", "rounds", "floats"),
    [  # SAGA and SVRG: n terms at the start; SVRG: epochs of (m - 1)/2 inner samples on average, then n
        (PLANE, SVRG(alpha=0.1, m=5), 20, 3 + 10 * (2 + 3), 10, None),
        (PLANE, SAGA(alpha=0.1, n=3, p=5), 20, 3 + 20, 4, 4 * (2 + 3 * 2)),
        (PLANE, PAGE(alpha=0.1, p=0.25, b=2), 20, 3 + 20 * (0.25 * 3 + 0.75 * 2), 20, 20 * 4),  # n, else b
        (PLANE, STORM(eta=0.1, c=1.0, B=7, p=4), 20, 7 + 20, 5, 5 * 4),  # B at the start, then one
        (OTHER_LENGTH, PAGE(alpha=0.1, p=0.25), 4, 3 + 3 + 3, 4, None),  # of the longer sum
    ],
)
def test_costs(world: Any, solver: Any, T: int, samples: float, rounds: int, floats: int | None) -> None:
    found = rc.contract.count(world, solver, T)
    assert (found.samples_f, found.rounds) == (samples, rounds)
    assert floats in (None, found.floats_sent)


def test_the_start_of_saga_is_the_full_gradient() -> None:
    """All points of the table are the first x, so that the first step is one of gradient descent, whatever is drawn."""
    run: dict[str, Any] = {
        "K": 1,
        "x0": np.ones(2),
        "times": [],
        "measures": {"d": rc.measures.distance().last()},
    }
    descent = np.ones(2) - 0.1 * PLANE.gradient(np.ones(2))
    one, two = (rc.expect(PLANE, SAGA(alpha=0.1, n=3), T=T, **run).d for T in (1, 2))
    assert one == pytest.approx(float(np.sum((descent - PLANE.x_star) ** 2)), rel=1e-14)
    assert two != pytest.approx(one, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: SAGA(alpha=0.1, n=3).check(NOISY), "SAGA is a method for finite sums, and SingleLevel has no terms"),
        (lambda: SAGA(alpha=0.1, n=4).check(PLANE), "n must be 3, the number of terms of this problem, got 4"),
        (lambda: STORM(eta=0.1, c=1.0).check(rc.worlds.scalar()), "STORM is a method for one level"),
        (lambda: PAGE(alpha=0.1, p=0.5).check(rc.worlds.scalar()), "PAGE is a method for one level"),
        (lambda: PAGE(alpha=0.1, p=1.5), r"p must lie in \(0, 1\], got 1.5"),
        (lambda: STORM(eta=1.0, c=2.0), r"c \* eta\^2 must lie in \(0, 1\], got 2"),
        (lambda: SAGA(alpha=0.1, n=0), "n must be a whole number >= 1, got 0"),
        (lambda: rc.worlds.FiniteSum(H=[1.0, -1.0], a=[0.0, 0.0]), r"H\[1\] has the eigenvalue -1"),
        (lambda: rc.worlds.FiniteSum(H=[1.0, 2.0], a=[0.0]), "a must have one point for each H"),
        (lambda: rc.worlds.FiniteSum(H=[0.0, 0.0], a=[0.0, 0.0]), "must be positive definite"),
        (lambda: rc.worlds.FiniteSum(H=1.0, a=0.0), "H must be a list"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call: Any, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        call()


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
    world, solver = rc.worlds.FiniteSum(H=[1.0, 1.0], a=[-1.0, 1.0]), TwoAtOnce(alpha=0.5)
    run: dict[str, Any] = {"K": 1, "T": 1, "x0": 0.0, "measures": {"square": of_field("x")}, "times": []}
    for engine in (rc.expect, rc.enumerate_outcomes):
        assert engine(world, solver, **run).square == pytest.approx(0.5, rel=1e-14)
    sampled = rc.simulate(world, solver, **run, replicates=4000, seed=1)
    assert sampled.square == pytest.approx(0.5, abs=0.05)
