"""The numbers behind an assertion that failed, as a table and as a figure; the error carries them as `evidence`.

Numbers may be anything that an assertion takes: what a logarithmic axis cannot show is drawn on a linear one, and what
is not finite is left out of the figure, never out of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.chart import Chart, Scale, Series
from ratecert.claims.lines import drawable, figure
from ratecert.claims.slope import Slope, with_slope

MOST = 24  # rows of a table
LARGEST = 1e300  # that is drawn


@dataclass(frozen=True, kw_only=True)
class SlopeEvidence:
    """A slope, what it was compared with, and how that is called: "expected" or "recorded"."""

    slope: Slope
    reference: float
    known_as: str

    def table(self) -> list[str]:
        """The points with the fitted line, then the fit and the reference."""
        x, y = self.slope.data
        lines = ["points     unknown: give those of a slope that you made yourself as points=(x, y)"]
        if x:
            fit = with_slope(self.slope.data, self.slope.value)
            off = [a / b - 1 for a, b in zip(y, fit, strict=True)]
            cells = [
                (_number(a), f"{b:.6g}", f"{c:.6g}", f"{d:+.2g}")
                for a, b, c, d in zip(x, y, fit, off, strict=True)
            ]
            lines = _table(("x", "y", "fit", "y/fit - 1"), cells, np.abs(off).tolist())
        return [*lines, f"fit        {self.slope}", f"{self.known_as:<9}  {self.reference:.6g}"]

    def chart(self) -> Chart | None:
        """Points and two lines; None without points."""
        x, y = self.slope.data
        if not x:
            return None
        lines = [("fit", self.slope.value, 0), (self.known_as, self.reference, 1)]
        fitted = [
            Series(
                label=f"{name}, slope {slope:.4g}",
                x=x,
                y=drawable(with_slope(self.slope.data, slope)),
                kind="predicted",
                colour=colour,
            )
            for name, slope, colour in lines
        ]
        return figure("slope", "x", "y", [Series(label="measured", x=x, y=y, kind="points"), *fitted])


@dataclass(frozen=True, kw_only=True)
class BoundEvidence:
    """Measured values with their uncertainty, and the bound with the tolerance."""

    at: tuple[Any, ...]
    measured: tuple[float, ...]
    uncertainty: tuple[float, ...]
    bound: tuple[float, ...]

    @property
    def room(self) -> list[float]:
        """What is left below the bound; negative where the check fails."""
        columns = zip(self.measured, self.uncertainty, self.bound, strict=True)
        return [bound - (measured + uncertainty) for measured, uncertainty, bound in columns]

    def table(self) -> list[str]:
        """A row for each point; of many those that are nearest to the bound, or farthest above it."""
        columns = (self.at, self.measured, self.uncertainty, self.bound, self.room)
        cells = [
            (_number(at), f"{m:.6g}", f"{u:.2g}", f"{b:.6g}", f"{room:+.2g}")
            for at, m, u, b, room in zip(*columns, strict=True)
        ]
        nearest = [-room if room == room else np.inf for room in self.room]
        return _table(("at", "measured", "+-", "at most", "room"), cells, nearest)

    def chart(self) -> Chart | None:
        """Both columns against the points, or their numbers; None where nothing is finite."""
        named = not all(isinstance(at, int | float) and abs(at) < LARGEST for at in self.at)
        x = list(range(len(self.at))) if named else list(self.at)
        columns = (self.measured, self.uncertainty, self.bound)
        rows = [row for row in zip(x, *columns, strict=True) if np.all(np.abs(row[1:]) < LARGEST)]
        if not rows:
            return None
        x, measured, uncertainty, bound = (list(map(float, column)) for column in zip(*rows, strict=True))
        return figure(
            "bound",
            "number of the point" if named else "at",
            "",
            [
                Series(label="measured", x=x, y=measured, error=uncertainty, kind="sampled"),
                Series(label="at most", x=x, y=bound, kind="contrast", colour=1),
            ],
            x_scale=_scale(x) if not named else "linear",
            y_scale=_scale([*measured, *bound]),
        )


Evidence = SlopeEvidence | BoundEvidence


def failure(message: str, evidence: Evidence) -> AssertionError:
    """The error to raise, with its numbers as the attribute `evidence`."""
    error = AssertionError(message)
    vars(error)["evidence"] = evidence
    return error


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
