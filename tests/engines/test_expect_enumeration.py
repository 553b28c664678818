"""Exact moments against every outcome of the noise, and each way of moving through time against the others.

`enumerate_outcomes` runs the engine that samples on all outcomes, so it is the expectation to rounding; `expect`
never sees an outcome. The cases are those on which the enumeration itself was held against the printed pseudocode.
"""

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.test_enumeration import CASES, LARGE, READINGS, SCHEDULES, Case, arguments, gap, run_of, world_of
from engines.test_enumeration import engine as enumerated
from oracles.pairwise import pairwise
from ratecert.solvers import (
    ALGORITHMS,
    CubeRoot,
    LocalBSGM,
    LocalBSGVRM,
    LowerGradient,
    Stage,
    State,
    StochasticNeumann,
    enumerate_outcomes,
    expect,
)
from ratecert.solvers.contract.measures import defaults
from ratecert.solvers.contract.result import MEASURES, Result
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.unrounded import Unrounded
from ratecert.synthetic import Quadratic, scalar

Array = NDArray[np.float64]
ByName = dict[str, Array]


def by_name(result: Result) -> ByName:
    """Each measure averaged over t < T, followed by its curve."""
    return {name: np.array([getattr(result, name), *getattr(result.curves, name)]) for name in MEASURES}


def solver_of(case: Case) -> Any:
    return ALGORITHMS[READINGS[case.reading][0]](eta=SCHEDULES[case.eta][0], **arguments(case))


def exact(case: Case, **changed: Any) -> ByName:
    """`expect` on the case, with some fields of the solver changed."""
    solver = replace(solver_of(case), **changed)
    return by_name(expect(world_of(case), solver, **run_of(case), times=range(case.T + 1)))


def assert_same(one: ByName, other: ByName, tolerance: float = 1e-13) -> None:
    for name in MEASURES:
        assert gap(one, other, (name,)) <= tolerance, (name, one[name], other[name])


# Algorithms 1 and 2, every reading.


@pytest.mark.by_night(*map(str, LARGE))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_moments_are_means_over_all_outcomes(case: Case) -> None:
    """At every t and on average, for every source of noise, shape, period, order, batch and schedule."""
    assert_same(exact(case), enumerated(case))


def test_curves_do_not_depend_on_which_times_are_read() -> None:
    case = Case("BSGVRM-carry-local", T=4, eta="cube-root")
    world, solver, run = world_of(case), solver_of(case), run_of(case)
    every = expect(world, solver, **run, times=range(5), certified=False)
    for times in ([0], [4], [1, 3], [2]):
        some = expect(world, solver, **run, times=times, certified=False)
        assert some.curves.t.tolist() == times
        for name in MEASURES:
            np.testing.assert_array_equal(getattr(some.curves, name), getattr(every.curves, name)[times])


# What `exact` is called with, one thing changed at a time; the least relative difference that is known to remain.
HESSIAN = Case("BSGVRM-carry-local", sources=("E",), T=4, eta="cube-root")
BATCH = Case("BSGVRM-carry-averaged", sources=("E",), K=1, B=2)
WRONG: dict[str, tuple[Case, dict[str, Any], float]] = {
    "Q-one-more": (HESSIAN, {"Q": 2}, 1e-3),
    "Q-one-less": (HESSIAN, {"Q": 0}, 1e-3),
    "period-p+1": (HESSIAN, {"p": 3}, 1e-3),
    "other-previous-point": (HESSIAN, {"previous": "averaged"}, 1e-4),
    "fresh-momenta": (HESSIAN, {"momenta": "fresh"}, 1e-3),
    "batch-of-1": (BATCH, {"B": 1}, 1e-3),
    "constant-steps": (HESSIAN, {"eta": CubeRoot(scale=0.6, offset=2.0, floor=50.0)}, 1e-2),
}


@pytest.mark.parametrize(("case", "wrong", "least"), WRONG.values(), ids=WRONG)
def test_a_wrong_hyperparameter_is_seen(case: Case, wrong: dict[str, Any], least: float) -> None:
    assert gap(exact(case), enumerated(case)) <= 1e-13
    assert gap(exact(case, **wrong), enumerated(case)) > least


