"""The paper's table, measured: what every method takes to reach eps, on the same world with the same counting.

For each method, in the orders of its own theory with the best step constants of 64 trials:

    exponents of 1/eps    samples and rounds of a device against the measure (1/T) sum_t E||grad Phi(xbar_t)||^2 that
                          the run reaches, over runs of growing size
    exponents of K        samples and rounds at the same eps. A method that claims linear speedup has K in its steps;
                          one that does not has not, and is also run with K in them: does it show what it does not
                          claim?

All measures are exact. Claimed orders are upper bounds; along these steps, on this world, they are attained.

The worlds are scalar with all sources of noise:

    tension     grad_y f is not zero at the solution: the levels want different y
    no tension  b = y*(a), so that x* = a and grad_y f = 0 there
    one level   grad_xy g = 0, for the method without a lower level

eps is the measure that a run reaches, E||grad Phi||^2 averaged over iterations: the column "gradient".

Claimed are exponents of 1/eps in samples and rounds, and whether K devices need 1/K as many: the rows of the paper's
table come from the statement in theory/, the others from the methods' own papers, logarithms aside. All are for
E||grad Phi||^2 <= eps.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from ratecert.claims import Budget, Chart, Check, Claim, Json, Kind, Panel, Piece, Row, Rows, Scale, Series
from ratecert.claims.checks import equal, slope
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel.evidence.complexity.best_constants import (
    LARGEST,
    SMALLEST,
    TRIALS,
    best_constants,
)
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES, TERMS, THETA
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import X_0, Y_0, measured_run
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import ALGORITHMS, name_of
from ratecert.theory.language.statements import Counts
from ratecert.theory.orders.derivation import as_monomial

IN_TABLE_1 = {
    "FedNest": "FEDNEST",
    "FedBiOAcc": "FedBiOAcc",
    "LocalBSGM": "LocalBSGM",
    "LocalBSGVRM": "LocalBSGVR-constant",
}
TOLERANCE = 1e-3
EPS = 1e-6  # at which costs are listed
SECONDS = {"VRBO": 8.0, "SUSTAIN": 6.0}
COSTS = {"samples": "samples", "rounds": "rounds", "samples of f": "samples_f"}  # and their columns


@dataclass(frozen=True)
class Claimed:
    samples: Fraction
    rounds: Fraction | None  # None on one machine
    speedup: bool | None  # None where no claim is made because there are no devices
    by: str
    samples_of_f: Fraction | None = None  # where it differs from the rest
    stated: bool = True  # False: nobody claims it, it is what the steps are for


def claimed(method: str) -> Claimed:
    if method in IN_TABLE_1:
        row = next(c for c in paper().the(Counts, "table-1").costs if c.method == IN_TABLE_1[method])
        in_eps = {name: -as_monomial(s.order).exponent("eps") for name, s in row.counts.items()}
        return Claimed(in_eps["samples"], in_eps["rounds"], row.linear_speedup, "Table 1")
    return ELSEWHERE[method]


ELSEWHERE = {
    "LFedNest": Claimed(Fraction(2), Fraction(2), False, "its steps, as FEDNEST's", stated=False),
    "FedBiOAccGlobal": Claimed(Fraction(3, 2), Fraction(1), True, "its paper"),
    "LocalSGD": Claimed(Fraction(2), Fraction(3, 2), None, "its steps, as LocalBSGM's", stated=False),
    "STEM": Claimed(Fraction(3, 2), Fraction(1), True, "its paper"),
    "BSA": Claimed(Fraction(3), None, None, "its paper", samples_of_f=Fraction(2)),
    "TTSA": Claimed(Fraction(5, 2), None, None, "its paper"),
    "StocBiO": Claimed(Fraction(2), None, None, "its paper"),
    "SMB": Claimed(Fraction(2), None, None, "its paper"),
    "SUSTAIN": Claimed(Fraction(3, 2), None, None, "its paper"),
    "MRBO": Claimed(Fraction(3, 2), None, None, "its paper"),
    "VRBO": Claimed(Fraction(3, 2), None, None, "its paper"),
}

SCALAR: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "c": 0.3,
    "sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5,
}  # fmt: skip
WORLDS: dict[str, dict[str, Any]] = {
    "tension": {**SCALAR, "b": -0.2},
    "no tension": {**SCALAR, "b": float(build(SCALAR).y_star([SCALAR["a"]])[0])},
    "one level": {
        "world": "quadratic", "A": 1.1, "E": 0.1, "B": 0.0, "c": 0.3, "P": 1.0, "D": 1.0, "a": 0.5, "b": -0.2,
        "s_f": 0.5, "s_g": 0.5,
    },
}  # fmt: skip
DEVICES = 4096  # of the federated methods, where exponents of eps are taken
MANY_DEVICES = (2**16, 2**20)  # where less noise is not what is looked for
SIZE_WITH_MANY = 44


def worlds_for(method: str) -> list[str]:
    """The names of the worlds on which the method is run, the first one for exponents of eps."""
    return ["one level"] if FAMILIES[method].lower_level == "none" else ["tension", "no tension"]


def costs_of(method: str) -> list[Json]:
    """Constants, the runs from which exponents of eps are taken, and those with few and many devices."""
    family, name = FAMILIES[method], worlds_for(method)[0]
    world, K = build(WORLDS[name]), DEVICES if family.devices else 1
    best = best_constants(method, world)
    c = best.constants
    constants = dict(zip(family.constants, c, strict=True))
    at_edge = {"trials": best.trials, "lost": best.lost, "at edge": best.at_edge}
    sizes = [measured_run(method, world, n=2**m, K=K, c=c) for m in family.sizes]
    rows = [
        {"part": "constants", **constants, **at_edge},
        *({"part": "eps", "world": name, **run} for run in sizes),
    ]
    if family.rounds_free_of_K:
        often = measured_run(method, world, n=2 ** family.sizes[-1], K=K, c=c, every_step=True)
        rows.append({"part": "averaged after every step", "world": name, **often})
    return [*rows, *_with_devices(method, c)]


def _with_devices(method: str, c: Sequence[float]) -> list[Json]:
    """Runs with few and many devices: along the method's own steps and, where these have no K, with K in them.

    The larger one has the size at which, if costs go as K^(predicted), both reach the same eps.
    """
    family, rows = FAMILIES[method], []
    scaled = (False, True) if family.can_scale_with_K else (False,)
    for name, with_K in product(worlds_for(method) if family.devices else (), scaled):
        predicted = predicted_exponent(method, name, with_K)
        few, many = family.devices if family.devices and predicted < 0 else MANY_DEVICES
        first = 2 ** (family.size_with_devices if predicted < 0 else SIZE_WITH_MANY)
        for n, K in ((first, few), (round(first * (many / few) ** predicted), many)):
            run = measured_run(method, build(WORLDS[name]), n=n, K=K, c=c, steps_scaled_with_K=with_K)
            rows.append({"part": "devices", "world": name, "steps_scaled_with_K": with_K, **run})
    return rows


def predicted_exponent(method: str, world: str, steps_scaled_with_K: bool) -> int:
    """The exponent of K in the samples of a device that reach eps.

    -1  the noise of a mean over K devices is 1/K of one device's, and the steps are K times as large for it
     0  the steps do not know K: less noise does not help
    +1  the steps are as large, but the noise is not smaller: FEDNEST cuts its series by one draw for all devices, and
        where grad_y f is not zero the noise of that draw is what remains
    """
    if FAMILIES[method].can_scale_with_K and not steps_scaled_with_K:
        return 0
    return 1 if FAMILIES[method].estimator == "E1" and world == "tension" else -1


def exponent_of_eps(rows: Rows, cost: str, correction: float | None = None) -> tuple[float, float]:
    """r in cost ~ (1/eps)^r over runs of growing size, and by how much it still moves with the size of the runs."""
    if correction is not None:
        *_, before, last = limit_of_exponents(rows, cost, correction)
        return last, abs(last - before)
    whole, later = (-slope(Rows(pair), cost, "gradient")[0] for pair in ((rows[0], rows[-1]), rows.last(2)))
    return later, abs(later - whole)


def limit_of_exponents(rows: Rows, cost: str, correction: float) -> list[float]:
    """Exponents between neighbours, freed of a part that falls as n^-correction: one from each two of them.

    Sizes are in a geometric progression, so this is Aitken's extrapolation with the known ratio.
    """
    slopes = [-slope(Rows(pair), cost, "gradient")[0] for pair in pairwise(rows)]
    ratio = (rows[0]["n"] / rows[1]["n"]) ** correction
    return [later + (later - earlier) * ratio / (1 - ratio) for earlier, later in pairwise(slopes)]


def exponent_of_K(pair: Rows, cost: str, in_eps: float) -> tuple[float, float]:
    """r in cost ~ K^r at the same eps, and its uncertainty.

    What the two runs' measures differ by is made up for by the exponent of 1/eps.
    """
    of_cost, _ = slope(pair, cost, "K", error=0.0)
    of_measure, uncertainty = slope(pair, "gradient", "K")
    return of_cost + in_eps * of_measure, in_eps * uncertainty


def cost_at(run: Row, cost: str, eps: float, in_eps: float) -> float:
    """The cost of reaching eps, by the power law through this run."""
    return float(run[cost] * (run["gradient"] / eps) ** in_eps)


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
        "would not either (communication-period.invariance), so exponents of rounds are no lower bounds.",
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
