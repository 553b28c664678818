"""The paper's table, measured: what every method takes to reach eps, on the same world with the same counting.

For each method, in the orders of its own theory with the best step constants of 64 trials:

    exponents of 1/eps    samples and rounds of a device against the measure (1/T) sum_t E||grad Phi(xbar_t)||^2 that
                          the run reaches, over runs of growing size
    exponents of K        samples and rounds at the same eps. A method that claims linear speedup has K in its steps;
                          one that does not has not, and is also run with K in them: does it show what it does not
                          claim?

All measures are exact. Claimed orders are upper bounds; along these steps, on this world, they are attained.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from ratecert.claim import Budget, Chart, Check, Claim, Json, Kind, Panel, Piece, Row, Rows, Scale, Series
from ratecert.claim.checks import equal
from ratecert.papers.federated_bilevel.evidence.complexity.best_constants import LARGEST, SMALLEST, TRIALS
from ratecert.papers.federated_bilevel.evidence.complexity.claimed import IN_TABLE_1, claimed
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES, TERMS, THETA
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import X_0, Y_0
from ratecert.papers.federated_bilevel.evidence.complexity.table_of_costs import (
    DEVICES,
    MANY_DEVICES,
    WORLDS,
    cost_at,
    costs_of,
    exponent_of_eps,
    exponent_of_K,
    predicted_exponent,
)
from ratecert.solvers import ALGORITHMS, name_of

TOLERANCE = 1e-3
EPS = 1e-6  # at which costs are listed
SECONDS = {"VRBO": 8.0, "SUSTAIN": 6.0}
COSTS = {"samples": "samples", "rounds": "rounds", "samples of f": "samples_f"}  # and their columns


class Way(NamedTuple):
    """On which world exponents of K are taken, with K put into the steps or not; and its look in the figure."""

    label: str
    world: str
    scaled: bool
    kind: Kind
    colour: int


WAYS = (
    Way("own steps, tension", "tension", False, "points", 0),
    Way("own steps, no tension", "no tension", False, "rings", 2),
    Way("K in the steps, tension", "tension", True, "crosses", 3),
    Way("K in the steps, no tension", "no tension", True, "pluses", 4),
)
Dots = tuple[str, str, Kind, int]  # label, column, kind and colour of a series


def pieces(budget: Budget) -> list[Piece]:
    methods = IN_TABLE_1 if budget.quick else FAMILIES
    return [Piece(costs_of, {"method": m}, seconds=SECONDS.get(m, 3.0)) for m in methods]


def checks(rows: Rows) -> Iterator[Check]:
    for method, here in rows.by("method"):
        name, claim = shown(method), claimed(method)
        for cost, stated in zip(COSTS, (claim.samples, claim.rounds, claim.samples_of_f), strict=True):
            if stated is not None:
                value, uncertainty = in_eps(method, here, cost)
                what = f"{name}: exponent of 1/eps in {cost}"
                yield equal(what, value, float(stated), TOLERANCE, uncertainty)
        for often in here.where(part="averaged after every step"):
            ratio = here.where(part="eps")[-1]["gradient"] / often["gradient"]
            yield equal(f"{name}: measure with its p over that with p = 1", ratio, 1.0, TOLERANCE)
        yield from in_K(method, here)


def in_K(method: str, rows: Rows) -> Iterator[Check]:
    for (world, scaled), pair in rows.where(part="devices").by("world", "steps_scaled_with_K"):
        where = f"{world}{', K in its steps' if scaled else ''}"
        predicted = predicted_exponent(method, world, scaled)
        saved = 1 if predicted < 0 and FAMILIES[method].rounds_free_of_K else 0  # p falls as samples do
        for cost, power in (("samples", predicted), ("rounds", predicted + saved)):
            value, uncertainty = exponent_of_K(pair, cost, in_eps(method, rows, cost)[0])
            what = f"{shown(method)}: exponent of K in {cost}, {where}"
            yield equal(what, value, power, TOLERANCE, uncertainty)


def in_eps(method: str, rows: Rows, cost: str) -> tuple[float, float]:
    return exponent_of_eps(rows.where(part="eps"), COSTS[cost], FAMILIES[method].correction)


def shown(method: str) -> str:
    return name_of(ALGORITHMS[method])


def summary(rows: Rows) -> Rows:
    """One row per method: exponents claimed and measured, and costs of reaching EPS; None where there is none."""
    return Rows(_summary(method, here) for method, here in rows.by("method"))


def _summary(method: str, rows: Rows) -> dict[str, Any]:
    claim, devices = claimed(method), rows.where(part="devices")
    found: dict[str, Any] = {"method": method, "name": shown(method), "federated": bool(devices)}
    for cost, stated in (("samples", claim.samples), ("rounds", claim.rounds)):
        power = in_eps(method, rows, cost)[0] if devices or cost == "samples" else None
        found[f"{cost} claimed"], found[cost] = stated if claim.stated else None, power
        found[f"{cost} to {EPS:g}"] = power and cost_at(rows.where(part="eps")[-1], cost, EPS, power)
    found["in K claimed"] = -1 if claim.speedup else None
    for way in WAYS:
        here = devices.where(steps_scaled_with_K=way.scaled)
        pair = here.where(world=way.world) or here.where(world="one level")
        found[way.label] = exponent_of_K(pair, "samples", found["samples"])[0] if pair else None
    return found


def table(rows: Rows) -> Iterator[dict[str, Json]]:
    costs = ("samples", "rounds")
    for row in summary(rows):
        yield {
            "method": row["name"],
            **{f"{cost}: claimed, measured": _compared(row, cost) for cost in costs},
            "speedup claimed": {True: "yes", False: "no", None: "-"}[claimed(row["method"]).speedup],
            **{way.label: _or_dash(row[way.label], ".4f") for way in WAYS},
            **{f"{cost} to {EPS:g}": _or_dash(row[f"{cost} to {EPS:g}"], ".3g") for cost in costs},
        }


def _compared(row: Row, cost: str) -> str:
    return "-" if row[cost] is None else f"{_or_dash(row[f'{cost} claimed'])}, {row[cost]:.4f}"


def _or_dash(value: Any, digits: str = "") -> str:
    return "-" if value is None else f"{value:{digits}}"


def chart(rows: Rows) -> Chart:
    found = summary(rows)
    federated, exponent = found.where(federated=True), round(math.log10(EPS))
    in_K: list[Dots] = [(way.label, way.label, way.kind, way.colour) for way in WAYS]
    panels = [
        panel(rf"{cost} of a device to reach $\epsilon$", r"$r$, exponent of $1/\epsilon$", those,
              ("claimed", f"{cost} claimed", "claimed", 1), ("measured", cost, "points", 0))
        for cost, those in (("samples", found), ("rounds", federated))
    ]  # fmt: skip
    panels += [
        panel("against the number of devices", "$s$, exponent of $K$ in samples", federated,
              ("claimed", "in K claimed", "claimed", 1), *in_K),
        panel(rf"to reach $\epsilon = 10^{{{exponent}}}$", "samples and rounds of a device", found,
              ("samples", f"samples to {EPS:g}", "points", 0), ("rounds", f"rounds to {EPS:g}", "rings", 3),
              x_scale="log"),
    ]  # fmt: skip
    return Chart(
        caption="What it takes each device to reach eps, as cost ~ eps^-r K^s: exponents claimed (squares) and "
        "measured (dots). Below left s, along the method's own steps (dots, rings) and, for methods that claim no "
        "speedup, with K put into the steps as others have it (crosses, pluses): FedNest then shows linear speedup "
        "where grad_y f vanishes at the solution (no tension) and needs more samples where it does not, because its "
        "devices share one draw. Below right the samples and rounds themselves.",
        panels=panels,
    )


def panel(title: str, x_label: str, rows: Rows, *dots: Dots, x_scale: Scale = "linear") -> Panel:
    """One line per method, from the top; a method without a value has no dot, dots of no method are not drawn."""
    series = []
    for label, column, kind, colour in dots:
        found = {i: float(row[column]) for i, row in enumerate(rows, start=1) if row[column] is not None}
        if found:
            series.append(Series(label=label, x=[*found.values()], y=[*found], kind=kind, colour=colour))
    look: dict[str, Any] = {"x_scale": x_scale, "y_scale": "linear", "y_names": rows.column("name")}
    return Panel(title=title, x_label=x_label, y_label="", series=series, **look)


def notes(rows: Rows) -> list[str]:
    at_edge = [row for row in rows.where(part="constants") if row["at edge"]]
    return [
        f"Step constants: the best of {TRIALS} trials for each method, between {SMALLEST:g} and {LARGEST:g}, at "
        "K = 1.",
        "(reconstructed): the method's exact statement could not be had; what is measured is the one in its file.",
        f"The series of the hypergradient has {TERMS} terms in all runs; the log(1/eps) by which they would "
        "have to grow is not part of the exponents.",
        "Tension: grad_y f is not zero at the solution, because the two levels want different y.",
        "Rounds: p is that of the method's theory, and costs no accuracy. On devices that are alike a longer one "
        "would not either (communication-period.largest-p-alike), so exponents of rounds are no lower bounds.",
        *(f"A constant of {shown(row['method'])} is at the edge of the box." for row in at_edge),
        *(
            on_speedup(row)
            for row in summary(rows).where(federated=True)
            if not claimed(row["method"]).speedup
        ),
    ]


def on_speedup(row: Row) -> str:
    """Where a method without a proof of linear speedup shows it, and where it does not."""
    words = [
        f"{'shows' if abs(row[way.label] + 1) <= TOLERANCE else 'does not show'} it on the world with {way.world}"
        for way in WAYS
        if way.scaled == FAMILIES[row["method"]].can_scale_with_K
    ]
    return f"Linear speedup, without a proof: {row['name']} {' and '.join(words)}."


def settings(rows: Rows) -> dict[str, Json]:
    found = {row["method"]: row for row in rows.where(part="constants")}
    return {
        "worlds": WORLDS,
        "x0": X_0,
        "y0": Y_0,
        "theta": THETA,
        "terms of the series": TERMS,
        "trials for the constants of each method": TRIALS,
        "constants between": [SMALLEST, LARGEST],
        "constants": {shown(m): {c: row[c] for c in FAMILIES[m].constants} for m, row in found.items()},
        "orders": {shown(m): FAMILIES[m].orders for m in found},
    }


CLAIMS = (
    Claim(
        id="complexity-table",
        of=("table-1",),
        sentence="To reach eps every method takes samples and rounds in the orders that are claimed for it, measured "
        "on the same world; those that claim linear speedup show it.",
        pieces=pieces,
        checks=checks,
        regime="devices that are alike; steps constant over a run, in the orders of each method's theory; the measure "
        "is E||grad Phi||^2 averaged over iterations; the theorems' constants are not imposed. Exponents of eps at "
        f"K = {DEVICES} (one machine: 1); exponents of K up to 4096 where K is in the steps and less noise helps, "
        f"between {MANY_DEVICES[0]} and {MANY_DEVICES[1]} where not",
        method="exact moments",
        evidence=("exact moments",),
        settings=settings,
        chart=chart,
        notes=notes,
        table=table,
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
