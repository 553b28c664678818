"""Figures of the claims about theorems: both sides against T, and ratios against the line at 1."""

from collections.abc import Callable, Sequence

from ratecert.claim.chart import Chart, Kind, Panel, Series
from ratecert.papers.federated_bilevel.evidence.theorems.both_sides import Sides

RATIO = "measured / bound"
MOST_TERMS = 3  # drawn of a bound


def power(number: int) -> str:
    """2^60 or 1e6 rather than all digits."""
    if number < 10**4:
        return str(number)
    return (
        f"2^{number.bit_length() - 1}" if number & (number - 1) == 0 else f"{number:.4g}".replace("e+0", "e")
    )


def chart_of_witness(title: str, runs: Sequence[Sides]) -> Chart:
    """Both sides, then their ratio under the print and under parts of the errata."""
    runs = sorted(runs, key=lambda run: run.T)
    return Chart(
        caption="What was measured exceeds the printed bound in long runs. One erratum alone lifts the bound above it; "
        "all the others together do not.",
        panels=[_both_sides(runs, title), _ratios(runs, title)],
    )


def chart_of_trials(runs: Sequence[Sides]) -> Chart:
    """Both sides along the sweep, and all ratios in order."""
    sweep = sorted((run for run in runs if run.role == "sweep"), key=lambda run: run.T)
    ordered = sorted((run for run in runs if run.measured > 0), key=lambda run: run.ratio)
    return Chart(
        caption="First what was measured and the bound, with the terms that dominate it. Then measured over bound in "
        "every setting in which something was measured, in order; above the line the theorem would be false.",
        panels=[_both_sides(sweep, f"{sweep[0].name}, K = {sweep[0].setting['K']}"), _in_order(ordered)],
    )


def _both_sides(runs: Sequence[Sides], title: str) -> Panel:
    terms = sorted(runs[0].terms, key=lambda term: -max(run.terms[term] / run.bound for run in runs))
    drawn = [term for term in terms[:MOST_TERMS] if any(run.terms[term] > 0 for run in runs)]
    return Panel(
        x_label="$T$",
        y_label="the measure of the theorem",
        title=title,
        series=[
            _along(runs, [run.measured for run in runs], "measured"),
            _along(runs, [run.bound for run in runs], "bound", kind="bound", colour=1),
            *(
                _along(
                    runs,
                    [run.terms[term] for run in runs],
                    f"its term {term}",
                    kind="predicted",
                    colour=2 + i,
                )
                for i, term in enumerate(drawn)
            ),
        ],
    )


def _ratios(runs: Sequence[Sides], title: str) -> Panel:
    alone, others = ([run.measured / run.partly[some] for run in runs] for some in ("alone", "others"))
    return Panel(
        x_label="$T$",
        y_label=RATIO,
        title=title,
        series=[
            _along(runs, [run.ratio for run in runs], "bound as printed"),
            _along(runs, others, "with all other errata", kind="contrast", colour=3),
            _along(runs, alone, f"with the erratum at {runs[0].erratum} alone", kind="predicted", colour=2),
            _edge(runs[0].T, runs[-1].T),
        ],
    )


def _along(
    runs: Sequence[Sides], values: Sequence[float], label: str, kind: Kind = "measured", colour: int = 0
) -> Series:
    """Against T, where it is not zero."""
    x, y = zip(
        *((float(run.T), value) for run, value in zip(runs, values, strict=True) if value > 0), strict=True
    )
    return Series(label=label, x=x, y=y, kind=kind, colour=colour)


def _edge(first: float, last: float) -> Series:
    return Series(
        label="above it the theorem is false", x=[first, last], y=[1.0, 1.0], kind="bound", colour=1
    )


def _in_order(runs: Sequence[Sides]) -> Panel:
    groups: tuple[tuple[str, int, Callable[[Sides], bool]], ...] = (
        ("grid and sweep", 0, lambda run: run.certified and run.role in ("grid", "sweep")),
        ("sharp settings and witnesses", 2, lambda run: run.certified and run.role in ("sharp", "witness")),
        ("ball assumed", 3, lambda run: not run.certified),
    )
    series = []
    for label, colour, belongs in groups:
        points = [(i + 1, run.ratio) for i, run in enumerate(runs) if belongs(run)]
        if points:
            x, y = zip(*points, strict=True)
            series.append(Series(label=label, x=x, y=y, kind="sampled", colour=colour))
    return Panel(
        x_label="setting, in order", y_label=RATIO, series=[*series, _edge(1, len(runs))], x_scale="linear"
    )
