"""How far devices drift apart within a round of p steps: the exponent in p, and the factor.

The closed form is in evidence/periods/round_drift.py. Where devices are alike the drift grows as p^3 in short
rounds and as p in long ones, where they differ as p^4 and p^2: independent noise adds squares, a difference adds up.
The drift terms of Theorem 1 go as p^4 and p^2, the exponents of devices that differ: they use the size of the estimates
and not the independence of their noise. On devices that are alike, of which the theorem speaks, the drift has one power
of p less.
"""

import math
from collections.abc import Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    drawable,
    exponent,
    method_of,
    world_of,
)
from ratecert.papers.federated_bilevel.evidence.periods.round_drift import (
    EXPONENTS,
    drift_of_difference,
    drift_of_noise,
)
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import stationary
from ratecert.theory.language.letters import names_of
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import number

ALIKE: dict[str, Any] = {
    "world": "scalar",
    "mu": 1.0,
    "L_1": 2.0,
    "a": 0.5,
    "b": -0.5,
    "s_f": 0.5,
    "s_g": 0.5,
}
DIFFERENT: dict[str, Any] = {"two_kinds": {"K": 2, "dial": 0.1}}
DEVICES = {"alike": 4, "different": 2}
FIXED: dict[str, Any] = {"theta": 0.4, "Q": 60}
SHORT: dict[str, dict[str, Any]] = {
    "LocalBSGM": {"eta": 1e-7, "alpha": 1.0, "beta": 1.0, "rho_1": 0.1, "rho_2": 0.1},
    "LocalBSGVRM": {"eta": 1e-2, "alpha": 2e-5, "beta": 2e-5, "rho_1": 1e-6, "rho_2": 1e-6},
}
LONG: dict[str, Any] = {"eta": 1e-4, "alpha": 200.0, "beta": 200.0, "rho_1": 1e-6, "rho_2": 1e-6}
SHORT_ROUNDS = [1024, 4096]  # p alpha eta <= 1e-3
LONG_ROUNDS = [16384, 32768]  # p alpha eta >= 300
TOLERANCE = {"short": 1e-3, "long": 1e-2}
FACTOR = 1e-3  # of the closed form, which leaves out terms of relative size p eta rho ||J||, 1e-4 here


def drifts(kind: str, method: str, rounds: str, periods: list[int]) -> Json:
    """The drift of x at rest, and the closed form of it, per period."""
    problem = world_of(ALIKE if kind == "alike" else DIFFERENT)
    steps = {**FIXED, **(SHORT[method] if rounds == "short" else LONG)}
    measured, predicted, precision = [], [], 0.0
    for p in periods:
        solver = method_of(method, steps, p=p)
        limit = stationary(problem, solver, K=DEVICES[kind])
        measured.append(limit.drift_x)
        predicted.append(
            drift_of_noise(problem, solver, DEVICES[kind])
            if kind == "alike"
            else drift_of_difference(problem, solver)
        )
        precision = max(precision, limit.precisions.drift_x)
    what = {"kind": kind, "method": method, "rounds": rounds, "periods": periods}
    return {**what, "measured": measured, "predicted": predicted, "precision": precision}


def pieces(budget: Budget) -> list[Piece]:
    curve = [4, 32, 256] if budget.quick else [2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096]
    asked: list[tuple[str, str, str, list[int]]] = [
        *((kind, "LocalBSGM", "short", SHORT_ROUNDS) for kind in DEVICES),
        *((kind, "LocalBSGVRM", "short", SHORT_ROUNDS) for kind in DEVICES),
        *((kind, "LocalBSGM", "long", [*curve, *LONG_ROUNDS]) for kind in DEVICES),
    ]
    return [
        Piece(drifts, {"kind": k, "method": m, "rounds": r, "periods": p}, seconds=len(p) * 0.2)
        for k, m, r, p in asked
    ]


