"""How each kind of result is drawn: `result.plot()` comes here.

    Result, ExactResult, Curves   the measures against t, with a band of two standard errors where they were sampled
    Limit                         the four measures as bars
    Slope, Rate                   the points, the fitted line and, of a rate, the expected one
    Bound, Admissible             the terms of the bound, the largest first; of Admissible with the largest steps
    Outcome, Confirmed            measured and bound at every counterexample
    Sharpened                     the least factor of every term, and that of the conjecture
    FixedPoint                    x and y at rest, and where an average at every step would have them rest
    Finding                       what is printed and what would fit, side by side

The look is that of all figures; pyplot keeps its backend, so that a notebook shows them where it is.
"""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from textwrap import wrap
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from ratecert.base.chart import COLOURS, INK, STYLE
from ratecert.base.errors import UserError, UserTypeError
from ratecert.claims.slope import Slope, with_slope
from ratecert.search.finding import Confirmed, Outcome
from ratecert.sharpening.sharpen import Sharpened
from ratecert.solvers.contract.result import Curves, Result
from ratecert.solvers.engines.fixed_point import FixedPoint
from ratecert.solvers.engines.stationary import Limit
from ratecert.testing.verify_rate import Rate
from ratecert.theory.lint.finding import Finding
from ratecert.theory.numbers.admissible import Admissible
from ratecert.theory.numbers.evaluation import Bound

NAMES = {
    "gradient": r"gradient  $E\,\|\nabla\Phi(\bar x_t)\|^2$",
    "tracking": r"tracking  $E\,\|\bar y_t - y^*(\bar x_t)\|^2$",
    "drift_x": r"drift of $x$",
    "drift_y": r"drift of $y$",
}
POINTS: Any = (("s", "none", 2), ("o", "full", 0))  # marker, filling and colour of two kinds of points
NOTHING = 1e-12  # of a bound: a term that is no larger than this part of it is not drawn


def draw(result: Any, ax: Axes | None = None) -> Axes:
    """Draw a result into `ax`, or into a new figure of its own."""
    if ax is not None and not isinstance(ax, Axes):
        raise UserTypeError(
            f"ax must be the axes of a figure of matplotlib, or None for a new figure, got {ax!r:.60}."
        )
    with plt.rc_context(STYLE):
        if ax is None:
            flat = isinstance(result, Outcome | Confirmed | Finding)  # a few rows
            ax = plt.subplots(figsize=(6.4, 2.6 if flat else 3.8), layout="constrained")[1]
        _drawn(result, ax)
    return ax


@singledispatch
def _drawn(result: Any, ax: Axes) -> None:  # noqa: ARG001
    raise UserTypeError(f"{type(result).__name__} has no figure.")


def _title(ax: Axes, text: str) -> None:
    ax.set_title("\n".join(wrap(text, 76)), fontsize=9, loc="left", parse_math="$" in text)


# Against the iterations.


@_drawn.register
def _(result: Curves, ax: Axes) -> None:
    if len(result.t) < 2:
        raise UserError("a curve needs at least two times; give `times` where the result is computed.")
    t = np.asarray(result.t, dtype=np.float64)
    shift = float(t[0] == 0)  # so that t = 0 has a place on a logarithmic axis
    for name, colour in zip(result.values, COLOURS, strict=False):
        values = np.asarray(getattr(result, name), dtype=np.float64)
        error = 2 * np.asarray(getattr(result.standard_error, name), dtype=np.float64)
        if np.any(values > 0):
            shown, low = (
                np.where(values > 0, values, np.nan),
                np.where(values > error, values - error, np.nan),
            )
            ax.plot(t + shift, shown, ".-", color=colour, label=NAMES.get(name, name), markersize=4)
            if np.any(error > 0):
                ax.fill_between(t + shift, low, values + error, color=colour, alpha=0.2, linewidth=0)
    ax.set(xscale="log", yscale="log", xlabel="iteration $t + 1$" if shift else "iteration $t$")
    ax.legend(fontsize=8)


