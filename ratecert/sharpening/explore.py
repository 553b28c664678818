"""Worlds that matter, and what was measured there: a search that remembers everything it tries.

Both sides at one world are stored as the measured value m and the terms c_i t_i of the print, so that any other
constants can be asked of the same runs again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import minimize

from ratecert.binding.families import Level, counted
from ratecert.search.case import Case, Trial
from ratecert.search.climb import search
from ratecert.search.objective import REFUSED, Array, Numbers, Parts
from ratecert.search.simplify import simplified
from ratecert.search.witness import Instance

SubspaceStart = tuple[Numbers, Numbers | None]  # what is held, and a world to begin with
LEAST = 1e-300  # score that stands for 0
POLISH = 4  # one in so many worlds is spent on the way up from the best
STEP = 0.05  # of the unit cube, with which that begins


class Goal(Protocol):
    """What is to be made large, > 0: a known function of parts, each nearly a product of powers of the numbers."""

    def parts(self, trial: Trial) -> Parts: ...

    def of(self, parts: Sequence[Array]) -> Array:
        """Every part may be a row, one for each of many points."""


@dataclass(frozen=True)
class Seen:
    """One world: its numbers, the lower end of what was measured, and the terms of the print."""

    numbers: Numbers
    measured: float
    terms: tuple[float, ...]
    score: float = 0.0  # by the objective of the search that came by


@dataclass(frozen=True)
class Book:
    """All worlds of which the statement speaks, as arrays."""

    names: tuple[str, ...]  # of the terms
    seen: tuple[Seen, ...]

    @property
    def measured(self) -> Array:
        return np.array([each.measured for each in self.seen])

    @property
    def terms(self) -> Array:
        return np.array([each.terms for each in self.seen]).reshape(len(self.seen), len(self.names))

    def with_more(self, seen: Sequence[Seen]) -> "Book":
        return Book(self.names, (*self.seen, *seen))

    def ratios(self, factors: Array) -> Array:
        """Measured over the bound with these factors; a bound of zero is exceeded by anything."""
        with np.errstate(divide="ignore"):
            found: Array = self.measured / (self.terms @ factors)
        return found

    def highest(self, heights: Array, subspaces: Sequence[Numbers]) -> list[int | None]:
        """Of every subspace the highest world inside it; None where the book has none."""
        order = np.argsort(-heights, kind="stable").tolist()
        return [
            next((i for i in order if held.items() <= self.seen[i].numbers.items()), None)
            for held in subspaces
        ]

    def peaks(self, heights: Array, subspaces: Sequence[Numbers]) -> list[tuple[Numbers, Numbers]]:
        """What is held and the highest world there, by height; a world of several subspaces comes once."""
        held_at: dict[int, Numbers] = {}
        for held, i in zip(subspaces, self.highest(heights, subspaces), strict=True):
            if i is not None:
                held_at.setdefault(i, held)
        return [(held_at[i], self.seen[i].numbers) for i in sorted(held_at, key=lambda i: -heights[i])]


@dataclass(frozen=True)
class Explored:
    """What a goal makes of worlds, as something to be climbed (search/objective.py)."""

    case: Case
    goal: Goal

    def tried(self, numbers: Numbers) -> Trial | None:
        try:
            return self.case.draw(numbers, self.case.source)
        except (ArithmeticError, ValueError):
            return None

    def remembered(self, numbers: Numbers, tried: Trial | None) -> Seen | None:
        """None where nothing can be said."""
        if tried is None or not _counts(tried):
            return None
        return Seen(dict(numbers), tried.measured, tuple(tried.terms.values()), self.score(tried))

    def score(self, tried: Trial) -> float:
        return score(self.goal, tried) if _counts(tried) else 0.0

    def parts(self, tried: Trial) -> Parts:
        return self.goal.parts(tried) if _counts(tried) else []

    def of(self, parts: Sequence[Array]) -> Array:
        return self.goal.of(parts)


def score(goal: Goal, trial: Trial) -> float:
    """That of a single world."""
    return float(goal.of([np.asarray(group, dtype=float) for group in goal.parts(trial)]))


def _counts(tried: Trial) -> bool:
    return tried.measured > 0 and tried.bound > 0


def explore(
    case: Case,
    goal: Goal,
    *,
    budget: int,
    seed: int,
    subspaces: Sequence[SubspaceStart] = (),
) -> list[Seen]:
    """Search for a world at which the objective is large, everywhere or in subspaces, and climb from the best one."""
    land = Explored(case, goal)
    climb = budget // POLISH
    found = search(
        land,
        case.levels,
        [held for held, _ in subspaces] or case.subspaces,
        budget=budget - climb,
        seed=seed,
        jobs=1,
        seeds=[begin for _, begin in subspaces if begin is not None],
    )
    archive = list(found.archive)

    def at(numbers: Numbers) -> float:
        tried = land.tried(numbers)
        archive.append((numbers, tried))
        return REFUSED if tried is None else land.score(tried)

    if found.score > 0:
        _climb(at, [level for level in case.levels if level.name not in found.held], found.numbers, climb)
    return [seen for numbers, tried in archive if (seen := land.remembered(numbers, tried))]


def _climb(score: Callable[[Numbers], float], levels: Sequence[Level], begin: Numbers, budget: int) -> None:
    """By a simplex in the logarithms; counts, and what is held at zero, stay as they are."""
    free = [each for each in levels if not each.whole and each.low <= begin[each.name] <= each.high]
    free = [each for each in free if each.low < each.high]
    if not free or budget < len(free) + 2:
        return
    at = np.array([math.log(begin[e.name] / e.low) / math.log(e.high / e.low) for e in free])

    def loss(u: Array) -> float:
        there = {each.name: each.value(float(v)) for each, v in zip(free, u, strict=True)}
        return -math.log(max(score({**begin, **there}), LEAST))

    inward = np.where(at > 0.5, -STEP, STEP)
    simplex = np.vstack([at, at + np.diag(inward)])
    minimize(
        loss,
        at,
        method="Nelder-Mead",
        bounds=[(0.0, 1.0)] * len(free),
        options={"maxfev": budget, "initial_simplex": simplex, "xatol": 1e-7, "fatol": 1e-7},
    )


def simple_instance(case: Case, numbers: Mapping[str, float], good: Callable[[Instance], bool]) -> Instance:
    """First in the numbers of the search, where steps follow what they are fractions of, then in their values."""

    def still_good(table: Mapping[str, Mapping[str, float]]) -> bool:
        try:
            return good(case.instance(table["numbers"], case.source))
        except (ArithmeticError, ValueError):
            return False

    simple = simplified({"numbers": counted(case.levels, numbers)}, still_good)
    return simplified(case.instance(simple["numbers"], case.source), good)
