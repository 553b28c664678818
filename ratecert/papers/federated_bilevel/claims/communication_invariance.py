"""Where averaging commutes with the steps, the period p plays no part in xbar_t and ybar_t.

If devices are alike and noise is additive (E = F = 0), a step is one affine map of the state, the same on every
device, plus noise that does not know the state. The mean of the states then obeys a recursion of its own, in which no
average occurs: the measure is the same for every p, and also if only x is averaged, or nothing at all. The drift does
change.

It takes noise that acts on the state (Hessian noise) or devices that differ for p to matter: the contrasts.
"""

from collections.abc import Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    METHODS,
    exact,
    method_of,
    world_of,
)
from ratecert.solvers import LocalBSGM, LocalBSGVRM
from ratecert.solvers.methods.local_method import LocalMethod

TOLERANCE = 1e-12  # relative; what rounding leaves is 1e-14
VISIBLE = 1e-6  # relative; what the contrasts must exceed
ADDITIVE: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, "s_f": 0.5, "s_g": 0.5
}  # fmt: skip
PLANE: dict[str, Any] = {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 4, "s_f": 0.5, "s_g": 0.5}
HESSIAN = {**ADDITIVE, "sigma_H": 0.2}
DIFFERENT: dict[str, Any] = {"two_kinds": {"K": 2, "dial": 0.3, "s_f": 0.5, "s_g": 0.5}}
STEPS: dict[str, Any] = {
    "eta": 0.05,
    "alpha": 1.0,
    "beta": 1.0,
    "rho_1": 0.1,
    "rho_2": 0.3,
    "theta": 0.2,
    "Q": 40,
}
RUN: dict[str, Any] = {"K": 8, "T": 100_000}


class OnlyX(LocalBSGM):
    """y and the momenta stay local."""

    averaged = ("x",)


class OnlyXReduced(LocalBSGVRM):
    averaged = ("x",)


class Points(LocalBSGM):
    """The momenta stay local."""

    averaged = ("x", "y")


class PointsReduced(LocalBSGVRM):
    averaged = ("x", "y")


PARTIAL: dict[str, type[LocalMethod]] = {
    "LocalBSGM, only x averaged": OnlyX,
    "LocalBSGVRM, only x averaged": OnlyXReduced,
    "LocalBSGM, momenta not averaged": Points,
    "LocalBSGVRM, momenta not averaged": PointsReduced,
}


def over_periods(world: Json, method: str, periods: list[int], K: int, T: int) -> Json:
    """The measure and the drift of y for each period."""
    problem = world_of(world)
    solvers = [
        PARTIAL[method](**STEPS, p=p) if method in PARTIAL else method_of(method, STEPS, p=p) for p in periods
    ]
    runs = [exact(problem, solver, K=K, T=T, away=1.0) for solver in solvers]
    return {
        "world": world,
        "method": method,
        "periods": periods,
        "measures": [run.measure for run in runs],
        "drifts": [run.drift_y for run in runs],
        "precision": max(run.precision for run in runs),
    }


def pieces(budget: Budget) -> list[Piece]:
    all_periods = [1, 7, 1024] if budget.quick else [1, 2, 3, 4, 7, 16, 64, 100, 256, 1024]
    few = [1, 1024] if budget.quick else [1, 64, 1024]
    asked: list[tuple[dict[str, Any], str, list[int]]] = [
        *((ADDITIVE, method, all_periods) for method in ("LocalBSGM", "LocalBSGVRM")),
        *(
            (ADDITIVE, method, few)
            for method in ("LocalBSGM, only x averaged", "LocalBSGVRM, momenta not averaged")
        ),
        *((HESSIAN, method, few) for method in ("LocalBSGM", "LocalBSGVRM")),
        (DIFFERENT, "LocalBSGM", few),
    ]
    if not budget.quick:
        others = [m for m in METHODS if "," in m] + [m for m in PARTIAL if (ADDITIVE, m, few) not in asked]
        asked += [(ADDITIVE, method, few) for method in others]
        asked += [(PLANE, method, few) for method in ("LocalBSGM", "LocalBSGVRM, fresh")]
    return [
        Piece(
            over_periods,
            {"world": w, "method": m, "periods": p, **RUN, **({"K": 2} if w == DIFFERENT else {})},
        )
        for w, m, p in asked
    ]


