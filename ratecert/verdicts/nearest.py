"""The world that comes nearest to a bound that none breaks: which it is, and what its ratio says.

A bound is attained where a run that moves has the ratio 1. Of several such worlds the one is shown whose two sides are
nearest to 1, made simple, so that a reader can compute it by hand. A start says nothing of the method; nor do steps so
small that a run hardly moves, or so large that it only changes sides; and a run so long that it is at its limit tells
no bound that is attained from one that is approached. Where the nearest world stands at an end of what was searched,
others may be nearer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ratecert.binding.families import counted
from ratecert.catalogue.find import paper
from ratecert.search.falsifiable import Instance, Trial
from ratecert.search.finding import Outcome
from ratecert.search.simplify import simplified
from ratecert.search.theorem_case import ROUNDING
from ratecert.search.watched_case import WatchedCase

ATTAINED = 1 - ROUNDING - 1e-12  # all but what is taken off for rounding, and the engine's own
SHORT = 16  # iterations: with more, what is approached cannot be told from what is attained
SAME = 1e-9  # relative: what has not changed
NOT_SMALL = 1e-2  # of the largest steps: with smaller ones many bounds are attained by rest
NATURAL = 1.0  # as an end: no spread, one iteration
Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Nearest:
    ratio: float
    instance: Instance
    attained: bool = False
    at_start: float | None = None  # the ratio before any step, where that is the largest of all
    ends: tuple[str, ...] = ()  # numbers that are the smallest or the largest of those searched


def nearest(case: WatchedCase, outcome: Outcome) -> Nearest:
    """Of all worlds that were tried, after a step where there is one."""
    source = paper(case.variant, case.key)
    attaining = {} if case.binding.rests else _attaining(case)
    if attaining:
        return Nearest(_tried(case, attaining).ratio, case.instance(attaining, source), attained=True)
    ratio, numbers = case.nearest()
    if not numbers:
        return Nearest(outcome.largest, outcome.nearest)
    before = outcome.largest if outcome.nearest["run"]["T"] == 0 else None
    return Nearest(ratio, case.instance(numbers, source), at_start=before, ends=_ends(case, numbers))


def _attaining(case: WatchedCase) -> Numbers:
    """Numbers with which the bound is attained, as simple as they become; none where there are no such."""
    found = [(trial, numbers) for numbers, trial in case.tried if _attains(case, trial, numbers)]
    if not found:
        return {}
    _, numbers = min(found, key=lambda pair: abs(math.log(pair[0].bound)))

    def holds(table: Instance) -> bool:
        numbers = table["numbers"]
        try:
            return case.in_range(numbers) and _attains(case, _tried(case, numbers), numbers)
        except (ArithmeticError, ValueError):
            return False

    return simplified({"numbers": counted(case.levels, numbers)}, holds)["numbers"]


def _attains(case: WatchedCase, trial: Trial, numbers: Numbers) -> bool:
    near = trial.ratio >= ATTAINED and numbers["T"] <= SHORT and case.moves(numbers, NOT_SMALL)
    return near and not math.isclose(case.at_start(numbers), trial.measured, rel_tol=SAME)


def _tried(case: WatchedCase, numbers: Numbers) -> Trial:
    return case.draw(numbers, paper(case.variant, case.key))


def _ends(case: WatchedCase, numbers: Numbers) -> tuple[str, ...]:
    """Of the world's own numbers and of T, those that cannot go on in one direction, unless that means nothing."""
    own = {level.name for level in case.family(numbers).levels} | {"T"}
    return tuple(
        level.name
        for level in case.levels
        if level.name in own
        and level.place(numbers[level.name]) in (0.0, 1.0)
        and numbers[level.name] not in (0.0, NATURAL)
    )
