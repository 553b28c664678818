"""The chart of a row of Table 1: samples and rounds against 1/eps, and against K at the smallest eps."""

from collections.abc import Sequence
from fractions import Fraction

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.costs.table_rows import Row

COUNTS = {"samples": "samples/(Q + 3)", "rounds": "rounds"}  # as stated, and as compared


def table_chart(row: Row, claim: Json, lines: Sequence[Sequence[Json]]) -> Chart:
    return Chart(
        caption=f"What {row.method} takes to reach eps along {row.in_T}: samples of each device over the Q + 3 of an "
        "iteration, which fall as 1/K, and rounds, on one line for all K.",
        panels=[
            _eps_panel("samples / (Q + 3)", COUNTS["samples"], claim["samples"]["N"], lines),
            _eps_panel("rounds", COUNTS["rounds"], claim["rounds"]["N"], lines),
            _devices_panel(claim, lines),
        ],
    )


def _eps_panel(label: str, key: str, slope: float, lines: Sequence[Sequence[Json]]) -> Panel:
    series = [
        Series(label=f"K = {line[0]['K']}", x=[1 / point["eps"] for point in line],
               y=[point[key] for point in line], colour=i)
        for i, line in enumerate(lines)
    ]  # fmt: skip
    x, lowest = series[-1].x, series[-1].y
    factor = (x[-1] / x[0]) ** 0.3
    corner = Triangle(
        x=x[0] * factor, y=lowest[0] * factor ** (slope / 3), slope=slope, label=_plain(slope), factor=factor
    )
    return Panel(title=label, x_label=r"$1/\epsilon$", y_label=label, series=series, triangles=[corner])


def _plain(slope: float) -> str:
    return str(Fraction(slope))


def _devices_panel(claim: Json, lines: Sequence[Sequence[Json]]) -> Panel:
    """At the smallest eps, both counts over their value at the fewest devices."""
    K = [float(line[-1]["K"]) for line in lines]
    series = []
    for colour, (name, key) in enumerate(COUNTS.items()):
        found = [line[-1][key] / lines[0][-1][key] for line in lines]
        stated = [(k / K[0]) ** claim[name]["K"] for k in K]
        series += [
            Series(label=key, x=K, y=found, colour=colour),
            Series(label=f"{name} as in the table", x=K, y=stated, kind="predicted", colour=colour),
        ]
    return Panel(title="against K", x_label="$K$", y_label=f"over that at K = {K[0]:g}", series=series)
