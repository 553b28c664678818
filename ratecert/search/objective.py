"""What a search climbs: a score that is a known function of parts, each nearly a product of powers of the numbers.

Measured values and the terms of a bound are such parts: their logarithms are close to linear in the logarithms of the
numbers, and what makes measured/bound piecewise linear, that the largest term decides, is known exactly. An objective
tells the two apart, so that a model of the parts is a model of the score, with all its kinks.

At a point u of the unit cube every part z is taken to be log-linear,

    log z(v) = log z(u) + J (v - u),

and the score of these parts is exact. J comes from one neighbour in every coordinate; the model is climbed within cubes
around u of several sizes, and the highest of those points is tried next. Where parts are products of powers, a few such
steps lead to the top; where they are not, smaller cubes are what the model is good for. Long strides end beside a
narrow ridge, where a neighbour is beyond it; short ones go on from there.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ratecert.binding.families import Level
from ratecert.solvers.engines.threads import one_thread

Array = NDArray[np.float64]
Numbers = Mapping[str, float]
Score = Callable[
    [Numbers], float
]  # measured/bound; 0 where nothing is measured, REFUSED outside the conditions
Parts = Sequence[Sequence[float]]  # groups of numbers >= 0

REFUSED = -1.0  # score of numbers at which the statement says nothing, or which make no world


class Objective(Protocol):
    def tried(self, numbers: Numbers) -> Any:
        """What a run at these numbers gives; None where they are refused."""

    def score(self, tried: Any) -> float:
        """Of what was tried."""

    def parts(self, tried: Any) -> Parts:
        """What the score is made of; nothing where that is 0."""

    def of(self, parts: Sequence[Array]) -> Array:
        """About the score of such parts; every number may be a row of them, one for each of many points."""


@dataclass(frozen=True)
class Plain:
    """A score of which nothing else is known: its only part."""

    of_numbers: Score

    def tried(self, numbers: Numbers) -> float | None:
        found = self.of_numbers(numbers)
        return None if found == REFUSED else found

    def score(self, tried: float) -> float:
        return tried

    def parts(self, tried: float) -> Parts:
        return [[tried]] if 0 < tried < math.inf else []

    def of(self, parts: Sequence[Array]) -> Array:
        return np.asarray(parts[0][0])


# Long steps uphill.

Point = NDArray[np.float64]
FACTOR = 2.5  # by which a count has to change to become another one
TINY = 1e-6
LARGEST = 690.0  # logarithm


@dataclass(frozen=True)
class Stride:
    step: float  # to a neighbour
    sizes: tuple[float, ...]  # of the cubes
    gain: float  # of the score, for which another step is worth while


LONG = Stride(0.05, (1.0, 0.5, 0.25, 0.125, 0.06, 0.03), 1.2)
SHORT = Stride(0.005, (0.5, 0.25, 0.125, 0.06, 0.03, 0.015), 1.01)


def neighbours(levels: Sequence[Level], u: Point, step: float) -> list[Point]:
    """One in every coordinate, towards the farther end."""
    found = []
    for i, level in enumerate(levels):
        v = u.copy()
        v[i] += _step(level, step) * (1 if u[i] < 0.5 else -1)
        found.append(v)
    return found


def _step(level: Level, step: float) -> float:
    range_ = np.log(level.high / level.low)
    return float(min(0.5, max(step, np.log(FACTOR) / range_))) if level.whole and range_ else step


@dataclass(frozen=True)
class Model:
    """The parts around u; `around` are those of its neighbours, None where there are none."""

    objective: Objective
    u: Point
    parts: Parts
    steps: Point  # to the neighbours
    around: Sequence[Parts | None]

    def steps_up(self, free: NDArray[np.bool_], sizes: Sequence[float]) -> list[Point]:
        """The highest point of the model in each of the cubes, with the other coordinates as they are."""
        with one_thread():
            return [self._highest(np.where(free, size, 0.0)) for size in sizes]

    def _highest(self, sizes: Point) -> Point:
        low, high = np.clip(self.u - sizes, 0, 1), np.clip(self.u + sizes, 0, 1)
        _, uphill = self._depth(self.u)
        tops = [
            minimize(self._depth, start, jac=True, method="L-BFGS-B", bounds=np.array([low, high]).T)
            for start in (self.u, np.where(uphill < 0, high, low))
        ]
        highest: Point = min(tops, key=lambda top: float(top.fun)).x
        return np.clip(highest, low, high)

    def _depth(self, v: Point) -> tuple[float, Point]:
        """Less the logarithm of the score, and its slope, by differences."""
        away = (v - self.u)[:, None] + np.eye(len(v), len(v) + 1, 1) * TINY
        logs = self._logs[:, None] + self._slopes @ away
        parts = np.where(self._zero[:, None], 0.0, np.exp(np.clip(logs, -LARGEST, LARGEST)))
        with np.errstate(divide="ignore", over="ignore"):
            depths = -np.log(self.objective.of(np.split(parts, self._ends)))
        depths = np.clip(depths, -LARGEST, LARGEST)
        return float(depths[0]), (depths[1:] - depths[0]) / TINY

    @cached_property
    def _flat(self) -> Point:
        return np.concatenate([np.asarray(group, dtype=float) for group in self.parts])

    @cached_property
    def _zero(self) -> NDArray[np.bool_]:
        return self._flat <= 0

    @cached_property
    def _logs(self) -> Point:
        return np.log(np.where(self._zero, 1.0, self._flat))

    @cached_property
    def _ends(self) -> list[int]:
        return list(np.cumsum([len(group) for group in self.parts])[:-1])

    @cached_property
    def _slopes(self) -> Point:
        columns = [self._slope(parts, step) for parts, step in zip(self.around, self.steps, strict=True)]
        return np.array(columns).T

    def _slope(self, parts: Parts | None, step: float) -> Point:
        if parts is None or [len(group) for group in parts] != [len(group) for group in self.parts]:
            return np.zeros(len(self._flat))
        there = np.concatenate([np.asarray(group, dtype=float) for group in parts])
        both = (there > 0) & ~self._zero
        change = np.log(np.where(both, there, 1.0)) - np.where(both, self._logs, 0.0)
        return change / step