# Devices that share their noise.


SHARED = [
    Case(reading, shape, sources, K=3, T=3, p=2, eta="cube-root")
    for reading, (shape, sources) in product(
        READINGS, (("1x1", ("E", "F")), ("2x2", ("E",)), ("1x2", ("s_g",)), ("2x1", ("s_f",)))
    )
]


@pytest.mark.parametrize("case", SHARED, ids=str)
def test_shared_noise_is_one_device_on_all(case: Case) -> None:
    run = {**run_of(case), "times": range(case.T + 1)}
    together = by_name(expect(world_of(case), solver_of(case), **run, shared_noise=True))
    assert_same(together, by_name(expect(world_of(case), solver_of(case), **run | {"K": 1})))
    apart = by_name(expect(world_of(case), solver_of(case), **run))
    assert gap(apart, together, ("gradient", "tracking")) > 1e-3
    assert max(together["drift_x"].max(), together["drift_y"].max()) == 0
    assert max(apart["drift_x"].max(), apart["drift_y"].max()) > 1e-3


# Algorithms that a user writes: the same contract, the same functions.


@dataclass(frozen=True, kw_only=True)
class Written:
    """What the algorithms below have in common."""

    eta: float = 0.3
    Q: int = 1

    def check(self, problem: Any) -> None:
        self.hypergradient.check(problem)

    def step_size(self, t: int) -> float:
        return self.eta

    def start(self, s: State, oracle: Oracle) -> State:
        return s

    @property
    def hypergradient(self) -> StochasticNeumann:
        return StochasticNeumann(theta=0.45, Q=self.Q)


@dataclass(frozen=True, kw_only=True)
class LocalSGD(Written):
    """x <- x - eta h, y <- y - eta g; after p steps some of the fields are averaged."""

    p: int = 2
    batch: int = 1
    averaged: tuple[str, ...] = ("x", "y")

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, self.p, self.averaged),)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        h = oracle.sample(self.hypergradient, t, batch=self.batch)
        g = oracle.sample(LowerGradient(), t, batch=self.batch)
        return State(x=s.x - self.eta * h(s.x, s.y), y=s.y - self.eta * g(s.x, s.y))


CUBE_ROOT = CubeRoot(scale=0.5, offset=1.0)


@dataclass(frozen=True, kw_only=True)
class Alternating(Written):
    """Two stages: `lower` steps of y and its average, then one step of x and its average."""

    eta: Schedule = CUBE_ROOT
    lower: int = 2
    upper_first: bool = False

    def step_size(self, t: int) -> float:
        return self.eta(t)

    @property
    def stages(self) -> tuple[Stage, ...]:
        both = (Stage(self.step_y, self.lower, ("y",)), Stage(self.step_x, 1, ("x",)))
        return both[::-1] if self.upper_first else both

    def step_y(self, t: int, s: State, oracle: Oracle) -> State:
        g = oracle.sample(LowerGradient(), t)
        return State(x=s.x, y=s.y - self.eta(t) * g(s.x, s.y))

    def step_x(self, t: int, s: State, oracle: Oracle) -> State:
        h = oracle.sample(self.hypergradient, t)
        return State(x=s.x - self.eta(t) * h(s.x, s.y), y=s.y)