def judge(values: Sequence[Json]) -> Judgement:
    same = [v for v in values if v["world"] in (ADDITIVE, PLANE)]
    other = [v for v in values if v["world"] in (HESSIAN, DIFFERENT)]
    checks = [
        Check(
            name=f"relative spread over p, {v['method']}, {v['world']['world']}",
            measured=spread(v["measures"]),
            predicted=0.0,
            tolerance=TOLERANCE,
            uncertainty=2 * v["precision"],
        )
        for v in same
    ]
    contrasts = [
        Check(
            name=f"relative spread over p, {v['method']}, {_what(v['world'])}",
            measured=spread(v["measures"]),
            predicted=VISIBLE,
            relation=">=",
            uncertainty=2 * v["precision"],
        )
        for v in other
    ]
    return Judgement(
        checks=[*checks, *contrasts],
        regime="devices that are alike, E = F = 0; steps larger than the theorems admit, where effects would show "
        "best; the contrasts have Hessian noise, or devices that differ (outside the paper's homogeneity)",
        settings={"worlds": [ADDITIVE, PLANE, HESSIAN, DIFFERENT], "steps": STEPS, **RUN, "x0": "x_star + 1"},
        method="exact moments",
        chart=_chart(values),
        notes=[
            "Which fields are averaged does not matter either: the mean of the states does not know of averages.",
            "So on these worlds nothing the paper says about p can be seen in the measure; the other claims on p "
            "use the drift, Hessian noise or devices that differ.",
        ],
        table=[
            {"world": _what(v["world"]), "method": v["method"], "p": p, "measure": m, "drift_y": d}
            for v in values
            for p, m, d in zip(v["periods"], v["measures"], v["drifts"], strict=True)
        ],
    )


def spread(measures: Sequence[float]) -> float:
    return max(measures) / min(measures) - 1


def _what(world: Json) -> str:
    return "Hessian noise" if world == HESSIAN else "devices differ" if world == DIFFERENT else world["world"]


def _chart(values: Sequence[Json]) -> Chart:
    def against_p_1(v: Json) -> list[float]:
        """The change relative to p = 1; what is below rounding is drawn there."""
        return [max(abs(m / v["measures"][0] - 1), 1e-16) for m in v["measures"][1:]]

    drawn = [v for v in values if v["method"] in ("LocalBSGM", "LocalBSGVRM") and v["world"] != PLANE]
    series = [
        Series(
            label=f"{v['method']}, {'additive noise' if v['world'] == ADDITIVE else _what(v['world'])}",
            x=v["periods"][1:],
            y=against_p_1(v),
            kind="measured" if v["world"] == ADDITIVE else "contrast",
            colour=i,
        )
        for i, v in enumerate(drawn)
    ]
    ends = [2.0, 1024.0]
    allowed = Series(label="what is allowed", x=ends, y=[TOLERANCE] * 2, kind="bound", colour=7)
    return Chart(
        caption="Relative change of the measure against p = 1: rounding where devices are alike and noise is additive, "
        "visible with Hessian noise and where devices differ.",
        panels=[
            Panel(
                x_label="communication period $p$",
                y_label="relative change of the measure",
                series=[*series, allowed],
            )
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.invariance",
        of=("algorithm-1", "algorithm-2"),
        sentence="With devices that are alike and additive noise the measure does not depend on p, nor on which fields "
        "are averaged.",
        pieces=pieces,
        judge=judge,
    ),
)
