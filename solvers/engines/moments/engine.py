"""The second moments of one algorithm on one problem, moved through time: what `expect` and `stationary` run.

There are two engines, which differ in what they keep of the devices:

    exchangeable.py   devices that are alike: the moments of their mean and of one device's deviation from it
    differing.py      devices that differ: the moments of what they have in common, and of what each has kept

Each runs on doubles, in a frame that is centred at the fixed point of the mean step or cycle, or `certified` on balls,
which hold the truth whatever they round.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import number_like
from ratecert.base.progress import told
from ratecert.solvers.contract.draws import Switch, is_drawn, moves_of
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments.additive import AdditiveMap
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.doubling import repeat
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.round_map import AfterAverage, Linear, switched
from ratecert.solvers.engines.moments.segment import Segment, one_step
from ratecert.solvers.engines.moments.step_map import StepMap
from ratecert.solvers.engines.moments.varying_steps import Interval, chebyshev_times, steps_of_stage

Array = NDArray[Any]  # of doubles or balls
LARGEST_MAP = 2300  # packed second moments, as of d = 10 with six fields; a larger map takes minutes
LARGEST_CONGRUENCE = 450  # coordinates of maps by congruences, for noise that is the same everywhere
SMALL_MAP = 120  # packed moments up to which doubles keep the one map for all kinds of noise, which settles
FEW_STEPS = 64  # up to so many steps are cheaper one by one than as a map, which takes a basis of all moments


Job = tuple[int, DeviceMoments]  # so many iterations, from these moments


class MomentEngine(ABC):
    """Stages, coordinates and measures; what a step and an average are in them is said by each engine."""

    rounding: ClassVar[
        float
    ]  # of the largest measure: what is smaller counts as zero in estimates of precision
    flows: bool  # whether `flow` takes long runs with slowly varying step sizes; else they are walked
    additive: bool = False  # the noise is the same everywhere, and moments move by congruences
    flows_unpacked: bool = False  # by congruences, too
    certified: bool  # balls, not doubles
    maps_in_a_step: int = 1  # that are made one by one
    has_limit: bool = True  # whether there is a way to the limit of runs of this size
    largest_limit_map: ClassVar[
        int
    ]  # packed moments up to which the limit is taken by doubling the map of a cycle

    def __init__(
        self,
        stages: Sequence[Stage | Switch],
        *,
        repeats: list[int],
        alike: Sequence[int],
        constant: bool,
        has_start: bool,
        K: int,
        size: int,
        measures: MeasureMap,
    ) -> None:
        """`repeats`: steps before each average; `alike`: the first move that each move is a repetition of.

        `constant`: every step size is the same at all t.
        """
        self.numbers: list[list[int]] = []  # of the moves of each stage
        for stage in stages:
            first, moves = sum(map(len, self.numbers)), len(moves_of([stage]))
            self.numbers.append(list(range(first, first + moves)))
        self.constant = constant
        self._steps: dict[int, StepMap] = {}
        self.stages, self.repeats, self.alike, self.has_start = stages, repeats, alike, has_start
        self.drawn = is_drawn(stages)
        self.K, self.measures = K, measures
        self.cycle = sum(repeats)
        self.packing = packing(size)

    @property
    def cost_of_step(self) -> float:
        """In products of numbers, about."""
        return float(self.packing.n**3)

    @property
    def without_map(self) -> bool:
        """Whether long runs that are too large for a map are known as functions of the change of a cycle."""
        return False

    @property
    def tables_too_large(self) -> bool:
        """Whether what single devices inject is too much for tables, however small the map of a cycle."""
        return False

    @property
    def in_words(self) -> str:
        """What it runs on."""
        return f"a problem with {self.packing.n - 1} coordinates"

    @property
    def remedy(self) -> str:
        """Where long runs are refused: what to make otherwise."""
        return "T or the dimensions smaller"

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether algorithm and problem were taken in exact numbers throughout."""

    @abstractmethod
    def start(self, point: Array) -> tuple[int, Array, DeviceMoments]:
        """(t, the measures summed over iterations < t, the moments at t): after the start, or after iteration 0.

        The point is where the unknowns of the problem start, one after the other.
        """

    def measures_at(self, t: int) -> MeasureMap:
        """What is read at iteration t."""
        return self.measures

    def step_map(self, move: int, t: float) -> StepMap:
        """The step of a move with the step sizes of iteration t; made once where these are constant."""
        if not self.constant:
            return self._step_at(move, t)
        if self.alike[move] not in self._steps:
            self._steps[self.alike[move]] = self._step_at(move, t)
        return self._steps[self.alike[move]]

    @abstractmethod
    def _step_at(self, move: int, t: float) -> StepMap:
        """The same, made anew."""

    @abstractmethod
    def space(self, t: float) -> AfterAverage:
        """Where states are at iteration t >= 1, right after an average."""

    @abstractmethod
    def packed_cycle(self, t: int) -> Linear:
        """A whole cycle of stages with the step sizes of iteration t, between averages, on packed moments."""

    def lasting_cycle(self, t: int) -> Linear:
        """The same of what lasts from cycle to cycle."""
        return self.packed_cycle(t)

    @property
    def lasting_size(self) -> int:
        """How many packed second moments that is."""
        return self.packing.size

    def cycle_map(self, t: int) -> Linear | AdditiveMap:
        """The same, in the form that is doubled."""
        return self.lasting_cycle(t)

    def cycle_map_from(self, moments: DeviceMoments, t: int) -> Linear | AdditiveMap:
        """The same, where a run comes from these moments, which may have what does not last."""
        return self.cycle_map(t)

    @abstractmethod
    def packed_step(self, move: int, t: float) -> Any:
        """The step of a move as a map of packed moments that can be doubled and interpolated."""

    @abstractmethod
    def packed_round(self, segment: Any, move: int, space: AfterAverage) -> Linear:
        """Steps of a move, and the average after them."""

    @abstractmethod
    def limit_without_map(self) -> Array:
        """The measures summed over a cycle in the limit of many, for moments too many for the map of a cycle."""

    @abstractmethod
    def _averaged(self, moments: DeviceMoments, move: int) -> DeviceMoments:
        """The moments after the average of a move."""

    def walk(self, moments: DeviceMoments, t: int, n: int) -> tuple[Array, DeviceMoments]:
        """n iterations from t, one by one."""
        sums: Array = self.measures.nothing
        for i in told(range(t, t + n), "iterations"):
            sums = sums + self.measures.summed(moments)
            stage = self._stage_at(i)
            moments = self._average_at(self._iteration(moments, stage, self._steps_at(stage, i)), i + 1)
        return sums, moments

    def flow(self, moments: DeviceMoments, t: int, n: int, ratio: float) -> tuple[Array, DeviceMoments]:
        """n iterations from t, a whole number of cycles after an average, with slowly varying step sizes."""
        z, sums, end = self._entered(moments, t), self.measures.nothing, t + n // self.cycle * self.cycle
        while t < end:
            interval = Interval(t, t * ratio, self.cycle, self._varying_cycle(t, t * ratio))
            cycles = min(max(1, int(t * (ratio - 1)) // self.cycle), (end - t) // self.cycle)
            gained, z = interval.run(z, t, cycles)
            sums, t = sums + gained, t + cycles * self.cycle
        tail, moments = self.walk(self._left(z, t), t, n % self.cycle)
        return sums + tail, moments

    def _entered(self, moments: DeviceMoments, t: int) -> Any:
        """The state that flows."""
        return self.space(t).to_vector(moments)

    def _left(self, z: Any, t: int) -> DeviceMoments:
        """The moments of a state that has flowed."""
        return self.space(t).to_moments(z)

    def _varying_cycle(self, a: float, b: float) -> Callable[[float], Any]:
        """A cycle from t as a function of t in [a, b], each iteration with its own step size."""
        times = chebyshev_times(a, b)
        moves = [
            [self._steps_over(times, i, n) for i in numbers]
            for numbers, n in zip(self.numbers, self.repeats, strict=True)
        ]

        def at(t: float) -> Any:
            total: Any = None
            space = self.space(t)
            for i, n in enumerate(self.repeats):
                round_map = self._varying_round([segment(t) for segment in moves[i]], i, space)
                total = round_map if total is None else total.then(round_map)
                t += n
            return total

        return at

    def _steps_over(self, times: NDArray[np.float64], move: int, n: int) -> Callable[[float], Any]:
        """n steps of a move as a function of t, each with its own step size."""
        return steps_of_stage(partial(self.packed_step, move), times, n)

    def _varying_round(self, segments: Sequence[Any], stage: int, space: AfterAverage) -> Any:
        """The steps of a stage and the average after them, in the form that is interpolated."""
        return self.packed_stage(segments, stage, space)

    def packed_stage(self, segments: Sequence[Any], stage: int, space: AfterAverage) -> Linear:
        """The steps of a stage and the average after them; of a switch, the mean over all its lists of them."""
        moves = [
            self.packed_round(segment, move, space)
            for segment, move in zip(segments, self.numbers[stage], strict=True)
        ]
        switch = self.stages[stage]
        return switched(switch, moves) if isinstance(switch, Switch) else moves[0]

    def _steps_at(self, stage: int, t: float) -> list[StepMap]:
        """The steps of all moves of a stage."""
        return [self.step_map(move, t) for move in self.numbers[stage]]

    def _iteration(self, moments: DeviceMoments, stage: int, steps: list[StepMap]) -> DeviceMoments:
        """One step, or the moves that a switch has drawn."""
        switch = self.stages[stage]
        if not isinstance(switch, Switch):
            return moments.step(steps[0], self.K)

        def moved(move: int, before: DeviceMoments, _turn: int) -> DeviceMoments:
            return self._averaged(before.step(steps[move], self.K), self.numbers[stage][move])

        states, number = switch.states(moments, moved), number_like(moments.mean)
        return type(moments).mixture([(number(p), states[turn]) for turn, p in switch.endings])

    def jump(self, moments: DeviceMoments, t: int, counts: list[int]) -> list[tuple[Array, DeviceMoments]]:
        """For each n, in rising order: n iterations from t, all with the step sizes of iteration t."""
        head = self.cycle if t == 0 else -t % self.cycle  # at t = 0 no average has been taken yet
        shorter, longer = [n for n in counts if n < head], [n for n in counts if n >= head]
        results = self.within_cycle([(n, moments) for n in shorter], t, t)
        if not longer:
            return results
        [(sums, boundary)] = self.within_cycle([(head, moments)], t, t)
        whole = self._whole_cycles(boundary, t, sorted({(n - head) // self.cycle for n in longer}))
        cycles, tails = [(n - head) // self.cycle for n in longer], [(n - head) % self.cycle for n in longer]
        states = [whole[m][1] for m in cycles]
        ended = self.within_cycle(list(zip(tails, states, strict=True)), t, t + head)
        for m, (more, state) in zip(cycles, ended, strict=True):
            gained, _, before = whole[m]
            results.append((sums + gained + more, replace(state, before=before)))
        return results

    def _whole_cycles(
        self, moments: DeviceMoments, t: int, counts: list[int]
    ) -> dict[int, tuple[Array, DeviceMoments, DeviceMoments]]:
        """By number of cycles, from moments right after an average, with the step sizes of iteration t."""
        done = {0: (self.measures.nothing, moments, moments)}
        counts = [m for m in counts if m > 0]
        if counts:
            cycle = self.cycle_map_from(moments, t)
            z = cycle.enter(moments)
            jobs = repeat(cycle, [(m, z) for m in counts])
            for m, (sums, state, before) in zip(counts, jobs, strict=True):
                done[m] = (sums, cycle.leave(state), cycle.leave(before))
        return done

    def segment(self, move: int, t: float) -> Segment | AdditiveMap:
        """The step of a move as a map that can be doubled."""
        return one_step(self.step_map(move, t), self.measures, self.packing, self.K)

    def far(self, jobs: Sequence[Job], move: int, t: float) -> list[tuple[Array, DeviceMoments]]:
        """Many steps of a move between averages, all with the step sizes of iteration t."""
        return [(sums, moments) for sums, moments, _ in repeat(self.segment(move, t), jobs)]

    def within_cycle(self, jobs: Sequence[Job], t_steps: int, t: int) -> list[tuple[Array, DeviceMoments]]:
        """For each (n, moments at t): n iterations with the step sizes of t_steps, stage by stage."""
        done = [(self.measures.nothing, moments) for _, moments in jobs]
        left = [n for n, _ in jobs]
        while any(left):
            stage, most = self._stage_at(t), self._left_in_stage(t)
            going = [i for i, n in enumerate(left) if n > 0]
            numbers = [min(left[i], most) for i in going]
            now = [(n, done[i][1]) for i, n in zip(going, numbers, strict=True)]
            moved = self._in_stage(now, stage, t_steps)
            for i, n, (gained, moments) in zip(going, numbers, moved, strict=True):
                done[i] = done[i][0] + gained, self._average_at(moments, t + n)
                left[i] -= n
            t += most
        return done

    def _in_stage(self, jobs: Sequence[Job], stage: int, t: float) -> list[tuple[Array, DeviceMoments]]:
        """Steps of one stage: as a map where they are many, or many together and the map is small."""
        numbers = [n for n, _ in jobs]
        small = self.packing.size <= SMALL_MAP
        many = max(numbers) > FEW_STEPS or (small and sum(numbers) > FEW_STEPS * self.maps_in_a_step)
        if many and not self.without_map and not isinstance(self.stages[stage], Switch):
            return self.far(jobs, self.numbers[stage][0], t)
        steps = self._steps_at(stage, t)
        return [self._stepped(moments, n, stage, steps) for n, moments in jobs]

    def _stepped(
        self, moments: DeviceMoments, n: int, stage: int, steps: list[StepMap]
    ) -> tuple[Array, DeviceMoments]:
        sums: Array = self.measures.nothing
        for _ in range(n):
            sums = sums + self.measures.summed(moments)
            moments = self._iteration(moments, stage, steps)
        return sums, moments

    def _stage_at(self, t: int) -> int:
        return int(np.searchsorted(self._ends, t % self.cycle, side="right"))

    def _left_in_stage(self, t: int) -> int:
        return int(self._ends[self._stage_at(t)]) - t % self.cycle

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """Where the stages end within a cycle."""
        return np.cumsum(self.repeats)

    def _average_at(self, moments: DeviceMoments, t: int) -> DeviceMoments:
        """The average that iteration t - 1 ends with, if it does; a switch has its own within."""
        stage = self._stage_at(t - 1)
        ends = self._left_in_stage(t - 1) == 1 and not isinstance(self.stages[stage], Switch)
        return self._averaged(moments, self.numbers[stage][0]) if ends else moments
