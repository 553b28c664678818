"""The search for a statement's mistakes: first for any, then for each erratum's own with the rest of the budget."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ratecert.base.errors import NothingTriedError, OutsideConditionsError, UndecidedError
from ratecert.binding.families import numbers
from ratecert.catalogue.find import full_id, paper
from ratecert.catalogue.load import require_for_workers
from ratecert.search.climb import FEWEST, Found, Numbers, search
from ratecert.search.factored import Factored
from ratecert.search.falsifiable import Falsifiable
from ratecert.search.mistakes import Showing, cured, places_of, refusal

ENOUGH = 10.0  # a printed statement with this ratio is refuted; a larger one says no more
CLEAR = 2.0  # enough to tell a mistake from its neighbours
PROBES = 24
ROUNDS = (0.5, 1.0)  # parts of what is left, for all mistakes that are not shown yet


@dataclass(frozen=True)
class Look:
    """One search: the place of the mistake that it was for, what it found, and the worlds that were tried before."""

    place: str  # empty: any
    found: Found
    before: int

    @property
    def shown_after(self) -> int | None:
        """Worlds in all, until the first that shows the mistake."""
        return None if self.found.broken_after is None else self.before + self.found.broken_after


def looks(
    case: Falsifiable,
    *,
    budget: int,
    seed: int,
    jobs: int,
    advance: Callable[[int], None],
    enough: float = ENOUGH,
) -> Iterator[Look]:
    """The statement as it is; where the print is refuted, its mistakes one by one, the most promising first.

    A world that was tried for one mistake has something to say on the next: what was measured is the same, and only
    right sides differ. So each search begins at those that show its mistake best, for which a few worlds are kept from
    the first one. All have a short search before any has a long one: some mistakes cannot be shown at all.
    """
    require_for_workers(case.key, jobs)
    _require_sound(case, seed)
    run = partial(search, levels=case.levels, jobs=jobs, advance=advance)
    repaired = case.variant == "repaired" or isinstance(case, Factored)
    most = math.inf if repaired else enough
    kept = 0 if repaired else min(len(ROUNDS) * FEWEST * len(places_of(case)), budget // 2)
    begin = partial(run, Showing(case, ""), subspaces=case.subspaces, simple=case.simple)
    first = begin(budget=budget - kept, enough=most, seed=seed)
    _require_some_inside(case, first)
    yield Look("", first, 0)
    if repaired or not first.score > 1:
        return
    showing = {place: Showing(case, place) for place in places_of(case) if matters(case, place, seed)}
    ranked: dict[str, list[tuple[float, Numbers]]] = {place: [] for place in showing}
    fresh, tried, done = first.archive, first.tried, 1
    for part in ROUNDS:
        waiting = {place for place in showing if part == ROUNDS[-1] or not _of_condition(place)}
        end = tried + int(part * (budget - tried))
        while waiting:
            for each, own in showing.items():
                ranked[each] = _best_in_each(case, [*ranked[each], *own.ranked(fresh)])
            place = max(sorted(waiting), key=lambda place: (not _of_condition(place), _best(ranked[place])))
            seeds = [numbers for _, numbers in ranked[place]]
            run_on = partial(run, subspaces=case.subspaces, seeds=seeds, seed=(seed, done))
            found = run_on(showing[place], budget=(end - tried) // len(waiting), enough=CLEAR)
            yield Look(place, found, tried)
            fresh, tried, done = found.archive, tried + found.tried, done + 1
            waiting.remove(place)
            if found.score > 1:
                del showing[place]


def _of_condition(place: str) -> bool:
    """Such an erratum matters only at worlds between two conditions, and so is looked for last, in the last round."""
    return ".condition." in place


def _best(ranked: Sequence[tuple[float, Numbers]]) -> float:
    return ranked[0][0] if ranked else 0.0


def _best_in_each(case: Falsifiable, ranked: list[tuple[float, Numbers]]) -> list[tuple[float, Numbers]]:
    """One of every subspace, the best of all first: those of one subspace alone are near each other."""
    ranked = sorted(ranked, key=lambda pair: -pair[0])
    own = [[pair for pair in ranked if held.items() <= pair[1].items()] for held in case.subspaces]
    return sorted((pairs[0] for pairs in own if pairs), key=lambda pair: -pair[0])


def _require_sound(case: Falsifiable, seed: int) -> None:
    """A mistake in what is run is shown as such, before a search that would lose its way in it."""
    rng = np.random.default_rng(seed)
    for held in case.subspaces:
        point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
        if refusal(case, point) is None:
            return


def _require_some_inside(case: Falsifiable, found: Found) -> None:
    """No verdict from nothing."""
    if found.inside:
        return
    rng = np.random.default_rng(0)
    held = case.subspaces[0]
    point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
    why, tried = refusal(case, point), f"{full_id(case.key, case.statement)} ({case.variant})"
    if why is not None and not isinstance(why, OutsideConditionsError | UndecidedError):
        raise NothingTriedError(f"{tried}: none of {found.tried} worlds can be run: {why}")
    raise NothingTriedError(
        f"{tried}: of {found.tried} worlds none was inside the conditions, so that nothing can be said; the first "
        f"refusal: {why or 'none at a world drawn again'}"
    )


def matters(case: Falsifiable, place: str, seed: int) -> bool:
    """Whether the erratum changes the statement's conditions, or its bound at any of a few random instances."""
    if place.startswith(f"{case.statement}.condition."):
        return True
    rng = np.random.default_rng(seed)
    for i in range(PROBES):
        held = case.subspaces[i % len(case.subspaces)]
        point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
        try:
            tried = case.draw(point, paper("printed", case.key))
            if case.right_side(tried.values, cured(case, (place,))) != tried.bound:
                return True
        except OutsideConditionsError:
            return True
        except (ArithmeticError, ValueError):
            continue
    return False
