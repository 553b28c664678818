"""The contract between an algorithm and the engines.

An algorithm is a frozen record of its hyperparameters with a cycle of stages:

    stage       a pure step, how often it repeats, and the fields that are averaged over devices after it
    step        step(t, s, oracle) -> State: iteration t on one device, from the state s
    oracle      oracle.sample(estimator, t, batch=1) -> h: one sample, to be evaluated as h(x, y) at any
                number of points; every evaluation of the same h shares the sample

    start       start(s, oracle) -> State: what is computed before iteration 0, from s with x and y alone;
                it returns s itself where there is nothing to do

A stage with `random_rounds` = N is one iteration in which the step and the average after it are done k times, k uniform
on {0, ..., N - 1}: one draw for all devices, so it is a matter of the stage and not of a device's samples.

A step combines fields and estimates with +, - and scalar * only, and depends on t through `t == 0`, through
its schedules and through the samples, nothing else. Then every engine can interpret the same definition:
Monte Carlo passes arrays with one column per lane, counting passes dimensions, and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Protocol

from ratecert.errors import UserError, UserTypeError
from ratecert.solvers.contract.problem import Problem, SampledProblem
from ratecert.solvers.contract.problem import Vector as Vector
from ratecert.solvers.contract.signs import Bits
from ratecert.solvers.contract.validation import require_instance, require_whole, shown


class State(SimpleNamespace):
    """The fields of one device by name: x and y, and what the algorithm adds. Steps make new ones."""

    def but(self, **changed: Vector) -> "State":
        """The same fields, with these changed or added."""
        return State(**{**vars(self), **changed})


class Sampled(Protocol):
    """An estimator with its sample fixed: a function of the point."""

    def __call__(self, *point: Vector) -> Vector: ...


class Estimator(Protocol):
    """How to draw a sample from a problem's signs, and how to evaluate at a point with that sample."""

    @property
    def label(self) -> str:
        """Names the stream of signs: two estimators in one step need two labels."""

    def sample(self, problem: SampledProblem, bits: Bits) -> Any:
        """Draw a sample, from the signs that `bits` gives."""

    def evaluate(self, problem: SampledProblem, sample: Any, *point: Vector) -> Vector:
        """Compute the estimate at a point, such as x, y, with a sample that was drawn before."""


class Oracle(Protocol):
    """What a step draws its estimates from."""

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        """The sample of iteration t; with a batch, the mean of that many independent complete estimates."""


@dataclass(frozen=True)
class Stage:
    """`repeats` local steps, then the average of the `averaged` fields over all devices: one round.

    step           iteration t on one device: step(t, s, oracle) -> State
    repeats        local steps before the average
    averaged       names of the fields that are averaged over devices; none: no round
    random_rounds  N, with repeats = 1: the step and its average are done k times, k uniform on {0, ..., N - 1}

    >>> import ratecert as rc
    >>> def descend(t, s, oracle):
    ...     return s.but(y=s.y - 0.1 * oracle.sample(rc.contract.LowerGradient(), t)(s.x, s.y))
    >>> rc.contract.Stage(descend, repeats=4, averaged=("y",)).repeats
    4
    """

    step: Callable[[int, State, Oracle], State]
    repeats: int
    averaged: tuple[str, ...]
    random_rounds: int | None = None

    def __post_init__(self) -> None:
        if self.random_rounds is not None:
            require_whole("random_rounds", self.random_rounds, least=1)
            if self.repeats != 1:
                raise UserError(
                    f"repeats must be 1 in a stage with random rounds, got {shown(self.repeats)}."
                )


class Algorithm(Protocol):
    """What an engine asks of an algorithm: frozen hyperparameters and the steps that they define."""

    @property
    def stages(self) -> tuple[Stage, ...]:
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
    """The name of a method or of its class, and whether it is reconstructed: its exact statement could not be had."""
    method = solver if isinstance(solver, type) else type(solver)
    return method.__name__ + (" (reconstructed)" if getattr(method, "reconstructed", False) else "")


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
