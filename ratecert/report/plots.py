"""What `result.plot()` draws: a panel for each kind of result, drawn as all figures are.

Result, ExactResult, Curves   the measures against t, with two standard errors where they were sampled
Limit                         the measures, one below the other
Slope, Rate                   the points, the fitted line and, of a rate, the expected one
Bound, Admissible             the terms of the bound, the largest first; of Admissible with the largest steps
Outcome, Confirmed            measured and bound at every counterexample
Sharpened                     the least factor of every term, and that of the conjecture
FixedPoint                    x and y at rest, and where an average at every step would have them rest
Finding                       what is printed and what would fit, side by side
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from textwrap import wrap
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from ratecert.base.chart import COLOURS, STYLE, Kind, Panel, Series
from ratecert.base.drawing import draw_panel
from ratecert.base.errors import UserError, UserTypeError
from ratecert.claims.slope import Slope, panel_of_slope
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
NOTHING = 1e-12  # of a bound: a term that is no larger than this part of it is not drawn
Kinds = Mapping[str, tuple[Kind, Iterable[float]]]  # label -> how its numbers look, and one for each row


def draw(result: Any, ax: Axes | None = None) -> Axes:
    """Draw a result into `ax`, or into a new figure of its own."""
    if ax is not None and not isinstance(ax, Axes):
        raise UserTypeError(
            f"ax must be the axes of a figure of matplotlib, or None for a new figure, got {ax!r:.60}."
        )
    panel = None if isinstance(result, Finding) else panel_of(result)
    with plt.rc_context(STYLE):
        if ax is None:
            rows = len(panel.y_names) if panel else 2
            height = 3.8 if not rows else 1.8 + 0.3 * rows
            ax = plt.subplots(figsize=(6.4, height), layout="constrained")[1]
        if panel is None:
            _draw_texts(ax, result)
        else:
            draw_panel(ax, panel)
            ax.legend(fontsize=8)
    return ax


@singledispatch
def panel_of(result: Any) -> Panel:
    raise UserTypeError(f"{type(result).__name__} has no figure.")


def _titled(text: str) -> str:
    return "\n".join(wrap(text, 76))


@panel_of.register
def _(result: Curves, title: str = "") -> Panel:
    if len(result.t) < 2:
        raise UserError("a curve needs at least two times; give `times` where the result is computed.")
    shift = int(result.t[0] == 0)  # so that t = 0 has a place on a logarithmic axis
    shown = []
    for i, name in enumerate(result.values):
        values, errors = (
            getattr(result, name),
            2 * np.asarray(getattr(result.standard_error, name), dtype=np.float64),
        )
        points = [(int(t) + shift, v, e) for t, v, e in zip(result.t, values, errors, strict=True) if v > 0]
        if points:
            x, y, error = zip(*points, strict=True)
            band: dict[str, Any] = {"error": error, "kind": "sampled"} if any(error) else {}
            shown.append(Series(label=NAMES.get(name, name), x=x, y=y, colour=i, **band))
    return Panel(x_label=f"iteration $t{' + 1' * shift}$", y_label="", series=shown, title=title)


@panel_of.register
def _(result: Result) -> Panel:
    sampled = any(np.any(np.asarray(error) > 0) for error in result.standard_error.values.values())
    title = "means over replicates, with two standard errors" if sampled else "exact expectations"
    return panel_of.dispatch(Curves)(result.curves, title)


@panel_of.register
def _(result: Slope) -> Panel:
    return panel_of_slope(result, {})


@panel_of.register
def _(result: Rate) -> Panel:
    x_label = {"T": "iterations $T$", "K": "devices $K$"}[result.symbol]
    expected, title = result.check.predicted, f"exponent in ${result.symbol}$: {result.verdict}"
    lines, errors = (
        {f"expected, {expected:g}": expected},
        [2 * e for e in result.error if result.slope.replicates],
    )
    return panel_of_slope(result.slope, lines, errors, x_label=x_label, y_label="measure", title=title)


# Numbers in rows with names.


@panel_of.register
def _(result: Limit) -> Panel:
    values = {NAMES.get(name, name): float(value) for name, value in result.values.items() if value > 0}
    return _numbers(values, "limit of the measures as $T \\to \\infty$", "")


@panel_of.register
def _(result: Bound, title: str = "") -> Panel:
    shown = [name for name in result.shares if result.terms[name] > NOTHING * result.total]
    if not shown:
        raise UserError(f"the bound of {result.theorem} is 0 here: there are no terms to draw.")
    title = title or f"{result.theorem}, {result.variant}"
    return _numbers(
        {n: result.terms[n] for n in shown}, f"terms of the bound, {result.total:.4g} in all", title
    )


@panel_of.register
def _(result: Admissible) -> Panel:
    steps = ", ".join(f"{name} = {result.values[name]:.3g}" for name in result.binding)
    title = f"{result.bound.theorem}, {result.bound.variant}, largest steps: {steps}"
    return panel_of.dispatch(Bound)(result.bound, title)


def _numbers(values: Mapping[str, float], x_label: str, title: str) -> Panel:
    """Each number stands beside its name."""
    names = [f"{name}  {value:.3g}" for name, value in values.items()]
    return _rows(names, {"here": ("points", values.values())}, x_label, title)


def _rows(
    names: Sequence[str], kinds: Kinds, x_label: str, title: str, edge: str = "", scale: Any = "log"
) -> Panel:
    """Points in rows, the first on top; what is no positive number has none on a logarithmic axis. `edge` is at 1."""
    shown = []
    for i, (label, (kind, values)) in enumerate(kinds.items()):
        points = [(float(x), row) for row, x in enumerate(values, 1) if scale == "linear" or x > 0]
        if points:
            x, y = zip(*points, strict=True)
            shown.append(Series(label=label, x=x, y=y, kind=kind, colour=i))
    if edge:
        shown.append(
            Series(label=edge, x=[1.0] * len(names), y=range(1, len(names) + 1), kind="bound", colour=6)
        )
    look: dict[str, Any] = {"x_scale": scale, "y_scale": "linear", "title": _titled(title)}
    return Panel(x_label=x_label, y_label="", series=shown, y_names=list(names), **look)


@panel_of.register
def _(result: FixedPoint) -> Panel:
    rest = np.concatenate((result.x, result.y))
    excess = np.concatenate((result.excess_x, result.excess_y))
    names = [f"${name}_{{{i + 1}}}$" for name in ("x", "y") for i in range(len(getattr(result, name)))]
    title = f"a round leaves {result.spectral_radius:.6g} of a deviation"
    kinds: Kinds = {"with $p = 1$": ("claimed", rest - excess), "at rest": ("points", rest)}
    return _rows(names, kinds, "mean over devices, right after an average", title, scale="linear")


@panel_of.register
def _(result: Sharpened) -> Panel:
    terms = [each.term for each in result.least]
    kinds: Kinds = {
        "the conjecture": ("claimed", [result.bound.factors[term] for term in terms]),
        "least factor that some world needs": ("points", [each.factor for each in result.least]),
    }
    title = f"{result.id} ({result.case.variant})"
    return _rows(terms, kinds, "factor of the printed constant", title, "as printed")


@panel_of.register
def _(result: Outcome) -> Panel:
    kinds: Kinds = {f"largest of {result.tried} worlds": ("points", [result.largest])}
    names = [""]
    if result.findings:
        names = [each.simple.witness.place or "unknown" for each in result.findings]
        kinds = {
            "simplified": ("claimed", [each.simple.ratios.itself for each in result.findings]),
            "counterexample that was found": (
                "points",
                [each.found.ratios.itself for each in result.findings],
            ),
        }
    verdict = "refuted" if result.falsified else "not refuted"
    title = f"{result.case.statement}, {result.case.variant}: {verdict}, {result.tried} worlds tried"
    return _rows(names, kinds, "measured/bound", title, "1: all that is allowed")


@panel_of.register
def _(result: Confirmed) -> Panel:
    ratios = {"as it stands": result.ratios.itself}
    if result.witness.place:
        ratios |= {f"with the erratum at {result.witness.place}": result.ratios.alone}
        ratios |= {"with all other errata": result.ratios.others}
    kinds: Kinds = {"at this instance": ("points", ratios.values())}
    return _rows(list(ratios), kinds, "measured/bound", result.witness.name, "1: all that is allowed")


def _draw_texts(ax: Axes, finding: Finding) -> None:
    """No numbers: what is printed, and below it what fits."""
    for i, (name, colour) in enumerate({"printed": COLOURS[1], "fits": COLOURS[0]}.items()):
        ax.barh(i, 1.0, color=colour, alpha=0.15, height=0.8)
        text = "\n".join(wrap(getattr(finding, name), 68))
        ax.text(0.02, i, text, va="center", fontsize=8, parse_math=False)
    ax.set(xlim=(0, 1), xticks=[], ylim=(1.6, -0.6), xlabel="\n".join(wrap(finding.because, 84)))
    ax.set_yticks(range(2), ["printed", "fits"])
    ax.xaxis.label.set(fontsize=8, parse_math=False)
    ax.set_title(
        _titled(f"{finding.place}: {finding.severity}, {finding.kind}"),
        fontsize=9,
        loc="left",
        parse_math=False,
    )
