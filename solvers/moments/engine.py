"""One algorithm on one problem with K devices, ready to be moved through time.

Coordinates are centred at the fixed point of the mean step, so that second moments are those of deviations.
With K = 1 an average changes nothing that matters, and a step counts as a round.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.moments.doubling import power, repeat
from solvers.moments.interpreter import Interpreter
from solvers.moments.packing import packing
from solvers.moments.pair import Pair, at_point
from solvers.moments.round_map import Linear, after_average, round_map
from solvers.moments.ruler import ruler
from solvers.moments.segment import Segment, one_step
from solvers.moments.step_map import StepMap
from solvers.stage import Algorithm

Array = NDArray[np.float64]
FEW_STEPS = 64


class Engine:
    def __init__(self, problem: Any, solver: Algorithm, K: int) -> None:
        self.problem = problem
        self.K = K
        self.interpreter = Interpreter(problem, solver)
        layout = self.interpreter.layout
        self.U = _shift(self.interpreter.step(0, 1))
        self.packing = packing(layout.size)
        self.ruler = ruler(problem, layout, K).centred(self.U)
        self.stages = solver.stages
        self.repeats = [1 if K == 1 and len(self.stages) == 1 else stage.repeats for stage in self.stages]
        self.cycle = sum(self.repeats)
        nothing = np.zeros((layout.size, layout.size))
        self.kept = [nothing if K == 1 else self.interpreter.kept_by_average(s.averaged) for s in self.stages]

    def start(self, x0: Array, y0: Array) -> tuple[int, Array, Pair]:
        """(t, the measures summed over iterations < t, the pair at t): after the start, or after iteration 0."""
        pair = at_point(x0, y0).step(self.interpreter.first(), self.K).centred(np.linalg.inv(self.U))
        if self.interpreter.has_start:
            return 0, np.zeros(4), pair
        at_0 = ruler(self.problem, self.interpreter.point, self.K).read(at_point(x0, y0))
        return 1, at_0, self._average_at(pair, 1)

    def step_map(self, stage: int, t: int) -> StepMap:
        return self.interpreter.step(stage, t).centred(self.U)

    def walk(self, pair: Pair, t: int, n: int) -> tuple[Array, Pair]:
        """n iterations from t, one by one."""
        sums = np.zeros(4)
        for i in range(t, t + n):
            sums += self.ruler.read(pair)
            pair = self._average_at(pair.step(self.step_map(self._stage_at(i), i), self.K), i + 1)
        return sums, pair

    def jump(self, pair: Pair, t: int, counts: list[int]) -> list[tuple[Array, Pair]]:
        """For each n: n iterations from t, all with the step sizes of iteration t."""
        head = -t % self.cycle
        sums, boundary = self._within_cycle(pair, t, t, min(head, max(counts)))
        z, far = None, [n for n in counts if n > head]
        whole: dict[int, tuple[Array, Pair]] = {}
        if far:
            cycle = self.cycle_map(t)
            z = cycle.space.to_vector(boundary)
            rounds = sorted({(n - head) // self.cycle for n in far})
            for m, (gained, state) in zip(rounds, repeat(cycle, [(m, z) for m in rounds]), strict=True):
                whole[m] = (sums + gained, cycle.space.to_pair(state))
        results = []
        for n in counts:
            if n <= head:
                results.append(self._within_cycle(pair, t, t, n))
                continue
            m, tail = divmod(n - head, self.cycle)
            before, state = whole[m]
            gained, state = self._within_cycle(state, t, t + n - tail, tail)
            results.append((before + gained, state))
        return results

    def cycle_map(self, t: int) -> Linear:
        """A whole cycle of stages with the step sizes of iteration t, between averages."""
        space = after_average(self.packing, self.kept)
        total: Linear | None = None
        for i, n in enumerate(self.repeats):
            linear = round_map(power(self.segment(i, t), n), self.kept[i], space)
            total = linear if total is None else total.then(linear)
        assert total is not None
        return total

    def segment(self, stage: int, t: int) -> Segment:
        return one_step(self.step_map(stage, t), self.ruler, self.packing, self.K)

    def _within_cycle(self, pair: Pair, t_steps: int, t: int, n: int) -> tuple[Array, Pair]:
        """n iterations from t with the step sizes of t_steps, stage by stage."""
        sums = np.zeros(4)
        while n > 0:
            stage, left = self._stage_at(t), self._left_in_stage(t)
            m = min(n, left)
            if m <= FEW_STEPS:
                step = self.step_map(stage, t_steps)
                for _ in range(m):
                    sums = sums + self.ruler.read(pair)
                    pair = pair.step(step, self.K)
            else:
                [(gained, pair)] = repeat(self.segment(stage, t_steps), [(m, pair)])
                sums = sums + gained
            t, n = t + m, n - m
            pair = self._average_at(pair, t)
        return sums, pair

    def _stage_at(self, t: int) -> int:
        return int(np.searchsorted(np.cumsum(self.repeats), t % self.cycle, side="right"))

    def _left_in_stage(self, t: int) -> int:
        return int(np.cumsum(self.repeats)[self._stage_at(t)]) - t % self.cycle

    def _average_at(self, pair: Pair, t: int) -> Pair:
        """The average that iteration t - 1 ends with, if it does."""
        stage = self._stage_at(t - 1)
        return pair.average(self.kept[stage]) if self._left_in_stage(t - 1) == 1 else pair


def _shift(step: StepMap) -> Array:
    """U with w = U w', the shift to the fixed point of the mean step; what it misses by stays in the steps."""
    D, constant = step.matrix[:-1, :-1], step.matrix[:-1, -1]
    rows = np.abs(D).max(axis=1, initial=1e-300)
    centre = np.linalg.lstsq(D / rows[:, None], -constant / rows, rcond=None)[0]
    U = np.eye(len(D) + 1)
    U[:-1, -1] = centre
    return U