@_drawn.register
def _(result: Result, ax: Axes) -> None:
    _drawn(result.curves, ax)
    sampled = any(np.any(np.asarray(error) > 0) for error in result.standard_error.values.values())
    _title(ax, "means over replicates, with two standard errors" if sampled else "exact expectations")


# A power law.


@_drawn.register
def _(result: Slope, ax: Axes) -> None:
    _power_law(ax, result, {})
    ax.set(xlabel="x", ylabel="y")


@_drawn.register
def _(result: Rate, ax: Axes) -> None:
    expected = result.check.predicted
    _power_law(ax, result.slope, {f"expected, {expected:g}": expected})
    if result.slope.replicates:
        ax.errorbar(result.x, result.y, np.multiply(2, result.error), fmt="none", color=COLOURS[0], capsize=3)
    ax.set(xlabel={"T": "iterations $T$", "K": "devices $K$"}[result.symbol], ylabel="measure")
    _title(ax, f"exponent in ${result.symbol}$: {result.verdict}")


def _power_law(ax: Axes, slope: Slope, others: Mapping[str, float]) -> None:
    """The points, the line of the slope through their middle, and lines of other slopes."""
    x, y = slope.data
    if not x:
        raise UserError("this slope came without its points; fit_slope keeps them.")
    ax.plot(x, y, "o", color=COLOURS[0], label="measured", zorder=3)
    lines = {f"fitted, {slope.value:.6g}": slope.value, **others}
    for (label, value), style, colour in zip(lines.items(), ("-", "--"), COLOURS, strict=False):
        ax.plot(x, with_slope(slope.data, value), style, color=colour, label=label)
    ax.set(xscale="log", yscale="log")
    ax.legend(title="slope", fontsize=8, title_fontsize=8)


# Bars with names.


@_drawn.register
def _(result: Limit, ax: Axes) -> None:
    positive = {NAMES.get(name, name): float(value) for name, value in result.values.items() if value > 0}
    _bars(ax, positive, "limit of the measures as $T \\to \\infty$")


@_drawn.register
def _(result: Bound, ax: Axes) -> None:
    shown = [name for name in result.shares if result.terms[name] > NOTHING * result.total]
    if not shown:
        raise UserError(f"the bound of {result.theorem} is 0 here: there are no terms to draw.")
    _bars(ax, {name: result.terms[name] for name in shown}, f"terms of the bound, {result.total:.4g} in all")
    _title(ax, f"{result.theorem}, {result.variant}")


@_drawn.register
def _(result: Admissible, ax: Axes) -> None:
    _drawn(result.bound, ax)
    steps = ", ".join(f"{name} = {result.values[name]:.3g}" for name in result.binding)
    _title(ax, f"{result.bound.theorem}, {result.bound.variant}, largest steps: {steps}")


