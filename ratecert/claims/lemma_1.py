"""Lemma 1: with homogeneous devices the gradient of Phi^(k) is a formula in derivatives of f^(k) and g^(k) at y*(x).

    grad Phi(x) = grad_x f(x, y*(x)) - grad_xy g(x, y*(x)) [grad_yy g(x, y*(x))]^{-1} grad_y f(x, y*(x))

The left side is a difference quotient of Phi(x) = f(x, y*(x)) at neighbours of x, which knows nothing of the formula.
At step s its error is of order s^4 (zero on quadratic worlds) plus rounding of order 1e-16/s. The right side asks the
world's own oracles for f and g. Homogeneity is needed: where devices differ, the mean of their formulas is not grad
Phi.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ratecert.verify.chart import Chart, Panel, Series
from ratecert.verify.check import Check
from ratecert.verify.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.verify.worlds import build
from solvers import exact_hypergradient

STEP = 1e-5
TOLERANCE = 1e-8  # 1e-16/STEP, with room for constants
QUADRATIC: dict[str, Any] = {"world": "random_quadratic", "d_x": 3, "d_y": 4, "seed": 1}
WORLDS: tuple[dict[str, Any], ...] = (QUADRATIC, {"world": "scalar"}, {"world": "wavy", "d": 3})
DIFFERENT: dict[str, Any] = {"world": "heterogeneous", "K": 4}
DIALS = (0.02, 0.05, 0.1, 0.2, 0.4)


def homogeneous_gap(world: Json, seed: int) -> float:
    """The largest relative difference of the two sides over a few points."""
    problem, points = build(world), np.random.default_rng(seed)
    gaps = []
    for _ in range(8):
        x = problem.x_star + points.standard_normal(problem.d_x)
        formula, quotient = exact_hypergradient(problem, x), difference_quotient(problem.objective, x)
        gaps.append(np.linalg.norm(formula - quotient) / np.linalg.norm(quotient))
    return float(max(gaps))


def difference_quotient(function: Any, x: Any) -> Any:
    """The gradient by central differences, two steps combined so that the error is of order STEP^4."""
    shifts = STEP * np.eye(len(x))

    def quotient(h: Any) -> Any:
        return np.array([(function(x + e) - function(x - e)) / (2 * np.linalg.norm(e)) for e in h])

    return (4 * quotient(shifts) - quotient(2 * shifts)) / 3


def heterogeneous_gap(world: Json) -> float:
    """||mean over devices of the formula - grad Phi|| / ||grad Phi|| at a point, where devices differ."""
    problem = build(world)
    x = problem.x_star + 1.0
    gradient = difference_quotient(problem.objective, x)
    return float(np.linalg.norm(problem.local_inverse_bias(x)) / np.linalg.norm(gradient))


def pieces(_: Budget) -> list[Piece]:
    same = [Piece(homogeneous_gap, {"world": world, "seed": 0}) for world in WORLDS]
    return same + [Piece(heterogeneous_gap, {"world": {**DIFFERENT, "dial": dial}}) for dial in DIALS]


def judge(values: Sequence[Json]) -> Judgement:
    same, different = values[: len(WORLDS)], values[len(WORLDS) :]
    checks = [
        Check(name=f"relative gap, {world['world']}", measured=gap, predicted=0.0, tolerance=TOLERANCE)
        for world, gap in zip(WORLDS, same, strict=True)
    ]
    apart = Check(
        name=f"gap where devices differ, dial = {DIALS[-1]}",
        measured=different[-1],
        predicted=1e-3,
        relation=">=",
    )
    return Judgement(
        checks=[*checks, apart],
        regime="8 random points per world; homogeneous devices, as the lemma asks",
        settings={"worlds": list(WORLDS), "different": DIFFERENT, "dials": list(DIALS), "step": STEP},
        method="difference quotient of Phi, accurate to 1e-10",
        chart=_chart(same, different),
        notes=["With devices that differ the mean of the local formulas is off by a bias of order dial^2."],
    )


def _chart(same: Sequence[float], different: Sequence[float]) -> Chart:
    limit = [max(*same, 1e-16)] * len(DIALS)
    return Chart(
        caption="Relative gap between the formula of Lemma 1 and the gradient of Phi: rounding where devices are "
        "alike, growing with the square of the dial where they differ.",
        panels=[
            Panel(
                x_label="dial (0: devices are alike)",
                y_label="relative gap",
                series=[
                    Series(
                        label="devices differ, mean of the formulas",
                        x=DIALS,
                        y=different,
                        kind="contrast",
                        colour=1,
                    ),
                    Series(label="devices alike, largest gap", x=DIALS, y=limit),
                ],
            )
        ],
    )


CLAIMS = (
    Claim(
        id="lemma-1",
        of=("lemma-1",),
        sentence="With homogeneous devices the formula of Lemma 1 is the gradient of Phi.",
        pieces=pieces,
        judge=judge,
    ),
)
