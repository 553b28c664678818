"""Remarks 1, 2 and 4: what the corollaries are said to cost.

    Remark 1   LocalBSGM: T = O(1/(K eps^2)) iterations, "i.e." samples, and T/p = O(1/eps^(3/2)) rounds
    Remark 2   LocalBSGVRM: O(1/(K eps^(3/2))) iterations and O(1/eps) rounds, both less than LocalBSGM
    Remark 4   as Remark 2 for the decaying step, up to logarithms

Iterations and rounds follow from the corollaries' T and p, and are counted on runs: from the algorithm's own steps,
nothing is simulated. Samples are not iterations: every iteration draws Q + 3 of them, and Q = O(log(1/eps)).

eps = 4^-n and K a power of 4 make T, p and B whole without rounding, and PER_LOG gives ten Neumann terms per factor 4
in eps, a whole number as well (a little less than ten, because Q is rounded up).
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows
from ratecert.claim.checks import at_least, at_most, equal, exponent, slope
from ratecert.claim.lines import corner, figure, level, line, panel, power_law
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers.contract.counts import count
from ratecert.theory.language.statements import Corollary, Counts
from ratecert.theory.lint.counts import counted
from ratecert.theory.orders.derivation import as_monomial, cone_of, in_pieces
from ratecert.theory.orders.monomials import Monomial

WORLD = {"world": "scalar"}
PER_LOG = (10 - 1e-9) / math.log(4)
UNITS = {"Q": PER_LOG, "eta": 0.5, "floor": 1.0}
THETA = 0.2
TOLERANCE = 1e-3
EXACT = 1e-9  # of rationals as floats
ROUNDING = 1e-12  # of exact counts as floats
LEVELS, FEWER_LEVELS = (8, 12, 16, 20, 25, 30), (10, 30)  # eps = 4^-level <= 1/K^2
DEVICES, FEWER_DEVICES = (1, 4, 16, 64), (1, 16)
INDEPENDENT_OF_Q = 3  # samples of an iteration beside the Hessians: xi, the Jacobian's zeta, the zeta of v
COROLLARY = {"remark-1": "corollary-2", "remark-2": "corollary-4", "remark-4": "corollary-6"}


def orders(remark: str) -> list[Json]:
    """Powers of eps, K and log(1/eps) in each count: as the remark states them, and from the corollary's scalings."""
    source, corollary = paper(), paper().the(Corollary, COROLLARY[remark])
    (cost,) = source.the(Counts, remark).costs
    rows = []
    for name, scaling in cost.counts.items():
        (growth,) = in_pieces(cone_of(source, corollary), partial(counted, source, corollary, name))
        stated, derived = (_powers(m) for m in (as_monomial(scaling.order), growth.dominating()))
        rows += [{"count": name, "letter": n, "stated": stated[n], "derived": derived[n]} for n in stated]
    return rows


def _powers(m: Monomial) -> dict[str, float]:
    return {"eps": float(m.exponent("eps")), "K": float(m.exponent("K")), "log": float(m.log)}


def counted_runs(corollary: str, levels: Sequence[int], devices: Sequence[int]) -> list[Json]:
    """Count what a run costs each device at eps = 4^-level."""
    rows = []
    for eps, K in ((4.0**-n, K) for n in levels for K in devices):
        run = along(corollary, K=K, eps=eps, theta=THETA, units=UNITS)
        counts = count(build(WORLD), run.solver, run.T)
        samples = counts.samples_f + counts.samples_g
        costs = {"iterations": float(run.T), "samples": float(samples), "rounds": float(counts.rounds)}
        rows.append({"eps": eps, "K": K, "Q": run.solver.Q, **costs, "per iteration": samples / run.T})
    return rows


def pieces(remark: str, budget: Budget) -> list[Piece]:
    levels = list(FEWER_LEVELS if budget.quick else LEVELS)
    devices = list(FEWER_DEVICES if budget.quick else DEVICES)
    runs = {"corollary": COROLLARY[remark], "levels": levels, "devices": devices}
    compared = {remark, "remark-1"} if remark == "remark-2" else {remark}
    return [
        *(Piece(orders, {"remark": each}, seconds=0.1) for each in sorted(compared)),
        Piece(counted_runs, runs, seconds=0.5),
    ]


def checks(remark: str, rows: Rows) -> Iterator[Check]:
    """Iterations and rounds, in eps and in K."""
    runs, found = rows.having("eps"), rows.where(remark=remark)
    lines = {"eps": runs.where(K=runs.cells("K")[0]), "K": runs.where(eps=runs.cells("eps")[0])}
    for name in ("iterations", "rounds"):
        for letter, here in lines.items():
            order, what = found.where(count=name, letter=letter).only(), f"{name}: exponent of {letter}"
            yield equal(f"{what}, from the scalings", order["derived"], order["stated"], EXACT)
            yield exponent(f"{what}, counted", here, name, letter, order["stated"], TOLERANCE, error=ROUNDING)


