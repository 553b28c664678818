"""Which mistake an instance shows, and which terms of a bound are needed.

A mistake is shown by the erratum that cures the instance, while all the others together do not:

    printed   the statement to its letter is violated
    others    it is still violated with every erratum but those at one place
    alone     it is not violated with the errata at that place alone

An instance with all three shows a mistake at that place, whatever else is wrong. Not every erratum is such a mistake:
some cure what no instance can show, units for one.

A term is needed if the bound without it is exceeded by some world inside the conditions. It was tested where it is the
larger part of the bound; nearest to the truth there is the largest measured/bound.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from ratecert.base.errors import OutsideConditionsError, PaperError, RatecertError
from ratecert.base.lists import BEYOND
from ratecert.base.own_code import located, own_lines
from ratecert.search.case import Case, Trial
from ratecert.search.climb import search
from ratecert.search.objective import REFUSED, Array, Numbers, Parts
from ratecert.search.witness import Instance
from ratecert.theory.paper import Paper


@cache
def partly(printed: Paper, repaired: Paper, places: tuple[str, ...]) -> Paper:
    """The print with the errata at these places, and no others."""
    return printed.repaired(tuple(e for e in repaired.errata if e.place in places))


def cured(case: Case, places: tuple[str, ...]) -> Paper:
    """The case's paper with the errata at these places alone."""
    return partly(case.printed, case.repaired, places)


def source_of(case: Case, place: str) -> Paper:
    """The paper whose conditions an instance has to meet: all errata but those at this place."""
    if not place:
        return case.source
    return cured(case, tuple(other for other in all_places(case) if other != place))


def all_places(case: Case) -> tuple[str, ...]:
    return tuple(dict.fromkeys(erratum.place for erratum in case.repaired.errata))


def places_of(case: Case) -> list[str]:
    """The places of errata on which the statement depends: its own, and those of the constants."""
    own = case.printed.owner
    return [p for p in all_places(case) if own(p) == case.statement or own(p).startswith("constant.")]


@dataclass(frozen=True)
class Showing:
    """How clearly numbers show a mistake at a place (without one: any), as something to be climbed (objective.py).

    The score is the smaller of the two ratios that have to be above 1; where the erratum at that place alone does not
    cure the print, it is at most 1. Below 1 it counts for what the erratum takes off beside all the others: where
    that is nothing (on the plateau of descent), no way leads up to the mistake.
    """

    case: Case
    place: str

    def tried(self, numbers: Numbers) -> Trial | None:
        try:
            return self.case.draw(numbers, source_of(self.case, self.place))
        except (ArithmeticError, ValueError):
            return None

    def score(self, tried: Trial) -> float:
        if not self.place:
            return tried.ratio
        *around, repaired = self._around
        printed, alone = (self.case.ratio_in(tried, source) for source in around)
        least = min(tried.ratio, printed, 1 / alone if alone >= 1 else math.inf)
        if not 0 < least <= 1:
            return least
        sources = (source_of(self.case, self.place), repaired)
        return least * float(_taken_off(*(np.array(self._terms(tried, source)) for source in sources)))

    def ranked(self, archive: Sequence[tuple[Numbers, Trial | None]]) -> list[tuple[float, Numbers]]:
        """Score and numbers of what was tried for another mistake, the clearest first."""
        source = source_of(self.case, self.place)
        found = []
        for numbers, tried in archive:
            if tried is None or not tried.ratio:
                continue
            try:
                bound = self.case.right_side(tried.values, source)
                found.append((self.score(replace(tried, bound=bound)), numbers))
            except (ArithmeticError, ValueError):
                continue
        return sorted(found, key=lambda pair: -pair[0])

    def parts(self, tried: Trial) -> Parts:
        """What is measured, and the terms of all bounds; those of a version that says nothing are none."""
        if not 0 < tried.ratio < math.inf:
            return []
        sources = (source_of(self.case, self.place), *(self._around if self.place else ()))
        return [[tried.measured], *(self._terms(tried, source) for source in sources)]

    def of(self, parts: Sequence[Array]) -> Array:
        """The clearer the cure, the better: a model is rough."""
        (measured,), *bounds = parts
        ratios = [measured / bound.sum(axis=0) if len(bound) else 0 * measured for bound in bounds]
        least: Array = np.minimum.reduce([*ratios[:2], *(1 / alone for alone in ratios[2:3])])
        taken = [_taken_off(bounds[0], repaired) for repaired in bounds[3:]]
        return np.where(least > 1, least, np.prod([least, *taken], axis=0))

    @property
    def _around(self) -> tuple[Paper, Paper, Paper]:
        return self.case.printed, cured(self.case, (self.place,)), self.case.repaired

    def _terms(self, tried: Trial, source: Paper) -> Sequence[float]:
        try:
            return self.case.right_terms(tried.values, source)
        except OutsideConditionsError:
            return []


