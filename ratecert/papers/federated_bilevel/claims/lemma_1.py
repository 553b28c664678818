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
from collections.abc import Iterator
from typing import Any

import numpy as np

from ratecert.claim import Budget, Chart, Check, Claim, Json, Piece, Row, Rows
from ratecert.claim.checks import equal, exponent
from ratecert.claim.lines import corner, figure, level, line
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence import gradient_of_phi as phi
from ratecert.theory.numbers.assumptions import WithMinimiser

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


def homogeneous(world: Json) -> list[Json]:
    """Both sides at each point, coordinate by coordinate, the world's own gradient, and the slope of g at y*(x)."""
    problem = build(world)
    rows = []
    for point, x in enumerate(phi.points(problem)):
        gradients = {
            "formula": phi.formula(problem, x, problem.y_star(x)),
            "own": problem.hypergradient(x),
            "quotient": phi.difference_quotient(problem.objective, x),
            "quotient, 2s": phi.difference_quotient(problem.objective, x, 2 * phi.STEP),
        }
        where = {"world": world["world"], "point": point, "slope": phi.slope_at_y_star(problem, x)}
        rows += [{**where, **{name: float(g[i]) for name, g in gradients.items()}} for i in range(len(x))]
    return rows


def heterogeneous(dial: float) -> list[Json]:
    """The mean over devices of the formula, each with its own f and g, at the common y*(x)."""
    problem = build({**DIFFERENT, "dial": dial})
    x = phi.points(problem)[0]
    devices = [phi.formula(device, x, problem.y_star(x)) for device in problem.devices]
    return [_distance(problem, x, np.mean(devices, axis=0))]


def elsewhere(distance: float) -> list[Json]:
    """The formula at a y that far from y*(x)."""
    problem = build(QUADRATIC)
    x = phi.points(problem)[0]
    y = problem.y_star(x) + distance / math.sqrt(problem.d_y)
    return [_distance(problem, x, phi.formula(problem, x, y))]


def _distance(problem: WithMinimiser, x: Any, gradient: Any) -> Json:
    """The relative distance of a gradient from the quotient, and how well that is known."""
    distance = phi.off(gradient, phi.difference_quotient(problem.objective, x))
    return {"off": distance, "precision": phi.uncertainty(problem, x) / distance}


def pieces(_: Budget) -> list[Piece]:
    """All of it takes a second, so that there is nothing to leave out."""
    return [
        *(Piece(homogeneous, {"world": world}, 0.1) for world in WORLDS),
        *(Piece(heterogeneous, {"dial": dial}, 0.1) for dial in DIALS),
        *(Piece(elsewhere, {"distance": distance}, 0.1) for distance in DISTANCES),
    ]


def by_world(rows: Rows) -> Iterator[Row]:
    """Per world the largest distances from the quotient, and the largest slope, over the points."""
    for world, here in rows.by("world"):
        at = [some for _, some in here.by("point")]
        columns = {"formula": "formula", "own": "own", "uncertainty": "quotient, 2s"}
        distances = {
            name: max(phi.off(some.column(column), some.column("quotient")) for some in at)
            for name, column in columns.items()
        }
        yield {"world": world, **distances, "slope": max(here.column("slope"))}


def checks(rows: Rows) -> Iterator[Check]:
    for row in by_world(rows):
        world, error = row["world"], row["uncertainty"]
        yield equal(f"formula against difference quotient, {world}", row["formula"], 0.0, TOLERANCE, error)
        name = f"the world's own gradient against difference quotient, {world}"
        yield equal(name, row["own"], 0.0, TOLERANCE, error)
        yield equal(f"slope of g at y*(x), {world}", row["slope"], 0.0, TOLERANCE, 16 * phi.ROUNDING)
    dials, distances = rows.having("dial")[:2], rows.having("distance")
    yield exponent("exponent of the bias in the dial", dials, "off", "dial", 2, 1e-3)
    ends = distances[:: len(distances) - 1]
    yield exponent("exponent of the error in ||y - y*(x)||", ends, "off", "distance", 1, 1e-3)


def chart(rows: Rows) -> Chart:
    different, beside = rows.having("dial"), rows.having("distance")
    largest = max(row["formula"] for row in by_world(rows))
    return figure(
        "Relative distance between the formula of Lemma 1 and the gradient of Phi. As the lemma asks it is "
        "rounding; it grows with the square of the dial where devices differ, and linearly with the distance of y "
        "from y*(x).",
        r"dial, or $\|y - y^*(x)\|$",
        "relative distance",
        [
            line("devices differ, against the dial", different, "dial", "off", kind="contrast", colour=1),
            line(
                r"$y$ beside $y^*(x)$, against its distance",
                beside,
                "distance",
                "off",
                kind="contrast",
                colour=2,
            ),
            level("as the lemma asks, largest of all worlds", [*DIALS, *DISTANCES], largest),
        ],
        [
            corner(different[2], "dial", "off", 2, above=1 / 20, factor=5.0, colour=1),
            corner(beside[1], "distance", "off", 1, above=1 / 6, factor=10.0, colour=2),
        ],
    )


CLAIMS = (
    Claim(
        id="lemma-1",
        of=("lemma-1",),
        sentence="With homogeneous devices the formula of Lemma 1 is the gradient of Phi.",
        pieces=pieces,
        checks=checks,
        regime=f"{phi.POINTS} random points per world; homogeneous devices and y*(x), as the lemma asks, and the two "
        "exponents where it does not",
        method="difference quotients of Phi",
        evidence=("difference quotients",),
        settings={
            "worlds": list(WORLDS),
            "different": [{**DIFFERENT, "dial": dial} for dial in DIALS],
            "beside": [{"of": QUADRATIC, "distance": distance} for distance in DISTANCES],
            "step": phi.STEP,
        },
        chart=chart,
        table=by_world,
        runs=("LocalBSGM", "LocalBSGVRM"),
        blind_to={"slope": "it is zero up to rounding, and no multiple of zero is another number"},
    ),
)
