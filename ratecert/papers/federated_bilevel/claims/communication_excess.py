"""How far rounds of p steps move the limit where devices differ: the exponent in p of what p > 1 costs.

Without noise rounds come to rest. With F_k the field of device k and s the mean of J_k R W F_k
(solvers/engines/fixed_point.py), p > 1 moves that point by a displacement d, in short rounds

    LocalBSGM                                   Jbar d = (p^2 - 1)/6 eta^2 s            d ~ p^2 eta^2
    LocalBSGVRM as printed                      Jbar d = (p^2 - 1)/6 eta^3 s            d ~ p^2 eta^3
    LocalBSGVRM, previous averaged or fresh     Jbar d = (p - 1)/2 eta W^{-1} s         d ~ p eta

and ||grad Phi(x_p) - grad Phi(x_1)||^2 has twice these exponents: 4, 4 and 2. If the local inverses are unbiased (all
A_k equal) x_1 is the solution and this is what p adds to the measure. If not, grad Phi(x_1) is not zero, a cross term
is left, and what p adds to ||grad Phi||^2, which can be negative, has the exponents of d itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    METHODS,
    drawable,
    exponent,
    method_of,
    norm,
    world_of,
)
from ratecert.papers.federated_bilevel.evidence.periods.two_kinds import displacement
from ratecert.solvers import fixed_point

UNBIASED: dict[str, Any] = {"two_kinds": {"K": 2, "dial": 0.3}}
BIASED: dict[str, Any] = {"world": "heterogeneous", "d_x": 1, "d_y": 1, "K": 3, "dial": 0.3}
STEPS: dict[str, Any] = {
    "eta": 1e-8, "alpha": 8.0, "beta": 4.0, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.2, "Q": 160
}  # fmt: skip
SHORT = [2048, 8192]  # p alpha eta <= 1e-3
POWERS = {
    "LocalBSGM": (2, 2),
    "LocalBSGVRM": (2, 3),
    "LocalBSGVRM, averaged": (1, 1),
    "LocalBSGVRM, fresh": (1, 1),
}
"""Of p and of eta in d."""
TOLERANCE = 1e-3
FACTOR = 1e-3  # of the closed form, which is that of p eta -> 0
ROUNDING = 1e-12  # relative, of what is left of 50 digits


def moved(world: Json, method: str, periods: list[int]) -> Json:
    """For each p: ||d||, ||grad Phi(x_p) - grad Phi(x_1)||^2 and ||grad Phi(x_p)||^2 - ||grad Phi(x_1)||^2."""
    problem, solver = world_of(world), method_of(method, STEPS, p=1)
    rests = [fixed_point(problem, replace(solver, p=p)) for p in periods]
    ds = [np.concatenate([rest.excess_x, rest.excess_y]) for rest in rests]
    hessian = problem.hypergradient(np.eye(problem.d_x)) - problem.hypergradient(np.zeros((problem.d_x, 1)))
    changes = [hessian @ rest.excess_x for rest in rests]
    at_1 = problem.hypergradient(rests[0].x - rests[0].excess_x)
    twice = fixed_point(problem, replace(solver, p=periods[0], eta=2 * STEPS["eta"]))
    law = [norm(displacement(problem, solver, p)) for p in periods] if world == UNBIASED else []
    return {
        "world": world,
        "method": method,
        "periods": periods,
        "d": [norm(d) for d in ds],
        "closed form": law,
        "d at twice eta": norm(np.concatenate([twice.excess_x, twice.excess_y])),
        "squared": [norm(change) ** 2 for change in changes],
        "added": [float(2 * at_1 @ change + change @ change) for change in changes],
    }


def pieces(budget: Budget) -> list[Piece]:
    periods = SHORT if budget.quick else [16, 128, *SHORT]
    methods = [m for m in METHODS if m != "LocalBSGVRM, averaged" or not budget.quick]
    asked = [(UNBIASED, method) for method in methods] + [(BIASED, "LocalBSGM")]
    return [Piece(moved, {"world": w, "method": m, "periods": periods}, 0.2) for w, m in asked]


def judge(values: Sequence[Json]) -> Judgement:
    checks = [check for v in values if v["world"] == UNBIASED for check in _checks(v)]
    (biased,) = (v for v in values if v["world"] == BIASED)
    checks.append(
        Check(
            name=f"exponent in p of what p adds to the squared gradient, {biased['method']}, biased inverses",
            measured=exponent(biased["periods"][-2:], [abs(a) for a in biased["added"][-2:]]).value,
            predicted=POWERS[biased["method"]][0],
            tolerance=TOLERANCE,
            uncertainty=ROUNDING,
        )
    )
    sign = "adds to" if biased["added"][-1] > 0 else "takes from"
    return Judgement(
        checks=checks,
        regime="devices that differ, outside the paper's homogeneity; no noise, at rest; p alpha eta <= 1e-3",
        settings={"unbiased": UNBIASED, "biased": BIASED, "steps": STEPS},
        method="fixed points of noise-free rounds in 50 digits",
        chart=_chart(values),
        notes=[
            "Squared, LocalBSGM's displacement goes as p^4 eta^4, like the p^4 terms of Theorem 1; that of "
            "LocalBSGVRM with fresh momenta goes as p^2 eta^2, which exceeds the p^2 eta^4 of Theorem 2 as eta -> "
            "0.",
            f"On the world with biased inverses p {sign} the squared gradient, in first order.",
        ],
        table=[
            {"world": _name(v["world"]), "method": v["method"], "p": p, "d": d, "squared": s, "added": a}
            for v in values
            for p, d, s, a in zip(v["periods"], v["d"], v["squared"], v["added"], strict=True)
        ],
    )


def _checks(v: Json) -> list[Check]:
    in_p, in_eta = POWERS[v["method"]]
    last = v["periods"][-2:]
    exponents = {
        "of d in p": (exponent(last, v["d"][-2:]).value, in_p),
        "of the squared gradient's difference in p": (exponent(last, v["squared"][-2:]).value, 2 * in_p),
        "of d in eta": (exponent([1.0, 2.0], [v["d"][0], v["d at twice eta"]]).value, in_eta),
    }
    checks = [
        Check(
            name=f"exponent {what}, {v['method']}",
            measured=value,
            predicted=predicted,
            tolerance=TOLERANCE,
            uncertainty=ROUNDING,
        )
        for what, (value, predicted) in exponents.items()
    ]
    gaps = [d / law - 1 for d, law in zip(v["d"], v["closed form"], strict=True)]
    factor = Check(
        name=f"largest gap to the closed form, {v['method']}",
        measured=max(gaps, key=abs),
        predicted=0.0,
        tolerance=FACTOR,
        uncertainty=ROUNDING,
    )
    return [*checks, factor]


def _name(world: Json) -> str:
    return "two kinds" if world == UNBIASED else "biased inverses"


def _chart(values: Sequence[Json]) -> Chart:
    drawn = [v for v in values if v["world"] == UNBIASED and v["method"] != "LocalBSGVRM, averaged"]
    series, triangles = [], []
    for i, v in enumerate(drawn):
        series.append(
            Series(
                label=f"{v['method']}{' as printed' if i == 1 else ''}",
                x=v["periods"],
                y=drawable(v["d"]),
                colour=i,
            )
        )
        law = {"x": v["periods"], "y": v["closed form"], "kind": "predicted", "colour": i + 3}
        series.append(Series(label="closed form", **law))
        power = POWERS[v["method"]][0]
        triangles.append(
            Triangle(
                x=v["periods"][-2], y=v["d"][-2] / 5, slope=power, label=str(power), factor=3.0, colour=i
            )
        )
    return Chart(
        caption=r"How far rounds of p steps move the limit on devices of two kinds, at eta = 1e-8: as p^2, p^2 and p.",
        panels=[
            Panel(
                x_label="communication period $p$",
                y_label=r"displacement $\|z_p - z_1\|$",
                series=series,
                triangles=triangles,
            )
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.excess",
        of=("theorem-1", "theorem-2"),
        sentence="Where devices differ p moves the limit by an amount of order p^2 eta^2 (LocalBSGM), p^2 eta^3 "
        "(LocalBSGVRM as printed) or p eta (its other readings), and the squared gradient by the square of it.",
        pieces=pieces,
        judge=judge,
    ),
)
