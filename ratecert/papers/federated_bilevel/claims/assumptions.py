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
from collections.abc import Sequence
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.constants.confrontation import confront, standings
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
    search = {"points": POINTS // 2, "effort": EFFORT_QUICK} if budget.quick else {"points": POINTS}
    return [
        *(
            Piece(confront, {"name": n, "world": w, "radius": radius, "seed": SEED, **search}, seconds=0.3)
            for n, w in WORLDS.items()
            for radius in radii
        ),
        *(
            Piece(standings, {"name": n, "world": w, "radius": RADII[-1]}, seconds=0.1)
            for n, w in (*WORLDS.items(), ("heterogeneous", DIFFERENT))
        ),
    ]


def judge(values: Sequence[Json]) -> Judgement:
    measured = {name: [v for v in values if v["name"] == name and "found" in v] for name in WORLDS}
    said = {v["name"]: v["standing"] for v in values if "standing" in v}
    names = list(measured["scalar"][0]["found"])
    return Judgement(
        checks=[
            *(_bound_check(name, constant, runs) for name, runs in measured.items() for constant in names),
            *(_attained_check(constant, measured) for constant in names),
            *_standing_checks(measured, said),
        ],
        regime="balls of radius 1 to 1000; the reading joint, which is the letter of Assumption 2; devices alike",
        settings={"worlds": WORLDS, "different": DIFFERENT, **measured["scalar"][0]["search"]},
        method="all outcomes of every sample, at random points and along a climb from the worst of them",
        chart=_chart(measured),
        notes=[
            "heterogeneous is not covered: homogeneous devices are part of the problem that the paper states.",
            *(f"{name}: {', '.join(f'{id} {where}' for id, where in s.items())}" for name, s in said.items()),
        ],
        table=[_row(v, constant) for runs in measured.values() for v in runs for constant in names],
    )


def _row(v: Json, constant: str) -> dict[str, Json]:
    where = {"world": v["name"], "radius": v["radius"], "constant": constant}
    return {**where, "value": v["constants"][constant], "found": v["found"][constant]}


def _bound_check(name: str, constant: str, runs: Sequence[Json]) -> Check:
    """At the radius where the constant is nearest to being exceeded."""
    worst = max(runs, key=lambda v: _ratio(v, constant))
    found, value = worst["found"][constant], worst["constants"][constant]
    return Check(
        name=f"{constant}, {name}, radius {worst['radius']:g}",
        measured=found,
        predicted=value,
        relation=">=" if constant in LEAST else "<=",
        tolerance=ROUNDING * value or ROUNDING**2,
        uncertainty=0.1 * ROUNDING * found,
    )


def _attained_check(constant: str, measured: dict[str, list[Json]]) -> Check:
    ratios = {name: max(_ratio(v, constant) for v in runs) for name, runs in measured.items()}
    nearest = max(ratios, key=lambda name: ratios[name])
    return Check(
        name=f"{constant}: part that is attained, on {nearest}",
        measured=ratios[nearest],
        predicted=1.0,
        tolerance=NEAR,
        uncertainty=0.1 * ROUNDING,
    )


def _ratio(v: Json, constant: str) -> float:
    """What was found over the constant, or the inverse for mu; 0 where both are 0."""
    found, value = v["found"][constant], v["constants"][constant]
    if constant in LEAST:
        return float(value / found)
    return float(found / value) if value else math.inf * found if found else 0.0


def _standing_checks(measured: dict[str, list[Json]], said: dict[str, dict[str, str]]) -> list[Check]:
    wrong = sum(
        said[name][assumption.id] != ("on the ball" if _grows(runs, assumption) else "everywhere")
        for name, runs in measured.items()
        for assumption in paper().of_kind(Assumption)
    )
    outside = said["heterogeneous"].get("problem") == "no"
    return [
        Check(
            name="assumptions that hold elsewhere than said",
            measured=float(wrong),
            predicted=0.0,
            tolerance=0.5,
        ),
        Check(
            name="devices that differ are outside the problem",
            measured=float(outside),
            predicted=1.0,
            tolerance=0.5,
        ),
    ]


def _grows(runs: Sequence[Json], assumption: Assumption) -> bool:
    """Whether a measured quotient of the assumption grows with the radius; mu would have to vanish."""
    first, last = runs[0]["found"], runs[-1]["found"]
    pairs = [(last[c], first[c]) if c in LEAST else (first[c], last[c]) for c in assumption.constants]
    return any(after > GROWS * before for before, after in pairs)


def _chart(measured: dict[str, list[Json]]) -> Chart:
    shown = {"L_0": ("scalar", "huberised"), "L_1": ("scalar", "wavy"), "sigma": ("random", "aligned")}
    letters = {"L_0": "$L_0$", "L_1": "$L_1$", "sigma": r"$\sigma$"}
    return Chart(
        caption="Constants on balls and the largest quotients found there. Those that level off exist on the whole "
        "space, those that grow with the radius on balls only: L_0 of a quadratic f, L_1 of a wavy g, sigma with noise "
        "in the Hessian. Nothing that was found is above its constant.",
        panels=[
            Panel(
                x_label="radius of the ball",
                y_label=letters[constant],
                series=[line for i, name in enumerate(names) for line in _lines(i, constant, measured[name])],
            )
            for constant, names in shown.items()
        ],
    )


def _lines(colour: int, constant: str, runs: Sequence[Json]) -> tuple[Series, Series]:
    x, name = [v["radius"] for v in runs], runs[0]["name"]
    return (
        Series(
            label=f"constant, {name}",
            x=x,
            y=[v["constants"][constant] for v in runs],
            kind="bound",
            colour=colour,
        ),
        Series(label=f"largest found, {name}", x=x, y=[v["found"][constant] for v in runs], colour=colour),
    )


CLAIMS = (
    Claim(
        id="assumptions",
        of=("assumption-1", "assumption-2", "assumption-3"),
        sentence="On every world with homogeneous devices Assumptions 1-3 hold with the constants that the world "
        "computes, on the whole space or on the ball as it says.",
        pieces=pieces,
        judge=judge,
    ),
)
