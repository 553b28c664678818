"""Devices that are alike: any number of them, by the moments of their mean and of one device's deviation from it.

With K = 1 an average changes nothing that matters, and a step counts as a round.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import doubles, identity_like, number_like
from ratecert.base.errors import NotAffineError
from ratecert.base.exact import working_precision
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments import additive
from ratecert.solvers.engines.moments.additive import AdditiveMap
from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.dependence import proved_dependence
from ratecert.solvers.engines.moments.device_moments import DeviceMoments, Drawing, after_first
from ratecert.solvers.engines.moments.doubling import composed, power
from ratecert.solvers.engines.moments.engine import LARGEST_MAP, SMALL_MAP, MomentEngine
from ratecert.solvers.engines.moments.frame import Frame, units_of
from ratecert.solvers.engines.moments.long_runs import LongRuns
from ratecert.solvers.engines.moments.matrix_free import stationary_sums
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.measuring import measure_map_at_0, measure_map_of_start
from ratecert.solvers.engines.moments.round_map import (
    AfterAverage,
    Linear,
    independent_coordinates,
    round_map,
)
from ratecert.solvers.engines.moments.segment import Segment, one_step
from ratecert.solvers.engines.moments.step_map import StepMap
from ratecert.solvers.engines.moments.unrounded import Unrounded, of_each

Array = NDArray[Any]  # of doubles or balls


class ExchangeableEngine(MomentEngine):
    """K devices that are alike; the cost does not depend on K."""

    rounding = 1e-20  # a zero may be the square of differences that cancel
    flows = True
    largest_limit_map = 250  # beyond, the fixed point of the map costs less than its powers

    def __init__(self, exactly: Unrounded, *, odd_units: bool = False, certified: bool = False) -> None:
        """With `odd_units` the numbers are others and the results the same, up to rounding."""
        self.exactly, self.interpreter, self.certified = exactly, exactly.interpreter, certified
        self.odd_units = odd_units
        stages, K = self.interpreter.solver.stages, exactly.K
        with working_precision(self.interpreter.bits):
            self.frame = None if certified else self._frame(odd_units)
            self._basis = self._deviations()
            super().__init__(
                stages,
                repeats=[1 if K == 1 and len(stages) == 1 else stage.repeats for stage in stages],
                alike=self.interpreter.alike,
                constant=self.interpreter.constant,
                has_start=self.interpreter.has_start,
                K=K,
                size=self.interpreter.layout.size,
                measures=exactly.read.in_frame(self.frame).rounded() if self.frame else exactly.read,
            )
            moves = moves_of(stages)
            kept = {averaged: self._kept(averaged) for averaged in dict.fromkeys(m.averaged for m in moves)}
            self.drawings = [self._drawing(move) for move in moves]
        self.kept = [kept[move.averaged] for move in moves]
        worth = certified or self.packing.size > SMALL_MAP
        self.additive = worth and not self.drawn and self._noise_is_additive()

    def _noise_is_additive(self) -> bool:
        return all(
            noise.moments.additive for move in set(self.alike) for noise in self.step_map(move, 1).noises
        )

    @property
    def without_map(self) -> bool:
        known = self.constant and not self.drawn and not self.interpreter.running
        return known and not self.certified and not self.additive and self.packing.size > LARGEST_MAP

    def _whole_cycles(
        self, moments: DeviceMoments, t: int, counts: list[int]
    ) -> dict[int, tuple[Array, DeviceMoments, DeviceMoments]]:
        long = [m for m in counts if m > 0]
        if not self.without_map or not long:
            return super()._whole_cycles(moments, t, counts)
        done = {m: (sums, state, state) for m, (sums, state) in LongRuns(self, moments).after(long).items()}
        return {0: (self.measures.nothing, moments, moments), **done}

    @property
    def exact(self) -> bool:
        return self.interpreter.exact and self.measures.exact

    def _frame(self, odd_units: bool) -> Frame:
        moving = self.exactly.moving
        units = units_of(len(moving) + 1, odd_units)
        return Frame(
            self.exactly.centre, units, moving if moving.any() else None, self.interpreter.first_counts
        )

    def _kept(self, averaged: tuple[str, ...]) -> Array:
        size = self.interpreter.layout.size
        if self.K == 1:
            return np.zeros_like(self._basis[0], shape=(size, size))
        return self._in_units(self.exactly.kept[averaged])

    def _drawing(self, move: Stage) -> Drawing | None:
        if move.drawn is None:
            return None
        factor = move.drawn.spread(self.K) * (1 - Fraction(1, self.K))
        taken = self._in_units(self.exactly.taken[move.averaged])
        return Drawing(number_like(taken)(factor), taken)

    def _in_units(self, deviations: Array) -> Array:
        """A matrix on deviations, in the units of the frame."""
        if self.frame is None:
            return deviations
        return doubles(deviations * self.frame.units / self.frame.units[:, None])  # type: ignore[no-any-return]

    def _deviations(self) -> tuple[Array, Array]:
        b, left = self.exactly.deviations
        if self.frame:
            return doubles(b / self.frame.units[:, None]), doubles(left * self.frame.units)
        return b, left

    def start(self, point: Array) -> tuple[int, Array, DeviceMoments]:
        with working_precision(self.interpreter.bits):
            w = self.interpreter.numbers.of(np.append(point, 1.0))
            moments = after_first(self.interpreter.first, w, self.frame, self.K, 0 if self.has_start else 1)
            moments = moments.rounded() if self.frame else moments
            if self.has_start:
                return 0, self.measures.nothing, moments
            at_0 = measure_map_of_start(self.interpreter, self.exactly.measures, self.K).at(w)
            return 1, doubles(at_0) if self.frame else at_0, self._average_at(moments, 1)

    def measures_at(self, t: int) -> MeasureMap:
        if t > 0 or not self.interpreter.running:
            return self.measures
        with working_precision(self.interpreter.bits):
            read = measure_map_at_0(self.interpreter, self.exactly.measures, self.K)
            return read.in_frame(self.frame).rounded() if self.frame else read

    def _step_at(self, move: int, t: float) -> StepMap:
        step = self.interpreter.step(move, t)
        if not self.frame:
            return step
        with working_precision(self.interpreter.bits):
            return step.in_frame(self.frame).rounded(otherwise=self.odd_units)

    def space(self, t: float) -> AfterAverage:
        fields = [
            block
            for name, block in self.interpreter.layout.slices.items()
            if name not in (*self.interpreter.point.dimensions, ONE)
        ]
        last = len(self.stages) - 1
        everything = np.arange(self.packing.n), identity_like(self._basis[0], self.packing.n)
        if self.drawn or (
            self.certified and not (self.interpreter.constant and self.interpreter.in_rationals)
        ):
            return AfterAverage(*self._basis, *everything)
        chosen, seen = independent_coordinates(self.step_map(last, t - 1), fields if last == 0 else [])
        if len(chosen) == self.packing.n:
            return AfterAverage(*self._basis, *everything)
        l = self._proved(chosen) if self.certified else seen
        return AfterAverage(*self._basis, *(everything if l is None else (chosen, l)))

    def _proved(self, chosen: NDArray[np.intp]) -> Array | None:
        """How all coordinates follow from the chosen ones, if that can be shown."""
        exact = self.interpreter.in_rationals
        assert exact is not None
        try:
            steps = [exact.step(0, 1)] if self.has_start else [exact.step(0, 1), exact.first]
        except NotAffineError:  # an estimator that does not take fractions
            return None
        return proved_dependence(steps, chosen)

    def segment(self, move: int, t: float) -> Segment | AdditiveMap:
        step = self.step_map(move, t)
        return additive.one_step(step, self.measures, self.K) if self.additive else self._packed(step)

    def packed_step(self, move: int, t: float) -> Segment:
        return self._packed(self.step_map(move, t))

    def _packed(self, step: StepMap) -> Segment:
        return one_step(step, self.measures, self.packing, self.K)

    def cycle_map(self, t: int) -> Linear | AdditiveMap:
        if not self.additive:
            return self.packed_cycle(t)
        cycle: AdditiveMap = composed(self._additive_stages(t))
        return cycle

    def packed_cycle(self, t: int) -> Linear:
        cycle: Linear = composed(self._packed_stages(t))
        return cycle

    def _additive_stages(self, t: int) -> list[AdditiveMap]:
        def rounds(stage: int) -> AdditiveMap:
            [move] = self.numbers[stage]
            steps = power(self.segment(move, t), self.repeats[stage])
            after: AdditiveMap = steps.then(additive.average(self.kept[move], steps))
            return after

        return of_each(self._first_stages, rounds)

    def _packed_stages(self, t: int) -> list[Linear]:
        space = self.space(t + 1)

        def rounds(stage: int) -> Linear:
            repeats = self.repeats[stage]
            steps = [power(self.packed_step(move, t), repeats) for move in self.numbers[stage]]
            return self.packed_stage(steps, stage, space)

        return of_each(self._first_stages, rounds)

    @property
    def _first_stages(self) -> list[int]:
        """The first stage that each is a repetition of."""
        stages = tuple(self.interpreter.given.stages)
        return [stages.index(stage) for stage in stages]

    def packed_round(self, segment: Segment, move: int, space: AfterAverage) -> Linear:
        return round_map(segment, self.kept[move], space, self.drawings[move])

    def limit_without_map(self) -> Array:
        return stationary_sums(self)

    def _averaged(self, moments: DeviceMoments, move: int) -> DeviceMoments:
        return moments.average(self.kept[move], self.drawings[move])
