"""The same programs run by numpy, on all lanes of a tile at once: no compiler, and no array is made anew in a step.

Devices are alike. A step takes the place of the algorithm's own in solvers/tile.py from iteration 1 on.
"""

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from solvers.array_oracle import ArrayOracle
from solvers.fast.expression import Array
from solvers.fast.instructions import (
    ADD,
    COMBINE,
    COS,
    NEXT_TERM,
    NOISE,
    PLUS_PRODUCTS,
    PRODUCTS,
    SET,
    SHIFT,
    SIN,
    ZERO,
)
from solvers.fast.machine import Machine
from solvers.fast.program import (
    COLUMNS,
    CONSTANTS,
    COUNT,
    DST,
    DST_OWN,
    LIST,
    MATRICES,
    NONE,
    OP,
    ROWS,
    SIGN,
    SRC,
    SRC_2,
    SRC_2_OWN,
    SRC_OWN,
)
from solvers.stage import Stage, State

Row = NDArray[np.int64]

STRETCH = 256  # iterations whose coefficients are made at once
PRODUCT = (PRODUCTS, PLUS_PRODUCTS, NEXT_TERM)


class Steps:
    """Called as step(t, stage, s, oracle): the new state, whose fields are views of one array that the next call changes."""

    def __init__(self, machine: Machine, lanes: int) -> None:
        self.machine, self.program = machine, machine.program
        self.state = np.empty((machine.rows, lanes))
        self.working = np.empty((self.program.working_rows, lanes))
        self.scratch = np.empty((max(self.program.scratch_rows, *machine.fields.values()), lanes))
        self.fields = State(
            **{name: self.state[row : row + machine.fields[name]] for name, row in machine.places.items()}
        )
        self._instructions = [self._bound(row) for row in self.program.table]
        self._coefficients_from = 0
        self._coefficients = np.zeros((0, 0, 2))

    def __call__(self, t: int, stage: Stage, s: State, oracle: ArrayOracle) -> State:
        if t == 0:
            return stage.step(t, s, oracle)
        for name, own in vars(self.fields).items():
            if getattr(s, name) is not own:
                own[:] = getattr(s, name)
        number, bounds = self.machine.solver.stages.index(stage), self.machine.bounds
        signs = self._signs(t, oracle, bounds.slot_begin[number], bounds.slot_end[number])
        coefficients = self._coefficients_at(t)
        for n in range(bounds.begin[number], bounds.end[number]):
            self._run(*self._instructions[n], *coefficients[n], signs)
        return State(**vars(self.fields))

    def _coefficients_at(self, t: int) -> list[list[float]]:
        n = t - self._coefficients_from
        if not 0 <= n < len(self._coefficients):
            self._coefficients_from, n = t, 0
            found = self.machine.coefficients(range(t, t + STRETCH))
            self._coefficients = np.broadcast_to(found, (STRETCH, *found.shape[1:]))
        pairs: list[list[float]] = self._coefficients[n].tolist()
        return pairs

    def _signs(self, t: int, oracle: ArrayOracle, begin: int, end: int) -> list[Array]:
        """A row for each slot up to `end`; those before `begin` belong to other stages."""
        rows: list[Array] = [np.zeros(0)] * begin
        streams = groupby(self.program.slots[begin:end], lambda slot: (slot.label, slot.offset, slot.member))
        for (label, offset, member), slots in streams:
            n = len(list(slots))
            rows += list(oracle.noise.reader(t + offset, label, member, n).signs(n))
        return rows

    def _bound(self, row: Row) -> tuple[int, Array, Array, Array, Row]:
        """An instruction with views of its panels: dst, src and src_2."""
        op, rows = int(row[OP]), int(row[ROWS])
        columns = int(row[COLUMNS]) if op in PRODUCT else rows
        dst = self._panel(row[DST], row[DST_OWN], rows)
        src, src_2 = (
            self._panel(row[SRC], row[SRC_OWN], columns),
            self._panel(row[SRC_2], row[SRC_2_OWN], rows),
        )
        return op, dst, src, src_2, row

    def _panel(self, first: int, own: int, rows: int) -> Array:
        return (self.state if own else self.working)[first : first + rows]

    def _run(
        self,
        op: int,
        dst: Array,
        src: Array,
        src_2: Array,
        row: Row,
        c: float,
        c_2: float,
        signs: list[Array],
    ) -> None:
        if op in PRODUCT:
            self._products(op, dst, src, row, signs)
            if op == NEXT_TERM:
                src_2 += dst
        elif op == ADD:
            dst += self._scaled(src, c)
        elif op == COMBINE:
            second = self._scaled(src_2, c_2)
            np.multiply(src, c, out=dst)
            dst += second
        elif op == NOISE:
            if row[SIGN] != NONE:
                for own, sign in zip(dst, signs[row[SIGN] :], strict=False):
                    own += np.multiply(sign, c, out=self.scratch[0])
            if row[CONSTANTS] != NONE:
                dst += c_2 * self._constant(row)
        elif op == SHIFT:
            np.multiply(src, c, out=dst)
            dst += c_2 * self._constant(row)
        elif op == SET:
            np.multiply(src, c, out=dst)
        elif op == ZERO:
            dst.fill(0.0)
        elif op in (SIN, COS):
            (np.sin if op == SIN else np.cos)(src, out=dst)
        else:
            np.multiply(src, src_2, out=dst)

    def _scaled(self, panel: Array, c: float) -> Array:
        return panel if c == 1.0 else np.multiply(panel, c, out=self.scratch[: len(panel)])

    def _constant(self, row: Row) -> Array:
        return self.program.constants[0, row[CONSTANTS] : row[CONSTANTS] + row[ROWS], None]

    def _products(self, op: int, dst: Array, src: Array, row: Row, signs: list[Array]) -> None:
        """dst = (or +=) sum_i e_i M_i src: one product with all matrices stacked."""
        rows, count, at = int(row[ROWS]), int(row[COUNT]), int(row[MATRICES])
        stack = self.program.matrices[0, at : at + rows * count * len(src)].reshape(rows * count, len(src))
        listed = self.program.listed[row[LIST] : row[LIST] + count]
        if op == PRODUCTS and count == 1 and listed[0] == NONE:
            np.matmul(stack, src, out=dst)
            return
        np.matmul(stack, src, out=self.scratch[: len(stack)])
        for i, slot in enumerate(listed):
            part = self.scratch[i * rows : (i + 1) * rows]
            if slot != NONE:
                part *= signs[slot]
            if i == 0 and op != PLUS_PRODUCTS:
                dst[:] = part
            else:
                dst += part
