"""Devices that are alike: any number of them, by the moments of their mean and of one device's deviation from it.

With K = 1 an average changes nothing that matters, and a step counts as a round.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.device_moments import DeviceMoments, after_first
from ratecert.solvers.engines.moments.doubling import power
from ratecert.solvers.engines.moments.engine import MomentEngine, fixed_point_shift, units_of
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.matrix_free import stationary_sums
from ratecert.solvers.engines.moments.mean_cycle import mean_cycle
from ratecert.solvers.engines.moments.measures import measure_map
from ratecert.solvers.engines.moments.round_map import (
    AfterAverage,
    Linear,
    independent_coordinates,
    random_rounds,
    range_of,
    round_map,
)
from ratecert.solvers.engines.moments.segment import Segment
from ratecert.solvers.engines.moments.step_map import Frame, StepMap
from ratecert.solvers.engines.moments.varying_steps import Interval, chebyshev_times, steps_of_stage

Array = NDArray[np.float64]


class ExchangeableEngine(MomentEngine):
    """K devices that are alike; the cost does not depend on K."""

    rounding = 1e-20  # a zero may be the square of differences that cancel
    flows = True
    largest_limit_map = 250  # beyond, the fixed point of the map costs less than its powers

    def __init__(
        self,
        problem: Problem,
        solver: Algorithm,
        K: int,
        *,
        odd_units: bool = False,
        interpreter: Interpreter | None = None,
    ) -> None:
        """With `odd_units` the numbers are others and the results the same, up to rounding.

        An interpreter of the same problem and solver knows nothing of units: a second engine can use the first one's.
        """
        self.problem = problem
        self.interpreter = interpreter or Interpreter(problem, solver)
        stages, layout = solver.stages, self.interpreter.layout
        shift = fixed_point_shift(_mean_cycle(self.interpreter, solver))
        frame = Frame(shift, units_of(layout.size, odd_units))
        super().__init__(
            stages,
            repeats=[1 if K == 1 and len(stages) == 1 else stage.repeats for stage in stages],
            alike=self.interpreter.alike,
            has_start=self.interpreter.has_start,
            K=K,
            frame=frame,
            measures=measure_map(problem, layout, K).in_frame(frame),
        )
        nothing, units = np.zeros((layout.size, layout.size)), frame.units
        kept = {
            averaged: nothing
            if K == 1
            else self.interpreter.kept_by_average(averaged) * units / units[:, None]
            for averaged in dict.fromkeys(s.averaged for s in stages)
        }
        self.kept = [kept[s.averaged] for s in stages]
        self._range = range_of(list(kept.values()))

    def start(self, x0: Array, y0: Array) -> tuple[int, Array, DeviceMoments]:
        w = np.concatenate([x0, y0, [1.0]])
        moments = after_first(self.interpreter.first(), w, self.frame, self.K)
        if self.interpreter.has_start:
            return 0, np.zeros(4), moments
        at_0 = measure_map(self.problem, self.interpreter.point, self.K).at(w)
        return 1, at_0, self._average_at(moments, 1)

    def step_map(self, stage: int, t: float) -> StepMap:
        return self.interpreter.step(stage, t).in_frame(self.frame)

    def flow(self, moments: DeviceMoments, t: int, n: int, ratio: float) -> tuple[Array, DeviceMoments]:
        z, sums, end = self.space(t).to_vector(moments), np.zeros(4), t + n // self.cycle * self.cycle
        while t < end:
            interval = Interval(t, t * ratio, self.cycle, self._varying_cycle(t, t * ratio))
            cycles = min(max(1, int(t * (ratio - 1)) // self.cycle), (end - t) // self.cycle)
            gained, z = interval.run(z, t, cycles)
            sums, t = sums + gained, t + cycles * self.cycle
        tail, moments = self.walk(self.space(t).to_moments(z), t, n % self.cycle)
        return sums + tail, moments

    def _varying_cycle(self, a: float, b: float) -> Callable[[float], Linear]:
        """A cycle from t as a function of t in [a, b], each iteration with its own step size."""
        times = chebyshev_times(a, b)
        stages = [steps_of_stage(partial(self.segment, i), times, n) for i, n in enumerate(self.repeats)]

        def at(t: float) -> Linear:
            total: Linear | None = None
            space = self.space(t)
            for i, n in enumerate(self.repeats):
                linear = self._rounds(stages[i](t), i, space)
                total = linear if total is None else total.then(linear)
                t += n
            assert total is not None
            return total

        return at

    def space(self, t: float) -> AfterAverage:
        fields = [
            block for name, block in self.interpreter.layout.slices.items() if name not in ("x", "y", ONE)
        ]
        last = len(self.stages) - 1
        chosen, l = independent_coordinates(self.step_map(last, t - 1), fields if last == 0 else [])
        return AfterAverage(self._range, chosen, l)

    def cycle_map(self, t: int) -> Linear:
        space = self.space(t + 1)
        total: Linear | None = None
        for linear in _of_stages(
            self.alike, lambda i: self._rounds(power(self.segment(i, t), self.repeats[i]), i, space)
        ):
            total = linear if total is None else total.then(linear)
        assert total is not None
        return total

    def _rounds(self, segment: Segment, stage: int, space: AfterAverage) -> Linear:
        """The steps of a segment and the average after them, as often as the stage says."""
        one, N = round_map(segment, self.kept[stage], space), self.stages[stage].random_rounds
        return one if N is None else random_rounds(one, N)

    def limit_without_map(self) -> Array:
        return stationary_sums(self)

    def _averaged(self, moments: DeviceMoments, stage: int) -> DeviceMoments:
        return moments.average(self.kept[stage])


def _mean_cycle(interpreter: Interpreter, solver: Algorithm) -> Array:
    """The increment of the mean over a step or, where stages differ, over a cycle of them; averages keep it."""
    steps = _of_stages(interpreter.alike, lambda i: interpreter.step(i, 1).matrix)
    return (
        steps[0]
        if len(steps) == 1
        else mean_cycle(solver.stages, steps, [np.eye(len(steps[0]))] * len(steps))
    )


def _of_stages(alike: Sequence[int], make: Callable[[int], Any]) -> list[Any]:
    """Something made for every stage, once for those that repeat one another."""
    made = {i: make(i) for i in dict.fromkeys(alike)}
    return [made[i] for i in alike]
