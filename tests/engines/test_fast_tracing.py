"""What the fast engine can write down of an algorithm, and what it refuses; nothing here is compiled.

That what it writes down is what the algorithm does is seen in test_fast_engine.py, by its numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from methods.test_conformance import DRAWS, LOCAL, make
from oracles.mixed_world import Mixed, device
from ratecert.errors import NotTracedError
from ratecert.solvers import CubeRoot, LocalBSGVRM, Stage, State
from ratecert.solvers.contract.counts import dimensions_of_state
from ratecert.solvers.engines.compiled import instructions
from ratecert.solvers.engines.compiled.expression import (
    Leaf,
    SignCounter,
    SignRow,
    TracedSign,
    as_coefficient,
)
from ratecert.solvers.engines.compiled.machine import Machine
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.synthetic import heterogeneous, random_quadratic

pytestmark = pytest.mark.nightly

ALL_NOISE = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.3, "s_g": 0.3}
QUADRATIC = random_quadratic(d_x=2, d_y=3, seed=5, **ALL_NOISE)
SQUARE = random_quadratic(d_x=2, d_y=2, seed=3, **ALL_NOISE)
VRM = LocalBSGVRM(**LOCAL | {"Q": 20, "theta": 0.05})


def machine_of(world: Any, solver: Any, **how: Any) -> Machine:
    return Machine(world, solver, dimensions_of_state(world, solver), **how)


@dataclass(frozen=True)
class Own:
    """A method of one step."""

    step: Callable[..., State]

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=2, averaged=("x", "y")),)

    def start(self, s: State, oracle: Any) -> State:
        return s

    def check(self, problem: Any) -> None:
        pass

    def step_size(self, t: int) -> float:
        return 0.1


def g_of(t: int, oracle: Any, **how: Any) -> Callable[..., Any]:
    return oracle.sample(LowerGradient(), t, **how)


def one_for_two(t: int, s: State, oracle: Any) -> State:
    z = s.x + s.y
    return s.but(x=z, y=z)


def at_the_new_point(t: int, s: State, oracle: Any) -> State:
    moved = s.x - 0.1 * s.y
    return s.but(x=moved, y=s.y - 0.1 * g_of(t, oracle)(moved, s.y))


def used_twice(t: int, s: State, oracle: Any) -> State:
    g = g_of(t, oracle)(s.x, s.y)
    return s.but(x=s.x - 0.1 * g, y=s.y + 0.2 * g)


def of_itself(t: int, s: State, oracle: Any) -> State:
    g = g_of(t, oracle)
    return s.but(y=g(s.x, g(s.x, s.y)))


def difference(t: int, s: State, oracle: Any) -> State:
    g = g_of(t, oracle)
    return s.but(y=s.y - 0.1 * (g(s.x, s.y) - g(s.y, s.x)))


STEPS: dict[str, Callable[..., State]] = {
    "nothing": lambda t, s, o: s,
    "swap": lambda t, s, o: s.but(x=s.y, y=s.x),
    "turn": lambda t, s, o: s.but(x=s.y + 0.5 * s.x, y=s.x - 0.5 * s.y),
    "in place, second": lambda t, s, o: s.but(x=-0.1 * s.y + s.x),
    "in place, third": lambda t, s, o: s.but(x=-0.1 * s.y + 0.3 * s.y + s.x),
    "doubled": lambda t, s, o: s.but(x=s.x + s.x),
    "negative": lambda t, s, o: s.but(x=-1 * s.x, y=s.y - s.x),
    "nested": lambda t, s, o: s.but(x=s.x - 0.1 * (s.y - 0.2 * (s.x - 3 * s.y))),
    "one for two": one_for_two,
    "at the new point": at_the_new_point,
    "used twice": used_twice,
    "of itself": of_itself,
    "difference": difference,
    "estimate itself": lambda t, s, o: s.but(y=g_of(t, o)(s.x, s.y)),
    "batch": lambda t, s, o: s.but(y=g_of(t, o, batch=3)(s.x, s.y)),
    "last sample": lambda t, s, o: s.but(y=s.y - 0.1 * g_of(max(t - 1, 0), o)(s.x, s.y)),
}


# What cannot be traced is refused.


def another_estimator(t: int, s: State, oracle: Any) -> State:
    h = oracle.sample(StochasticNeumann(theta=0.1 / (1 + t), Q=2, label=f"at {t}"), t)
    return s.but(x=s.x - 0.1 * h(s.x, s.y))


TIMED: dict[str, Callable[..., State]] = {
    "decay": lambda t, s, o: s.but(x=s.x - 0.1 / (1 + t) * s.y),
    "parity": lambda t, s, o: s.but(x=s.x - (0.1 if t % 2 else 0.2) * s.y),
    "every fifth": lambda t, s, o: s.but(x=s.x - (0.1 if t % 5 == 0 else 0.2) * s.y),
    "the second": lambda t, s, o: s.but(x=s.x - (0.1 if t == 1 else 0.2) * s.y),
    "another step later": lambda t, s, o: s if t < 100 else s.but(x=s.x - 0.1 * s.y),
    "fixed sample": lambda t, s, o: s.but(y=s.y - 0.1 * g_of(5, o)(s.x, s.y)),
    "first sample": lambda t, s, o: s.but(y=s.y - 0.1 * g_of(0, o)(s.x, s.y)),
    "every second sample": lambda t, s, o: s.but(y=s.y - 0.1 * g_of(2 * t, o)(s.x, s.y)),
    "another estimator": another_estimator,
}


@pytest.mark.parametrize("noisy", [True, False])
@pytest.mark.parametrize("step", TIMED)
def test_a_step_that_depends_on_t_is_refused(step: str, noisy: bool) -> None:
    world = SQUARE if noisy else replace(SQUARE, E=0.0, F=0.0, s_f=0.0, s_g=0.0)
    if not noisy and step.endswith("sample"):
        machine_of(world, Own(TIMED[step]))  # there is nothing in the sample
        return
    with pytest.raises(NotTracedError, match="depends on t other than through schedules"):
        machine_of(world, Own(TIMED[step]))


@pytest.mark.parametrize("special", [4, 64, 512])
def test_a_step_that_is_another_at_a_power_of_two_is_refused(special: int) -> None:
    with pytest.raises(NotTracedError, match="depends on t other than through schedules"):
        machine_of(SQUARE, Own(lambda t, s, o: s.but(x=s.x - (0.1 if t == special else 0.2) * s.y)))


@pytest.mark.parametrize("name", DRAWS)
def test_random_numbers_that_are_not_signs_are_refused(name: str) -> None:
    with pytest.raises(NotTracedError, match=r"draws which steps are taken|samples draw whole numbers"):
        machine_of(QUADRATIC, make(name))


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (lambda t, s, o: s.but(x=s.x - 0.1 * np.tanh(s.y)), "not made of"),
        (lambda t, s, o: s.but(x=np.where(s.x > 0, s.x, s.y)), "not made of"),
        (lambda t, s, o: s.but(x=s.x * s.x[0]), "not made of"),
        (lambda t, s, o: s.but(x=s.x - 0.1 * np.sin(s.y)), "EntryByEntry outside of estimates"),
    ],
)
def test_a_step_that_is_more_than_sums_is_refused(step: Callable[..., State], what: str) -> None:
    fields = {"x": 2, "y": 2}
    with pytest.raises(NotTracedError, match=what):
        Machine(SQUARE, Own(step), fields)
    Machine(SQUARE, Own(STEPS["turn"]), fields)


def test_a_step_that_changes_the_fields_is_refused() -> None:
    fields = {"x": 2, "y": 2}
    with pytest.raises(NotTracedError, match=r"\['x', 'y'\] into \['x', 'y', 'z'\]"):
        Machine(SQUARE, Own(lambda t, s, o: s.but(z=s.x)), fields)


def test_a_program_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = len(machine_of(QUADRATIC, VRM).program.table)
    monkeypatch.setattr(instructions, "LONGEST", longest)
    machine_of(QUADRATIC, VRM)
    monkeypatch.setattr(instructions, "LONGEST", longest - 1)
    with pytest.raises(NotTracedError, match=f"more than {longest - 1} instructions"):
        machine_of(QUADRATIC, VRM)


def test_devices_may_differ_in_matrices_and_constants_only() -> None:
    solver, spread = make("LocalBSGM"), [0, 1, 2]
    same_noise = Mixed([device(i, E=0.2, s_g=0.3) for i in spread])
    assert len(machine_of(same_noise, solver).program.matrices) == 3
    assert len(machine_of(heterogeneous(K=4, s_g=0.3), solver).program.constants) == 4
    for noise in ("s_f", "s_g"):
        levels = Mixed([device(i, **{noise: 0.1 * (1 + i)}) for i in spread])
        with pytest.raises(NotTracedError, match="differ in more than"):
            machine_of(levels, solver)
        some = Mixed([device(i, **{noise: 0.3 * (i > 0)}) for i in spread])
        with pytest.raises(NotTracedError, match="differ in more than"):
            machine_of(some, solver)


# Expressions.

x, y = Leaf("x", 2), Leaf("y", 2)


def test_what_is_affine_is_known() -> None:
    M = np.eye(2)
    for affine in (x, x + y, 2 * x, M @ (x - y), TracedSign(0) * (M @ x), 0.3 * SignRow(0, 2) + x):
        assert affine.affine
    for bent_value in (x * y, np.sin(x), x + np.cos(y), M @ (x * x), TracedSign(0) * (M @ np.sin(x))):
        assert not bent_value.affine


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda: x + Leaf("z", 3), "dimensions"),
        (lambda: np.eye(3) @ x, "multiplies a vector of length 2"),
        (lambda: x * Leaf("z", 3), "dimensions differ"),
        (lambda: x + np.ones(2), "ndarray is added"),
        (lambda: x * np.ones((2, 2)), "ndarray multiplies"),
        (lambda: x * "2", "str multiplies"),
        (lambda: TracedSign(0) * x, "a sign multiplies"),
        (lambda: TracedSign(1) * (TracedSign(0) * (np.eye(2) @ x)), "a sign multiplies"),
        (lambda: SignCounter().whole(3), "whole numbers"),
        (lambda: as_coefficient(None), "NoneType multiplies"),
    ],
)
def test_what_cannot_be_written_down_is_refused(wrong: Callable[[], Any], what: str) -> None:
    with pytest.raises(NotTracedError, match=what):
        wrong()


def test_other_functions_are_refused() -> None:
    for wrong in (lambda: np.exp(x), lambda: np.maximum(x, 0), lambda: np.add.reduce(x), lambda: x > 0):
        with pytest.raises(TypeError):
            wrong()


# Time.


def test_step_sizes_that_change_need_a_dataclass() -> None:
    class Plain:
        def __init__(self, eta: Any) -> None:
            self.eta = eta

        stages = Own.stages
        start, check = Own.start, Own.check

        def step_size(self, t: int) -> float:
            return self.eta(t)

        def step(self, t: int, s: State, oracle: Any) -> State:
            return s.but(x=s.x - self.eta(t) * s.y)

    fields = {"x": 2, "y": 2}
    with pytest.raises(NotTracedError, match="not a dataclass"):
        Machine(SQUARE, Plain(CubeRoot(scale=0.1)), fields)
    Machine(SQUARE, Plain(make("LocalBSGM").eta), fields)
