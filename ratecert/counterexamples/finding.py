"""From a statement to what is wrong with it: search, tell the mistakes apart, simplify, confirm.

A printed statement that is violated may be so for several reasons at once. Each erratum on which it depends gets a
search of its own, for an instance that it cures and all the others do not (mistakes.py). Nothing counts as found before
a second way to compute both sides, where there is one, has confirmed the simplified instance.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ratecert.counterexamples.factored import Factored
from ratecert.counterexamples.falsifiable import Again, Falsifiable, Instance, Trial
from ratecert.counterexamples.mistakes import (
    Ratios,
    cured,
    holds_up,
    places_of,
    ratios,
    refusal,
    score,
    source_of,
)
from ratecert.counterexamples.search import Found, Numbers, search
from ratecert.counterexamples.simplify import simplified
from ratecert.counterexamples.witness import Witness
from ratecert.drawable import Drawable
from ratecert.errors import NothingTriedError, OutsideConditionsError
from ratecert.executable.search_space import numbers
from ratecert.outside import require_for_workers
from ratecert.registry import full_id, paper

ENOUGH = 10.0  # a printed statement with this ratio is refuted; a larger one says no more
CLEAR = 2.0  # enough to tell a mistake from its neighbours
AGREE = 1e-6
PROBES = 24


@dataclass(frozen=True, repr=False)
class Confirmed(Drawable):
    """An instance, both sides of the statement there, and both by a second computation."""

    witness: Witness
    tried: Trial
    ratios: Ratios
    again: Again
    assumptions: tuple[str, ...] = ()  # how each of them stands, where that was asked

    def __repr__(self) -> str:
        verdict = "confirmed" if self.confirmed else "not confirmed"
        return f"<{self.witness.name}: {verdict}, measured/bound {self.ratios.itself:.4g}>"

    @property
    def confirmed(self) -> bool:
        """Both sides by both ways agree, and the statement is violated by either; what has no second way agrees."""
        pairs = ((self.again.measured, self.tried.measured), (self.again.bound, self.tried.bound))
        allowed = agreement(self.tried.precision)
        agree = all(a is None or math.isclose(a, b, rel_tol=allowed) for a, b in pairs)
        left, right = (first if again is None else again for again, first in pairs)
        return agree and self.ratios.itself > 1 and left > right


def agreement(precision: float) -> float:
    """How near the two ways have to be, relative; what was measured is at the lower end of its precision."""
    return AGREE + 2 * precision


@dataclass(frozen=True)
class Finding:
    found: Confirmed
    simple: Confirmed  # as many numbers as possible are 0 or 1

    @property
    def ratio(self) -> float:
        return self.found.ratios.itself


@dataclass(frozen=True, repr=False)
class Outcome(Drawable):
    """What a search for counterexamples came to."""

    case: Falsifiable
    largest: float  # ratio, of all worlds that were tried
    tried: int
    findings: tuple[Finding, ...]
    inside: int  # worlds of which the statement speaks
    broken_after: int | None = None  # worlds, until the first that broke it
    nearest: Instance = field(default_factory=dict)  # the instance with the largest ratio

    def __repr__(self) -> str:
        case = f"{self.id}, {self.case.variant}"
        worlds = f"{self.tried} worlds, {self.inside} inside"
        if not self.falsified:
            return f"<{case}: not refuted, largest measured/bound {self.largest:.4g}; {worlds}>"
        places = ", ".join(finding.simple.witness.place or "unknown" for finding in self.findings)
        return f"<{case}: refuted, measured/bound {self.largest:.4g}, to blame: {places}; {worlds}>"

    @property
    def id(self) -> str:
        """Of the statement; `paper:statement` where it is not of the first paper."""
        return full_id(self.case.key, self.case.statement)

    @property
    def unconfirmed(self) -> bool:
        """A ratio above 1 that no second way has confirmed: rounding, in all likelihood."""
        return self.largest > 1 and not self.findings

    @property
    def falsified(self) -> bool:
        """Whether a counterexample was found and confirmed."""
        return bool(self.findings)


def falsify(
    case: Falsifiable, *, budget: int, seed: int, jobs: int, advance: Callable[[int], None]
) -> Outcome:
    """The statement as it is; where the print is refuted, what is left of the budget is for its mistakes one by one."""
    require_for_workers(case.key, jobs)
    _require_sound(case, seed)
    look = partial(search, levels=case.levels, seed=seed, jobs=jobs, advance=advance)
    if case.variant == "repaired" or isinstance(case, Factored):
        found = look(partial(score, case, ""), subspaces=case.subspaces, budget=budget)
        _require_some_inside(case, found)
        findings = _findings(case, {"": found})
        nearest = _nearest(case, found)
        return Outcome(case, found.score, found.tried, findings, found.inside, found.broken_after, nearest)
    first = look(partial(score, case, ""), subspaces=case.subspaces, budget=budget, enough=ENOUGH)
    _require_some_inside(case, first)
    if not first.score > 1:
        return Outcome(case, first.score, first.tried, (), first.inside, nearest=_nearest(case, first))
    places = [place for place in places_of(case) if matters(case, place, seed)]
    subspaces = sorted(case.subspaces, key=lambda held: held != first.held)
    by_place: dict[str, Found] = {}
    tried, inside = first.tried, first.inside
    for left, place in zip(range(len(places), 0, -1), places, strict=True):
        share = (budget - tried) // left  # what one mistake did not need is there for the next
        by_place[place] = _look_twice(partial(look, partial(score, case, place)), subspaces, share)
        tried, inside = tried + by_place[place].tried, inside + by_place[place].inside
    findings = _findings(case, by_place) or _findings(case, {"": first})
    largest = max([first.score, *(finding.ratio for finding in findings)])
    return Outcome(case, largest, tried, findings, inside, first.broken_after, _nearest(case, first))


def _nearest(case: Falsifiable, found: Found) -> Instance:
    """The instance with the largest ratio; none where nothing was measured."""
    return case.instance(found.numbers, source_of(case, "")) if found.score > 0 else {}


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
    return replace(best, tried=here.tried + there.tried, inside=here.inside + there.inside)


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


def _findings(case: Falsifiable, by_place: dict[str, Found]) -> tuple[Finding, ...]:
    """What holds up, the clearest first."""
    findings = []
    for place, found in by_place.items():
        if found.score > 1:
            instance = case.instance(found.numbers, source_of(case, place))
            test = holds_up(case, place)
            if test(instance):
                simple = simplified(_with_simple_numbers(case, found, place), test)
                pair = confirm(case, instance, place, twice=False), confirm(case, simple, place)
                findings += [Finding(*pair)] if all(c.confirmed for c in pair) else []
    return tuple(sorted(findings, key=lambda finding: -finding.ratio))


def _with_simple_numbers(case: Falsifiable, found: Found, place: str) -> Instance:
    """First in the coordinates of the search, where steps follow what they are fractions of."""
    simple = simplified({"numbers": found.numbers}, lambda table: score(case, place, table["numbers"]) > 1)
    return case.instance(simple["numbers"], source_of(case, place))


def confirm(case: Falsifiable, instance: Instance, place: str, *, twice: bool = True) -> Confirmed:
    """Both sides, by both ways or, where time is short, by the first one."""
    tried, found = ratios(case, instance, place)
    witness = Witness(
        statement=full_id(case.key, case.statement),
        variant=case.variant,
        place=place,
        ratio=found.itself,
        instance=instance,
        factors=case.factors if isinstance(case, Factored) else {},
    )
    again = (
        case.again(instance, tried)
        if twice
        else Again(measured=None, bound=None, how="one way was asked for")
    )
    return Confirmed(witness, tried, found, again)
