"""Figures of the claims about theorems: both sides against T, and ratios against the line at 1."""

from collections.abc import Sequence
from typing import Any

from ratecert.claim import Chart, Panel, Row, Rows, Series
from ratecert.claim.lines import Quantity, level, line, values
from ratecert.claim.rows import group
from ratecert.papers.federated_bilevel.evidence.theorems.both_sides import ratio

RATIO = "measured / bound"
MOST_TERMS = 3  # drawn of a bound
COLOURS = {"grid and sweep": 0, "sharp settings and witnesses": 2, "ball assumed": 3}


def chart_of_witness(title: str, rows: Rows) -> Chart:
    """Draw both sides, then their ratio under the print and under parts of the errata."""
    runs = rows.sorted("T")
    alone = f"with the erratum at {runs[0]['erratum']} alone"
    ratios = [
        _along("bound as printed", runs, ratio),
        _along("with all other errata", runs, _over("repaired.others"), kind="contrast", colour=3),
        _along(alone, runs, _over("repaired.alone"), kind="predicted", colour=2),
        _edge(runs.column("T")),
    ]
    return Chart(
        caption="What was measured exceeds the printed bound in long runs. One erratum alone lifts the bound above it; "
        "all the others together do not.",
        panels=[_both_sides(runs, title), Panel(x_label="$T$", y_label=RATIO, title=title, series=ratios)],
    )


def chart_of_trials(rows: Rows) -> Chart:
    """Draw both sides along the sweep, and all ratios in order."""
    sweep = rows.where(role="sweep").sorted("T")
    ordered = sorted((run for run in rows if run["measured"] > 0), key=ratio)
    points = Rows({**run, "place": i + 1, "kind": _kind(run)} for i, run in enumerate(ordered))
    ratios = [
        line(kind, points.where(kind=kind), "place", ratio, kind="sampled", colour=colour)
        for kind, colour in COLOURS.items()
        if kind in points.cells("kind")
    ]
    return Chart(
        caption="First what was measured and the bound, with the terms that dominate it. Then measured over bound in "
        "every setting in which something was measured, in order; above the line the theorem would be false.",
        panels=[
            _both_sides(sweep, f"{sweep[0]['name']}, K = {sweep[0]['K']}"),
            Panel(
                x_label="setting, in order",
                y_label=RATIO,
                series=[*ratios, _edge(points.column("place"))],
                x_scale="linear",
            ),
        ],
    )


def _kind(run: Row) -> str:
    if not run["certified"]:
        return "ball assumed"
    return "grid and sweep" if run["role"] in ("grid", "sweep") else "sharp settings and witnesses"


def _both_sides(runs: Rows, title: str) -> Panel:
    """The terms drawn are those with the largest share of the bound somewhere."""
    shares = {
        term: max(run[f"terms.{term}"] / run["bound"] for run in runs) for term in group(runs[0], "terms")
    }
    terms = [term for term in sorted(shares, key=lambda term: -shares[term])[:MOST_TERMS] if shares[term] > 0]
    return Panel(
        x_label="$T$",
        y_label="the measure of the theorem",
        title=title,
        series=[
            _along("measured", runs, "measured"),
            _along("bound", runs, "bound", kind="bound", colour=1),
            *(
                _along(f"its term {term}", runs, f"terms.{term}", kind="predicted", colour=2 + i)
                for i, term in enumerate(terms)
            ),
        ],
    )


def _along(label: str, runs: Rows, y: Quantity, **look: Any) -> Series:
    """Against T, where it is not zero."""
    drawn = Rows(run for run, value in zip(runs, values(runs, y), strict=True) if value > 0)
    return line(label, drawn, "T", y, **look)


def _over(bound: str) -> Quantity:
    return lambda run: float(run["measured"] / run[bound])


def _edge(x: Sequence[float]) -> Series:
    return level("above it the theorem is false", x, 1.0, kind="bound", colour=1)
