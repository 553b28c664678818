"""Table 1, the rows of the paper's own methods: what it takes to reach eps, measured with exact moments.

    row                    corollaries   samples of each device      rounds
    LocalBSGM              1 and 2       1/(K eps^2)                 eps^(-3/2)
    LocalBSGVRM-constant   3 and 4       1/(K eps^(3/2))             eps^-1
    LocalBSGVRM-decaying   5 and 6       1/(K eps^(3/2)), up to log  eps^-1, up to log

Along the corollary in T, the T is found at which the measure is eps; samples and rounds of that run are counted.
An iteration draws Q + 3 samples and Q grows as log(1/eps), so the exponents are those of samples/(Q + 3). Along the
corollary in eps there is nothing to find: the measure has to be proportional to eps, whatever K is.

T is a whole number of rounds. p is rounded: by how much is part of the error of every row. The grids of eps and K are
in evidence/costs/table_rows.py.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows, Series, Triangle
from ratecert.claim.checks import equal, exponent, slope
from ratecert.claim.lines import line
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.costs.table_rows import ROWS, TableRow
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment, orders
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run
from ratecert.solvers.contract.counts import count
from ratecert.theory.language.statements import Counts
from ratecert.theory.orders.derivation import as_monomial
from ratecert.theory.orders.monomials import Monomial

TOLERANCE = 1e-3
CLOSE = (
    2e-3  # relative, of the measure to eps; closer to it, a jump of the rounded p is all that a secant sees
)
PERIOD_MOVES_T = 2.0  # d log T / d log p is below this: the floor of a decaying step contains p^3
WRONG_SLOPE = 0.1  # the local exponent is taken to be known up to this factor, in the estimate of the error
COUNTS = {"samples": "samples/(Q + 3)", "rounds": "rounds"}  # as stated, and as compared
ERRORS = {"samples/(Q + 3)": "error", "rounds": "error of rounds", "measure": "error"}
TABLE = {row.id: row for row in ROWS}


def cost_to_reach(row: str, K: int, eps: float) -> list[Json]:
    """Find T(eps) along the corollary in T, and count what that run costs each device."""
    experiment = TABLE[row].along(TABLE[row].in_T)
    found = experiment.reach(eps, K=K, first=TABLE[row].first(K, eps), close=CLOSE)
    run = experiment.run(K=K, T=math.ceil(found.corrected))
    counts = count(build(experiment.world), run.solver, run.T)
    samples, Q = counts.samples_f + counts.samples_g, run.solver.Q
    rounding = rounding_of_p(experiment, run, T=float(run.T))
    missed = WRONG_SLOPE * abs(found.excess / found.slope)
    error = found.found["precision"] + missed + PERIOD_MOVES_T * rounding
    return [
        {
            "iterations": float(run.T),
            "samples": float(samples),
            "samples/(Q + 3)": samples / (Q + 3),
            "rounds": float(counts.rounds),
            "p": run.solver.p,
            "Q": Q,
            "error": error,
            "rounding of p": rounding,
            "error of rounds": error + rounding,
        }
    ]


def measure_at(row: str, K: int, eps: float) -> list[Json]:
    """The measure at the T, p and eta that the corollary in eps gives for eps."""
    experiment = TABLE[row].along(TABLE[row].in_eps)
    run = experiment.run(K=K, eps=eps)
    found = experiment.row(run)
    error = found["precision"] + PERIOD_MOVES_T * rounding_of_p(experiment, run, eps=eps)
    return [{"iterations": float(run.T), "measure": found["measure"], "error": error}]


def rounding_of_p(experiment: Experiment, run: Run, **large: float) -> float:
    """|log| of the whole number p over its real scaling at T or eps."""
    period = experiment.units.get("p", 1.0) * orders(experiment.corollary, K=run.K, **large)["p"]
    return abs(math.log(run.solver.p / period))


def pieces(row: TableRow, budget: Budget) -> list[Piece]:
    return [
        Piece(function, {"row": row.id, "K": K, "eps": eps}, seconds=1.0 if row.decays else 0.1)
        for function, grid in ((cost_to_reach, row.searched), (measure_at, row.direct))
        for K, eps in grid(quick=budget.quick)
    ]


def checks(row: TableRow, rows: Rows) -> Iterator[Check]:
    costs, direct, along = rows.having("rounds"), rows.having("measure"), f"measure along {row.in_eps}"
    large = Rows(point for point in costs if point.get("K", 0) >= row.large_K)
    for name, y in COUNTS.items():
        stated = stated_costs(row)[name]
        yield from exponents_of_eps(y, costs, y, stated.exponent("eps"))
        yield from exponents_of_K(y, large, y, stated.exponent("K"))
    yield from exponents_of_eps(along, direct, "measure", Fraction(1))
    yield list(exponents_of_K(along, direct, "measure", Fraction(0)))[-1]


def stated_costs(row: TableRow) -> dict[str, Monomial]:
    (cost,) = (c for c in paper("printed").the(Counts, "table-1").costs if c.method == row.method)
    return {name: as_monomial(scaling.order) for name, scaling in cost.counts.items()}


def exponents_of_eps(what: str, rows: Rows, y: str, predicted: Fraction) -> Iterator[Check]:
    """Per K, over all eps; how it moves on the half with the smaller eps is part of its uncertainty."""
    for K, here in rows.by("K"):
        if len(here) > 1:
            value, uncertainty = slope(ends(here), y, "eps", error=ERRORS[y])
            later, _ = slope(ends(here[(len(here) - 1) // 2 :]), y, "eps")
            name = f"{what}: exponent of eps, K = {K}"
            yield equal(name, value, float(predicted), TOLERANCE, uncertainty + abs(value - later))


def exponents_of_K(what: str, rows: Rows, y: str, predicted: Fraction) -> Iterator[Check]:
    """At the largest and the smallest eps, between the fewest and the most devices."""
    for eps, here in ends([(eps, here) for eps, here in rows.by("eps") if len(here) > 1]):
        name = f"{what}: exponent of K >= {here[0].get('K')}, eps = {eps:.2g}"
        yield exponent(name, ends(here), y, "K", predicted, TOLERANCE, error=ERRORS[y])


def ends(points: Any) -> Any:
    """The first and the last."""
    return points[:: max(1, len(points) - 1)]


def chart(row: TableRow, rows: Rows) -> Chart:
    costs, stated = rows.having("rounds"), stated_costs(row)
    return Chart(
        caption=f"What {row.method} takes to reach eps along {row.in_T}: samples of each device over the Q + 3 of an "
        "iteration, which fall as 1/K, and rounds, on one line for all K.",
        panels=[
            eps_panel("samples / (Q + 3)", costs, COUNTS["samples"], -stated["samples"].exponent("eps")),
            eps_panel("rounds", costs, COUNTS["rounds"], -stated["rounds"].exponent("eps")),
            devices_panel(costs, stated),
        ],
    )


def eps_panel(label: str, rows: Rows, y: str, power: Fraction) -> Panel:
    """One line per K against 1/eps, and the stated slope."""
    series = [
        line(f"K = {K}", here, lambda point: 1 / point["eps"], y, colour=i)
        for i, (K, here) in enumerate(rows.by("K"))
    ]
    x, lowest, slope = series[-1].x, series[-1].y, float(power)
    factor = (x[-1] / x[0]) ** 0.3
    at = {"x": x[0] * factor, "y": lowest[0] * factor ** (slope / 3)}
    corner = Triangle(**at, slope=slope, label=str(power), factor=factor)
    return Panel(title=label, x_label=r"$1/\epsilon$", y_label=label, series=series, triangles=[corner])


def devices_panel(rows: Rows, stated: dict[str, Monomial]) -> Panel:
    """Both counts at the smallest eps against K, over their value at the fewest devices."""
    here, series = Rows(line[-1] for _, line in rows.by("K")), []
    few, K = here[0], here.column("K")
    for colour, (name, y) in enumerate(COUNTS.items()):
        found = [value / few[y] for value in here.column(y)]
        table = [(k / K[0]) ** float(stated[name].exponent("K")) for k in K]
        series += [
            Series(label=y, x=K, y=found, colour=colour),
            Series(label=f"{name} as in the table", x=K, y=table, kind="predicted", colour=colour),
        ]
    return Panel(title="against K", x_label="$K$", y_label=f"over that at K = {K[0]}", series=series)


def notes(row: TableRow, rows: Rows) -> list[str]:
    lines = [here for _, here in rows.having("rounds").by("K")]
    raw, _ = slope(ends(lines[-1]), "samples", "eps")
    few, many = lines[0][-1], lines[-1][-1]
    over = few["K"] * few["iterations"] / (many["K"] * many["iterations"])
    return [
        f"Samples themselves: exponent of eps {raw:.4f}, because Q + 3 grows as log(1/eps).",
        f"K times iterations, at K = {few['K']} over K = {many['K']}: {over:.5f}.",
        *row.notes,
        "The table's other rows are measured by the claim complexity-table.",
    ]


def settings(row: TableRow, rows: Rows) -> dict[str, Json]:
    here, direct = row.along(row.in_T), rows.table("eps", "K", "iterations", "measure", "error")
    used = {name: getattr(here, name) for name in ("world", "x0", "y0", "theta", "units")}
    return {"in T": row.in_T, "in eps": row.in_eps, **used, "runs in eps": direct}


CLAIMS = tuple(
    Claim(
        id=row.id,
        of=("table-1", row.in_T, row.in_eps),
        sentence=f"To reach eps, {row.name} takes samples of order {row.orders[0]} on each device, the factor Q + 3 "
        f"aside, and {row.orders[1]} rounds whatever K is.",
        pieces=partial(pieces, row),
        checks=partial(checks, row),
        regime=f"scalar world, along {row.in_T} inside its window (p >= 1), with units of ours: the theorem's "
        "constants are not imposed, and f is quadratic, not Lipschitz",
        method="exact moments",
        evidence=("exact moments",),
        settings=partial(settings, row),
        chart=partial(chart, row),
        notes=partial(notes, row),
        table=[
            *("eps", "K", "iterations", "samples", "samples/(Q + 3)", "rounds", "p", "Q"),
            *("error", "rounding of p"),
        ],
        runs=(row.name.split()[0],),
    )
    for row in ROWS
)
