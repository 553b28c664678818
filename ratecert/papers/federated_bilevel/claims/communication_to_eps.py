"""Rounds to reach eps against eps and K: T/p = O(eps^{-3/2}) for LocalBSGM, O(eps^{-1}) for LocalBSGVRM, whatever K.

T(eps) is where the measure along Corollary 1 (or 3) reaches eps, found on exact moments by the secant method in
logarithms; the rounds of that run are counted. By the corollaries T(eps) ~ 1/(K eps^2) and 1/(K eps^{3/2}), and with
their p

    LocalBSGM      p ~ T^{1/4}/K^{3/4}      T/p ~ T^{3/4} K^{3/4} ~ eps^{-3/2}
    LocalBSGVRM    p ~ T^{1/3}/K^{2/3}      T/p ~ T^{2/3} K^{2/3} ~ eps^{-1}

With p = 1, the contrast, every iteration is a round: eps^{-2} and eps^{-3/2}, and K devices need 1/K as many. p is a
whole number: what its rounding can do to an exponent is part of the uncertainty.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import equal, exponent
from ratecert.claims.claim import build
from ratecert.claims.lines import corner, figure, line
from ratecert.papers.federated_bilevel.evidence.experiment import claimed
from ratecert.papers.federated_bilevel.evidence.periods import communication as shared
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.reach import reach
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.theory.language.statements import Counts
from ratecert.theory.orders.derivation import as_monomial

FIXED: dict[str, Any] = {"theta": 0.4, "Q": 80}
CLOSE = 1e-6  # relative, of the measure to eps
TOLERANCE = 1e-3
CASES: dict[str, dict[str, Any]] = {
    "LocalBSGM": {
        "corollary": "corollary-1", "remark": "remark-1", "constant": 116.0,
        "units": {"eta": 32.0, "p": 4.0, "rho_1": 0.1, "rho_2": 0.3},
    },
    "LocalBSGVRM": {
        "corollary": "corollary-3", "remark": "remark-2", "constant": 66.7,
        "units": {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3},
    },
}  # fmt: skip
"""`constant`: about, of the measure over the corollary's rate; where the search for T(eps) begins"""
# K and eps; the first two are compared in eps, the first and the third in K
SETTINGS: dict[str, list[tuple[int, float]]] = {
    "LocalBSGM": [(8, 4e-8), (8, 6.4e-7), (64, 4e-8), (8, 1.6e-7)],
    "LocalBSGVRM": [(8, 1.6e-11), (8, 2.56e-10), (64, 1.6e-11), (8, 6.4e-11)],
}
PERIODS = {False: "p along the corollary", True: "p = 1"}


def rounds_to(method: str, K: int, eps: float, p: int | None = None) -> list[Json]:
    """Find T(eps) along the corollary, and count the rounds; with p given, that period instead of the corollary's."""
    case, world = CASES[method], build(shared.HESSIAN_NOISE)
    instead: dict[str, Any] = {} if p is None else {"p": p}
    rate = claimed(case["corollary"], "T")

    def run(T: float, certified: bool | None = False) -> tuple[float, Json]:
        asked = along(case["corollary"], K=K, T=round(T), units=case["units"], **FIXED, **instead)
        row = shared.run_near(world, asked.solver, K=K, T=asked.T, start_offset=1.0, certified=certified)
        return row["measure"], row

    first = (case["constant"] / eps) ** (-1 / rate) / K
    found = reach(eps, run, first=first, slope=rate, close=CLOSE, confirm=partial(run, certified=None))
    row = found.found
    rounding = 0.5 / row["p"] if p is None else 0.0
    error = rounding + (abs(found.excess) + row["precision"]) / abs(rate)
    return [{**row, "alone": p == 1, "precision": error}]


def pieces(budget: Budget) -> list[Piece]:
    few = 3 if budget.quick else 4
    along_p = [
        Piece(rounds_to, {"method": m, "K": K, "eps": eps}, 0.5)
        for m, settings in SETTINGS.items()
        for K, eps in settings[:few]
    ]
    alone = [
        Piece(rounds_to, {"method": m, "K": K, "eps": eps, "p": 1}, 0.4)
        for m, settings in SETTINGS.items()
        for K, eps in settings[: 2 if budget.quick else 3]
        if not budget.quick or m == "LocalBSGM"
    ]
    return along_p + alone


def checks(rows: Rows) -> Iterator[Check]:
    yield equal("rounds miscounted, all runs", shared.miscounted(rows), 0.0, 0.0)
    for method, alone in product(CASES, PERIODS):
        here, (in_eps, in_K) = rows.where(method=method, alone=alone), predicted(method, alone=alone)
        name = f"{method}, {PERIODS[alone]}"
        if here:
            yield exponent(
                f"exponent of the rounds in eps, {name}", here[:2], "rounds", "eps", in_eps, TOLERANCE
            )
        if len(here) > 2:
            yield exponent(f"exponent of the rounds in K, {name}", here[:3:2], "rounds", "K", in_K, TOLERANCE)


def predicted(method: str, *, alone: bool) -> tuple[Fraction, Fraction]:
    """Read the exponents of the rounds in eps and K off the remark's counts; with p = 1 rounds are iterations."""
    remark = paper("printed").the(Counts, CASES[method]["remark"])
    (cost,) = remark.costs
    order = as_monomial(cost.counts["iterations" if alone else "rounds"].order)
    return order.exponent("eps"), order.exponent("K")


def chart(rows: Rows) -> Chart:
    series, triangles = [], []
    for (method, alone), here in rows.where(K=8).sorted("method", "alone", "eps").by("method", "alone"):
        slope, colour = predicted(method, alone=alone)[0], list(CASES).index(method)
        label = f"{method}, {'$p = 1$' if alone else '$p$ of the corollary'}: slope {slope}"
        kind = "contrast" if alone else "measured"
        series.append(line(label, here, "eps", "rounds", kind=kind, colour=colour))
        if not alone:
            triangles.append(corner(here[0], "eps", "rounds", slope, above=1 / 20, factor=3, colour=colour))
    return figure(
        "Rounds to reach eps at K = 8: the corollaries' p saves half a power of 1/eps for both algorithms.",
        r"$\epsilon$",
        "rounds $T/p$",
        series,
        triangles,
    )


CLAIMS = (
    Claim(
        id="communication-period.rounds-to-eps",
        of=("corollary-2", "corollary-4", "remark-1", "remark-2"),
        sentence="With p along the corollaries LocalBSGM reaches eps in a number of rounds of order eps^(-3/2) and "
        "LocalBSGVRM of order 1/eps, whatever K.",
        pieces=pieces,
        checks=checks,
        regime="devices that are alike, with Hessian noise; steps and p in the orders of Corollaries 1 and 3 with "
        "units of ours, T >= K^3",
        method="exact moments; T(eps) by the secant method",
        evidence=("exact moments",),
        settings={
            "world": shared.HESSIAN_NOISE,
            "cases": CASES,
            **FIXED,
            "x0": "x_star + 1",
            "K and eps": SETTINGS,
        },
        chart=chart,
        notes=[
            "The rounds are what the corollaries' p makes of T. On these worlds a larger p would do as well "
            "(communication-period.largest-p-alike), so the exponents are no lower bounds."
        ],
        table=("method", "K", "eps", "T", "p", "rounds"),
        runs=("LocalBSGM", "LocalBSGVRM"),
        blind_to={
            "K": "with the corollaries' p the rounds do not depend on K: the exponent is 0 whatever K is called"
        },
    ),
)