@dataclass(frozen=True, kw_only=True)
class TwoPoints(Written):
    """One sample of grad_y g at (x, y), where it moves y, and at (x/2, z), where it moves a second copy z."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, 2, ("x", "y")),)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        z = s.y if t == 0 else s.z
        h, g = oracle.sample(self.hypergradient, t), oracle.sample(LowerGradient(), t)
        mixed = 0.5 * (s.y + z)
        return State(
            x=s.x - self.eta * h(s.x, mixed),
            y=s.y - self.eta * g(s.x, s.y),
            z=z - 0.4 * g(0.5 * s.x, z),
        )


@dataclass(frozen=True, kw_only=True)
class WarmStart(LocalSGD):
    """Before iteration 0 y takes a long step with a sample of its own; no field is added."""

    length: float = 0.6

    def start(self, s: State, oracle: Oracle) -> State:
        g = oracle.sample(LowerGradient(label="zeta_start"), 0)
        return State(x=s.x, y=s.y - self.length * g(s.x, s.y))


@dataclass(frozen=True, kw_only=True)
class InAnyOrder(LocalSGD):
    """Fields have names, so their order means nothing; here it changes after iteration 0."""

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        new = super().step(t, s, oracle)
        return State(y=new.y, x=new.x) if t > 0 else new


@dataclass(frozen=True, kw_only=True)
class Cancelling(LocalSGD):
    """y also moves by a difference of two equal estimates, that is, not at all."""

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        g = oracle.sample(LowerGradient(), t)
        return State(x=s.x, y=s.y - self.eta * g(s.x, s.y) + (g(s.x, s.y) - g(s.x, s.y)))


USERS: dict[str, Any] = {
    "all-averaged": LocalSGD(),
    "x-averaged": LocalSGD(averaged=("x",)),
    "y-averaged": LocalSGD(averaged=("y",), p=1),
    "never-averaged": LocalSGD(averaged=()),
    "batch": LocalSGD(batch=2, Q=0, p=1),
    "two-stages": Alternating(),
    "upper-stage-first": Alternating(upper_first=True, lower=1),
    "one-sample-at-two-points": TwoPoints(),
    "warm-start": WarmStart(),
    "a-sample-that-cancels": Cancelling(),
    "fields-in-another-order": InAnyOrder(),
}
WORLDS = {
    "E": world_of(Case("BSGM-carry", sources=("E",))),
    "F": world_of(Case("BSGM-carry", sources=("F",))),
    "s_g-1x2": world_of(Case("BSGM-carry", "1x2", sources=("s_g",))),
}


def point_of(world: Quadratic) -> dict[str, Any]:
    return {"x0": [1.0, -0.8][: world.d_x], "y0": [-0.7, 0.4][: world.d_y]}


def user_run(world: Quadratic, T: int) -> dict[str, Any]:
    return {"K": 2, "T": T, **point_of(world), "times": range(T + 1)}


@pytest.mark.parametrize("solver", USERS.values(), ids=USERS)
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_a_user_written_algorithm(world: Quadratic, solver: Any) -> None:
    """expect = enumerate_outcomes, with nothing written for it, over two rounds or more."""
    run = user_run(world, 2 if getattr(solver, "batch", 1) == 2 else 4)
    expected = by_name(enumerate_outcomes(world, solver, **run))
    assert_same(by_name(expect(world, solver, **run)), expected)


# Three ways through time: step by step, by doubling, and along slowly varying steps.

LONG = world_of(Case("BSGM-carry", "1x2", sources=("E", "F", "s_f", "s_g")))
STEPS: dict[str, Any] = {"alpha": 2.0, "beta": 1.5, "rho_1": 0.1, "rho_2": 0.2, "theta": 0.45, "Q": 2}


def long_solver(reading: str, **fields: Any) -> Any:
    algorithm, choices = READINGS[reading]
    return ALGORITHMS[algorithm](**{**STEPS, **choices, **fields})


def begin(solver: Any, K: int) -> tuple[ExchangeableEngine, int, DeviceMoments]:
    engine = ExchangeableEngine(Unrounded(Interpreter(LONG, solver), K, defaults(LONG)))
    t, _, pair = engine.start(np.concatenate([np.array(v) for v in point_of(LONG).values()]))
    return engine, t, pair


def off(
    engine: ExchangeableEngine,
    begun: DeviceMoments,
    one: tuple[Array, DeviceMoments],
    other: tuple[Array, DeviceMoments],
) -> float:
    """The largest difference of two ways from `begun`.

    That of the summed measures is relative; entries E[ab] are in units of sqrt(E[a^2] E[b^2]), the larger of
    what they were and what they are.
    """
    (sums_1, pair_1), (sums_2, pair_2) = one, other
    units = np.sqrt(np.maximum(np.diag(begun.mean), np.diag(pair_2.mean)))
    apart = [abs(pair_1.mean - pair_2.mean), abs(pair_1.within - pair_2.within)]
    of_sums = np.abs(sums_1 - sums_2) / np.maximum(np.abs(sums_2), 1e-15)
    return float(max(of_sums.max(), *(np.max(a / np.outer(units, units)) for a in apart)))


@pytest.mark.parametrize("p", [1, 3, 8])
@pytest.mark.parametrize("K", [1, 2, 50])
@pytest.mark.parametrize("reading", READINGS)
def test_doubling_is_stepping(reading: str, K: int, p: int) -> None:
    """Also where a run stops or starts in the middle of a round; one step less is another result."""
    engine, t, pair = begin(long_solver(reading, eta=0.3, p=p), K)
    counts = [2, 36, 37, 99, 100]
    walked = {n: engine.walk(pair, t, n) for n in counts}
    for n, jumped in zip(counts, engine.jump(pair, t, counts), strict=True):
        assert off(engine, pair, jumped, walked[n]) <= 1e-12
    sums, middle = engine.walk(pair, t, 13)
    ((more, last),) = engine.jump(middle, t + 13, [87])
    assert off(engine, pair, (sums + more, last), walked[100]) <= 1e-12
    assert off(engine, pair, walked[99], walked[100]) > 1e-5


SLOWLY = (READINGS, [(1, 1), (2, 3), (50, 8)], [2.0, 2.0**0.5])


@pytest.mark.by_night("BSGVRM-carry", "BSGM-carry-50", "BSGM-fresh-50", "BSGVRM-fresh-50")
@pytest.mark.parametrize(
    ("reading", "K", "p", "ratio"), [(reading, K, p, ratio) for reading, (K, p), ratio in pairwise(*SLOWLY)]
)
def test_slowly_varying_steps_are_stepped_through(reading: str, K: int, p: int, ratio: float) -> None:
    """From 16 rounds on, over several intervals and a broken round; steps that stand still are another algorithm."""
    engine, t, pair = begin(long_solver(reading, eta=CubeRoot(scale=1.0, offset=30.0), p=p), K)
    first = 16 * engine.cycle
    _, pair = engine.walk(pair, t, first - t)
    n = 6 * first + 1
    walked = engine.walk(pair, first, n)
    assert off(engine, pair, engine.flow(pair, first, n, ratio), walked) <= 1e-12
    assert off(engine, pair, engine.jump(pair, first, [n])[0], walked) > 1e-3


def test_weights_near_one_do_not_look_like_a_dependence_on_t() -> None:
    """A sample acts at two points, and which of them is the multiple of the other may change by rounding."""
    world = Quadratic(A=1.76367534, B=2.99086921, c=-0.67, P=0.2, D=1.33, a=-0.53, b=0.23, s_f=0.92, s_g=0.48)
    run = {"K": 1, "T": 3, "x0": [-0.8], "y0": [-1.7]}
    for alpha in (3.981306125834216, 3.98, 3.9999):
        solver = LocalBSGVRM(
            eta=0.5, alpha=alpha, beta=0.9864238087247992, rho_1=0.1, rho_2=0.3, p=1, theta=0.2805405066, Q=1
        )
        exact, outcomes = expect(world, solver, **run), enumerate_outcomes(world, solver, **run)
        assert exact.gradient == pytest.approx(outcomes.gradient, rel=1e-12)


@pytest.mark.parametrize(("eta", "alpha"), [(math.nextafter(1.0, 0.0), 1.0), (0.1, 10.0)])
def test_weights_that_round_to_one_are_weights(eta: float, alpha: float) -> None:
    """1 - alpha eta is 1e-16, or -5e-17 in 50 digits: that is rounding, and the samples alone are the momenta."""
    world = scalar(s_f=0.5, s_g=0.5)
    steps = {"rho_1": 1e-3, "rho_2": 1e-2, "p": 1, "theta": 0.2, "Q": 1}
    solver = LocalBSGM(eta=eta, alpha=alpha, beta=alpha, **steps)
    run = {"K": 1, "T": 3, "x0": 1.0, "y0": 1.0}
    exact, outcomes = expect(world, solver, **run), enumerate_outcomes(world, solver, **run)
    assert exact.gradient == pytest.approx(outcomes.gradient, rel=1e-12)
    assert exact.tracking == pytest.approx(outcomes.tracking, rel=1e-12)
