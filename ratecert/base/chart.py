"""A figure as data: what is drawn, not how; and the colours of all figures.

A chart is stored in results.json, so that a report can be drawn again from that alone. Every x and y is finite; on a
logarithmic axis it is positive. `kind` says what a series is, and drawing.py gives every kind one look in all figures.

Readers who cannot tell red from green can tell the colours apart (Okabe and Ito, 2008). Text and ground have colours
of their own that nothing else has, and bounds an opacity: a page puts its own in their place. `STYLE` are the settings
of matplotlib that go with them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from ratecert.base.errors import UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal[
    "measured", "sampled", "predicted", "bound", "contrast", "points", "rings", "crosses", "pluses", "claimed"
]
"""measured: exact values. sampled: with error bars. predicted: what the statement says. bound: the statement's upper
bound. contrast: the wrong or changed thing that the check must tell apart. points, rings, crosses, pluses and
claimed: exact values of up to four kinds, and what is claimed of them, where neighbours have nothing to do with one
another and no line joins them; all five can be told apart where they coincide."""

Scale = Literal["log", "linear"]


@dataclass(frozen=True, kw_only=True)
class Series:
    label: str
    x: Sequence[float]
    y: Sequence[float]
    kind: Kind = "measured"
    error: Sequence[float] = ()  # half-widths of error bars
    colour: int = 0  # series that belong together share a number


@dataclass(frozen=True, kw_only=True)
class Triangle:
    """A slope triangle in logarithmic axes: from (x, y) one factor to the right, y times factor^slope."""

    x: float
    y: float
    slope: float
    label: str  # such as "-1/2"
    factor: float = 4.0
    colour: int = 0


@dataclass(frozen=True, kw_only=True)
class Panel:
    x_label: str  # matplotlib's mathtext, letters as in the paper, units in brackets
    y_label: str
    series: Sequence[Series]
    title: str = ""
    triangles: Sequence[Triangle] = ()
    window: tuple[float, float] | None = None  # the x for which the statement claims to hold, shaded
    window_label: str = ""
    x_scale: Scale = "log"
    y_scale: Scale = "log"
    at_curve: bool = (
        False  # labels stand at the ends of the curves, where these are apart, and not below the axes
    )
    y_names: Sequence[str] = ()  # names instead of the numbers 1, 2, ... on a linear y axis, the first on top


@dataclass(frozen=True, kw_only=True)
class Chart:
    caption: str  # what the reader sees and should conclude; also the text for those who cannot see
    panels: Sequence[Panel]

    def __post_init__(self) -> None:
        if not self.caption or not self.panels:
            raise UserError("a chart needs a caption and at least one panel.")
        for panel in self.panels:
            for series in panel.series:
                _require_drawable(panel, series)


def _require_drawable(panel: Panel, series: Series) -> None:
    if panel.y_names and (
        panel.y_scale == "log" or not set(series.y) <= set(range(1, len(panel.y_names) + 1))
    ):
        raise UserError(
            f"series {series.label!r} must have y from 1 to {len(panel.y_names)} on a linear axis with names, got "
            f"{sorted(set(series.y))} on a {panel.y_scale} one."
        )
    if len(series.x) != len(series.y) or not series.x or len(series.error) not in (0, len(series.x)):
        raise UserError(
            f"series {series.label!r} needs as many x as y (and errors, if any), at least one, got "
            f"{len(series.x)}, {len(series.y)} and {len(series.error)}."
        )
    for name, values, scale in (("x", series.x, panel.x_scale), ("y", series.y, panel.y_scale)):
        wrong = [v for v in values if not math.isfinite(v) or (scale == "log" and v <= 0)]
        if wrong:
            allowed = "positive and finite on a logarithmic axis" if scale == "log" else "finite"
            raise UserError(f"{name} of series {series.label!r} must be {allowed}, got {wrong[0]!r}.")


DRAWING = "ratecert.report.plots"  # knows every kind of result; no result knows it


class Drawable:
    """Something with a figure."""

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the result into `ax`, or into a new figure, and return the axes."""
        axes: Any = import_module(DRAWING).draw(self, ax)
        return axes  # type: ignore[no-any-return]


INK = "#1d1d1f"  # text, axes, and the last colour of the list
GROUND = "#fefefe"
SHEER = 0.55  # of bounds, which are wide: what coincides with one is seen
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK)

STYLE: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    "axes.facecolor": GROUND,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 120,
    "figure.facecolor": GROUND,
    "font.size": 10.0,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "mathtext.fontset": "dejavusans",
    "svg.hashsalt": "ratecert",
}

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")  # of powers of ten
