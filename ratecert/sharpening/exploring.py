"""Worlds that matter, and what was measured there: a search that remembers everything it tries.

Both sides at one world are kept as the measured value m and the terms c_i t_i of the print, so that any other constants
can be asked of the same runs again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ratecert.counterexamples.falsifiable import Falsifiable, Trial
from ratecert.counterexamples.search import REFUSED, search
from ratecert.executable.search_space import Level
from ratecert.theory.language.paper import Paper

Numbers = Mapping[str, float]
Objective = Callable[[Trial], float]  # to be made large, > 0
Array = NDArray[np.float64]

LEAST = 1e-300  # score that stands for 0
POLISH = 4  # one in so many worlds is spent on the way up from the best
STEP = 0.05  # of the unit cube, with which that begins


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


def explore(
    case: Falsifiable,
    source: Paper,
    objective: Objective,
    *,
    budget: int,
    seed: int,
    subspaces: Sequence[Numbers] | None = None,
    begin: Numbers | None = None,
) -> list[Seen]:
    """Search for a world at which the objective is large, from `begin` too, and climb from the best one."""
    seen: list[Seen] = []
    best: tuple[float, Numbers] = (0.0, {})

    def score(numbers: Numbers) -> float:
        nonlocal best
        try:
            trial = case.draw(numbers, source)
        except (ArithmeticError, ValueError):
            return REFUSED
        if not (trial.certified and trial.measured > 0 and trial.bound > 0):
            return 0.0
        value = objective(trial)
        seen.append(Seen(dict(numbers), trial.measured, tuple(trial.terms.values()), value))
        best = max(best, (value, numbers), key=lambda pair: pair[0])
        return value

    if begin is not None:
        score(begin)
    climb = budget // POLISH
    levels = case.levels
    search(score, levels, subspaces or case.subspaces, budget=budget - climb, seed=seed, jobs=1)
    if best[0] > 0:
        fixed = set(subspaces[0]) if subspaces and len(subspaces) == 1 else set()
        _climb(score, [level for level in levels if level.name not in fixed], best[1], climb)
    return seen


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
