"""An algorithm on a problem, ready for the kernel: the programs of its stages, the truth, and where everything lies.

The rows of the kernel's one array: working memory, a block for the mean over devices with the truth at it, and
one block for each device. Both kinds of block begin with x, and y where there is one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import NotTracedError
from ratecert.solvers.contract.draws import Choice, Switch, moves_of
from ratecert.solvers.contract.problem import Problem, has_devices, weights_of
from ratecert.solvers.contract.stage import Algorithm, State
from ratecert.solvers.engines.compiled.expression import Array
from ratecert.solvers.engines.compiled.instructions import Code, Panel
from ratecert.solvers.engines.compiled.program import Program, assemble, for_devices
from ratecert.solvers.engines.compiled.step_code import record_step
from ratecert.solvers.engines.compiled.trace import (
    ORIGIN,
    TracedEstimators,
    changing_schedules,
    over_times,
    trace_step,
)
from ratecert.solvers.engines.compiled.truth import places_of, truth_of

Table = NDArray[np.int64]
# Other t, at which a step may show that it depends on t.
ELSEWHERE = (1, 3, 9, 840, *(2**i for i in range(2, 64)))
AT_ONCE = 4  # times, to see that a step takes many
ROUNDING = 1e-13


@dataclass
class Bounds:
    """What belongs to each stage: its instructions, its slots, and the rows that are averaged after it."""

    begin: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    slot_begin: list[int] = field(default_factory=list)
    slot_end: list[int] = field(default_factory=list)
    averaged: list[int] = field(default_factory=list)
    averaged_begin: list[int] = field(default_factory=list)
    averaged_end: list[int] = field(default_factory=list)

    def as_tables(self) -> tuple[Table, ...]:
        return tuple(np.array(column, np.int64) for column in vars(self).values())


class Machine:
    """What the kernel runs from iteration 1 on. Made once for a run, and read by all threads."""

    def __init__(
        self,
        problem: Problem,
        solver: Algorithm,
        fields: Mapping[str, int],
        *,
        T: int = 1000,
        merge: bool = True,
    ) -> None:
        """`fields`: the dimension of each field of the state after iteration 0; T: how far t goes."""
        require_plain(problem, solver)
        self.solver, self.merge = solver, merge
        self.devices = problem.devices if has_devices(problem) else (problem,)
        self.fields = {name: fields[name] for name in sorted(fields, key=lambda n: (n != "x", n != "y"))}
        self.places = places_of(self.fields)
        self.bounds, self.program = self._programs(solver, ORIGIN)
        self._require_time_in_schedules(T)
        self.truth = truth_of(problem)

    @property
    def rows(self) -> int:
        """Of a device."""
        return sum(self.fields.values())

    @property
    def first_rows(self) -> tuple[int, int, int]:
        """Where the mean and the first device begin, and how many rows a device has."""
        mean = max(self.program.working_rows, self.truth.program.working_rows)
        return mean, mean + self.truth.rows, self.rows

    @property
    def code(self) -> tuple[Any, ...]:
        """For the kernel."""
        return self.program.as_tuple(), self.bounds.as_tables()

    def stages_at(self, t: NDArray[np.int64]) -> tuple[Table, NDArray[np.bool_]]:
        """The number of the stage at each t, and whether an average follows."""
        ends = np.cumsum([stage.repeats for stage in self.solver.stages])
        place = t % ends[-1]
        stages = np.searchsorted(ends, place, side="right")
        return stages, place + 1 == ends[stages]

    def as_rows(self, s: State, K: int, lanes: slice) -> Array:
        """(rows of all devices, lanes) from some replicates of fields (d, devices x replicates)."""
        rows = np.zeros((K, self.rows, lanes.stop - lanes.start))
        for name, d in self.fields.items():
            field = getattr(s, name).reshape(d, K, -1)[..., lanes]
            rows[:, self.places[name] : self.places[name] + d] = field.swapaxes(0, 1)
        return rows.reshape(K * self.rows, -1)

    def coefficients(self, times: Sequence[int]) -> Array:
        """(times, instructions, 2), or for one time only where no step size changes."""
        if not changing_schedules(self.solver, times):
            return np.array(self.program.coefficients, dtype=np.float64).reshape(1, -1, 2)
        _, program = self._program_of(self.devices[0], over_times(self.solver, times), ORIGIN)
        if not np.array_equal(program.table, self.program.table):
            raise NotTracedError("its step is another one where a step size has a special value")
        c = [[np.broadcast_to(c, len(times)) for c in pair] for pair in program.coefficients]
        return np.ascontiguousarray(np.moveaxis(np.array(c).reshape(-1, 2, len(times)), -1, 0))

    def _programs(self, solver: Algorithm, t: int) -> tuple[Bounds, Program]:
        found = [self._program_of(device, solver, t) for device in self.devices]
        return found[0][0], for_devices([program for _, program in found])

    def _program_of(self, device: Problem, solver: Algorithm, t: int) -> tuple[Bounds, Program]:
        code, bodies, bounds = Code(), TracedEstimators(device), Bounds()
        panels = {name: Panel(d, name) for name, d in self.fields.items()}
        stages = moves_of(solver.stages)
        for i, stage in enumerate(stages):
            first = stages.index(stage)  # a stage that it repeats
            if first == i:
                bounds.begin.append(len(code.instructions))
                bounds.slot_begin.append(len(code.slots))
                new = trace_step(bodies, solver, i, self.fields, t)
                record_step(code, bodies, panels, new, merge=self.merge)
                bounds.end.append(len(code.instructions))
                bounds.slot_end.append(len(code.slots))
            else:
                for column in (bounds.begin, bounds.end, bounds.slot_begin, bounds.slot_end):
                    column.append(column[first])
            bounds.averaged_begin.append(len(bounds.averaged))
            for name in stage.averaged:
                bounds.averaged += range(self.places[name], self.places[name] + self.fields[name])
            bounds.averaged_end.append(len(bounds.averaged))
        return bounds, assemble(code, {panel: self.places[name] for name, panel in panels.items()})

    def _require_time_in_schedules(self, T: int) -> None:
        """Some iterations themselves, the last one among them, against what the step sizes at these times give.

        What this cannot see, a step that is special at other t, the contract of an algorithm forbids.
        """
        self.coefficients(range(1, 1 + AT_ONCE))
        for t in sorted({t for t in (*ELSEWHERE, T - 1) if 0 < t < max(T, 4)}):
            _, direct = self._program_of(self.devices[0], self.solver, t)
            own, known = self.program, self.coefficients([t])[0]
            same = direct.slots == own.slots and np.array_equal(direct.table, own.table)
            numbers = (
                (direct.matrices, own.matrices[:1]),
                (direct.constants, own.constants[:1]),
                (np.array(direct.coefficients).reshape(-1, 2), known),
            )
            if not same or not all(np.allclose(a, b, rtol=ROUNDING, atol=0) for a, b in numbers):
                raise NotTracedError("its step depends on t other than through schedules in its own fields")


def require_plain(problem: Problem, solver: Algorithm) -> None:
    """Refuse what is drawn beside samples, and weights: the kernel has one list of steps, and plain averages."""
    moves = moves_of(solver.stages)
    if any(isinstance(stage, Switch) for stage in solver.stages):
        raise NotTracedError("it draws which steps are taken in an iteration")
    if any(isinstance(move.step, Choice) for move in moves):
        raise NotTracedError("its devices draw which steps they take")
    if any(move.drawn is not None for move in moves):
        raise NotTracedError("it draws whose results are averaged")
    if len(set(weights_of(problem, 1))) > 1:
        raise NotTracedError("its devices have weights that differ")
