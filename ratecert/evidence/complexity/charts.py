"""The figure of the table: samples and rounds against 1/eps, and samples of a device against K."""

from collections.abc import Sequence

from ratecert.evidence.complexity.measured_runs import cost_at
from ratecert.verify.chart import Chart, Kind, Panel, Series
from ratecert.verify.claim import Json

EPSILONS = [10.0**-m for m in range(4, 10)]


def chart_of(rows: Sequence[Json]) -> Chart:
    federated = [row for row in rows if row["with devices"]]
    alone = [row for row in rows if not row["with devices"]]
    panels = [
        _against_eps("federated methods, K = 1", "samples", federated),
        _against_eps("federated methods, K = 1", "rounds", federated),
        *([_against_eps("one machine", "samples", alone)] if alone else []),
        _against_K(federated),
    ]
    return Chart(
        caption="What it takes each device to reach eps, by power laws through the measured runs: parallel lines have "
        "one exponent. The last panel has samples at the same eps against K, over those at fewer devices: along a "
        "method's own steps (lines), and with K put into the steps of a method that claims no speedup (dotted).",
        panels=panels,
    )


def _against_eps(title: str, cost: str, rows: Sequence[Json]) -> Panel:
    series = [
        Series(
            label=f"{row['name']}: {row['exponents'][cost]:.3f}",
            x=[1 / eps for eps in EPSILONS],
            y=[cost_at(row["runs"][-1], cost, eps, row["exponents"][cost]) for eps in EPSILONS],
            colour=i,
        )
        for i, row in enumerate(rows)
    ]
    return Panel(title=title, x_label=r"$1/\epsilon$", y_label=f"{cost} of a device", series=series)


def _against_K(rows: Sequence[Json]) -> Panel:
    series = []
    for i, row in enumerate(rows):
        for pair in row["with devices"]:
            kind: Kind = "contrast" if pair["asked"] else "measured"
            few, many = (run["K"] for run in pair["runs"])
            how = ", K in its steps" if pair["asked"] else ""
            series.append(
                Series(
                    label=f"{row['name']}{how}, {pair['world']}: {pair['exponents']['samples']:.3f}",
                    x=[few, many],
                    y=[1.0, (many / few) ** pair["exponents"]["samples"]],
                    kind=kind,
                    colour=i,
                )
            )
    return Panel(
        title="against K, at the same eps",
        x_label="$K$",
        y_label="samples of a device, over those at fewer",
        series=series,
    )
