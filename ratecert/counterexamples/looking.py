"""The search for a statement's mistakes: first for any, then for each erratum's own, with what is left of the budget."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ratecert.counterexamples.falsifiable import Falsifiable
from ratecert.counterexamples.mistakes import cured, places_of, refusal, score
from ratecert.counterexamples.search import Found, Numbers, search
from ratecert.errors import NothingTriedError, OutsideConditionsError
from ratecert.executable.search_space import numbers
from ratecert.outside import require_for_workers
from ratecert.registry import full_id, paper

ENOUGH = 10.0  # a printed statement with this ratio is refuted; a larger one says no more
CLEAR = 2.0  # enough to tell a mistake from its neighbours
PROBES = 24


@dataclass(frozen=True)
class Looked:
    """What was found of the statement as a whole, and of each mistake by its place."""

    first: Found
    tried: int
    inside: int
    by_place: Mapping[str, Found] = field(default_factory=dict)
    after: Mapping[str, int] = field(default_factory=dict)  # worlds in all, until the first that shows it


def look(case: Falsifiable, *, budget: int, seed: int, jobs: int, advance: Callable[[int], None]) -> Looked:
    """The statement as it is; where the print is refuted, what is left of the budget is for its mistakes one by one."""
    require_for_workers(case.key, jobs)
    _require_sound(case, seed)
    run = partial(search, levels=case.levels, seed=seed, jobs=jobs, advance=advance)
    repaired = case.variant == "repaired"
    enough = {} if repaired else {"enough": ENOUGH}
    first = run(partial(score, case, ""), subspaces=case.subspaces, budget=budget, **enough)
    _require_some_inside(case, first)
    if repaired or not first.score > 1:
        return Looked(first, first.tried, first.inside)
    places = [place for place in places_of(case) if matters(case, place, seed)]
    subspaces = sorted(case.subspaces, key=lambda held: held != first.held)
    by_place: dict[str, Found] = {}
    after: dict[str, int] = {}
    tried, inside = first.tried, first.inside
    for left, place in zip(range(len(places), 0, -1), places, strict=True):
        share = (budget - tried) // left  # what one mistake did not need is there for the next
        found = by_place[place] = _look_twice(partial(run, partial(score, case, place)), subspaces, share)
        if found.broken_after is not None:
            after[place] = tried + found.broken_after
        tried, inside = tried + found.tried, inside + found.inside
    return Looked(first, tried, inside, by_place, after)


def _require_sound(case: Falsifiable, seed: int) -> None:
    """A mistake in what is run is shown as such, before a search that would lose its way in it."""
    rng = np.random.default_rng(seed)
    for held in case.subspaces:
        point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
        if not refusal(case, point):
            return


def _require_some_inside(case: Falsifiable, found: Found) -> None:
    """No verdict from nothing."""
    if found.inside:
        return
    rng = np.random.default_rng(0)
    held = case.subspaces[0]
    point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
    why = refusal(case, point)
    raise NothingTriedError(
        f"{full_id(case.key, case.statement)} ({case.variant}): of {found.tried} worlds none was inside the "
        f"conditions, so that nothing can be said; the first refusal: {why or 'none at a world drawn again'}"
    )


def _look_twice(look: Callable[..., Found], subspaces: Sequence[Numbers], budget: int) -> Found:
    """First, and longest, where the statement broke; then elsewhere."""
    here = look(subspaces=subspaces[:1], budget=3 * budget // 4, enough=CLEAR)
    if here.score > 1 or not subspaces[1:]:
        return here
    there = look(subspaces=subspaces[1:], budget=budget // 4, enough=CLEAR)
    best = max(here, there, key=lambda found: found.score)
    broken = None if there.broken_after is None else here.tried + there.broken_after
    return replace(
        best, tried=here.tried + there.tried, inside=here.inside + there.inside, broken_after=broken
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
