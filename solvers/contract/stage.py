"""The contract between an algorithm and the engines.

An algorithm is a frozen record of its hyperparameters with a cycle of stages:

    stage       a pure step, how often it repeats, and the fields that are averaged over devices after it
    step        step(t, s, oracle) -> State: iteration t on one device, from the state s
    oracle      oracle.sample(estimator, t, batch=1) -> h: one sample, to be evaluated as h(x, y) at any
                number of points; every evaluation of the same h shares the sample, and so do two calls
                with one label and one t: a second sample of an iteration is Gradient("second"), say

    start       start(s, oracle) -> State: what is computed before iteration 0, from s with x and y alone;
                it returns s itself where there is nothing to do

What else is left to chance is said in draws.py: a step may be a `Choice`, which every device makes for itself; in the
place of a stage there may be a `Switch`, one draw for all devices; and an average may be over `Drawn` devices.

A step combines fields and estimates with +, - and scalar * only, and depends on t through `t == 0`, through
its schedules and through the samples, nothing else. Then every engine can interpret the same definition:
Monte Carlo passes arrays with one column per lane, counting passes dimensions, and so on.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from numbers import Number
from types import SimpleNamespace
from typing import Any, Protocol

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_instance, require_whole, shown
from ratecert.solvers.contract.draws import Choice, Drawn, Switch
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.problem import Vector as Vector
from ratecert.solvers.contract.signs import Bits


class State(SimpleNamespace):
    """The fields of one device by name: x and y, and what the algorithm adds. Steps make new ones."""

    def but(self, **changed: Vector) -> "State":
        """The same fields, with these changed or added."""
        return State(**{**vars(self), **changed})


class Sampled(Protocol):
    """An estimator with its sample fixed: a function of the point."""

    def __call__(self, *point: Vector) -> Vector: ...


class Estimator(Protocol):
    """How to draw a sample from a problem's signs, and how to evaluate at a point with that sample.

    Each estimator says which problems it is for (`SampledProblem`, `OneLevelProblem`), so that here any is let through.
    """

    @property
    def label(self) -> str:
        """Names the stream of signs: two estimators in one step need two labels."""

    def sample(self, problem: Any, bits: Bits) -> Any:
        """Draw a sample, from the signs that `bits` gives."""

    def evaluate(self, problem: Any, sample: Any, *point: Vector) -> Vector:
        """Compute the estimate at a point, such as x, y, with a sample that was drawn before."""


class Oracle(Protocol):
    """What a step draws its estimates from."""

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        """The sample of iteration t; with a batch, the mean of that many independent complete estimates."""


@dataclass(frozen=True)
class Stage:
    """`repeats` local steps, then the average of the `averaged` fields over devices: one round.

    step           iteration t on one device: step(t, s, oracle) -> State
    repeats        local steps before the average
    averaged       names of the fields that are averaged over devices; none: no round
    drawn          which devices the average is over; without it all of them, by their weights

    >>> import ratecert as rc
    >>> def descend(t, s, oracle):
    ...     return s.but(y=s.y - 0.1 * oracle.sample(rc.contract.LowerGradient(), t)(s.x, s.y))
    >>> rc.contract.Stage(descend, repeats=4, averaged=("y",)).repeats
    4
    """

    step: Callable[[int, State, Oracle], State]
    repeats: int
    averaged: tuple[str, ...]
    drawn: Drawn | None = None

    def __post_init__(self) -> None:
        require_whole("repeats", self.repeats, least=1)
        if not callable(self.step):
            raise UserError(f"step must be a function of t, a state and an oracle, got {shown(self.step)}.")
        if isinstance(self.averaged, str) or not all(isinstance(name, str) for name in self.averaged):
            raise UserError(f"averaged must be a tuple of names such as ('x',), got {shown(self.averaged)}.")
        if self.drawn is not None and not isinstance(self.drawn, Drawn):
            raise UserError(f"drawn must be a Drawn(m, replacement), got {shown(self.drawn)}.")
        if self.drawn is not None and not self.averaged:
            raise UserError("drawn says which devices an average is over, and this stage averages nothing.")


class Algorithm(Protocol):
    """What an engine asks of an algorithm: frozen hyperparameters and the steps that they define."""

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        """The steps between one average and the next, in the order in which a cycle goes through them."""

    def start(self, s: State, oracle: Oracle) -> State:
        """Make the state at t = 0 from x_0 and y_0: add what the steps carry along, such as momenta."""

    def check(self, problem: Problem) -> None:
        """Refuse a problem on which the hyperparameters make no sense, in one sentence."""

    def step_size(self, t: int) -> float:
        """The step size that iteration t uses, for messages."""


def require_algorithm(solver: Any) -> None:
    require_instance("algorithm", solver)
    missing = [name for name in ("stages", "start", "check", "step_size") if not hasattr(solver, name)]
    if missing:
        raise UserTypeError(
            f"{type(solver).__name__} cannot be used as an algorithm: it lacks {', '.join(missing)}; "
            f"an algorithm has stages, start(s, oracle), check(problem) and step_size(t)."
        )


def name_of(solver: Any) -> str:
    """Return the name of a method or of its class, "(reconstructed)" where its exact statement could not be had."""
    if not hasattr(solver, "step_size"):
        hint = (
            "; a function is a method for rc.theorem alone: write it as a class of rc.contract.Method"
            if callable(solver)
            else ""
        )
        raise UserTypeError(f"solver must be an algorithm or its class, got {shown(solver)}{hint}.")
    method = solver if isinstance(solver, type) else type(solver)
    return method.__name__ + (" (reconstructed)" if getattr(method, "reconstructed", False) else "")


def started(solver: Any, points: Mapping[str, Vector], given: Container[str], oracle: Oracle) -> State:
    """The state at t = 0: what the method makes of x and y, with fields that are given beside them in their place."""
    state: State = solver.start(_unknowns(points, given), oracle)
    return state.but(**{name: point for name, point in points.items() if name in given})


def has_start(solver: Any, points: Mapping[str, Vector], given: Container[str], oracle: Oracle) -> bool:
    """Whether a method makes a state of its own before iteration 0."""
    begin = _unknowns(points, given)
    return solver.start(begin, oracle) is not begin


def _unknowns(points: Mapping[str, Vector], given: Container[str]) -> State:
    return State(**{name: point for name, point in points.items() if name not in given})


def first_step(solver: Any) -> Callable[[int, State, Oracle], State]:
    """The step of iteration 0, where a method has no start of its own."""
    first = solver.stages[0]
    if isinstance(first, Switch) or isinstance(first.step, Choice):
        raise UserError(
            f"{name_of(solver)} draws its first step, so its start(s, oracle) has to return a new State with all its "
            f"fields, such as s.but(); the state that it was given stands for no start."
        )
    step: Callable[[int, State, Oracle], State] = first.step
    return step


def require_state(solver: Any, after: Any) -> State:
    """Refuse what a step returns in the place of a state."""
    if not isinstance(after, State):
        raise UserTypeError(f"a step of {name_of(solver)} must return a State, got {shown(after)}.")
    for name, value in vars(after).items():
        if value is None or isinstance(value, Number):
            raise UserTypeError(
                f"a step of {name_of(solver)} must return a State of vectors, got {name} = {shown(value)}."
            )
    return after


def letter_of_step(solver: Any) -> str:
    """What the method calls the step size that `step_size` gives; eta unless it says otherwise."""
    return str(getattr(solver, "step_letter", "eta"))


def require_own_label(known: dict[str, Estimator], estimator: Estimator) -> None:
    """Samples are told apart by their labels, so two estimators must not share one."""
    first = known.setdefault(estimator.label, estimator)
    if first != estimator:
        raise UserError(
            f"two estimators draw from the stream {estimator.label!r}: {first} and {estimator}; "
            f"give each a label of its own, or their samples are not independent."
        )
