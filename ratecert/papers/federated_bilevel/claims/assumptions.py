"""Assumptions 1-3 on the worlds of this project: where they hold, and whether the constants are the true ones.

Every world computes mu, L_0, L_1, L_21, L_22 and sigma from its own matrices, for the ball ||(x - a, y - b)|| <= radius
or for the whole space, and theory/numbers/assumptions.py reads from them whether an assumption holds everywhere, on the
ball only, or not at all. evidence/constants/confrontation.py measures the same six through the oracles and knows none
of those formulas. Compared are

    never exceeded     on balls of several radii no measured quotient exceeds its constant (mu: falls below it)
    attained           for every constant there is a world that comes within 1 %, so that a constant which is too small
                       by more is seen
    where it holds     an assumption holds on the ball only if and only if one of its measured quotients grows without
                       bound with the radius

A world whose devices differ satisfies Assumptions 1-3 on each device, and is outside the paper all the same: the
problem that the paper states has homogeneous devices. The check says so.
"""

import math
from collections.abc import Iterator
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Row, Rows
from ratecert.claim.checks import at_least, at_most, equal
from ratecert.claim.lines import line
from ratecert.papers.federated_bilevel.evidence.constants.confrontation import EFFORT, confront, standings
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.language.statements import Assumption

ROUNDING = 1e-6  # relative; of difference quotients
NEAR = 0.01  # what of a constant may remain unattained
GROWS = 10.0  # times, from the smallest radius to the largest: no bounded quotient does here
RADII = (1.0, 10.0, 100.0, 1000.0)
POINTS, SEED = 16, 0
EFFORT_QUICK = 15  # evaluations of a climb, per dimension
LEAST = ("mu",)  # constants that bound from below

FEATURES = [[i % 5 - 2, i * i % 7 - 3] for i in range(12)]  # rows of small whole numbers
TARGETS = [5 * i % 7 - 3 for i in range(12)]
RANDOM: dict[str, Any] = {"world": "random_quadratic", "d_x": 2, "s_f": 0.3, "s_g": 0.2}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.7, "b": -1.1, "P": 1.7, "D": 1.7, "sigma_H": 0.4, "sigma_J": 0.9,
               "s_f": 0.5, "s_g": 0.2},
    "random": {**RANDOM, "d_y": 3, "seed": 1, "sigma_H": 0.3, "sigma_J": 0.2},
    "aligned": {"world": "aligned", "s_g": 0.3},
    "huberised": {"world": "huberised", "of": {**RANDOM, "d_y": 2, "seed": 2}, "radius": 2.0},
    "wavy": {"world": "wavy", "d": 2, "A": [1.0, 1.5], "E": 0.2, "b": 0.3, "s_f": 0.1, "s_g": 0.1},
    "ridge": {"world": "ridge", "features": FEATURES, "targets": TARGETS},
}  # fmt: skip
DIFFERENT: dict[str, Any] = {"world": "heterogeneous"}


def pieces(budget: Budget) -> list[Piece]:
    radii = (RADII[0], RADII[-1]) if budget.quick else RADII
    points, effort = (POINTS // 2, EFFORT_QUICK) if budget.quick else (POINTS, EFFORT)
    search = {"points": points, "seed": SEED, "effort": effort}
    return [
        *(
            Piece(confront, {"world": name, "spec": spec, "radius": radius, **search}, seconds=0.3)
            for name, spec in WORLDS.items()
            for radius in radii
        ),
        *(
            Piece(standings, {"world": name, "spec": spec, "radius": RADII[-1]}, seconds=0.1)
            for name, spec in (*WORLDS.items(), ("heterogeneous", DIFFERENT))
        ),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for (world, constant), here in rows.by("world", "constant"):
        worst = here.largest(part)
        found, value = worst["found"], worst["value"]
        relation = at_least if constant in LEAST else at_most
        name = f"{constant}, {world}, radius {worst.get('radius'):g}"
        yield relation(name, found, value, 0.1 * ROUNDING * found, ROUNDING * value or ROUNDING**2)
    for constant, here in rows.by("constant"):
        nearest = here.largest(part)
        name = f"{constant}: part that is attained, on {nearest['world']}"
        yield equal(name, part(nearest), 1.0, NEAR, 0.1 * ROUNDING)
    wrong = sum(
        rows.where(world=world, assumption=assumption.id).only()["holds"]
        != ("on the ball" if grows(here, assumption) else "everywhere")
        for world, here in rows.having("found").by("world")
        for assumption in paper().of_kind(Assumption)
    )
    outside = rows.where(world="heterogeneous", assumption="problem", holds="no")
    yield equal("assumptions that hold elsewhere than said", wrong, 0.0, 0.5)
    yield equal("devices that differ are outside the problem", len(outside), 1.0, 0.5)


def part(row: Row) -> float:
    """What was found over the constant, or the inverse for mu; 0 where both are 0."""
    found, value = row["found"], row["value"]
    if row["constant"] in LEAST:
        return float(value / found)
    return float(found / value) if value else math.inf * found if found else 0.0


def grows(rows: Rows, assumption: Assumption) -> bool:
    """Whether a measured quotient of the assumption grows with the radius; mu would have to vanish."""
    for constant in assumption.constants:
        found = rows.where(constant=constant).column("found")
        before, after = (found[-1], found[0]) if constant in LEAST else (found[0], found[-1])
        if after > GROWS * before:
            return True
    return False


def chart(rows: Rows) -> Chart:
    shown = {
        ("L_0", "$L_0$"): ("scalar", "huberised"),
        ("L_1", "$L_1$"): ("scalar", "wavy"),
        ("sigma", r"$\sigma$"): ("random", "aligned"),
    }
    panels = []
    for (constant, letter), worlds in shown.items():
        series = []
        for i, world in enumerate(worlds):
            here = rows.where(world=world, constant=constant)
            series += [
                line(f"constant, {world}", here, "radius", "value", kind="bound", colour=i),
                line(f"largest found, {world}", here, "radius", "found", colour=i),
            ]
        panels.append(Panel(x_label="radius of the ball", y_label=letter, series=series))
    return Chart(
        caption="Constants on balls and the largest quotients found there. Those that level off exist on the whole "
        "space, those that grow with the radius on balls only: L_0 of a quadratic f, L_1 of a wavy g, sigma with noise "
        "in the Hessian. Nothing that was found is above its constant.",
        panels=panels,
    )


def notes(rows: Rows) -> list[str]:
    told = [
        "heterogeneous is not covered: homogeneous devices are part of the problem that the paper states."
    ]
    for world, said in rows.having("assumption").sorted("assumption").by("world"):
        told.append(f"{world}: " + ", ".join(f"{row['assumption']} {row['holds']}" for row in said))
    return told


def settings(rows: Rows) -> dict[str, Json]:
    search = {name: rows[0][name] for name in ("points", "seed", "effort")}
    return {"worlds": WORLDS, "different": DIFFERENT, **search}


CLAIMS = (
    Claim(
        id="assumptions",
        of=("assumption-1", "assumption-2", "assumption-3"),
        sentence="On every world with homogeneous devices Assumptions 1-3 hold with the constants that the world "
        "computes, on the whole space or on the ball as it says.",
        pieces=pieces,
        checks=checks,
        regime="balls of radius 1 to 1000; the reading joint, which is the letter of Assumption 2; devices alike",
        method="all outcomes of every sample, at random points and along a climb from the worst of them",
        evidence=("enumeration", "search"),
        settings=settings,
        chart=chart,
        notes=notes,
        table=("world", "radius", "constant", "value", "found"),
    ),
)
