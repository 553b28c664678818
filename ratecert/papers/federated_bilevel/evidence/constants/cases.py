"""Measured over claimed: a constant against what it has to bound, in many cases.

A case is a world, a reading of L_1 (synthetic/constants/norm_readings.py) and, where the constant depends on them,
theta and Q. theta is a fraction of the smaller 1/L_1 of the two readings. `measure` is a piece of a claim; the constant
itself is computed afterwards, from the world's assumptions' constants and the paper's definition.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ratecert.claim.chart import Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Json, Piece
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.constants import measures
from ratecert.papers.federated_bilevel.evidence.constants.points import STARTS, radius_of
from ratecert.papers.federated_bilevel.evidence.constants.worlds import MORE, WORLDS, drawn
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.numbers.evaluation import with_constants

READINGS = ("joint", "block")
FRACTIONS = (0.1, 0.3, 0.95)
TERMS = (0, 1, 2, 3)
DRAWN = 24

MEASURES: dict[str, Callable[..., float]] = {
    "L_Phi": measures.measured_L_Phi,
    "L_tilde": measures.measured_L_tilde,
    "L_hat": measures.measured_L_hat,
    "G": measures.measured_G,
    "spread": measures.measured_spread,
}
SYMBOLS = {"L_Phi": r"L_\Phi", "L_tilde": r"\tilde{L}", "L_hat": r"\hat{L}", "G": "G"}


def measure(
    *,
    quantity: str,
    name: str,
    world: Json,
    radius: float | None = None,
    fractions: Sequence[float] = (),
    terms: Sequence[int] = (),
    starts: int = STARTS,
) -> Json:
    """What was measured on one world, and the constants of its assumptions there."""
    problem = build(world)
    radius = radius_of(problem) if radius is None else radius
    assumed = {reading: problem.constants(radius=radius, reading=reading) for reading in READINGS}
    largest = max(constants["L_1"] for constants in assumed.values())
    settings = [{"theta": part / largest, "Q": Q} for part in fractions for Q in terms] or [{}]
    rows = [
        {**setting, "measured": MEASURES[quantity](problem, radius, **setting, starts=starts)}
        for setting in settings
    ]
    where = {"world": world, "radius": radius, "starts": starts}
    if fractions:
        where |= {"theta times the larger L_1": list(fractions), "Q": list(terms)}
    return {"name": name, "where": where, "assumed": assumed, "rows": rows}


def on_worlds(quantity: str, budget: Budget, **samples: Json) -> list[Piece]:
    """The quantity on all worlds; a quick look takes fewer worlds and fewer starts."""
    worlds = WORLDS if budget.quick else {**WORLDS, **MORE, **drawn(DRAWN)}
    common = {"quantity": quantity, **samples, "starts": STARTS if budget.quick else 2 * STARTS}
    return [Piece(measure, {**common, "name": name, "world": world}, 0.1) for name, world in worlds.items()]


def thetas_and_terms(budget: Budget) -> dict[str, Json]:
    """A quick look takes the ends of both ranges."""
    if budget.quick:
        return {"fractions": [FRACTIONS[0], FRACTIONS[-1]], "terms": [TERMS[0], TERMS[-1]]}
    return {"fractions": list(FRACTIONS), "terms": list(TERMS)}


@dataclass(frozen=True, kw_only=True)
class Case:
    world: str
    reading: str
    theta: float | None
    Q: int | None
    measured: float
    claimed: float

    @property
    def ratio(self) -> float:
        return self.measured / self.claimed

    @property
    def where(self) -> str:
        sample = "" if self.theta is None else f", theta = {self.theta:.4g}, Q = {self.Q}"
        return f"{self.world}, {self.reading}{sample}"


def cases(values: Iterable[Json], constant: str, variant: str) -> list[Case]:
    """Every row of every measured world, under every reading that it has constants for."""
    found = []
    for value in values:
        for reading, assumed in value["assumed"].items():
            for row in value["rows"]:
                sample = {name: row[name] for name in ("theta", "Q") if name in row}
                claimed = with_constants(paper(variant), {**assumed, **sample})[constant]
                case = Case(
                    world=value["name"],
                    reading=reading,
                    theta=row.get("theta"),
                    Q=row.get("Q"),
                    measured=row["measured"],
                    claimed=claimed,
                )
                found.append(case)
    return found


def worst(found: Iterable[Case]) -> list[Case]:
    """Of every world the case with the largest ratio."""
    largest: dict[str, Case] = {}
    for case in found:
        if case.world not in largest or case.ratio > largest[case.world].ratio:
            largest[case.world] = case
    return list(largest.values())


def checks(found: Iterable[Case], constant: str) -> list[Check]:
    """One per world, where its ratio is largest."""
    return [
        Check(
            name=f"measured/{constant}, {case.where}",
            measured=case.ratio,
            predicted=1.0,
            relation="<=",
            uncertainty=measures.ROUNDING * case.ratio,
        )
        for case in worst(found)
    ]


def table(found: Iterable[Case]) -> list[dict[str, Json]]:
    """One row per world and reading, where the ratio is largest."""
    found = list(found)
    readings = dict.fromkeys(case.reading for case in found)
    rows = [case for reading in readings for case in worst(c for c in found if c.reading == reading)]
    return [
        {
            "world": case.world,
            "reading": case.reading,
            "theta": case.theta,
            "Q": case.Q,
            "measured": case.measured,
            "constant": case.claimed,
            "ratio": case.ratio,
        }
        for case in rows
    ]


def settings(values: Iterable[Json]) -> dict[str, Json]:
    """The worlds, and where on them is measured."""
    return {value["name"]: value["where"] for value in values}


def scatter(found: Sequence[Case], constant: str) -> Panel:
    """Measured against claimed: nothing may lie above the diagonal."""
    ends = [min(case.claimed for case in found), max(case.claimed for case in found)]
    series = [
        Series(
            label=rf"$L_1$ read as {reading}",
            x=[case.claimed for case in found if case.reading == reading],
            y=[case.measured for case in found if case.reading == reading],
            kind="sampled",
            colour=i,
        )
        for i, reading in enumerate(READINGS)
    ]
    return Panel(
        title="all worlds and settings",
        x_label=rf"${SYMBOLS[constant]}$",
        y_label="measured",
        series=[*series, Series(label="measured = constant", x=ends, y=ends, kind="bound", colour=3)],
    )
