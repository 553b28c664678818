"""Draws a chart: one look per kind of series, slope triangles, the window in which the statement claims to hold."""

from typing import Any

import matplotlib as mpl
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from ratecert.figures import COLOURS, STYLE
from ratecert.verify.chart import Chart, Panel, Series, Triangle

LOOKS: dict[str, dict[str, Any]] = {
    "measured": {"linestyle": "-", "marker": "o", "markersize": 3.5},
    "sampled": {"linestyle": "none", "marker": "o", "markersize": 4.0, "capsize": 2.0},
    "predicted": {"linestyle": "--", "linewidth": 1.2},
    "bound": {"linestyle": "-", "linewidth": 2.4, "alpha": 0.55},
    "contrast": {"linestyle": ":", "marker": "x", "markersize": 4.5},
}
SIZE = (4.6, 3.6)  # of a panel, in inches
ROOM = 0.25  # legend entries times this, in inches, below the axes


def draw(chart: Chart) -> Any:
    import matplotlib.pyplot as plt

    entries = max(len(panel.series) + (panel.window is not None) for panel in chart.panels)
    with mpl.rc_context(STYLE):
        size = (SIZE[0] * len(chart.panels), SIZE[1] + ROOM * entries)
        figure, axes = plt.subplots(1, len(chart.panels), figsize=size, layout="constrained", squeeze=False)
        for ax, panel in zip(axes[0], chart.panels, strict=True):
            _draw_panel(ax, panel)
    return figure


def _draw_panel(ax: Any, panel: Panel) -> None:
    ax.set(xscale=panel.x_scale, yscale=panel.y_scale, xlabel=panel.x_label, ylabel=panel.y_label)
    ax.set_title(panel.title, fontsize=10)
    for series in panel.series:
        _draw_series(ax, series)
    for triangle in panel.triangles:
        _draw_triangle(ax, triangle)
    if panel.window:
        low, high = ax.get_xlim()
        ax.axvspan(max(low, panel.window[0]), min(high, panel.window[1]), color="#999999", alpha=0.15, lw=0,
                   label=panel.window_label or "where the statement holds")  # fmt: skip
        ax.set_xlim(low, high)
    for axis, scale in ((ax.xaxis, panel.x_scale), (ax.yaxis, panel.y_scale)):
        if scale == "log":
            _label_ticks(axis)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=8, frameon=False)


def _label_ticks(axis: Any) -> None:
    """Powers of ten; where fewer than two decades are seen, plain numbers at 1, 2 and 5 times them."""
    low, high = axis.get_view_interval()
    if high / low >= 100:
        axis.set_major_locator(LogLocator(numticks=8))
        axis.set_minor_formatter(NullFormatter())
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=8))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _draw_series(ax: Any, series: Series) -> None:
    look = {**LOOKS[series.kind], "color": COLOURS[series.colour % len(COLOURS)], "label": series.label}
    if series.error:
        ax.errorbar(series.x, series.y, series.error, **look)
    else:
        ax.plot(series.x, series.y, **{name: value for name, value in look.items() if name != "capsize"})


def _draw_triangle(ax: Any, triangle: Triangle) -> None:
    right, top = triangle.x * triangle.factor, triangle.y * triangle.factor**triangle.slope
    colour = COLOURS[triangle.colour % len(COLOURS)]
    ax.plot(
        [triangle.x, right, right, triangle.x],
        [triangle.y, triangle.y, top, triangle.y],
        color=colour,
        lw=0.8,
    )
    middle = triangle.y * triangle.factor ** (triangle.slope / 2)
    ax.annotate(triangle.label, (right * triangle.factor**0.1, middle), color=colour, va="center", fontsize=8)
