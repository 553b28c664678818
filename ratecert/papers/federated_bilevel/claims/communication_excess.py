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

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import exponent, gap
from ratecert.claims.lines import corner, figure, line
from ratecert.papers.federated_bilevel.evidence.periods.communication import METHODS, method_of, world_of
from ratecert.papers.federated_bilevel.evidence.periods.two_group_world import displacement
from ratecert.solvers import fixed_point

UNBIASED, BIASED = "two kinds", "biased inverses"
WORLDS: dict[str, dict[str, Any]] = {
    UNBIASED: {"two_kinds": {"K": 2, "dial": 0.3}},
    BIASED: {"world": "heterogeneous", "d_x": 1, "d_y": 1, "K": 3, "dial": 0.3},
}
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


def moved(world: str, method: str, periods: list[int]) -> list[Json]:
    """Compute the displacement and what it does to the squared gradient, for every p, and for the first with 2 eta.

    d = ||(x_p, y_p) - (x_1, y_1)||, squared = ||grad Phi(x_p) - grad Phi(x_1)||^2,
    added = ||grad Phi(x_p)||^2 - ||grad Phi(x_1)||^2.
    """
    problem, once = world_of(WORLDS[world]), method_of(method, STEPS, p=1)
    hessian = problem.hypergradient(np.eye(problem.d_x)) - problem.hypergradient(np.zeros((problem.d_x, 1)))
    rows = []
    for p, eta in [*((p, STEPS["eta"]) for p in periods), (periods[0], 2 * STEPS["eta"])]:
        solver = replace(once, p=p, eta=eta)
        rest = fixed_point(problem, solver)
        change = hessian @ rest.excess_x
        at_1 = problem.hypergradient(rest.x - rest.excess_x)
        found = {
            "d": float(np.linalg.norm([*rest.excess_x, *rest.excess_y])),
            "squared": float(change @ change),
            "added": float(2 * at_1 @ change + change @ change),
        }
        if world == UNBIASED:
            found["closed form"] = float(np.linalg.norm(displacement(problem, solver, p)))
        rows.append({"p": p, "eta": eta, **found})
    return rows


def pieces(budget: Budget) -> list[Piece]:
    periods = SHORT if budget.quick else [16, 128, *SHORT]
    methods = [m for m in METHODS if m != "LocalBSGVRM, averaged" or not budget.quick]
    asked = [(UNBIASED, method) for method in methods] + [(BIASED, "LocalBSGM")]
    return [Piece(moved, {"world": w, "method": m, "periods": periods}, 0.2) for w, m in asked]


def checks(rows: Rows) -> Iterator[Check]:
    for method, all_steps in rows.where(world=UNBIASED).by("method"):
        (in_p, in_eta), here = POWERS[method], all_steps.where(eta=STEPS["eta"])
        last, first = here.last(2), all_steps.where(p=here[0].get("p"))
        precise: dict[str, Any] = {"tolerance": TOLERANCE, "error": ROUNDING}
        yield exponent(f"exponent of d in p, {method}", last, "d", "p", in_p, **precise)
        name = f"exponent of the squared gradient's difference in p, {method}"
        yield exponent(name, last, "squared", "p", 2 * in_p, **precise)
        yield exponent(f"exponent of d in eta, {method}", first, "d", "eta", in_eta, **precise)
        name = f"largest gap to the closed form, {method}"
        yield gap(name, here, "d", "closed form", FACTOR, error=ROUNDING)
    for method, here in biased(rows).by("method"):
        sizes = Rows({"p": row["p"], "added": abs(row["added"])} for row in here.last(2))
        name = f"exponent in p of what p adds to the squared gradient, {method}, biased inverses"
        yield exponent(name, sizes, "added", "p", POWERS[method][0], TOLERANCE, error=ROUNDING)


def biased(rows: Rows) -> Rows:
    return rows.where(world=BIASED, eta=STEPS["eta"])


def chart(rows: Rows) -> Chart:
    drawn = rows.where(world=UNBIASED, eta=STEPS["eta"]).but(method="LocalBSGVRM, averaged")
    series, triangles = [], []
    for i, (method, here) in enumerate(drawn.by("method")):
        series += [
            line(f"{method}{' as printed' if i == 1 else ''}", here, "p", "d", colour=i),
            line("closed form", here, "p", "closed form", kind="predicted", colour=i + 3),
        ]
        triangles.append(corner(here[-2], "p", "d", POWERS[method][0], above=1 / 5, factor=3, colour=i))
    return figure(
        "How far rounds of p steps move the limit on devices of two kinds, at eta = 1e-8: as p^2, p^2 and p.",
        "communication period $p$",
        r"displacement $\|z_p - z_1\|$",
        series,
        triangles,
    )


def notes(rows: Rows) -> list[str]:
    sign = "adds to" if biased(rows)[-1]["added"] > 0 else "takes from"
    return [
        "Squared, LocalBSGM's displacement goes as p^4 eta^4, like the p^4 terms of Theorem 1; that of "
        "LocalBSGVRM with fresh momenta goes as p^2 eta^2, which exceeds the p^2 eta^4 of Theorem 2 as eta -> "
        "0.",
        f"On the world with biased inverses p {sign} the squared gradient, in first order.",
    ]


CLAIMS = (
    Claim(
        id="communication-period.excess",
        of=("theorem-1", "theorem-2"),
        sentence="Where devices differ p moves the limit by an amount of order p^2 eta^2 (LocalBSGM), p^2 eta^3 "
        "(LocalBSGVRM as printed) or p eta (its other readings), and the squared gradient by the square of it.",
        pieces=pieces,
        checks=checks,
        regime="devices that differ, outside the paper's homogeneity; no noise, at rest; p alpha eta <= 1e-3",
        method="fixed points of noise-free rounds in 50 digits",
        evidence=("fixed points",),
        settings={"unbiased": WORLDS[UNBIASED], "biased": WORLDS[BIASED], "steps": STEPS},
        chart=chart,
        notes=notes,
        table=("world", "method", "eta", "p", "d", "squared", "added"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
