"""The figure of the table: claimed and measured exponents method by method, and costs at one eps."""

import math
from collections.abc import Callable, Sequence

from ratecert.claim.chart import Chart, Kind, Panel, Series
from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.complexity.claimed import claimed
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import cost_at

Value = Callable[[Json], float | None]
WAYS = (
    ("own steps, tension", "tension", False),
    ("own steps, no tension", "no tension", False),
    ("K in the steps, tension", "tension", True),
    ("K in the steps, no tension", "no tension", True),
)
KINDS: tuple[Kind, ...] = ("points", "rings", "crosses", "pluses")  # of the ways


def chart_of(rows: Sequence[Json], eps: float) -> Chart:
    federated = [row for row in rows if row["with devices"]]
    return Chart(
        caption="What it takes each device to reach eps, as cost ~ eps^-r K^s: exponents claimed (squares) and "
        "measured (dots). Below left s, along the method's own steps (dots, rings) and, for methods that claim no "
        "speedup, with K put into the steps as others have it (crosses, pluses): FedNest then shows linear speedup "
        "where grad_y f vanishes at the solution (no tension) and needs more samples where it does not, because its "
        "devices share one draw. Below right the samples and rounds themselves.",
        panels=[
            _exponents("samples", rows),
            _exponents("rounds", federated),
            _in_K(federated),
            _costs(rows, eps),
        ],
    )


def _exponents(cost: str, rows: Sequence[Json]) -> Panel:
    def stated(row: Json) -> float | None:
        claim = claimed(row["method"])
        value = getattr(claim, cost)
        return float(value) if claim.stated and value is not None else None

    return Panel(
        title=rf"{cost} of a device to reach $\epsilon$",
        x_label=r"$r$, exponent of $1/\epsilon$",
        y_label="",
        series=_drawn(
            _series("claimed", rows, stated, "claimed", 1),
            _series("measured", rows, lambda row: float(row["exponents"][cost]), "points", 0),
        ),
        x_scale="linear",
        y_scale="linear",
        y_names=[row["name"] for row in rows],
    )


def _in_K(rows: Sequence[Json]) -> Panel:
    claims = _series(
        "claimed", rows, lambda row: -1.0 if claimed(row["method"]).speedup else None, "claimed", 1
    )
    ways = [
        _series(label, rows, _measured_in_K(world, asked), KINDS[i], (0, 2, 3, 4)[i])
        for i, (label, world, asked) in enumerate(WAYS)
    ]
    return Panel(
        title=r"against the number of devices",
        x_label="$s$, exponent of $K$ in samples",
        y_label="",
        series=_drawn(claims, *ways),
        x_scale="linear",
        y_scale="linear",
        y_names=[row["name"] for row in rows],
    )


def _measured_in_K(world: str, asked: bool) -> Value:
    def value(row: Json) -> float | None:
        found = [p for p in row["with devices"] if p["asked"] == asked and p["world"] in (world, "one level")]
        return float(found[0]["exponents"]["samples"]) if found else None

    return value


def _costs(rows: Sequence[Json], eps: float) -> Panel:
    def of(cost: str) -> Value:
        return lambda row: (
            cost_at(row["runs"][-1], cost, eps, row["exponents"][cost]) if cost in row["exponents"] else None
        )

    return Panel(
        title=rf"to reach $\epsilon = 10^{{{round(math.log10(eps))}}}$",
        x_label="samples and rounds of a device",
        y_label="",
        series=_drawn(
            _series("samples", rows, of("samples"), "points", 0),
            _series("rounds", rows, of("rounds"), "rings", 3),
        ),
        y_scale="linear",
        y_names=[row["name"] for row in rows],
    )


def _series(label: str, rows: Sequence[Json], value: Value, kind: Kind, colour: int) -> Series:
    """The rows that have this value, by their number from the top."""
    found = {i: v for i, row in enumerate(rows, start=1) if (v := value(row)) is not None}
    return Series(label=label, x=list(found.values()), y=[float(i) for i in found], kind=kind, colour=colour)


def _drawn(*series: Series) -> list[Series]:
    """Those that have any points."""
    return [each for each in series if each.x]
