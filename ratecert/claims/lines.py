"""Figures from rows: a line is two columns, a level a number, a corner the triangle of a slope."""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from ratecert.base.chart import Chart, Panel, Series, Triangle
from ratecert.claims.rows import Row, Rows

Quantity = str | Callable[[Row], float]  # a column, or a function of a row


def line(label: str, rows: Rows, x: Quantity, y: Quantity, **look: Any) -> Series:
    """y against x; `look` is kind, colour and error of the series."""
    return Series(label=label, x=values(rows, x), y=drawable(values(rows, y)), **look)


def power_law(label: str, rows: Rows, x: str, y: str, slope: float | Fraction, **look: Any) -> Series:
    """The power x^slope through the first row's point."""
    first = rows[0]
    return line(label, rows, x, lambda row: first[y] * (row[x] / first[x]) ** float(slope), **look)


def level(label: str, x: Sequence[float], y: float, **look: Any) -> Series:
    """A horizontal line from the smallest to the largest x."""
    return Series(label=label, x=[min(x), max(x)], y=[y, y], **look)


def corner(
    row: Row,
    x: str,
    y: str,
    slope: float | Fraction,
    *,
    above: float = 1.0,
    right: float = 1.0,
    back: bool = False,
    label: str = "",
    factor: float = 4.0,
    colour: int = 0,
) -> Triangle:
    """The triangle of a slope, so many times above and right of a row's point: from there, or `back` to end there."""
    x0, y0, power = row[x] * right, drawable([row[y]])[0] * above, float(slope)
    if back:
        x0, y0 = x0 / factor, y0 / factor**power
    return Triangle(x=x0, y=y0, slope=power, label=label or str(slope), factor=factor, colour=colour)


def figure(
    caption: str,
    x_label: str,
    y_label: str,
    series: Iterable[Series],
    triangles: Iterable[Triangle] = (),
    **look: Any,
) -> Chart:
    """A chart of one panel; `look` is what else a panel has."""
    return Chart(caption=caption, panels=[panel(x_label, y_label, series, triangles, **look)])


def panel(
    x_label: str, y_label: str, series: Iterable[Series], triangles: Iterable[Triangle] = (), **look: Any
) -> Panel:
    """One of several panels of a chart; `look` is what else it has."""
    return Panel(x_label=x_label, y_label=y_label, series=list(series), triangles=list(triangles), **look)


def values(rows: Rows, quantity: Quantity) -> list[float]:
    if isinstance(quantity, str):
        return [float(value) for value in rows.column(quantity)]
    return [float(quantity(row)) for row in rows]


def drawable(numbers: Sequence[float]) -> list[float]:
    """For a logarithmic axis; numbers that went wrong are drawn at the bottom, as the figure of a failure is of use."""
    positive = [v for v in numbers if 0 < v < math.inf]
    return [v if 0 < v < math.inf else min(positive, default=1.0) for v in numbers]
