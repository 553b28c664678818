"""Exponents of exact curves: slopes in logarithms, signed, with an uncertainty that is not a statistical one.

Exact values scatter only by rounding. What makes an exponent uncertain is that a curve need not be a power law. So the
uncertainty is half of what the slope changes by from the first half of the range to the second, and what the relative
precision of the values can move it by.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Rows = Sequence[Mapping[str, Any]]  # of exact runs: K, T (or eps), measure and its relative precision


@dataclass(frozen=True)
class Known:
    value: float
    uncertainty: float


def exponent(rows: Rows, name: str) -> Known:
    """d log measure / d log `name` by least squares over all rows, which differ in nothing else."""
    rows = sorted(rows, key=lambda row: row[name])
    half = len(rows) // 2 + 1
    first, second = (_fit(some, [name])[0] for some in (rows[:half], rows[-half:]))
    return Known(_fit(rows, [name])[0], 0.5 * abs(second - first) + _rounding(rows, name))


def joint_exponents(rows: Rows, names: Sequence[str]) -> dict[str, Known]:
    """log measure = c + sum of a_name log name, by least squares over a grid; by name."""
    values = _fit(rows, names)
    change = np.zeros(len(names))
    for name in names:
        levels = sorted({row[name] for row in rows})
        low, high = set(levels[: len(levels) // 2 + 1]), set(levels[-(len(levels) // 2 + 1) :])
        halves = [_fit([row for row in rows if row[name] in part], names) for part in (low, high)]
        change += 0.5 * np.abs(np.array(halves[0]) - np.array(halves[1]))
    return {
        name: Known(value, float(error) + _rounding(rows, name))
        for name, value, error in zip(names, values, change, strict=True)
    }


def local_exponents(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
    """(where, slope) between neighbours, for charts; where is their geometric mean."""
    steps = zip(x, y, x[1:], y[1:], strict=False)
    return [(math.sqrt(a * b), math.log(d / c) / math.log(b / a)) for a, c, b, d in steps]


def _fit(rows: Rows, names: Sequence[str]) -> list[float]:
    columns = [[math.log(row[name]) for row in rows] for name in names]
    design = np.column_stack([*columns, np.ones(len(rows))])
    logs = [math.log(row["measure"]) for row in rows]
    return [float(a) for a in np.linalg.lstsq(design, logs, rcond=None)[0][:-1]]


def _rounding(rows: Rows, name: str) -> float:
    """A slope moves by at most this if every log measure moves by the largest relative precision."""
    logs = [math.log(row[name]) for row in rows]
    return float(2 * max(row["precision"] for row in rows) / (max(logs) - min(logs)))
