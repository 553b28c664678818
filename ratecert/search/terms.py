"""The terms of a bound, one by one: is a term needed, and was it ever tested?

A term is needed if the bound without it is exceeded by some world inside the conditions. It was tested where it is the
larger part of the bound; nearest to the truth there is the largest measured/bound.
"""

import math
from functools import partial

from ratecert.catalogue.find import paper
from ratecert.claims.claim import Json
from ratecert.search.climb import REFUSED, Numbers, search
from ratecert.search.watched_case import WatchedCase

NOTHING_LEFT = 1e300  # the ratio to a bound of zero


def of_terms(case: WatchedCase, *, budget: int, seed: int) -> list[Json]:
    """One row for each term, after a search of its own; what other searches of the case have tried counts as well."""
    names = list(case.bound_terms())
    without = {name: _without(case, name, budget, seed) for name in names} if len(names) > 1 else {}
    rows = []
    for name in names:
        leads = [trial for trial in case.trials if 2 * trial.terms[name] > math.fsum(trial.terms.values())]
        rows.append(
            {
                "term": name,
                "without it": without.get(name, NOTHING_LEFT),
                "leads in": len(leads),
                "largest there": max((trial.ratio for trial in leads), default=0.0),
            }
        )
    return rows


def _without(case: WatchedCase, name: str, budget: int, seed: int) -> float:
    """The largest measured/bound without this term, at least of the worlds that were tried; above 1 ends the search."""
    known = max((ratio_without(trial.terms, trial.measured, name) for trial in case.trials), default=0.0)
    if known > 1:
        return known
    score = partial(_score, case, name)
    return search(score, case.levels, case.subspaces, budget=budget, seed=seed, jobs=1, enough=1.0).score


def _score(case: WatchedCase, name: str, numbers: Numbers) -> float:
    try:
        trial = case.draw(numbers, paper(case.variant, case.key))
    except (ArithmeticError, ValueError):
        return REFUSED
    return ratio_without(trial.terms, trial.measured, name)


def ratio_without(terms: Json, measured: float, name: str) -> float:
    """Measured over the sum of all other terms."""
    rest = math.fsum(value for other, value in terms.items() if other != name)
    if measured <= 0:
        return 0.0
    return min(measured / rest, NOTHING_LEFT) if rest > 0 else NOTHING_LEFT