def _bars(ax: Axes, lengths: Mapping[str, float], xlabel: str) -> None:
    """One bar for each number on a logarithmic axis, with the number beside it."""
    ax.barh(range(len(lengths)), list(lengths.values()), color=COLOURS[0], height=0.6)
    for i, length in enumerate(lengths.values()):
        ax.annotate(f"{length:.3g}", (length, i), (4, 0), textcoords="offset points", va="center", fontsize=8)
    low, high = min(lengths.values()), max(lengths.values())
    decades = np.log10(high / low)
    limits = low / 10 ** (0.1 + 0.05 * decades), high * 10 ** (0.2 + 0.15 * decades)  # room for the numbers
    ax.set(xscale="log", xlim=limits, xlabel=xlabel, axisbelow=True)
    _name_rows(ax, list(lengths))


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    """The first one on top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")


# Points in rows with names: label -> their numbers, one kind as dots, before it another as squares.


def _points(ax: Axes, names: Sequence[str], kinds: Mapping[str, Any]) -> None:
    for (label, values), (marker, fill, colour) in zip(kinds.items(), POINTS[-len(kinds) :], strict=True):
        ax.plot(values, range(len(values)), marker, color=COLOURS[colour], fillstyle=fill, label=label)
    _name_rows(ax, names)


@_drawn.register
def _(result: FixedPoint, ax: Axes) -> None:
    rest, excess = (
        np.concatenate(parts) for parts in ((result.x, result.y), (result.excess_x, result.excess_y))
    )
    names = [f"${name}_{{{i + 1}}}$" for name in ("x", "y") for i in range(len(getattr(result, name)))]
    _points(ax, names, {"with $p = 1$": rest - excess, "at rest": rest})
    ax.set(xlabel="mean over devices, right after an average")
    ax.legend(fontsize=8)
    _title(ax, f"a round leaves {result.spectral_radius:.6g} of a deviation")


@_drawn.register
def _(result: Sharpened, ax: Axes) -> None:
    terms = [each.term for each in result.least]
    least, conjecture = [each.factor for each in result.least], [result.bound.factors[term] for term in terms]
    _points(ax, terms, {"the conjecture": conjecture, "least factor that some world needs": least})
    ax.axvline(1.0, color=INK, linewidth=1.0, label="as printed")
    ax.set(xscale="log", xlabel="factor of the printed constant")
    ax.legend(fontsize=8)
    _title(ax, f"{result.id} ({result.case.variant})")


@_drawn.register
def _(result: Outcome, ax: Axes) -> None:
    if result.findings:
        simple, found = ([getattr(each, kind) for each in result.findings] for kind in ("simple", "found"))
        kinds = {"simplified": simple, "counterexample that was found": found}
        ratios = {label: [each.ratios.itself for each in own] for label, own in kinds.items()}
        _ratios(ax, [each.witness.place or "unknown" for each in simple], ratios)
    else:
        _ratios(ax, [""], {f"largest of {result.tried} worlds": [result.largest]})
    verdict = "refuted" if result.falsified else "not refuted"
    _title(ax, f"{result.case.statement}, {result.case.variant}: {verdict}, {result.tried} worlds tried")


@_drawn.register
def _(result: Confirmed, ax: Axes) -> None:
    ratios = {"as it stands": result.ratios.itself}
    if result.witness.place:
        ratios |= {f"with the erratum at {result.witness.place}": result.ratios.alone}
        ratios |= {"with all other errata": result.ratios.others}
    drawn = {name: ratio for name, ratio in ratios.items() if ratio > 0}
    _ratios(ax, list(drawn), {"at this instance": list(drawn.values())})
    _title(ax, result.witness.name)


def _ratios(ax: Axes, names: Sequence[str], kinds: Mapping[str, Sequence[float]]) -> None:
    """measured/bound along x, with the line at 1 that a counterexample is beyond."""
    _points(ax, names, kinds)
    positive = [ratio for own in kinds.values() for ratio in own if ratio > 0] or [1.0]
    low, high = min([0.1, *positive]) / 5, max([10.0, *positive]) * 5
    ax.set(xscale="log", xlim=(low, high), xlabel="measured/bound")
    ax.axvline(1.0, color=INK, linewidth=1)
    ax.axvspan(1.0, high, color=COLOURS[1], alpha=0.1, linewidth=0, label="the statement is broken")
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=3)


# Texts.


@_drawn.register
def _(result: Finding, ax: Axes) -> None:
    rows = {"printed": (result.printed, COLOURS[1]), "fits": (result.fits, COLOURS[2])}
    for i, (text, colour) in enumerate(rows.values()):
        ax.barh(i, 1.0, color=colour, alpha=0.15, height=0.8)
        ax.text(0.02, i, "\n".join(wrap(text, 68)), va="center", fontsize=8, parse_math=False)
    ax.set(xlim=(0, 1), xticks=[], xlabel="\n".join(wrap(result.because, 84)))
    ax.xaxis.label.set(fontsize=8, parse_math=False)
    _name_rows(ax, list(rows))
    _title(ax, f"{result.place}: {result.severity}, {result.kind}")
