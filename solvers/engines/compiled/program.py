"""Instructions as arrays, for the kernel: where each panel lies, and tables of matrices, constants and coefficients.

All panels are rows of one array with 64 columns. Field panels lie in a device's own rows, the others in a working
memory that all devices use in turn; a place is given to another panel after its last use.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import NotTracedError
from ratecert.solvers.engines.compiled.expression import Array, Coefficient
from ratecert.solvers.engines.compiled.instructions import (
    NEXT_TERM,
    PLUS_PRODUCTS,
    PRODUCTS,
    Code,
    Panel,
    Slot,
)

Table = NDArray[np.int64]

# The columns of an instruction. SRC and the like are first rows of panels; with OWN they count from the device's rows.
# MATRICES and CONSTANTS are places in tables and SIGN is a slot. A stack has COUNT matrices with COLUMNS columns, the
# slots of whose signs are listed from LIST on.
OP, ROWS, DST, DST_OWN, SRC, SRC_OWN, SRC_2, SRC_2_OWN, SIGN, CONSTANTS, MATRICES, COLUMNS, COUNT, LIST = (
    range(14)
)
WIDTH = 14
NONE = -1
DRIFTS, PLACE, SIZE = range(3)  # the columns of a measure: whether it is a drift, and its rows in a block


@dataclass(frozen=True)
class Program:
    """The steps of all stages. Devices that differ have matrices and constants of their own, and all else in common."""

    table: Table  # (instructions, WIDTH)
    coefficients: tuple[tuple[Coefficient, Coefficient], ...]  # c and c_2 of each instruction
    matrices: Array  # (devices, ...)
    constants: Array  # (devices, ...)
    listed: Table
    slots: tuple[Slot, ...]
    working_rows: int

    def as_tuple(self) -> tuple[Table, Array, Array, Table]:
        """For the kernel."""
        return self.table, self.matrices, self.constants, self.listed

    @property
    def flops(self) -> int:
        """Multiplications and additions of one device's step."""
        products = np.isin(self.table[:, OP], (PRODUCTS, PLUS_PRODUCTS, NEXT_TERM))
        entries = self.table[:, ROWS] * np.where(products, self.table[:, COLUMNS] * self.table[:, COUNT], 1)
        return int(2 * entries.sum())


def assemble(code: Code, places: Mapping[Panel, int]) -> Program:
    """`places`: the first row of each field panel within a device's rows."""
    working, rows = _working_places(code)
    matrices, constants = [np.zeros(0)], [np.zeros(0)]
    listed: list[int] = []
    table = np.zeros((len(code.instructions), WIDTH), np.int64)
    used_matrices = used_constants = 0
    for row, instruction in zip(table, code.instructions, strict=True):
        row[OP], row[ROWS] = instruction.op, instruction.dst.d
        row[SIGN] = NONE if instruction.sign is None else instruction.sign
        row[CONSTANTS] = NONE
        panels = ((DST, instruction.dst), (SRC, instruction.src), (SRC_2, instruction.src_2))
        for column, panel in panels:
            if panel is not None:
                own = panel in places
                row[column], row[column + 1] = places[panel] if own else working[panel], own
        if instruction.constant is not None:
            row[CONSTANTS] = used_constants
            constants.append(instruction.constant)
            used_constants += len(instruction.constant)
        if instruction.factors:
            stack = np.concatenate([M for _, M in instruction.factors])
            row[MATRICES], row[LIST] = used_matrices, len(listed)
            row[COLUMNS], row[COUNT] = stack.shape[1], len(instruction.factors)
            listed += [NONE if sign is None else sign for sign, _ in instruction.factors]
            matrices.append(stack.ravel())
            used_matrices += stack.size
    return Program(
        table,
        tuple((instruction.c, instruction.c_2) for instruction in code.instructions),
        np.concatenate(matrices)[None],
        np.concatenate(constants)[None],
        np.array(listed, np.int64),
        tuple(code.slots),
        rows,
    )


def for_devices(programs: Sequence[Program]) -> Program:
    """One program for devices that differ in their matrices and constants only."""
    first = programs[0]
    for other in programs[1:]:
        same = np.array_equal(first.table, other.table) and np.array_equal(first.listed, other.listed)
        if not same or first.slots != other.slots or first.coefficients != other.coefficients:
            raise NotTracedError("its devices differ in more than their matrices and constants")
    return replace(
        first,
        matrices=np.concatenate([p.matrices for p in programs]),
        constants=np.concatenate([p.constants for p in programs]),
    )


def _working_places(code: Code) -> tuple[dict[Panel, int], int]:
    """The first row of each panel that is no field, and the number of rows in all."""
    lives: dict[Panel, tuple[int, int]] = {}
    for i, instruction in enumerate(code.instructions):
        for panel in (instruction.dst, instruction.src, instruction.src_2):
            if panel is not None and panel.field is None:
                lives[panel] = lives.get(panel, (i, i))[0], i
    places: dict[Panel, int] = {}
    for panel, (begin, _) in lives.items():
        busy = sorted((places[p], p.d) for p in places if lives[p][1] >= begin)
        row = 0
        for start, d in busy:
            if row + panel.d <= start:
                break
            row = max(row, start + d)
        places[panel] = row
    return places, max((places[p] + p.d for p in places), default=0)
