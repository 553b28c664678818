"""Draws the panels of a chart, one picture each: one look per kind of series, slope triangles, the shaded window.

Margins are fixed in inches (a layout engine would draw everything three times over); the legend stands below the axes,
so it never covers a line, unless a panel wants labels at its curves. A figure is written without a date, so that the
same figure gives the same bytes.
"""

import math
import re
from collections.abc import Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullLocator,
    ScalarFormatter,
)

from ratecert.base.chart import COLOURS, INK, SHEER, STYLE, SUPERSCRIPTS, Chart, Panel, Series, Triangle

LOOKS: dict[str, dict[str, Any]] = {
    "measured": {"linestyle": "-", "marker": "o", "markersize": 3.5},
    "sampled": {"linestyle": "none", "marker": "o", "markersize": 4.0, "capsize": 2.0},
    "predicted": {"linestyle": "--", "linewidth": 1.2},
    "bound": {"linestyle": "-", "linewidth": 2.4, "alpha": SHEER},
    "contrast": {"linestyle": ":", "marker": "x", "markersize": 4.5},
    "points": {"linestyle": "none", "marker": "o", "markersize": 4.5},
    "rings": {"linestyle": "none", "marker": "o", "markersize": 9.0, "fillstyle": "none"},
    "crosses": {"linestyle": "none", "marker": "x", "markersize": 6.0},
    "pluses": {"linestyle": "none", "marker": "+", "markersize": 10.0},
    "claimed": {"linestyle": "none", "marker": "s", "markersize": 12.0, "fillstyle": "none"},
}
ROUNDING = 1e-10  # relative
WIDTH, HEIGHT = 4.3, 2.9  # of a picture, and of its axes, in inches
LEFT, RIGHT, TOP, BELOW = 0.85, 0.2, 0.35, 0.6  # margins; BELOW holds tick labels and the axis label
LINE = 0.21  # a line of the legend
NAMES, ROW = 2.1, 0.22  # the left margin beside names, and the height of a row with one
DRAWN_SIGNS = re.compile(r"\\\\(sqrt|hat|tilde|bar|frac|left|sum|overline)")  # in mathtext


def svgs(chart: Chart) -> list[str]:
    """The panels as SVG documents."""
    return [_svg(panel) for panel in chart.panels]


def _svg(panel: Panel) -> str:
    """Text stays text, but where a formula has a sign that is drawn to size and is in no reader's font."""
    file, figure = StringIO(), draw(panel)
    with mpl.rc_context({**STYLE, "svg.fonttype": "path" if DRAWN_SIGNS.search(repr(panel)) else "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def draw(panel: Panel) -> Any:
    """The panel as a figure of its own."""
    lines = 0 if panel.at_curve else len(panel.series) + (panel.window is not None)
    left, axes = (NAMES, max(HEIGHT, ROW * len(panel.y_names))) if panel.y_names else (LEFT, HEIGHT)
    height = TOP + axes + BELOW + LINE * (lines + 0.8)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height))  # without pyplot, which would ask for a window
        ax = figure.subplots()
        figure.subplots_adjust(
            left=left / WIDTH,
            right=1 - RIGHT / WIDTH,
            top=1 - TOP / height,
            bottom=1 - (TOP + axes) / height,
        )
        draw_panel(ax, panel)
        if panel.at_curve:
            _label_curves(ax, panel.series)
        else:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -BELOW / axes), fontsize=9, frameon=False)
    return figure


