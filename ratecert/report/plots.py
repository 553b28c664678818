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
from ratecert.solvers.contract.result import Curves, Measures, Result
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
NOTHING = 1e-12  # of a bound: a term that is no larger than this part of it is not drawn


def draw(result: Any, ax: Axes | None = None) -> Axes:
    """Draw a result into `ax`, or into a new figure of its own."""
    if ax is not None and not isinstance(ax, Axes):
        raise UserTypeError(
            f"ax must be the axes of a figure of matplotlib, or None for a new figure, got {ax!r:.60}."
        )
    with plt.rc_context(STYLE):
        if ax is None:
            flat = isinstance(
                result, Outcome | Confirmed | Finding
            )  # a few points or texts, one below the other
            ax = plt.subplots(figsize=(6.4, 2.6 if flat else 3.8), layout="constrained")[1]
        _drawn(result, ax)
    return ax


@singledispatch
def _drawn(result: Any, ax: Axes) -> None:  # noqa: ARG001
    raise UserTypeError(f"{type(result).__name__} has no figure.")


@_drawn.register
def _(result: Sharpened, ax: Axes) -> None:
    terms = [each.term for each in result.least]
    places = np.arange(len(terms), 0, -1)
    for label, factors, marker, colour in (
        ("least factor that some world needs", [each.factor for each in result.least], "o", COLOURS[0]),
        ("the conjecture", [result.bound.factors[term] for term in terms], "s", COLOURS[1]),
    ):
        needed = [i for i, factor in enumerate(factors) if factor > 0]
        at = [factors[i] for i in needed], [places[i] for i in needed]
        ax.plot(*at, marker, color=colour, label=label, fillstyle="none", linestyle="none")
    ax.axvline(1.0, color=INK, linewidth=1.0, label="as printed")
    ax.set_xscale("log")
    ax.set_yticks(places, terms)
    ax.set_ylim(0.5, len(terms) + 0.5)
    ax.set_xlabel("factor of the printed constant")
    ax.set_title(f"{result.id} ({result.case.variant})", fontsize="medium")
    ax.legend(fontsize="small")


@_drawn.register
def _(result: Curves, ax: Axes) -> None:
    if len(result.t) < 2:
        raise UserError("a curve needs at least two times; give `times` where the result is computed.")
    t = np.asarray(result.t, dtype=np.float64)
    shift = float(t[0] == 0)  # so that t = 0 has a place on a logarithmic axis
    for name, colour in zip(result.values, COLOURS, strict=False):
        values = np.asarray(getattr(result, name), dtype=np.float64)
        if not np.any(values > 0):
            continue
        error = 2 * np.asarray(getattr(result.standard_error, name), dtype=np.float64)
        shown = np.where(values > 0, values, np.nan)
        ax.plot(t + shift, shown, ".-", color=colour, label=NAMES.get(name, name), markersize=4)
        if np.any(error > 0):
            low = np.where(values > error, values - error, np.nan)
            ax.fill_between(t + shift, low, values + error, color=colour, alpha=0.2, linewidth=0)
    ax.set(xscale="log", yscale="log", xlabel="iteration $t + 1$" if shift else "iteration $t$")
    ax.legend(fontsize=8)


@_drawn.register
def _(result: Result, ax: Axes) -> None:
    _drawn(result.curves, ax)
    if any(np.any(np.asarray(error) > 0) for error in result.standard_error.values.values()):
        ax.set_title("means over replicates, with two standard errors", fontsize=9, loc="left")
    else:
        ax.set_title("exact expectations", fontsize=9, loc="left")


@_drawn.register
def _(result: Limit, ax: Axes) -> None:
    _bars(ax, _positive(result), "limit of the measures as $T \\to \\infty$")
    ax.set_yticks(ax.get_yticks(), [NAMES.get(name, name) for name in _positive(result)])


def _positive(measures: Measures) -> dict[str, float]:
    return {name: float(value) for name, value in measures.values.items() if value > 0}


@_drawn.register
def _(result: FixedPoint, ax: Axes) -> None:
    rest, excess = (
        np.concatenate(parts) for parts in ((result.x, result.y), (result.excess_x, result.excess_y))
    )
    names = [f"${name}_{{{i + 1}}}$" for name in ("x", "y") for i in range(len(getattr(result, name)))]
    ax.plot(
        rest - excess, range(len(rest)), "s", color=COLOURS[2], markerfacecolor="none", label="with $p = 1$"
    )
    ax.plot(rest, range(len(rest)), "o", color=COLOURS[0], markersize=4, label="at rest")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel="mean over devices, right after an average")
    ax.set_title(f"a round leaves {result.spectral_radius:.6g} of a deviation", fontsize=9, loc="left")
    ax.legend(fontsize=8)


@_drawn.register
def _(result: Finding, ax: Axes) -> None:
    rows = {"printed": (result.printed, COLOURS[1]), "fits": (result.fits, COLOURS[2])}
    for i, (text, colour) in enumerate(rows.values()):
        ax.barh(i, 1.0, color=colour, alpha=0.15, height=0.8)
        ax.text(0.02, i, "\n".join(wrap(text, 68)), va="center", fontsize=8, parse_math=False)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xticks=[], xlabel="\n".join(wrap(result.because, 84)))
    ax.xaxis.label.set(fontsize=8, parse_math=False)
    ax.grid(visible=False)
    ax.set_title(
        f"{result.place}: {result.severity}, {result.kind}", fontsize=9, loc="left", parse_math=False
    )


