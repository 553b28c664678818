"""Where averaging commutes with the steps, the period p plays no part in xbar_t and ybar_t.

If devices are alike and noise is additive (E = F = 0), a step is one affine map of the state, the same on every
device, plus noise that does not know the state. The mean of the states then obeys a recursion of its own, in which no
average occurs, that of a lone device whose noise has 1/K of the variance: the measure is the same for every p, and also
if only x is averaged, or nothing at all. The drift does change.

It takes noise that acts on the state (Hessian noise) or devices that differ for p to matter: the contrasts.
"""

import math
from collections.abc import Iterator
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import at_least, equal, gap, largest_error
from ratecert.claims.lines import figure, level, line
from ratecert.papers.federated_bilevel.evidence.periods import communication as shared
from ratecert.solvers import LocalBSGM, LocalBSGVRM
from ratecert.solvers.methods.local_method import LocalMethod

TOLERANCE = 1e-12  # relative; what rounding leaves is 1e-14
VISIBLE = 1e-6  # relative; what the contrasts must exceed
ALIKE: dict[str, dict[str, Any]] = {
    "scalar": shared.ADDITIVE,
    "random_quadratic": {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 4, "s_f": 0.5, "s_g": 0.5},
}
CONTRASTS: dict[str, dict[str, Any]] = {
    "Hessian noise": shared.HESSIAN_NOISE,
    "devices differ": {"two_kinds": {"K": 2, "dial": 0.3, "s_f": 0.5, "s_g": 0.5}},
}
WORLDS = {**ALIKE, **CONTRASTS}
STEPS: dict[str, Any] = {
    "eta": 0.05, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.2, "Q": 40
}  # fmt: skip
RUN: dict[str, Any] = {"K": 8, "T": 100_000}
PARTIAL: dict[str, type[LocalMethod]] = {
    f"{method.__name__}, {what}": type(method.__name__, (method,), {"averaged": averaged})
    for what, averaged in (("only x averaged", ("x",)), ("momenta not averaged", ("x", "y")))
    for method in (LocalBSGM, LocalBSGVRM)
}
"""Algorithms in which what is not averaged stays local."""


def over_periods(world: str, method: str, periods: list[int], K: int, T: int) -> list[Json]:
    """Run with each period; `change` is that of the measure against p = 1, relative."""

    def run(spec: Json, p: int, K: int) -> Json:
        solver = PARTIAL[method](**STEPS, p=p) if method in PARTIAL else shared.method_of(method, STEPS, p=p)
        return shared.run_near(shared.world_of(spec), solver, K=K, T=T, start_offset=1.0)

    rows = [run(WORLDS[world], p, K) for p in periods]
    lone = {"lone device": run(quieter(ALIKE[world], K), 1, 1)["measure"]} if world in ALIKE else {}
    return [{**row, **lone, "change": row["measure"] / rows[0]["measure"] - 1} for row in rows]


def quieter(spec: Json, K: int) -> Json:
    """Divide the additive noise by sqrt(K)."""
    return {**spec, **{name: spec[name] / math.sqrt(K) for name in ("s_f", "s_g")}}


def pieces(budget: Budget) -> list[Piece]:
    all_periods = [1, 7, 1024] if budget.quick else [1, 2, 3, 4, 7, 16, 64, 100, 256, 1024]
    few = [1, 1024] if budget.quick else [1, 64, 1024]
    partial = ("LocalBSGM, only x averaged", "LocalBSGVRM, momenta not averaged")
    asked: list[tuple[str, str, list[int]]] = [
        *(("scalar", method, all_periods) for method in ("LocalBSGM", "LocalBSGVRM")),
        *(("scalar", method, few) for method in partial),
        *(("Hessian noise", method, few) for method in ("LocalBSGM", "LocalBSGVRM")),
        ("devices differ", "LocalBSGM", few),
    ]
    if not budget.quick:
        others = [m for m in (*shared.METHODS, *PARTIAL) if "," in m and m not in partial]
        asked += [("scalar", method, few) for method in others]
        asked += [("random_quadratic", method, few) for method in ("LocalBSGM", "LocalBSGVRM, fresh")]
    pair = {"devices differ": {"K": 2}}
    return [
        Piece(over_periods, {"world": w, "method": m, "periods": p, **RUN, **pair.get(w, {})})
        for w, m, p in asked
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for world in WORLDS:
        for method, here in rows.where(world=world).by("method"):
            name, error = f"relative spread over p, {method}, {world}", 2 * largest_error(here)
            found = shared.spread(here.column("measure"))
            if world in ALIKE:
                yield equal(name, found, 0.0, TOLERANCE, error)
            else:
                yield at_least(name, found, VISIBLE, error)
    name = "largest gap to a lone device with 1/K of the noise's variance, all methods"
    yield gap(name, rows.having("lone device"), "measure", "lone device", TOLERANCE)


def chart(rows: Rows) -> Chart:
    drawn = rows.but(world="random_quadratic").by("world", "method")
    curves = [(w, m, here[1:]) for (w, m), here in drawn if m in ("LocalBSGM", "LocalBSGVRM")]
    series = [
        line(
            f"{method}, {'additive noise' if world in ALIKE else world}",
            here,
            "p",
            lambda row: max(abs(row["change"]), 1e-16),  # what is below rounding is drawn there
            kind="measured" if world in ALIKE else "contrast",
            colour=i,
        )
        for i, (world, method, here) in enumerate(curves)
    ]
    allowed = level("what is allowed", [2.0, 1024.0], TOLERANCE, kind="bound", colour=7)
    return figure(
        "Relative change of the measure against p = 1: rounding where devices are alike and noise is additive, "
        "visible with Hessian noise and where devices differ.",
        "communication period $p$",
        "relative change of the measure",
        [*series, allowed],
    )


CLAIMS = (
    Claim(
        id="communication-period.invariance",
        of=("algorithm-1", "algorithm-2"),
        sentence="With devices that are alike and additive noise the measure does not depend on p, nor on which fields "
        "are averaged.",
        pieces=pieces,
        checks=checks,
        regime="devices that are alike, E = F = 0; steps larger than the theorems admit, where effects would show "
        "best; the contrasts have Hessian noise, or devices that differ (outside the paper's homogeneity)",
        method="exact moments",
        evidence=("exact moments",),
        settings={"worlds": [*WORLDS.values()], "steps": STEPS, **RUN, "x0": "x_star + 1"},
        chart=chart,
        notes=[
            "Which fields are averaged does not matter either: the mean of the states does not know of averages.",
            "So on these worlds nothing the paper says about p can be seen in the measure; the other claims on p "
            "use the drift, Hessian noise or devices that differ.",
        ],
        table=("world", "method", "p", "measure", "drift_y"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