def draw_panel(ax: Any, panel: Panel) -> None:
    ax.set(xscale=panel.x_scale, yscale=panel.y_scale, xlabel=panel.x_label, ylabel=panel.y_label)
    ax.set_title(panel.title, fontsize=10, y=1.01)  # a given y spares matplotlib a search for room
    for series in panel.series:
        _draw_series(ax, series)
    for triangle in panel.triangles:
        _draw_triangle(ax, triangle)
    if panel.window:
        _shade(ax, panel.window, panel.window_label or "where the statement claims to hold")
    for axis, scale in ((ax.xaxis, panel.x_scale), (ax.yaxis, panel.y_scale)):
        if scale == "log":
            _label_ticks(axis, 5 if panel.y_names else 8)
    if panel.y_names:
        ax.set_yticks(range(1, len(panel.y_names) + 1), panel.y_names, fontsize=8)
        ax.set_ylim(len(panel.y_names) + 0.6, 0.4)
    elif panel.x_scale == "linear" and all(x == round(x) for series in panel.series for x in series.x):
        ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))  # a row of a table is a whole number


def _label_curves(ax: Any, series: Sequence[Series]) -> None:
    """Each label above the end of its curve, in its colour."""
    for each in series:
        at, colour = (each.x[-1], each.y[-1]), COLOURS[each.colour % len(COLOURS)]
        ax.annotate(each.label, at, (0, 4), textcoords="offset points", ha="right", color=colour, fontsize=9)
    ax.margins(y=0.12)


def _shade(ax: Any, window: Sequence[float], label: str) -> None:
    low, high = ax.get_xlim()
    ax.axvspan(max(low, window[0]), min(high, window[1]), color="#999999", alpha=0.15, lw=0, label=label)
    ax.set_xlim(low, high)


def _label_ticks(axis: Any, most: int) -> None:
    """Powers of ten; where fewer than two decades are seen, plain numbers at 1, 2 and 5 times them, or between.

    What differs by rounding alone is level, and seen from afar.
    """
    low, high = axis.get_view_interval()
    if high <= low * (1 + ROUNDING):
        low, high = low / 3, high * 3
        axis.set_view_interval(low, high, ignore=True)
    axis.set_minor_locator(NullLocator())
    if high / low >= 100:
        axis.set_major_locator(LogLocator(numticks=most))
        axis.set_major_formatter(FuncFormatter(lambda value, _: _power_of_ten(value)))
    else:
        ticks = [
            v for v in LogLocator(subs=(1, 2, 5), numticks=most).tick_values(low, high) if low <= v <= high
        ]
        if len(ticks) < 2:
            ticks = [v for v in MaxNLocator(most).tick_values(low, high) if low <= v <= high]
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(_PlainNumbers())


def _power_of_ten(value: float) -> str:
    """In plain characters: matplotlib's own labels go through its parser of formulas, which takes most of the time."""
    return "10" + str(round(math.log10(value))).translate(SUPERSCRIPTS)


class _PlainNumbers(ScalarFormatter):
    """With as many digits as tell the ticks apart; where those are long, their power of ten stands once, at the end."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)
        self.set_powerlimits((-4, 5))

    def get_offset(self) -> str:
        _, found, power = super().get_offset().replace("\N{MINUS SIGN}", "-").partition("e")
        return "·10" + power.translate(SUPERSCRIPTS) if found else ""


def _draw_series(ax: Any, series: Series) -> None:
    look = {**LOOKS[series.kind], "color": COLOURS[series.colour % len(COLOURS)], "label": series.label}
    if series.error:
        ax.errorbar(series.x, series.y, series.error, **look)
    else:
        ax.plot(series.x, series.y, **{name: value for name, value in look.items() if name != "capsize"})


def _draw_triangle(ax: Any, triangle: Triangle) -> None:
    right, top = triangle.x * triangle.factor, triangle.y * triangle.factor**triangle.slope
    colour = COLOURS[triangle.colour % len(COLOURS)]
    across, up = (triangle.x, right, right, triangle.x), (triangle.y, triangle.y, top, triangle.y)
    ax.plot(across, up, color=colour, lw=0.8)
    middle = triangle.y * triangle.factor ** (triangle.slope / 2)
    ax.annotate(
        triangle.label,
        (right, middle),
        (3, 0),
        textcoords="offset points",
        color=INK,
        va="center",
        fontsize=9,
    )
