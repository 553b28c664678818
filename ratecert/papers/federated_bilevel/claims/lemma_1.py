"""Lemma 1: with homogeneous devices the gradient of Phi^(k) is a formula in derivatives of f^(k) and g^(k) at y*(x).

    grad Phi(x) = grad_x f(x, y*(x)) - grad_xy g(x, y*(x)) [grad_yy g(x, y*(x))]^{-1} grad_y f(x, y*(x))

The left side is a difference quotient of Phi(x) = f(x, y*(x)), which knows nothing of the formula. It combines the
steps s and 2s so that its error is of order s^4, and zero on quadratic worlds, plus rounding of order 1e-16/s; what the
step 2s gives instead is its uncertainty. The right side takes the world's oracles at the means of their samples. The
world's own `hypergradient`, by which all other claims measure, is held against the same quotient, and y*(x) has to be
where grad_y g is zero.

Two conditions are needed, and leaving one out shows by how much:

    devices differ      the mean over devices of the formula is off by a bias of order dial^2: the mean of inverses is
                        not the inverse of the mean
    y instead of y*(x)  the formula is off by an error of order ||y - y*(x)||, exactly linear on quadratic worlds
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.gradient_of_phi import (
    POINTS,
    ROUNDING,
    STEP,
    difference_quotient,
    formula,
    off,
    points,
    slope_at_y_star,
    uncertainty,
)

TOLERANCE = 1e-10
NOISE = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.5, "s_g": 0.5}
QUADRATIC: dict[str, Any] = {"world": "random_quadratic", "d_x": 3, "d_y": 4, "seed": 1, **NOISE}
ROWS = [[2, -1], [0, 1], [-1, 3], [1, 1], [3, 0], [-2, -1],
        [0, -3], [1, 2], [-3, 1], [2, 2], [-1, -2], [4, -1]]  # fmt: skip
TARGETS = [1, 2, 0, -1, 3, -2, -2, 1, 0, 2, -3, 1]
WORLDS: tuple[dict[str, Any], ...] = (
    {"world": "scalar", "a": 0.5, "b": -0.2, "c": 0.3, **NOISE},
    QUADRATIC,
    {"world": "huberised", "of": QUADRATIC, "radius": 1.5},  # points lie on both sides of the radius
    {"world": "wavy", "d": 3, "A": [1.0, 1.5, 2.0], "B": [1.0, -0.7, 0.4], "E": 0.3, "s_f": 0.5, "s_g": 0.5},
    {"world": "ridge", "features": ROWS, "targets": TARGETS},
)
DIFFERENT: dict[str, Any] = {"world": "heterogeneous", "d_x": 2, "d_y": 3, "K": 4}
DIALS = (0.001, 0.002, 0.01, 0.05, 0.2, 0.5)
DISTANCES = (1e-3, 0.01, 0.1, 1.0)


def homogeneous(world: Json) -> Json:
    """Largest over the points: distances of formula and world's own gradient from the quotient, slope of g at y*(x)."""
    problem = build(world)
    found = [
        {
            "formula": off(formula(problem, x, problem.y_star(x)), quotient),
            "own": off(problem.hypergradient(x), quotient),
            "slope": slope_at_y_star(problem, x),
            "uncertainty": uncertainty(problem, x),
        }
        for x in points(problem)
        for quotient in [difference_quotient(problem.objective, x)]
    ]
    return {"world": world["world"], **{name: max(gaps[name] for gaps in found) for name in found[0]}}


def heterogeneous(dial: float) -> Json:
    """The mean over devices of the formula, each with its own f and g, at the common y*(x)."""
    problem = build({**DIFFERENT, "dial": dial})
    x = points(problem)[0]
    mean = np.mean([formula(device, x, problem.y_star(x)) for device in problem.devices], axis=0)
    quotient = difference_quotient(problem.objective, x)
    return {"dial": dial, "off": off(mean, quotient), "uncertainty": uncertainty(problem, x)}


