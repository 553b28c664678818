"""How much further a step may go: every clause of a condition relaxed by itself, until some world breaks the bound.

A clause that is relaxed a thousandfold, and breaks nothing, is not needed by the worlds that were tried; one that
breaks at 1.01 times its right side is. What lies between the printed clause and the first broken world is room for a
better proof, as far as worlds can tell. Constants that hold along a run only where its steps are inside the conditions
say nothing beyond them. A search begins far beyond a clause; so that it also sees what breaks just beyond, the worlds
that come nearest to the bound inside the conditions are taken a little further, too, with short runs: a step that is
far too long overflows in a long one.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ratecert.base.errors import OutsideConditionsError
from ratecert.run.tasks import in_order
from ratecert.search.case import Case, Trial
from ratecert.search.factors import factor_places
from ratecert.search.finding import Confirmed, confirm
from ratecert.search.objective import Array, Numbers, Parts
from ratecert.search.witness import Instance
from ratecert.sharpening.explore import Book, Explored, Seen, explore, score, simple_instance
from ratecert.sharpening.least import CLEAR, rounded_up
from ratecert.sharpening.powers import FRACTION, T
from ratecert.theory.numbers.evaluation import complete, is_schedule, number
from ratecert.theory.statements import Theorem

FURTHEST = 1e3  # times the printed clause
INSIDE = 1e-9  # scale of the scores of worlds at which the bound holds
GIVEN_AWAY = 1.02  # that a simpler world may be further out
CANDIDATES = 3
ALONG_RUNS = frozenset({"largest_gradient"})  # quantities of a setting (binding/setting.py)
INSIDE_ONLY = "a constant of its runs is known inside the conditions alone"
HALVINGS = 12
SEARCHES = 4  # one after the other
NEAR = 1.01  # is near enough
NEAREST = 4  # worlds that are taken further
PARTS = 8  # of the relaxed clause, at which they are tried
SHORT = (1.0, 4.0, 16.0, 64.0)  # iterations


@dataclass(frozen=True)
class Room:
    """One clause: from which factor on a world breaks the bound, None where none did."""

    place: str
    clause: Any
    worlds: int  # that were tried
    breaks_at: float | None = None
    witness: Confirmed | None = None
    untried: str = ""  # why


@dataclass(frozen=True)
class Beyond:
    """The objective: break the bound as near to the printed clause as possible."""

    case: Case
    condition: str
    clause: int

    def factor(self, trial: Trial) -> float:
        """How far beyond its clause the step is."""
        condition = self.case.theorem.conditions[self.condition]
        full = complete(self.case.source, self.case.theorem, trial.values)
        return number(condition.left, full) / number(condition.clauses[self.clause], full)

    def parts(self, trial: Trial) -> Parts:
        return [[trial.measured], list(trial.terms.values()), [self.factor(trial)]]

    def of(self, parts: Sequence[Array]) -> Array:
        (measured,), terms, (beyond,) = parts
        with np.errstate(over="ignore"):
            ratio = measured / terms.sum(axis=0)
        inside = INSIDE * np.minimum(ratio, 1.0) * np.minimum(beyond, 1.0)
        found: Array = np.where((ratio > 1) & (beyond > 1), 1 / beyond, inside)
        return found


def room_of(
    case: Case,
    book: Book,
    jobs: int,
    *,
    budget: int,
    seed: int,
) -> tuple[Room, ...]:
    """Of every clause that bounds a step from above."""
    bounded = {
        name: condition
        for name, condition in case.theorem.conditions.items()
        if condition.relation in ("<=", "<") and not is_schedule(condition)
    }
    places = [
        place for place in factor_places(case.theorem) if place.split(".")[1] in bounded and place[0] == "c"
    ]
    if not ALONG_RUNS.isdisjoint(case.binding.constants.values()):
        return tuple(Room(place, _clause(case.theorem, place), 0, untried=INSIDE_ONLY) for place in places)
    one = partial(_room, case, _nearest(case, book), budget=budget, seed=seed)
    return tuple(in_order(one, [(place,) for place in places], jobs))


def _nearest(case: Case, book: Book) -> list[Numbers]:
    """The worlds of a few subspaces that come nearest to the bound."""
    ratios = book.ratios(np.ones(len(book.names)))
    return [world for _, world in book.peaks(ratios, case.subspaces)[:NEAREST]]


def _room(
    case: Case,
    near: Sequence[Numbers],
    place: str,
    *,
    budget: int,
    seed: int,
) -> Room:
    """From far beyond, then again below what was found, until nothing is."""
    beyond = Beyond(case, *_parts(place))
    room = Room(place, _clause(case.theorem, place), 0)
    for again in range(SEARCHES):
        furthest = room.breaks_at or FURTHEST
        seen, found = _broken(beyond, place, furthest, near, budget=budget, seed=seed + again)
        before, room = room.breaks_at or math.inf, replace(room, worlds=room.worlds + len(seen))
        if found is None or found[0] >= before:
            break
        room = replace(room, breaks_at=found[0], witness=found[1])
        if found[0] < NEAR or found[0] > before / NEAR:
            break
    return room


def _broken(
    beyond: Beyond, place: str, furthest: float, near: Sequence[Numbers], *, budget: int, seed: int
) -> tuple[list[Seen], tuple[float, Confirmed] | None]:
    """What was seen with the clause relaxed this far, and the nearest world that breaks the bound."""
    relaxed = replace(beyond.case, factors={place: furthest})
    seen = explore(relaxed, beyond, budget=budget, seed=seed)
    seen += _further(relaxed, beyond, near, furthest)
    broken = sorted((each for each in seen if each.score > INSIDE), key=lambda each: -each.score)
    nearer = [_halved(relaxed, beyond, each) for each in broken[:CANDIDATES]]
    for factor, numbers in sorted(nearer, key=lambda pair: pair[0]):
        if found := _confirmed(relaxed, beyond, place, numbers, factor):
            return seen, found
    return seen, None


def _further(relaxed: Case, beyond: Beyond, near: Sequence[Numbers], furthest: float) -> list[Seen]:
    """Worlds from inside the conditions with steps up to the relaxed clause, and with short runs."""
    land, name = Explored(relaxed, beyond), _step(beyond)
    seen = []
    for begin in near:
        for part in np.geomspace(1 / furthest, 1.0, PARTS).tolist():
            for steps in sorted({begin[T], *(t for t in SHORT if t < begin[T])}):
                numbers = {**begin, name: part, T: steps}
                if found := land.remembered(numbers, land.tried(numbers)):
                    seen.append(found)
    return seen


def _step(beyond: Beyond) -> str:
    """The number of the search that the step is."""
    names = {level.name for level in beyond.case.levels}
    return next(n for n in (f"{FRACTION}{beyond.condition}", beyond.condition) if n in names)


def _parts(place: str) -> tuple[str, int]:
    """The name of a condition, and which of its clauses."""
    _, name, *clause = place.split(".")
    return name, int(clause[0]) if clause else 0


def _clause(theorem: Theorem, place: str) -> Any:
    name, index = _parts(place)
    return theorem.conditions[name].clauses[index]


def _halved(relaxed: Case, beyond: Beyond, seen: Seen) -> tuple[float, Mapping[str, float]]:
    """How near to its clause the step of this world can come while it breaks the bound, by bisection."""
    name = _step(beyond)
    best, numbers = 1 / seen.score, dict(seen.numbers)
    low = 1.0
    for _ in range(HALVINGS):
        middle = math.sqrt(low * best)
        there = {**numbers, name: numbers[name] * middle / best}
        try:
            nearer = score(beyond, relaxed.draw(there, relaxed.source))
        except (ArithmeticError, ValueError):
            nearer = 0.0
        if nearer > INSIDE:
            best, numbers = 1 / nearer, there
        else:
            low = middle
    return best, numbers


def _confirmed(
    relaxed: Case, beyond: Beyond, place: str, numbers: Mapping[str, float], factor: float
) -> tuple[float, Confirmed] | None:
    """The simplest world with about this factor, and the factor itself."""

    def breaks_at(other: Instance) -> float:
        """How far beyond the clause it breaks the bound; infinity where it does not."""
        try:
            trial = relaxed.attempt(other, relaxed.source)
        except (ArithmeticError, ValueError):
            return math.inf
        return beyond.factor(trial) if trial.ratio > 1 and beyond.factor(trial) > 1 else math.inf

    simple = simple_instance(relaxed, numbers, lambda other: breaks_at(other) <= GIVEN_AWAY * factor)
    for each in (simple, relaxed.instance(numbers, relaxed.source)):
        over = breaks_at(each) - 1
        for further in (over, over * (1 + CLEAR)) if over < math.inf else ():
            nearest = 1 + rounded_up(further)
            with suppress(
                OutsideConditionsError
            ):  # a rounded step may be a rounding beyond the rounded clause
                found = confirm(replace(beyond.case, factors={place: nearest}), each, "")
                if found.confirmed:
                    return nearest, found
    return None
