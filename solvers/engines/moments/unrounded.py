"""Devices that are alike in exact numbers: what engines in different units round, each to its own, is computed once."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, identity_like
from ratecert.base.exact import working_precision
from ratecert.solvers.contract.draws import Switch, moves_of
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments.frame import resting_point
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.mean_cycle import mean_cycle
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.measuring import measure_map

Array = NDArray[Any]  # of balls or rationals


class Unrounded:
    def __init__(self, interpreter: Interpreter, K: int, measures: Mapping[str, Measure]) -> None:
        self.interpreter, self.K, self.measures = interpreter, K, measures
        self.moves: tuple[Stage, ...] = moves_of(interpreter.given.stages)

    @cached_property
    def moving(self) -> NDArray[np.bool_]:
        """The coordinates whose centre moves: sums over iterates, with the centre of what they sum."""
        layout, moving = self.interpreter.layout, np.zeros(self.interpreter.layout.size - 1, dtype=bool)
        for name in self.interpreter.running.values():
            moving[layout.slices[name]] = True
        return moving

    @cached_property
    def centre(self) -> Array:
        """Where the mean cycle rests; of a sum over iterates, what each iterate adds to it there."""
        with working_precision(self.interpreter.bits):
            own = np.flatnonzero(~np.append(self.moving, False))
            centre = Balls.zeros(len(self.moving))
            centre[~self.moving] = resting_point(self._increment[np.ix_(own, own)])
            for each, name in self.interpreter.running.items():
                centre[self.interpreter.layout.slices[name]] = self._field(each.field, centre)
        return centre

    @property
    def _increment(self) -> Array:
        """Of the mean over a step or, where stages differ, over a cycle of them; averages keep it."""
        interpreter, stages = self.interpreter, self.interpreter.given.stages
        steps = of_each(interpreter.alike, lambda i: interpreter.step(i, 1).matrix)
        if len(stages) == 1 and not isinstance(stages[0], Switch):
            step: Array = steps[0]
            return step
        return mean_cycle(stages, steps, [identity_like(steps[0], len(steps[0]))] * len(steps))

    def _field(self, field: str, centre: Array) -> Array:
        """A field of the algorithm where its coordinates are at the centre."""
        layout, into = self.interpreter.fields
        w = np.append(centre, [1]).view(Balls)
        fields: Array = w if into is None else into @ w
        return fields[layout.slices[field]]

    @cached_property
    def deviations(self) -> tuple[Array, Array]:
        """(b, left) of the deviations that averages leave; none for one device."""
        b, left = self.interpreter.deviations_kept([move.averaged for move in self.moves])
        return (b[:, :0], left[:0]) if self.K == 1 else (b, left)

    @cached_property
    def kept(self) -> dict[tuple[str, ...], Array]:
        """What each average leaves of deviations."""
        averages = dict.fromkeys(move.averaged for move in self.moves)
        return {averaged: self.interpreter.kept_by_average(averaged) for averaged in averages}

    @cached_property
    def taken(self) -> dict[tuple[str, ...], Array]:
        """What each average over drawn devices takes of the coordinates."""
        averages = dict.fromkeys(move.averaged for move in self.moves if move.drawn is not None)
        return {averaged: self.interpreter.taken_by_average(averaged) for averaged in averages}

    @cached_property
    def read(self) -> MeasureMap:
        """What measures make of moments."""
        with working_precision(self.interpreter.bits):
            return measure_map(self.interpreter, self.measures, self.K)


def of_each(alike: Sequence[int], make: Callable[[int], Any]) -> list[Any]:
    """Something made for every move or stage, once for those that repeat one another."""
    made = {i: make(i) for i in dict.fromkeys(alike)}
    return [made[i] for i in alike]
