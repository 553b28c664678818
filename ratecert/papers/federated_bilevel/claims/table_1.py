"""Table 1, the rows of the paper's own methods: what it takes to reach eps, measured with exact moments.

    row                    corollaries   samples of each device      rounds
    LocalBSGM              1 and 2       1/(K eps^2)                 eps^(-3/2)
    LocalBSGVRM-constant   3 and 4       1/(K eps^(3/2))             eps^-1
    LocalBSGVRM-decaying   5 and 6       1/(K eps^(3/2)), up to log  eps^-1, up to log

Along the corollary in T, the T is found at which the measure is eps; samples and rounds of that run are counted.
An iteration draws Q + 3 samples and Q grows as log(1/eps), so the exponents are those of samples/(Q + 3). Along the
corollary in eps there is nothing to find: the measure has to be proportional to eps, whatever K is.

T is a whole number of rounds. p is rounded: by how much is part of the error of every row.

eps is chosen so that p = unit A^r/(K eps^(1/2)) is a whole number on the grid, where A = K T eps^2 or K T eps^(3/2) is
what the search for T finds: then rounding p plays no part. Exponents of K are taken where K is large: the noise of u_0
and v_0, from one sample (in Corollary 6 from a batch that does not shrink with K), adds a part of relative size 1/K.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows
from ratecert.claim.checks import equal, exponent, slope
from ratecert.claim.lines import line, panel, power_law
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment, claimed, orders
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run
from ratecert.solvers.contract.counts import count
from ratecert.theory.language.statements import Corollary, Cost, Counts
from ratecert.theory.orders.derivation import as_monomial
from ratecert.theory.orders.monomials import Monomial

WORLD: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "b": -0.2, "c": 0.3,
    "sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5,
}  # fmt: skip
UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3, "Q": 2.0}

Grids = tuple[Sequence[int], Sequence[int]]  # of the full budget, and of the quick one


@dataclass(frozen=True, kw_only=True)
class TableRow:
    id: str
    method: str  # in the paper's table
    name: str
    A: float  # about; where the search begins, and what makes p whole
    r: float  # p = unit A^r/(K eps^(1/2))
    period: int  # p at the most devices and level 0
    large_K: int  # from here on exponents of K are taken
    devices: Grids
    levels: Grids  # of eps, see epsilon
    direct_devices: Sequence[int]
    direct_levels: Grids  # eps = 4^-level
    units: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def cost(self) -> Cost:
        """As the table states it."""
        (cost,) = (c for c in paper("printed").the(Counts, "table-1").costs if c.method == self.method)
        return cost

    @property
    def in_eps(self) -> str:
        return str(self.cost.corollary)

    @property
    def in_T(self) -> str:
        return str(paper("printed").the(Corollary, self.in_eps).same_as)

    def along(self, corollary: str) -> Experiment:
        units = {**UNITS, **self.units}
        return Experiment(corollary=corollary, world=WORLD, units=units, theta=0.6, whole_rounds=True)

    def epsilon(self, level: int) -> float:
        """4^-level times the eps at which p is `period` at the most devices."""
        root = self.units.get("p", 1.0) * self.A**self.r / (self.devices[0][-1] * self.period)
        return float(root**2 * 4.0**-level)

    @property
    def decays(self) -> bool:
        """Whether the step decays, which makes a run ten times as long."""
        return "floor" in self.units

    def searched(self, *, quick: bool) -> Iterator[tuple[int, float]]:
        """K and eps of the searches for T; quick ones with decaying steps vary eps at the most devices only."""
        for K in self.devices[quick]:
            one = quick and self.decays and self.devices[quick][-1] > K
            yield from ((K, self.epsilon(level)) for level in self.levels[quick][-1 if one else 0 :])

    def direct(self, *, quick: bool) -> Iterator[tuple[int, float]]:
        """K and eps of the runs along the corollary in eps; quick ones vary eps at the fewest devices only."""
        for K in self.direct_devices:
            one = quick and self.direct_devices[0] < K
            yield from ((K, 4.0**-level) for level in self.direct_levels[quick][-1 if one else 0 :])

    def first(self, K: int, eps: float) -> float:
        """About the T at which the measure is eps."""
        return float(self.A / K * eps ** (1 / claimed(self.in_T, "T")))


ROWS = (
    TableRow(
        id="table-1.LocalBSGM",
        method="LocalBSGM",
        name="LocalBSGM",
        A=816.4,
        r=1 / 4,
        period=1,
        large_K=64,
        devices=((1, 64, 256, 1024), (64, 1024)),
        levels=((0, 1, 2, 3, 4, 5), (0, 3, 5)),
        direct_devices=(64, 1024),
        direct_levels=((11, 13, 15), (13, 15)),
        notes=[
            "u_0 and v_0 are single samples; their noise adds to the measure a part of relative size 1/K."
        ],
    ),
    TableRow(
        id="table-1.LocalBSGVRM-constant",
        method="LocalBSGVR-constant",
        name="LocalBSGVRM with a constant step",
        A=244.4,
        r=1 / 3,
        period=256,
        large_K=1,
        devices=((1, 4, 16, 64), (1, 64)),
        levels=((0, 1, 2, 3, 4, 5), (0, 3, 5)),
        direct_devices=(1, 64),
        direct_levels=((14, 16, 18), (16, 18)),
    ),
    TableRow(
        id="table-1.LocalBSGVRM-decaying",
        method="LocalBSGVR-decaying",
        name="LocalBSGVRM with a decaying step",
        A=113.9,
        r=1 / 3,
        period=64,
        large_K=1,
        devices=((1, 4, 16), (1, 16)),
        levels=((0, 2, 4), (-3, -1)),
        direct_devices=(64, 1024),
        direct_levels=((16, 18, 20), (14, 16)),
        units={"p": 1 / 64, "floor": 2.0**16},
        notes=[
            "With the constant 200^3 of Theorem 3 and p = T^(1/3)/K^(2/3) the step would not decay before t = 200^3 T. "
            "Here p = T^(1/3)/(64 K^(2/3)) and the constant is 2^16, so that the step decays from t = T/4 on.",
            "That is a fixed part of T, so the measure has no logarithm; one in T would make the exponent of 1/eps "
            "larger by about 1/log(1/eps).",
        ],
    ),
)


TOLERANCE = 1e-3
CLOSE = 2e-3  # relative, of the measure to eps; any closer, a secant sees the jumps of the rounded p alone
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
    return {name: as_monomial(scaling.order) for name, scaling in row.cost.counts.items()}


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
            eps_panel("samples / (Q + 3)", costs, COUNTS["samples"], stated["samples"].exponent("eps")),
            eps_panel("rounds", costs, COUNTS["rounds"], stated["rounds"].exponent("eps")),
            devices_panel(costs, stated),
        ],
    )


def eps_panel(label: str, rows: Rows, y: str, power: Fraction) -> Panel:
    """One line per K against eps, and the stated power."""
    series = [line(f"K = {K}", here, "eps", y, colour=i) for i, (K, here) in enumerate(rows.by("K"))]
    one = rows.where(K=rows.cells("K")[0])
    series.append(power_law(f"the power {power}", one, "eps", y, power, kind="predicted", colour=6))
    return panel(r"$\epsilon$", label, series, title=label)


def devices_panel(rows: Rows, stated: dict[str, Monomial]) -> Panel:
    """Both counts at the smallest eps against K, over their value at the fewest devices."""
    last, series = Rows(here[-1] for _, here in rows.by("K")), []
    for colour, (name, y) in enumerate(COUNTS.items()):
        here = Rows({"K": row["K"], y: row[y] / last[0][y]} for row in last)
        label, power = f"{name} as in the table", stated[name].exponent("K")
        series.append(line(y, here, "K", y, colour=colour))
        series.append(power_law(label, here, "K", y, power, kind="predicted", colour=colour))
    return panel("$K$", f"over that at K = {last[0]['K']}", series, title="against K")


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
        sentence=f"To reach eps, {row.name} takes samples of order {stated_costs(row)['samples']} on each device, the "
        f"factor Q + 3 aside, and {stated_costs(row)['rounds']} rounds whatever K is.",
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