def _taken_off(others: Array, repaired: Array) -> Array:
    """The part of the repaired bound that all other errata do not make up: all of it, where that says nothing.

    Term by term: what stays the same has no rounding, beside which a small change would be lost.
    """
    if not len(repaired):
        return np.ones_like(others.sum(axis=0))
    same = len(others) == len(repaired)
    change = (repaired - others).sum(axis=0) if same else repaired.sum(axis=0) - others.sum(axis=0)
    total = repaired.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # of a bound that is zero nothing can be taken off
        taken: Array = np.where(total > 0, np.maximum(change / total, 0.0), 0.0)
    return taken


def score(case: Case, place: str, numbers: Numbers) -> float:
    """That of `Showing`; REFUSED where nothing can be said."""
    showing = Showing(case, place)
    tried = showing.tried(numbers)
    return REFUSED if tried is None else showing.score(tried)


def refusal(case: Case, numbers: Numbers) -> Exception | None:
    """What says why there is nothing at these numbers; what the paper's own lines raise is shown as theirs."""
    try:
        case.draw(numbers, case.source)
    except RatecertError as error:
        if not isinstance(error, (ArithmeticError, ValueError)):
            raise
        return error
    except (ArithmeticError, ValueError) as error:
        if own_lines(error):
            raise PaperError(located(error)) from error
        return error
    return None


@dataclass(frozen=True)
class Ratios:
    """Measured over bound at one instance: as printed (or repaired), and around a mistake."""

    itself: float
    alone: float = 0.0
    others: float = 0.0

    @property
    def shows(self) -> bool:
        """A mistake at that place, and at no other; a bound that is attained is not violated."""
        return min(self.itself, self.others) > 1 >= self.alone


def ratios(case: Case, instance: Instance, place: str) -> tuple[Trial, Ratios]:
    """With a place, around the mistake there."""
    tried = case.attempt(instance, case.source)
    if not place:
        return tried, Ratios(tried.ratio)
    alone, others = cured(case, (place,)), source_of(case, place)
    return tried, Ratios(tried.ratio, case.ratio_in(tried, alone), case.ratio_in(tried, others))


def holds_up(case: Case, place: str) -> Callable[[Instance], bool]:
    """Whether an instance still shows what the search was for."""

    def test(instance: Instance) -> bool:
        try:
            _, found = ratios(case, instance, place)
        except (ArithmeticError, ValueError):
            return False
        return found.shows if place else found.itself > 1

    return test


# Terms.


def of_terms(case: Case, *, budget: int, seed: int) -> list[dict[str, Any]]:
    """One row for each term, after a search of its own; all that is in the archive of the case counts as well."""
    archive = case.archive if case.archive is not None else []
    names = list(case.theorem.terms)
    without = {name: _without(case, name, budget, seed) for name in names} if len(names) > 1 else {}
    rows = []
    for name in names:
        leads = [trial for _, trial in archive if 2 * trial.terms[name] > math.fsum(trial.terms.values())]
        rows.append(
            {
                "term": name,
                "without it": without.get(name, BEYOND),
                "leads in": len(leads),
                "largest there": max((trial.ratio for trial in leads), default=0.0),
            }
        )
    return rows


def _without(case: Case, name: str, budget: int, seed: int) -> float:
    """The largest measured/bound without this term, at least of the archive's worlds; above 1 ends the search."""
    known = max((ratio_without(trial, name) for _, trial in case.archive or []), default=0.0)
    if known > 1:
        return known
    score = partial(_score, case, name)
    return search(score, case.levels, case.subspaces, budget=budget, seed=seed, jobs=1, enough=1.0).score


def _score(case: Case, name: str, numbers: Numbers) -> float:
    try:
        return ratio_without(case.draw(numbers, case.source), name)
    except (ArithmeticError, ValueError):
        return REFUSED


def ratio_without(trial: Trial, name: str) -> float:
    """Measured over the sum of all other terms."""
    rest = math.fsum(value for other, value in trial.terms.items() if other != name)
    if trial.measured <= 0:
        return 0.0
    return min(trial.measured / rest, BEYOND) if rest > 0 else BEYOND