def checks_of_comparison(rows: Rows) -> Iterator[Check]:
    """The same, and how many powers of 1/eps fewer than LocalBSGM takes: as many as between the stated costs."""
    yield from checks("remark-2", rows)
    for name in ("iterations", "rounds"):
        powers = rows.where(count=name, letter="eps")
        first, second = (powers.where(remark=remark).only() for remark in ("remark-1", "remark-2"))
        derived, stated = (second[how] - first[how] for how in ("derived", "stated"))
        yield at_least(f"{name}: powers of 1/eps fewer than LocalBSGM", derived, stated, tolerance=EXACT)


def checks_of_samples(rows: Rows) -> Iterator[Check]:
    """The power of log(1/eps) in the samples, over the one that is stated."""
    runs, order = rows.having("eps"), rows.where(count="samples", letter="log").only()
    drawn = Rows(
        {"s": -math.log(row["eps"]), "drawn": row["per iteration"] - INDEPENDENT_OF_Q}
        for row in runs.where(K=runs.cells("K")[0])
    )
    power, error = slope(drawn, "drawn", "s", error=ROUNDING)
    name = "power of log(1/eps) in samples"
    yield at_most(f"{name}, counted", power, order["stated"], error, TOLERANCE)
    yield at_most(f"{name}, from the scalings", order["derived"], order["stated"], tolerance=EXACT)
    off = max(abs(row["per iteration"] / (row["Q"] + INDEPENDENT_OF_Q) - 1) for row in runs)
    yield equal("samples of an iteration, relative to Q + 3", off, 0.0, 1e-12)


def chart(remark: str, rows: Rows) -> Chart:
    powers = {row["count"]: row["derived"] for row in rows.where(remark=remark, letter="eps")}
    return Chart(
        caption="Iterations of each device fall as 1/K; rounds do not depend on K, so that their lines coincide.",
        panels=[_panel(name, powers[name], rows.having("eps")) for name in ("iterations", "rounds")],
    )


def _panel(name: str, power: float, runs: Rows) -> Panel:
    series = [line(f"K = {K}", here, "eps", name, colour=i) for i, (K, here) in enumerate(runs.by("K"))]
    one, what = runs.where(K=runs.cells("K")[0]), f"the power {Fraction(power)}"
    series.append(power_law(what, one, "eps", name, power, kind="predicted", colour=6))
    return panel(r"$\epsilon$", name, series, title=name)


def samples_chart(rows: Rows) -> Chart:
    runs = rows.having("eps")
    here = Rows({**row, "s": -math.log(row["eps"])} for row in runs.where(K=runs.cells("K")[0]))
    series = [
        line("counted, $Q + 3$", here, "s", "per iteration"),
        level("as the remark counts", here.column("s"), 1.0, kind="predicted", colour=1),
    ]
    return figure(
        "Samples of an iteration: Q + 3, which grows as log(1/eps); the remark counts one.",
        r"$\log(1/\epsilon)$",
        "samples per iteration",
        series,
        [corner(here[0], "s", "per iteration", 1, above=0.6, right=1.2, factor=1.5)],
    )


def _settings(corollary: str, rows: Rows) -> dict[str, Json]:
    at = [[row["eps"], row["K"]] for row in rows.having("eps")]
    return {"world": WORLD, "corollary": corollary, "units": UNITS, "theta": THETA, "eps and K": at}


def _claim(id: str, sentence: str, **special: Any) -> Claim:
    remark = id.partition(".")[0]
    common = {
        "checks": partial(checks, remark),
        "chart": partial(chart, remark),
        "runs": ("LocalBSGM" if remark == "remark-1" else "LocalBSGVRM",),
    }
    return Claim(
        id=id,
        of=(remark,),
        sentence=sentence,
        pieces=partial(pieces, remark),
        regime=f"along {COROLLARY[remark]} inside its window eps <= 1/K^2; orders, so no constants are imposed",
        method="exact rationals; counted from the algorithm's steps",
        evidence=("derivation", "counting"),
        settings=partial(_settings, COROLLARY[remark]),
        notes=[
            "The costs that the remarks quote for other methods are measured by the claim complexity-table."
        ],
        table=("eps", "K", "Q", "iterations", "samples", "rounds", "per iteration"),
        **{**common, **special},
    )


CLAIMS = (
    _claim(
        "remark-1",
        "LocalBSGM along Corollary 2 takes iterations of order 1/(K eps^2) and rounds of order eps^(-3/2).",
    ),
    _claim(
        "remark-1.samples",
        "The iteration complexity 1/(K eps^2) of LocalBSGM is its sample complexity.",
        checks=checks_of_samples,
        chart=samples_chart,
        because="An iteration draws Q + 3 samples, and Q = O(log(1/eps)): samples are iterations times log(1/eps).",
        blind_to={
            "stated": "it is 0, as are all multiples",
            **dict.fromkeys(("derived", "eps"), "half a power of the logarithm would be too much as well"),
        },
    ),
    _claim(
        "remark-2",
        "LocalBSGVRM along Corollary 4 takes iterations of order 1/(K eps^(3/2)) and rounds of order 1/eps, "
        "both less than LocalBSGM.",
        checks=checks_of_comparison,
    ),
    _claim(
        "remark-4",
        "LocalBSGVRM along Corollary 6 takes iterations of order 1/(K eps^(3/2)) and rounds of order 1/eps, "
        "up to logarithms.",
    ),
)
