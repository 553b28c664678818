"""From an algorithm's definition to expressions, by running the definition on them.

A step is traced in two layers: the algorithm sees fields and estimates, and each estimate is traced once on arguments.

On an affine world the value of an estimate, with its sample fixed, is affine in the point. A sum of estimates with one
sample is then one estimate,

    sum_i c_i h(z_i) = L (sum_i c_i z_i) + (sum_i c_i) l      where h(z) = L z + l,

evaluated at sum_i c_i z_i with its constants weighted by sum_i c_i. That is why a variance-reduced step, which samples
h at two points, needs one Neumann chain and not two.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ratecert.base.errors import NotTracedError
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.contract.schedule import Schedule, is_schedule, with_schedules
from ratecert.solvers.contract.stage import Algorithm, Estimator, Sampled, State, Vector, require_own_label
from ratecert.solvers.engines.compiled.expression import (
    Array,
    Coefficient,
    Expression,
    Leaf,
    SignCounter,
    Sum,
)

ORIGIN = 2  # where steps are traced. Not 0 or 1: the first iteration may differ, and t - 1 must exist


@dataclass(frozen=True)
class OverTimes:
    """A schedule at all iterations of a stretch at once: a step traced at ORIGIN then stands for each of them."""

    schedule: Schedule
    times: tuple[int, ...]

    def __call__(self, t: float) -> Array:
        return np.array([self.schedule(s + t - ORIGIN) for s in self.times])

    @property
    def largest(self) -> float:
        return self.schedule.largest

    @property
    def constant_until(self) -> float:
        return self.schedule.constant_until


def changing_schedules(solver: Algorithm, times: Sequence[int]) -> dict[str, Schedule]:
    """The step sizes that are not the same at all t up to these times and ORIGIN, and one beyond."""
    schedules = {name: s for name, s in vars(solver).items() if is_schedule(s)}
    last = max(ORIGIN, *times) + 1
    return {name: s for name, s in schedules.items() if s.constant_until < last}


def over_times(solver: Algorithm, times: Sequence[int]) -> Algorithm:
    """The same algorithm with its step sizes at these times, to be traced at ORIGIN."""
    changing = changing_schedules(solver, times)
    if not dataclasses.is_dataclass(solver) or isinstance(solver, type):
        raise NotTracedError("it has step sizes that change and is not a dataclass")
    over = {name: OverTimes(schedule, tuple(times)) for name, schedule in changing.items()}
    return cast(Algorithm, with_schedules(solver, over))


@dataclass(frozen=True)
class TracedDraw:
    """The sample of an estimator at iteration t + offset; a batch has several members."""

    estimator: Estimator
    offset: int
    batch: int


@dataclass(frozen=True, eq=False)
class TracedEstimate(Expression):
    """A draw evaluated at a point."""

    draw: TracedDraw
    point: tuple[Expression, ...]
    d: int
    affine_in_point: bool
    weight: Coefficient = 1.0  # of its constants

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.point


@dataclass(frozen=True)
class TracedEstimator:
    """An estimator as an expression in its arguments, and how many signs its sample takes."""

    value: Expression
    signs: int


class TracedEstimators:
    """Estimators traced on one problem, each once."""

    def __init__(self, problem: SampledProblem) -> None:
        self.problem = problem
        self._known: dict[tuple[Estimator, tuple[int, ...]], TracedEstimator] = {}

    def of(self, estimator: Estimator, dimensions: tuple[int, ...]) -> TracedEstimator:
        key = estimator, dimensions
        if key not in self._known:
            bits = SignCounter()
            sample = estimator.sample(self.problem, bits)
            arguments = [Leaf(str(i), d) for i, d in enumerate(dimensions)]
            self._known[key] = TracedEstimator(
                estimator.evaluate(self.problem, sample, *arguments), bits.used
            )
        return self._known[key]


class TracingOracle:
    def __init__(self, bodies: TracedEstimators, t: int) -> None:
        self.bodies, self.t = bodies, t
        self._estimators: dict[str, Estimator] = {}

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        require_own_label(self._estimators, estimator)
        draw = TracedDraw(estimator, t - self.t, batch)

        def evaluate(*point: Vector) -> Vector:
            value = self.bodies.of(estimator, tuple(z.d for z in point)).value
            return TracedEstimate(draw, point, value.d, value.affine)

        return evaluate


def trace_step(
    bodies: TracedEstimators, solver: Algorithm, stage: int, fields: Mapping[str, int], t: int
) -> dict[str, Expression]:
    """The new fields in terms of the old ones: iteration t, at which the stage is due."""
    old = State(**{name: Leaf(name, d) for name, d in fields.items()})
    try:
        new: dict[str, Expression] = vars(
            moves_of(solver.stages)[stage].step(t, old, TracingOracle(bodies, t))
        )
    except NotTracedError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        raise NotTracedError(
            f"its step is not made of +, -, scalar * and the problem's oracles alone ({error})"
        ) from error
    if set(new) != set(fields):
        raise NotTracedError(f"its step turns the fields {sorted(fields)} into {sorted(new)}")
    return new


Combinations = dict[tuple[tuple[bytes, Expression], ...], Sum]


def one_estimate(
    estimates: Sequence[tuple[Coefficient, TracedEstimate]], known: Combinations
) -> TracedEstimate:
    """sum_i c_i h(z_i) as one estimate, h affine and all with one sample; `known`: combinations of points so far."""
    _, first = estimates[0]
    point = []
    for argument in zip(*(e.point for _, e in estimates), strict=True):
        terms = tuple((c, z) for (c, _), z in zip(estimates, argument, strict=True))
        key = tuple((np.asarray(c).tobytes(), z) for c, z in terms)
        point.append(known.setdefault(key, Sum(terms)))
    weight = sum(c * e.weight for c, e in estimates)
    return TracedEstimate(first.draw, tuple(point), first.d, first.affine_in_point, weight)