def elsewhere(distance: float) -> Json:
    """The formula at a y that far from y*(x)."""
    problem = build(QUADRATIC)
    x = points(problem)[0]
    y = problem.y_star(x) + distance / math.sqrt(problem.d_y)
    quotient = difference_quotient(problem.objective, x)
    return {
        "distance": distance,
        "off": off(formula(problem, x, y), quotient),
        "uncertainty": uncertainty(problem, x),
    }


def pieces(_: Budget) -> list[Piece]:
    """All of it takes a second, so that there is nothing to leave out."""
    return [
        *(Piece(homogeneous, {"world": world}, 0.1) for world in WORLDS),
        *(Piece(heterogeneous, {"dial": dial}, 0.1) for dial in DIALS),
        *(Piece(elsewhere, {"distance": distance}, 0.1) for distance in DISTANCES),
    ]


def judge(values: Sequence[Json]) -> Judgement:
    same, different, beside = ([v for v in values if key in v] for key in ("world", "dial", "distance"))
    return Judgement(
        checks=[
            *(check for value in same for check in _gaps(value)),
            _exponent("exponent of the bias in the dial", "dial", different[:2], 2.0),
            _exponent("exponent of the error in ||y - y*(x)||", "distance", beside[:: len(beside) - 1], 1.0),
        ],
        regime=f"{POINTS} random points per world; homogeneous devices and y*(x), as the lemma asks, and the two "
        "exponents where it does not",
        settings={
            "worlds": list(WORLDS),
            "different": [{**DIFFERENT, "dial": v["dial"]} for v in different],
            "beside": [{"of": QUADRATIC, "distance": v["distance"]} for v in beside],
            "step": STEP,
        },
        method="difference quotients of Phi",
        chart=_chart(same, different, beside),
        table=same,
    )


def _gaps(value: Json) -> list[Check]:
    names = {
        "formula": ("formula against difference quotient", value["uncertainty"]),
        "own": ("the world's own gradient against difference quotient", value["uncertainty"]),
        "slope": ("slope of g at y*(x)", 16 * ROUNDING),
    }
    return [
        Check(
            name=f"{name}, {value['world']}",
            measured=value[key],
            predicted=0.0,
            tolerance=TOLERANCE,
            uncertainty=error,
        )
        for key, (name, error) in names.items()
    ]


def _exponent(name: str, key: str, ends: Sequence[Json], predicted: float) -> Check:
    low, high = ends
    factor = math.log(high[key] / low[key])
    return Check(
        name=name,
        measured=math.log(high["off"] / low["off"]) / factor,
        predicted=predicted,
        tolerance=1e-3,
        uncertainty=sum(end["uncertainty"] / end["off"] for end in ends) / factor,
    )


def _chart(same: Sequence[Json], different: Sequence[Json], beside: Sequence[Json]) -> Chart:
    largest = max(v["formula"] for v in same)
    x = [min(v["dial"] for v in different), max(v["distance"] for v in beside)]
    bias = {"x": [v["dial"] for v in different], "y": [v["off"] for v in different]}
    error = {"x": [v["distance"] for v in beside], "y": [v["off"] for v in beside]}
    return Chart(
        caption="Relative distance between the formula of Lemma 1 and the gradient of Phi. As the lemma asks it is "
        "rounding; it grows with the square of the dial where devices differ, and linearly with the distance of y "
        "from y*(x).",
        panels=[
            Panel(
                x_label=r"dial, or $\|y - y^*(x)\|$",
                y_label="relative distance",
                series=[
                    Series(label="devices differ, against the dial", kind="contrast", colour=1, **bias),
                    Series(
                        label=r"$y$ beside $y^*(x)$, against its distance", kind="contrast", colour=2, **error
                    ),
                    Series(label="as the lemma asks, largest of all worlds", x=x, y=[largest] * 2),
                ],
                triangles=[
                    Triangle(x=0.01, y=bias["y"][2] / 20, slope=2.0, label="2", factor=5.0, colour=1),
                    Triangle(x=0.01, y=error["y"][1] / 6, slope=1.0, label="1", factor=10.0, colour=2),
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