def judge(values: Sequence[Json]) -> Judgement:
    checks = []
    for v in values:
        name = f"{v['method']}, devices {v['kind']}, {v['rounds']} rounds"
        found = exponent(v["periods"][-2:], v["measured"][-2:], v["precision"])
        checks.append(
            Check(
                name=f"exponent in p, {name}",
                measured=found.value,
                predicted=EXPONENTS[v["kind"], v["rounds"]],
                tolerance=TOLERANCE[v["rounds"]],
                uncertainty=found.uncertainty,
            )
        )
        gaps = [m / q - 1 for m, q in zip(v["measured"], v["predicted"], strict=True)]
        checks.append(
            Check(
                name=f"largest gap to the closed form, {name}",
                measured=max(gaps, key=abs),
                predicted=0.0,
                tolerance=FACTOR,
                uncertainty=v["precision"],
            )
        )
    powers = powers_of_p()
    largest = max(powers["theorem-1"].values())
    alike = next(c for c in checks if c.name == "exponent in p, LocalBSGM, devices alike, short rounds")
    margin = Check(
        name="largest exponent of p in Theorem 1 minus that of the drift, devices alike",
        measured=largest - alike.measured,
        predicted=1.0,
        tolerance=1e-3,
        uncertainty=alike.uncertainty,
    )
    return Judgement(
        checks=[*checks, margin],
        regime="at rest (T -> infinity); devices alike with additive noise, as the paper assumes, and two kinds of "
        "devices without noise, outside its homogeneity; p eta rho ||J|| <= 1e-4 throughout",
        settings={
            "alike": ALIKE,
            "different": DIFFERENT,
            "K": DEVICES,
            "short rounds": SHORT,
            "long rounds": LONG,
            **FIXED,
        },
        method="exact moments at rest",
        chart=_chart(values),
        notes=[
            f"Powers of p in the drift terms of the theorems: {_listed(powers)}. Theorem 1 charges the p^4 and p^2 "
            "of devices that differ; on devices that are alike the drift grows as p^3, then as p.",
            "In Theorem 2 the drift term goes as p^2 eta^4; the drift itself as p^3 eta^6 on devices that are alike, "
            "which its condition on p eta makes smaller.",
        ],
        table=[
            {
                "devices": v["kind"],
                "method": v["method"],
                "rounds": v["rounds"],
                "p": p,
                "drift_x": m,
                "closed form": q,
            }
            for v in values
            for p, m, q in zip(v["periods"], v["measured"], v["predicted"], strict=True)
        ],
    )


def powers_of_p() -> dict[str, dict[str, float]]:
    """theorem -> drift term -> its exponent of p, from the statements."""
    powers: dict[str, dict[str, float]] = {}
    for id in ("theorem-1", "theorem-2"):
        terms = paper("repaired").the(Theorem, id).terms
        powers[id] = {name: power_of_p(term) for name, term in terms.items() if name.startswith("drift")}
    return powers


def _listed(powers: dict[str, dict[str, float]]) -> str:
    return ", ".join(
        f"{name} of {id} {power:g}" for id, some in powers.items() for name, power in some.items()
    )


def power_of_p(term: Any) -> float:
    """n of a term p^n (...), from its values at p = 1 and p = 2."""
    ones = dict.fromkeys(names_of(term), 1.0)
    return math.log2(number(term, {**ones, "p": 2.0}) / number(term, ones))


def _chart(values: Sequence[Json]) -> Chart:
    series, triangles = [], []
    for i, v in enumerate(v for v in values if v["rounds"] == "long"):
        label = f"devices {v['kind']}"
        series.append(Series(label=label, x=v["periods"], y=drawable(v["measured"]), colour=i))
        predicted = Series(
            label=f"{label}, closed form", x=v["periods"], y=v["predicted"], kind="predicted", colour=i + 2
        )
        series.append(predicted)
        first, last = EXPONENTS[v["kind"], "short"], EXPONENTS[v["kind"], "long"]
        above, below = (
            (200.0, 0.3) if v["kind"] == "alike" else (0.1, 40.0)
        )  # so that lines and triangles do not meet
        heights = drawable(v["measured"])
        low, high = heights[1] * above, heights[-2] * below
        triangles.append(Triangle(x=v["periods"][1], y=low, slope=first, label=str(first), colour=i))
        triangles.append(
            Triangle(x=v["periods"][-2] / 4, y=high / 4**last, slope=last, label=str(last), colour=i)
        )
    return Chart(
        caption="The drift of LocalBSGM at alpha eta = 0.02. Short rounds: p^3 where devices are alike, p^4 where they "
        "differ. Long rounds: p and p^2.",
        panels=[
            Panel(
                x_label="communication period $p$",
                y_label=r"drift $\frac{1}{K}\sum_k E\|x^{(k)} - \bar x\|^2$",
                series=series,
                triangles=triangles,
            )
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.drift",
        of=("theorem-1", "theorem-2"),
        sentence="In short rounds devices that are alike drift apart as p^3, one power less than Theorem 1 "
        "charges, and devices that differ as p^4; in long rounds as p and p^2.",
        pieces=pieces,
        judge=judge,
    ),
)
