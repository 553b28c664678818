"""The numbers behind an assertion that failed, as a table and as a figure; the error carries them as `evidence`.

Numbers may be anything that an assertion takes: what a logarithmic axis cannot show is drawn on a linear one, and what
is not finite is left out of the figure, never out of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.chart import Chart, Scale, Series
from ratecert.claims.rows import figure
from ratecert.claims.slope import Slope, panel_of_slope, with_slope

MOST = 24  # rows of a table
LARGEST = 1e300  # that is drawn


@dataclass(frozen=True)
class Evidence:
    table: list[str]  # its lines
    chart: Chart | None  # None where there is nothing to draw


def failure(message: str, evidence: Evidence) -> AssertionError:
    """The error to raise, with its numbers as the attribute `evidence`."""
    error = AssertionError(message)
    vars(error)["evidence"] = evidence
    return error


def of_slope(slope: Slope, reference: float, known_as: str) -> Evidence:
    """The points with the fitted line, the fit, and the slope that is "expected" or "recorded"."""
    told = [f"fit        {slope}", f"{known_as:<9}  {reference:.6g}"]
    x, y = slope.data
    if not x:
        unknown = "points     unknown: give those of a slope that you made yourself as points=(x, y)"
        return Evidence([unknown, *told], None)
    fit = with_slope(slope.data, slope.value)
    off = [b / c - 1 for b, c in zip(y, fit, strict=True)]
    cells = [
        (_number(a), f"{b:.6g}", f"{c:.6g}", f"{d:+.2g}") for a, b, c, d in zip(x, y, fit, off, strict=True)
    ]
    table = _table(("x", "y", "fit", "y/fit - 1"), cells, np.abs(off).tolist())
    drawn = panel_of_slope(slope, {f"{known_as}, {reference:.6g}": reference})
    return Evidence([*table, *told], Chart(caption="slope", panels=[drawn]))


def of_bound(
    at: Sequence[Any], measured: Sequence[float], uncertainty: Sequence[float], bound: Sequence[float]
) -> Evidence:
    """The room below the bound at each point, negative where the check fails; of many points where it is least.

    Points are drawn at their own numbers, or by their order where they have other names.
    """
    rows = list(zip(at, measured, uncertainty, bound, strict=True))
    room = [b - (m + u) for _, m, u, b in rows]
    cells = [
        (_number(a), f"{m:.6g}", f"{u:.2g}", f"{b:.6g}", f"{left:+.2g}")
        for (a, m, u, b), left in zip(rows, room, strict=True)
    ]
    nearest = [-left if left == left else np.inf for left in room]
    table = _table(("at", "measured", "+-", "at most", "room"), cells, nearest)

    named = not all(isinstance(a, int | float) and abs(a) < LARGEST for a in at)
    drawn = [(i if named else a, *row) for i, (a, *row) in enumerate(rows) if np.all(np.abs(row) < LARGEST)]
    if not drawn:
        return Evidence(table, None)
    x, values, errors, most = (list(map(float, column)) for column in zip(*drawn, strict=True))
    series = [
        Series(label="measured", x=x, y=values, error=errors, kind="sampled"),
        Series(label="at most", x=x, y=most, kind="contrast", colour=1),
    ]
    x_label, x_scale = ("number of the point", "linear") if named else ("at", _scale(x))
    return Evidence(
        table, figure("bound", x_label, "", series, x_scale=x_scale, y_scale=_scale([*values, *most]))
    )


def _scale(values: Sequence[float]) -> Scale:
    return "log" if min(values) > 0 else "linear"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], weights: Sequence[float]) -> list[str]:
    """Right-aligned; of many rows those with the largest weights, in their order."""
    chosen = sorted(np.argsort(-np.asarray(weights), kind="stable")[:MOST].tolist())
    shown = [head, *(rows[i] for i in chosen)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(f"{c:>{w}}" for c, w in zip(row, widths, strict=True)) for row in shown]
    if len(rows) > MOST:
        lines.append(f"({MOST} of {len(rows)} points, the most telling ones)")
    return lines


def _number(value: object) -> str:
    """2**36 with all its digits."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return str(value)
