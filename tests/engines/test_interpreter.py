"""Devices of one problem: the steps that are read on the first and put in numbers on another are that one's own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.mixed_world import device
from ratecert.base.arrays import doubles
from ratecert.errors import NotAffineError
from ratecert.solvers import CubeRoot, FedNest, LocalBSGM, LocalBSGVRM
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.step_map import StepMap
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.method import Method

SETTING: dict[str, Any] = {
    "alpha": 2.0,
    "beta": 2.0,
    "rho_1": 0.2,
    "rho_2": 0.5,
    "p": 3,
    "theta": 0.15,
    "Q": 2,
}
SOLVERS = {
    "bsgm": LocalBSGM(eta=0.1, **SETTING),
    "bsgm, decaying": LocalBSGM(eta=CubeRoot(scale=0.1, offset=3.0), **SETTING),
    "vrm": LocalBSGVRM(eta=0.1, **SETTING),
    "fednest": FedNest(alpha=0.05, beta=0.1, tau=2, T_in=2, theta=0.15, N=2),
}
QUIET, LOUD = device(0), device(1, E=0.2, s_g=0.3, s_f=0.1)


def numbers(step: StepMap) -> list[Any]:
    acts = [part for noise in step.noises for act in noise.acts for part in act]
    covariances = [
        noise.moments.covariance(np.ones((len(R), len(R)))) for noise in step.noises for R, _ in noise.acts
    ]
    return [doubles(step.matrix), *map(doubles, acts), *covariances]


def same(one: StepMap, other: StepMap) -> bool:
    mine, theirs = numbers(one), numbers(other)
    return len(mine) == len(theirs) and all(map(np.array_equal, mine, theirs))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(("first", "second"), [(QUIET, LOUD), (LOUD, QUIET), (LOUD, device(2, s_g=0.3))])
def test_a_device_has_the_steps_that_it_reads_for_itself(name: str, first: Any, second: Any) -> None:
    solver = SOLVERS[name]
    read, alone = Interpreter(first, solver, common=True), Interpreter(second, solver, common=True)
    told = read.on(second)
    assert same(told.first, alone.first)
    for move in range(len(moves_of(solver.stages))):
        for t in (1, 5):
            read.step(move, t)  # whoever is asked first
            assert same(told.step(move, t), alone.step(move, t))
            assert not same(told.step(move, t), read.step(move, t))


@dataclass(frozen=True)
class TwoSamples(Method):
    """Two samples of one kind in a step, which exact moments cannot follow."""

    eta: float
    step_letter = "eta"

    def step_size(self, t: int) -> float:
        return self.eta

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        first, second = (oracle.sample(LowerGradient(), t + i)(s.x, s.y) for i in range(2))
        return s.but(y=s.y - self.eta * (first + second))

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=1, averaged=("y",)),)


def test_what_an_algorithm_may_do_is_asked_of_every_device() -> None:
    solver = TwoSamples(eta=0.1)
    Interpreter(QUIET, solver).on(device(2)).step(0, 1)
    with pytest.raises(NotAffineError, match="used twice"):
        Interpreter(QUIET, solver).on(LOUD).step(0, 1)


@dataclass(frozen=True)
class RootThenStep(TwoSamples):
    """One move whose step size is a root, which rationals do not have, and one that is plain."""

    def rooted(self, t: int, s: State, oracle: Oracle) -> State:
        return s.but(y=s.y - self.eta**0.5 * oracle.sample(LowerGradient("first"), t)(s.x, s.y))

    def plain(self, t: int, s: State, oracle: Oracle) -> State:
        return s.but(y=s.y - self.eta * oracle.sample(LowerGradient("second"), t)(s.x, s.y))

    @property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(Stage(step, repeats=1, averaged=("y",)) for step in (self.rooted, self.plain))


def test_a_device_that_begins_anew_in_other_numbers_reads_for_itself() -> None:
    solver = RootThenStep(eta=0.1)
    read, alone = Interpreter(QUIET, solver, common=True), Interpreter(LOUD, solver, common=True)
    told = read.on(LOUD)
    for each in (read, told):
        for move in range(2):
            each.step(move, 1)
    assert all(same(told.step(move, 1), alone.step(move, 1)) for move in range(2))


@dataclass(frozen=True, kw_only=True)
class RootInTheSecondStage(rc.contract.Method):
    """y first, without a start of its own; then x with a step whose root has no fraction."""

    eta: float

    @property
    def stages(self) -> tuple[rc.contract.Stage, ...]:
        lower = rc.contract.Stage(self.lower, repeats=1, averaged=("y",))
        return lower, rc.contract.Stage(self.upper, repeats=1, averaged=("x",))

    def step_size(self, t: int) -> float:
        return self.eta

    def lower(self, t, s, oracle):
        return s.but(y=s.y - self.eta * oracle.sample(rc.contract.LowerGradient(), t)(s.x, s.y))

    def upper(self, t, s, oracle):
        sampled = oracle.sample(rc.contract.StochasticNeumann(theta=0.1, Q=2), t)
        return s.but(x=s.x - self.root() * sampled(s.x, s.y))

    def root(self):
        return self.eta**0.5


class GivenRoot(RootInTheSecondStage):
    def root(self):
        return 0.1**0.5


@pytest.mark.parametrize(
    "world",
    [rc.worlds.scalar(s_f=0.5, s_g=0.5), rc.worlds.heterogeneous(K=4, d_x=1, d_y=1, s_f=0.1, s_g=0.1)],
    ids=["alike", "differ"],
)
def test_a_root_in_a_later_stage_falls_back_to_other_numbers_with_the_first_iteration(world: object) -> None:
    """The estimators of the fall-back are new, and the first stage, which was read before, uses them, too."""
    run = {"K": 4, "T": 10, "x0": 1.0, "y0": 0.0}
    expected = rc.expect(world, GivenRoot(eta=0.1), **run)
    found = rc.expect(world, RootInTheSecondStage(eta=0.1), **run)
    assert found.values == pytest.approx(expected.values, rel=1e-12)
