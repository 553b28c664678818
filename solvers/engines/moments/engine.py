"""One algorithm on one problem with K devices, ready to be moved through time.

Coordinates are centred at the fixed point of the mean step or cycle, so that second moments are those of deviations.
With K = 1 an average changes nothing that matters, and a step counts as a round.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.device_moments import Pair, after_first
from ratecert.solvers.engines.moments.doubling import power, repeat
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.mean_cycle import mean_cycle
from ratecert.solvers.engines.moments.measures import ruler
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.round_map import (
    AfterAverage,
    Linear,
    independent_coordinates,
    random_rounds,
    range_of,
    round_map,
)
from ratecert.solvers.engines.moments.segment import Segment, one_step
from ratecert.solvers.engines.moments.step_map import Frame, StepMap
from ratecert.solvers.engines.moments.varying_steps import Interval, chebyshev_times, steps_of_stage

Array = NDArray[np.float64]
FEW_STEPS = 64


class Engine:
    rounding = (
        1e-20  # of the largest measure: what is smaller may be a zero, the square of differences that cancel
    )

    def __init__(
        self,
        problem: Any,
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
        self.K = K
        self.interpreter = interpreter or Interpreter(problem, solver)
        layout = self.interpreter.layout
        self.stages = solver.stages
        self.frame = Frame(fixed_point_shift(self._mean_cycle()), units_of(layout.size, odd_units))
        self.packing = packing(layout.size)
        self.ruler = ruler(problem, layout, K).in_frame(self.frame)
        self.repeats = [1 if K == 1 and len(self.stages) == 1 else stage.repeats for stage in self.stages]
        self.cycle = sum(self.repeats)
        nothing = np.zeros((layout.size, layout.size))
        units = self.frame.units
        kept = {
            averaged: nothing
            if K == 1
            else self.interpreter.kept_by_average(averaged) * units / units[:, None]
            for averaged in dict.fromkeys(s.averaged for s in self.stages)
        }
        self.kept = [kept[s.averaged] for s in self.stages]
        self._range = range_of(list(kept.values()))

    def _mean_cycle(self) -> Array:
        """The increment of the mean over a step or, where stages differ, over a cycle of them; averages keep it."""
        steps = self._of_stages(lambda i: self.interpreter.step(i, 1).matrix)
        return (
            steps[0]
            if len(steps) == 1
            else mean_cycle(self.stages, steps, [np.eye(len(steps[0]))] * len(steps))
        )

    def _of_stages(self, make: Callable[[int], Any]) -> list[Any]:
        """Something made for every stage, once for those that repeat one another."""
        made = {i: make(i) for i in dict.fromkeys(self.interpreter.alike)}
        return [made[i] for i in self.interpreter.alike]

    def start(self, x0: Array, y0: Array) -> tuple[int, Array, Pair]:
        """(t, the measures summed over iterations < t, the pair at t): after the start, or after iteration 0."""
        w = np.concatenate([x0, y0, [1.0]])
        pair = after_first(self.interpreter.first(), w, self.frame, self.K)
        if self.interpreter.has_start:
            return 0, np.zeros(4), pair
        at_0 = ruler(self.problem, self.interpreter.point, self.K).at(w)
        return 1, at_0, self._average_at(pair, 1)

    @property
    def has_start(self) -> bool:
        return self.interpreter.has_start

    def step_map(self, stage: int, t: float) -> StepMap:
        return self.interpreter.step(stage, t).in_frame(self.frame)

    def walk(self, pair: Pair, t: int, n: int) -> tuple[Array, Pair]:
        """n iterations from t, one by one."""
        sums = np.zeros(4)
        for i in range(t, t + n):
            sums += self.ruler.read(pair)
            stage = self._stage_at(i)
            pair = self._average_at(self._iteration(pair, stage, self.step_map(stage, i)), i + 1)
        return sums, pair

    def _iteration(self, pair: Pair, stage: int, step: StepMap) -> Pair:
        """One step, or a random number of rounds."""
        N = self.stages[stage].random_rounds
        if N is None:
            return pair.step(step, self.K)
        rounds = [pair]
        for _ in range(1, N):
            rounds.append(self._averaged(rounds[-1].step(step, self.K), stage))
        return Pair.mixture(rounds)

    def jump(self, pair: Pair, t: int, counts: list[int]) -> list[tuple[Array, Pair]]:
        """For each n: n iterations from t, all with the step sizes of iteration t."""
        head = self.cycle if t == 0 else -t % self.cycle  # at t = 0 no average has been taken yet
        sums, boundary = self._within_cycle(pair, t, t, min(head, max(counts)))
        cycles = sorted({(n - head) // self.cycle for n in counts if n >= head})
        whole = self._whole_cycles(boundary, t, cycles)
        results = []
        for n in counts:
            if n < head:
                results.append(self._within_cycle(pair, t, t, n))
                continue
            m, tail = divmod(n - head, self.cycle)
            gained, state = whole[m]
            more, state = self._within_cycle(state, t, t + n - tail, tail)
            results.append((sums + gained + more, state))
        return results

    def _whole_cycles(self, pair: Pair, t: int, counts: list[int]) -> dict[int, tuple[Array, Pair]]:
        """By number of cycles, from a pair right after an average, with the step sizes of iteration t."""
        done = {0: (np.zeros(4), pair)}
        counts = [m for m in counts if m > 0]
        if counts:
            cycle = self.cycle_map(t)
            z = cycle.space.to_vector(pair)
            for m, (sums, state) in zip(counts, repeat(cycle, [(m, z) for m in counts]), strict=True):
                done[m] = (sums, cycle.space.to_pair(state))
        return done

    def flow(self, pair: Pair, t: int, n: int, ratio: float) -> tuple[Array, Pair]:
        """n iterations from t, a whole number of cycles after an average, with slowly varying step sizes."""
        z, sums, end = self.space(t).to_vector(pair), np.zeros(4), t + n // self.cycle * self.cycle
        while t < end:
            interval = Interval(t, t * ratio, self.cycle, self._varying_cycle(t, t * ratio))
            cycles = min(max(1, int(t * (ratio - 1)) // self.cycle), (end - t) // self.cycle)
            gained, z = interval.run(z, t, cycles)
            sums, t = sums + gained, t + cycles * self.cycle
        tail, pair = self.walk(self.space(t).to_pair(z), t, n % self.cycle)
        return sums + tail, pair

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
        """Where states are at iteration t >= 1, right after an average."""
        fields = [
            block for name, block in self.interpreter.layout.slices.items() if name not in ("x", "y", ONE)
        ]
        last = len(self.stages) - 1
        chosen, l = independent_coordinates(self.step_map(last, t - 1), fields if last == 0 else [])
        return AfterAverage(self._range, chosen, l)

    def cycle_map(self, t: int) -> Linear:
        """A whole cycle of stages with the step sizes of iteration t, between averages."""
        space = self.space(t + 1)
        total: Linear | None = None
        for linear in self._of_stages(
            lambda i: self._rounds(power(self.segment(i, t), self.repeats[i]), i, space)
        ):
            total = linear if total is None else total.then(linear)
        assert total is not None
        return total

    def _rounds(self, segment: Segment, stage: int, space: AfterAverage) -> Linear:
        """The steps of a segment and the average after them, as often as the stage says."""
        one, N = round_map(segment, self.kept[stage], space), self.stages[stage].random_rounds
        return one if N is None else random_rounds(one, N)

    def segment(self, stage: int, t: float) -> Segment:
        return one_step(self.step_map(stage, t), self.ruler, self.packing, self.K)

    def _within_cycle(self, pair: Pair, t_steps: int, t: int, n: int) -> tuple[Array, Pair]:
        """n iterations from t with the step sizes of t_steps, stage by stage."""
        sums = np.zeros(4)
        steps: dict[int, StepMap] = {}
        while n > 0:
            stage, left = self._stage_at(t), self._left_in_stage(t)
            m = min(n, left)
            if m <= FEW_STEPS:
                alike = self.interpreter.alike[stage]
                if alike not in steps:
                    steps[alike] = self.step_map(stage, t_steps)
                step = steps[alike]
                for _ in range(m):
                    sums = sums + self.ruler.read(pair)
                    pair = self._iteration(pair, stage, step)
            else:
                [(gained, pair)] = repeat(self.segment(stage, t_steps), [(m, pair)])
                sums = sums + gained
            t, n = t + m, n - m
            pair = self._average_at(pair, t)
        return sums, pair

    def _stage_at(self, t: int) -> int:
        return int(np.searchsorted(self._ends, t % self.cycle, side="right"))

    def _left_in_stage(self, t: int) -> int:
        return int(self._ends[self._stage_at(t)]) - t % self.cycle

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """Where the stages end within a cycle."""
        return np.cumsum(self.repeats)

    def _average_at(self, pair: Pair, t: int) -> Pair:
        """The average that iteration t - 1 ends with, if it does; random rounds have theirs within."""
        stage = self._stage_at(t - 1)
        ends = self._left_in_stage(t - 1) == 1 and self.stages[stage].random_rounds is None
        return self._averaged(pair, stage) if ends else pair

    def _averaged(self, pair: Pair, stage: int) -> Pair:
        return pair.average(self.kept[stage])


def fixed_point_shift(increment: Array) -> Array:
    """The shift to the fixed point of w -> w + increment w; what it misses by stays in the steps.

    None where the increment is not finite: the run, which diverges, says so.
    """
    if not np.isfinite(increment).all():
        return np.eye(len(increment))
    D, constant = increment[:-1, :-1], increment[:-1, -1]
    rows = np.abs(D).max(axis=1, initial=1e-300)
    centre = np.linalg.lstsq(D / rows[:, None], -constant / rows, rcond=None)[0]
    shift = np.eye(len(D) + 1)
    shift[:-1, -1] = centre
    return shift


def units_of(size: int, odd: bool) -> Array:
    """Ones, or numbers in [1, 2) that no rounding error can be common to."""
    units = np.ones(size)
    if odd:
        units[:-1] += (np.arange(1, size) * 0.6180339887498949) % 1
    return units
