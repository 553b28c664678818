"""Rounds to reach eps against eps and K: T/p = O(eps^{-3/2}) for LocalBSGM, O(eps^{-1}) for LocalBSGVRM, whatever K.

T(eps) is where the measure along Corollary 1 (or 3) reaches eps, found on exact moments by the secant method in
logarithms; the rounds of that run are counted. By the corollaries T(eps) ~ 1/(K eps^2) and 1/(K eps^{3/2}), and with
their p

    LocalBSGM      p ~ T^{1/4}/K^{3/4}      T/p ~ T^{3/4} K^{3/4} ~ eps^{-3/2}
    LocalBSGVRM    p ~ T^{1/3}/K^{2/3}      T/p ~ T^{2/3} K^{2/3} ~ eps^{-1}

With p = 1, the contrast, every iteration is a round: eps^{-2} and eps^{-3/2}, and K devices need 1/K as many. p is a
whole number: what its rounding can do to an exponent is part of the uncertainty.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from ratecert.claim.chart import Chart, Kind, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    drawable,
    exact,
    exponent,
    world_of,
)
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.theory.language.statements import Corollary, Counts
from ratecert.theory.orders.derivation import as_monomial

WORLD: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, "sigma_H": 0.2, "s_f": 0.5, "s_g": 0.5
}  # fmt: skip
FIXED: dict[str, Any] = {"theta": 0.4, "Q": 80}
CLOSE = 1e-6  # relative, of the measure to eps
TOLERANCE = 1e-3
CASES: dict[str, dict[str, Any]] = {
    "LocalBSGM": {
        "corollary": "corollary-1",
        "remark": "remark-1",
        "constant": 116.0,
        "units": {"eta": 32.0, "p": 4.0, "rho_1": 0.1, "rho_2": 0.3},
    },
    "LocalBSGVRM": {
        "corollary": "corollary-3",
        "remark": "remark-2",
        "constant": 66.7,
        "units": {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3},
    },
}
# `constant`: about, of the measure over the corollary's rate; where the search for T(eps) begins
# K and eps; the first two are compared in eps, the first and the third in K
SETTINGS: dict[str, list[tuple[int, float]]] = {
    "LocalBSGM": [(8, 4e-8), (8, 6.4e-7), (64, 4e-8), (8, 1.6e-7)],
    "LocalBSGVRM": [(8, 1.6e-11), (8, 2.56e-10), (64, 1.6e-11), (8, 6.4e-11)],
}


def rounds_to(method: str, K: int, eps: float, p: int | None = None) -> Json:
    """T(eps) along the corollary, and the rounds counted; with p given, that period instead of the corollary's."""
    case, world = CASES[method], world_of(WORLD)
    instead: dict[str, Any] = {} if p is None else {"p": p}
    rate = float(as_monomial(paper("printed").the(Corollary, case["corollary"]).claim.order).exponent("T"))
    T, tried = round((case["constant"] / eps) ** (-1 / rate) / K), []
    for _ in range(8):
        run = along(case["corollary"], K=K, T=T, units=case["units"], **FIXED, **instead)
        found = exact(world, run.solver, K=K, T=T, away=1.0)
        gap = math.log(found.measure / eps)
        if abs(gap) <= CLOSE:
            break
        tried.append((math.log(T), gap))
        slope = rate if len(tried) < 2 else (gap - tried[-2][1]) / (tried[-1][0] - tried[-2][0])
        T = round(T * math.exp(-gap / slope))
    what = {"method": method, "K": K, "eps": eps, "T": T, "p": run.solver.p, "rounds": found.rounds}
    rounding = 0.5 / run.solver.p if p is None else 0.0
    return {**what, "alone": p == 1, "error": rounding + (abs(gap) + found.precision) / abs(rate)}


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


def judge(values: Sequence[Json]) -> Judgement:
    miscounted = sum(abs(v["rounds"] - v["T"] // v["p"]) for v in values)
    checks = [Check(name="rounds miscounted, all runs", measured=miscounted, predicted=0.0)]
    for method, alone in product(CASES, (False, True)):
        here = [v for v in values if v["method"] == method and v["alone"] == alone]
        in_eps, in_K = predicted(method, alone=alone)
        label = f"{method}, {'p = 1' if alone else 'p along the corollary'}"
        if here:
            checks.append(_exponent("eps", label, here[0], here[1], in_eps))
        if len(here) > 2:
            checks.append(_exponent("K", label, here[0], here[2], in_K))
    return Judgement(
        checks=checks,
        regime="devices that are alike, with Hessian noise; steps and p in the orders of Corollaries 1 and 3 with "
        "units of ours, T >= K^3",
        settings={"world": WORLD, "cases": CASES, **FIXED, "x0": "x_star + 1", "K and eps": SETTINGS},
        method="exact moments; T(eps) by the secant method",
        chart=_chart(values),
        notes=[
            "The rounds are what the corollaries' p makes of T. On these worlds a larger p would do as well "
            "(communication-period.largest-p-alike), so the exponents are no lower bounds.",
        ],
        table=[{name: v[name] for name in ("method", "K", "eps", "T", "p", "rounds")} for v in values],
    )


def predicted(method: str, *, alone: bool) -> tuple[Fraction, Fraction]:
    """Exponents of the rounds in eps and K, from the remark's counts; with p = 1 they are the iterations."""
    remark = paper("printed").the(Counts, CASES[method]["remark"])
    (cost,) = remark.costs
    order = as_monomial(cost.counts["iterations" if alone else "rounds"].order)
    return order.exponent("eps"), order.exponent("K")


def _exponent(name: str, label: str, one: Json, other: Json, value: Fraction) -> Check:
    found = exponent(
        [one[name], other[name]], [one["rounds"], other["rounds"]], max(one["error"], other["error"])
    )
    return Check(
        name=f"exponent of the rounds in {name}, {label}",
        measured=found.value,
        predicted=float(value),
        tolerance=TOLERANCE,
        uncertainty=found.uncertainty,
    )


def _chart(values: Sequence[Json]) -> Chart:
    series, triangles = [], []
    for method, alone in product(CASES, (False, True)):
        here = [v for v in values if v["method"] == method and v["alone"] == alone and v["K"] == 8]
        if not here:
            continue
        here.sort(key=lambda v: v["eps"])
        eps, rounds = [v["eps"] for v in here], drawable([float(v["rounds"]) for v in here])
        slope, colour = predicted(method, alone=alone)[0], list(CASES).index(method)
        label = f"{method}, {'$p = 1$' if alone else '$p$ of the corollary'}: slope {slope}"
        kind: Kind = "contrast" if alone else "measured"
        series.append(Series(label=label, x=eps, y=rounds, kind=kind, colour=colour))
        if not alone:
            corner = {"x": eps[0], "y": rounds[0] / 20, "slope": float(slope)}
            triangles.append(Triangle(**corner, label=str(slope), factor=3.0, colour=colour))
    return Chart(
        caption="Rounds to reach eps at K = 8: the corollaries' p saves half a power of 1/eps for both algorithms.",
        panels=[Panel(x_label=r"$\epsilon$", y_label="rounds $T/p$", series=series, triangles=triangles)],
    )


CLAIMS = (
    Claim(
        id="communication-period.rounds-to-eps",
        of=("corollary-2", "corollary-4", "remark-1", "remark-2"),
        sentence="With p along the corollaries LocalBSGM reaches eps in a number of rounds of order eps^(-3/2) and "
        "LocalBSGVRM of order 1/eps, whatever K.",
        pieces=pieces,
        judge=judge,
    ),
)