@_drawn.register
def _(result: Slope, ax: Axes) -> None:
    _points(ax, result, {})
    ax.set(xlabel="x", ylabel="y")


@_drawn.register
def _(result: Rate, ax: Axes) -> None:
    expected = result.check.predicted
    _points(ax, result.slope, {f"expected, {expected:g}": expected})
    if result.slope.replicates:
        ax.errorbar(result.x, result.y, np.multiply(2, result.error), fmt="none", color=COLOURS[0], capsize=3)
    name = {"T": "iterations $T$", "K": "devices $K$"}[result.symbol]
    ax.set(xlabel=name, ylabel="measure")
    ax.set_title(f"exponent in ${result.symbol}$: {result.verdict}", fontsize=9, loc="left")


def _points(ax: Axes, slope: Slope, others: Mapping[str, float]) -> None:
    """The points, the line of the slope through their middle, and lines of other slopes."""
    x, y = slope.data
    if not x:
        raise UserError("this slope came without its points; fit_slope keeps them.")
    ax.plot(x, y, "o", color=COLOURS[0], label="measured", zorder=3)
    lines = {f"fitted, {slope.value:.6g}": slope.value, **others}
    for (label, value), colour, style in zip(
        lines.items(), (COLOURS[0], COLOURS[1]), ("-", "--"), strict=False
    ):
        ax.plot(x, with_slope(slope.data, value), style, color=colour, label=label)
    ax.set(xscale="log", yscale="log")
    ax.legend(title="slope", fontsize=8, title_fontsize=8)


@_drawn.register
def _(result: Bound, ax: Axes) -> None:
    terms = {
        name: result.terms[name] for name in result.shares if result.terms[name] > NOTHING * result.total
    }
    if not terms:
        raise UserError(f"the bound of {result.theorem} is 0 here: there are no terms to draw.")
    _bars(ax, terms, f"terms of the bound, {result.total:.4g} in all")
    ax.set_title(f"{result.theorem}, {result.variant}", fontsize=9, loc="left")


@_drawn.register
def _(result: Admissible, ax: Axes) -> None:
    _drawn(result.bound, ax)
    steps = ", ".join(f"{name} = {result.values[name]:.3g}" for name in result.binding)
    title = f"{result.bound.theorem}, {result.bound.variant}, largest steps: {steps}"
    ax.set_title("\n".join(wrap(title, 76)), fontsize=8, loc="left")


def _bars(ax: Axes, values: Mapping[str, float], xlabel: str) -> None:
    """One bar for each number, the first one on top, on a logarithmic axis, with the number beside it."""
    names, lengths = list(values), list(values.values())
    ax.barh(range(len(names)), lengths, color=COLOURS[0], height=0.6)
    for i, length in enumerate(lengths):
        ax.annotate(f"{length:.3g}", (length, i), (4, 0), textcoords="offset points", va="center", fontsize=8)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    low, high = min(lengths), max(lengths)
    decades = np.log10(high / low)
    limits = low / 10 ** (0.1 + 0.05 * decades), high * 10 ** (0.2 + 0.15 * decades)  # room for the numbers
    ax.set(xscale="log", xlim=limits, xlabel=xlabel, axisbelow=True)
    ax.grid(visible=False, axis="y")


@_drawn.register
def _(result: Outcome, ax: Axes) -> None:
    if not result.findings:
        ax.plot([result.largest], [0], "o", color=COLOURS[0], label=f"largest of {result.tried} worlds")
        _ratio_axis(ax, [result.largest], [""])
    else:
        found = [finding.found.ratios.itself for finding in result.findings]
        simple = [finding.simple.ratios.itself for finding in result.findings]
        rows = range(len(found))
        ax.plot(found, rows, "o", color=COLOURS[0], label="counterexample that was found")
        ax.plot(simple, rows, "s", color=COLOURS[2], markerfacecolor="none", label="simplified")
        names = [finding.simple.witness.place or "unknown" for finding in result.findings]
        _ratio_axis(ax, [*found, *simple], names)
    verdict = "refuted" if result.falsified else "not refuted"
    title = f"{result.case.statement}, {result.case.variant}: {verdict}, {result.tried} worlds tried"
    ax.set_title(title, fontsize=9, loc="left")


@_drawn.register
def _(result: Confirmed, ax: Axes) -> None:
    ratios = {"as it stands": result.ratios.itself}
    if result.witness.place:
        ratios |= {f"with the erratum at {result.witness.place}": result.ratios.alone}
        ratios |= {"with all other errata": result.ratios.others}
    drawn = {name: ratio for name, ratio in ratios.items() if ratio > 0}
    ax.plot(list(drawn.values()), range(len(drawn)), "o", color=COLOURS[0], label="at this instance")
    _ratio_axis(ax, list(drawn.values()), list(drawn))
    ax.set_title(result.witness.name, fontsize=9, loc="left")


def _ratio_axis(ax: Axes, ratios: Sequence[float], names: Sequence[str]) -> None:
    """measured/bound along x, with the line at 1 that a counterexample is beyond."""
    positive = [ratio for ratio in ratios if ratio > 0] or [1.0]
    low, high = min([0.1, *positive]) / 5, max([10.0, *positive]) * 5
    ax.set(xscale="log", xlim=(low, high), ylim=(-0.7, len(names) - 0.3), xlabel="measured/bound")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.axvline(1.0, color=INK, linewidth=1)
    ax.axvspan(1.0, high, color=COLOURS[1], alpha=0.1, linewidth=0, label="the statement is broken")
    ax.grid(visible=False, axis="y")
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.3), ncols=3)
