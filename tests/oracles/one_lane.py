"""A program of the fast engine on one lane, each instruction as solvers/engines/compiled/instructions.py defines it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.compiled import instructions as ops
from ratecert.solvers.engines.compiled import program as column
from ratecert.solvers.engines.compiled.machine import Machine

Array = NDArray[np.float64]


def run_stage(machine: Machine, stage: int, fields: dict[str, Array], signs: Sequence[float], t: int) -> Any:
    """The new fields of device 0; `signs` has one number for each slot of the program."""
    program, bounds = machine.program, machine.bounds
    own = np.concatenate([fields[name] for name in machine.fields])
    memory = {True: own, False: np.full(program.working_rows, np.nan)}
    coefficients = machine.coefficients([t])[0]
    for n in range(bounds.begin[stage], bounds.end[stage]):
        _run(program, program.table[n].tolist(), *coefficients[n], memory, signs)
    return {name: own[row : row + machine.fields[name]] for name, row in machine.places.items()}


def _run(program: Any, row: list[int], c: float, c_2: float, memory: Any, signs: Sequence[float]) -> None:
    op, rows = row[column.OP], row[column.ROWS]

    def panel(first: int, length: int) -> Array:
        return memory[bool(row[first + 1])][row[first] : row[first] + length]

    dst, src_2 = panel(column.DST, rows), panel(column.SRC_2, rows).copy()
    if op in (ops.PRODUCTS, ops.PLUS_PRODUCTS, ops.NEXT_TERM):
        M, src, total = (
            _matrix(program, row, signs),
            panel(column.SRC, row[column.COLUMNS]),
            panel(column.SRC_2, rows),
        )
        for i in range(rows):  # row by row: panels that must not overlap would be seen
            value = M[i] @ src
            dst[i] = dst[i] + value if op == ops.PLUS_PRODUCTS else value
            if op == ops.NEXT_TERM:
                total[i] += value
        return
    src, constant = panel(column.SRC, rows).copy(), _constant(program, row)
    slot = row[column.SIGN]
    drawn = np.array(signs[slot : slot + rows]) if slot != column.NONE else np.zeros(rows)
    meaning = {
        ops.SET: lambda: c * src,
        ops.ADD: lambda: dst + c * src,
        ops.COMBINE: lambda: c * src + c_2 * src_2,
        ops.SHIFT: lambda: c * src + c_2 * constant,
        ops.NOISE: lambda: dst + c * drawn + c_2 * constant,
        ops.ZERO: lambda: np.zeros(rows),
        ops.SIN: lambda: np.sin(src),
        ops.COS: lambda: np.cos(src),
        ops.TIMES: lambda: src * src_2,
    }
    dst[:] = meaning[op]()


def _constant(program: Any, row: list[int]) -> Array:
    at = row[column.CONSTANTS]
    return (
        np.zeros(row[column.ROWS]) if at == column.NONE else program.constants[0, at : at + row[column.ROWS]]
    )


def _matrix(program: Any, row: list[int], signs: Sequence[float]) -> Array:
    """sum_i e_i M_i."""
    shape = row[column.COUNT], row[column.ROWS], row[column.COLUMNS]
    at, first = row[column.MATRICES], row[column.LIST]
    matrices = program.matrices[0, at : at + int(np.prod(shape))].reshape(shape)
    slots = program.listed[first : first + row[column.COUNT]]
    e = [1.0 if slot == column.NONE else signs[slot] for slot in slots]
    return np.tensordot(e, matrices, axes=1)
