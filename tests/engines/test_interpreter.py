"""Devices that differ: what a step may do is asked of each, and roots fall back to other numbers on all."""

from dataclasses import dataclass

import pytest

import ratecert as rc
from oracles.mixed_world import device
from ratecert.errors import NotAffineError
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.base import Method

QUIET, LOUD = device(0), device(1, E=0.2, s_g=0.3, s_f=0.1)


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
