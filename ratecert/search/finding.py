"""From a statement to what is wrong with it: search, tell the mistakes apart, simplify, confirm.

A printed statement that is violated may be so for several reasons at once. Each erratum on which it depends gets a
search of its own, for an instance that it cures and all the others do not (blame.py): first the statement is searched
for any mistake, then for each erratum's own with the rest of the budget. Nothing counts as found before a second way to
compute both sides, where there is one, has confirmed the simplified instance.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module

import numpy as np

from ratecert.base.chart import Drawable
from ratecert.base.errors import NothingTriedError, OutsideConditionsError, UndecidedError
from ratecert.base.lists import as_ratio
from ratecert.base.words import ONE_WAY
from ratecert.binding.families import counted, numbers
from ratecert.search.blame import (
    Ratios,
    Showing,
    cured,
    holds_up,
    places_of,
    ratios,
    refusal,
    score,
    source_of,
)
from ratecert.search.case import Again, Case, Trial
from ratecert.search.climb import FEWEST, Found, search
from ratecert.search.objective import Numbers
from ratecert.search.simplify import simplified
from ratecert.search.witness import Instance, Witness

ENOUGH = 10.0  # a printed statement with this ratio is refuted; a larger one says no more
CLEAR = 2.0  # enough to tell a mistake from its neighbours
PROBES = 24
BLIND = 3  # one of so many worlds is drawn blindly, at first
ROUNDS = (0.5, 1.0)  # parts of what is left, for all mistakes that are not shown yet


AGREE = 1e-6
PAGE = "ratecert.report.cells"  # knows what a notebook shows; the search does not know it


# The searches, one after the other.


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
    case: Case,
    *,
    budget: int,
    seed: int,
    jobs: int,
    advance: Callable[[int], None],
    enough: float = ENOUGH,
    seconds: float = math.inf,
) -> Iterator[Look]:
    """The statement as it is; where the print is refuted, its mistakes one by one, the most promising first.

    A world that was tried for one mistake has something to say on the next: what was measured is the same, and only
    right sides differ. So each search begins at those that show its mistake best, for which a few worlds are kept from
    the first one. All have a short search before any has a long one: some mistakes cannot be shown at all.
    """
    case.require_for(jobs)
    _require_sound(case, seed)
    until = time.monotonic() + seconds
    run = partial(search, levels=case.levels, jobs=jobs, advance=advance, until=until)
    repaired = case.variant == "repaired" or bool(case.factors)
    most = math.inf if repaired else enough
    kept = 0 if repaired else min(len(ROUNDS) * FEWEST * len(places_of(case)), budget // 2)
    begin = partial(run, Showing(case, ""), subspaces=case.subspaces, simple=case.simple)
    first = begin(budget=budget - kept, enough=most, seed=seed, drawn=case.drawn(budget // BLIND, seed))
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


def _best_in_each(case: Case, ranked: list[tuple[float, Numbers]]) -> list[tuple[float, Numbers]]:
    """One of every subspace, the best of all first: those of one subspace alone are near each other."""
    ranked = sorted(ranked, key=lambda pair: -pair[0])
    own = [[pair for pair in ranked if held.items() <= pair[1].items()] for held in case.subspaces]
    return sorted((pairs[0] for pairs in own if pairs), key=lambda pair: -pair[0])


def _require_sound(case: Case, seed: int) -> None:
    """A mistake in what is run is shown as such, before a search that would lose its way in it."""
    rng = np.random.default_rng(seed)
    for held in case.subspaces:
        point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
        if refusal(case, point) is None:
            return


def _require_some_inside(case: Case, found: Found) -> None:
    """No verdict from nothing."""
    if found.inside:
        return
    if not found.tried:
        raise NothingTriedError(f"{case.id} ({case.variant}): the time ended before any world was tried.")
    rng = np.random.default_rng(0)
    held = case.subspaces[0]
    point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
    why, tried = refusal(case, point), f"{case.id} ({case.variant})"
    if why is not None and not isinstance(why, OutsideConditionsError | UndecidedError):
        raise NothingTriedError(f"{tried}: none of {found.tried} worlds can be run: {why}")
    raise NothingTriedError(
        f"{tried}: of {found.tried} worlds none was inside the conditions, so that nothing can be said; the first "
        f"refusal: {why or 'none at a world drawn again'}"
    )


def matters(case: Case, place: str, seed: int) -> bool:
    """Whether the erratum changes the statement's conditions, or its bound at any of a few random instances."""
    if place.startswith(f"{case.statement}.condition."):
        return True
    rng = np.random.default_rng(seed)
    for i in range(PROBES):
        held = case.subspaces[i % len(case.subspaces)]
        point = {**numbers(case.levels, rng.uniform(size=len(case.levels)).tolist()), **held}
        try:
            tried = case.draw(point, case.printed)
            if case.right_side(tried.values, cured(case, (place,))) != tried.bound:
                return True
        except OutsideConditionsError:
            return True
        except (ArithmeticError, ValueError):
            continue
    return False


# What they find.


@dataclass(frozen=True, repr=False)
class Confirmed(Drawable):
    """An instance, both sides of the statement there, and both by a second computation."""

    witness: Witness
    tried: Trial
    ratios: Ratios
    again: Again
    case: Case = field(compare=False)
    assumptions: tuple[str, ...] = ()  # how each of them stands, where that was asked
    proofs: tuple[str, ...] = ()  # stored, that the statement is false, which were run again

    def __repr__(self) -> str:
        verdict = "confirmed" if self.confirmed else "not confirmed"
        return f"<{self.witness.name}: {verdict}, measured/bound {as_ratio(self.ratios.itself, 4)}>"

    @property
    def confirmed(self) -> bool:
        """Both sides in doubles, in enclosures and by the second way agree, and the statement is violated by each.

        One of enclosures and second way may be missing; doubles alone confirm nothing.
        """
        again, first = self.again, (self.tried.measured, self.tried.bound)
        if again.measured is None and again.counted is None:
            return False
        enclosed = [b if a is None else a for a, b in zip((again.measured, again.bound), first, strict=True)]
        ways, allowed = [enclosed, again.counted or enclosed], agreement(self.tried.precision)
        agree = all(
            math.isclose(a, b, rel_tol=allowed) for way in ways for a, b in zip(way, first, strict=True)
        )
        broken = self.ratios.itself > 1 and all(left > right for left, right in ways)
        return agree and broken and not again.objection

    @property
    def word(self) -> str:
        """What it makes of the statement."""
        return ("refuted" if self.again.counted else ONE_WAY) if self.confirmed else "not confirmed"

    @property
    def interpreted(self) -> list[str]:
        """The assumptions that are read as more, or as less, than they say."""
        return [said for said in self.case.standings(self.tried) if "interpreted" in said]


def agreement(precision: float) -> float:
    """How near the two ways have to be, relative; what was measured is at the lower end of its precision."""
    return AGREE + 2 * precision


@dataclass(frozen=True)
class Finding:
    found: Confirmed
    simple: Confirmed  # as many numbers as possible are 0 or 1
    shown_after: int | None = None  # worlds in all, until the first that shows it

    @property
    def ratio(self) -> float:
        return self.found.ratios.itself


@dataclass(frozen=True, repr=False)
class Outcome(Drawable):
    """What a search for counterexamples came to."""

    case: Case
    largest: float  # ratio, of all worlds that were tried
    tried: int
    findings: tuple[Finding, ...]
    inside: int  # worlds of which the statement speaks
    broken_after: int | None = None  # worlds, until the first that broke it
    nearest: Instance = field(default_factory=dict)  # the instance with the largest ratio
    hardly_moves: bool = False  # the run there
    late: bool = False  # the time ended before the worlds did

    def __repr__(self) -> str:
        case = f"{self.id}, {self.case.variant}"
        worlds = f"{self.tried} worlds, {self.inside} inside"
        if not self.falsified:
            return f"<{case}: {self.word}, largest measured/bound {as_ratio(self.largest, 4)}; {worlds}>"
        places = ", ".join(finding.simple.witness.place or "unknown" for finding in self.findings)
        return (
            f"<{case}: {self.word}, measured/bound {as_ratio(self.largest, 4)}, to blame: {places}; {worlds}>"
        )

    def _repr_html_(self) -> str:
        """In a notebook: with the statement, and with the world in words."""
        html: str = import_module(PAGE).outcome(self)
        return html

    @property
    def id(self) -> str:
        """Of the statement; `paper:statement` where it is not of the first paper."""
        return self.case.id

    @property
    def unconfirmed(self) -> bool:
        """A ratio above 1 that no second way has confirmed: rounding, in all likelihood."""
        return self.largest > 1 and not self.findings

    @property
    def word(self) -> str:
        """Refuted by two ways, if some world is; undecided, if a ratio above 1 is confirmed by none."""
        found = "undecided" if self.unconfirmed else "not refuted"
        return min((finding.simple.word for finding in self.findings), key=len, default=found)

    @property
    def falsified(self) -> bool:
        """Whether a counterexample was found and confirmed."""
        return bool(self.findings)


def falsify(
    case: Case,
    *,
    budget: int,
    seed: int,
    jobs: int,
    advance: Callable[[int], None],
    seconds: float = math.inf,
) -> Outcome:
    """The statement as it is; where the print is refuted, what is left of the budget is for its mistakes one by one.

    After so many seconds the search ends with what it has, which is then made simple and confirmed.
    """
    begun = time.monotonic()
    first, *rest = looks(case, budget=budget, seed=seed, jobs=jobs, advance=advance, seconds=seconds)
    late = time.monotonic() > begun + seconds
    findings = _findings(case, rest) or _findings(case, [first])
    return Outcome(
        case,
        max([first.found.score, *(finding.ratio for finding in findings)]),
        sum(look.found.tried for look in (first, *rest)),
        findings,
        sum(look.found.inside for look in (first, *rest)),
        first.shown_after,
        _nearest(case, first.found),
        not findings and first.found.score > 0 and case.hardly_moves(first.found.numbers),
        late,
    )


def _nearest(case: Case, found: Found) -> Instance:
    """The instance with the largest ratio; none where nothing was measured."""
    return case.instance(found.numbers, case.source) if found.score > 0 else {}


def _findings(case: Case, found: Sequence[Look]) -> tuple[Finding, ...]:
    """What holds up, the clearest first."""
    findings = []
    for look in found:
        place = look.place
        if look.found.score > 1:
            instance = case.instance(look.found.numbers, source_of(case, place))
            test = holds_up(case, place)
            if test(instance):
                simple = simplified(_with_simple_numbers(case, look.found, place), test)
                sure = [c for c in (confirm(case, each, place) for each in (instance, simple)) if c.confirmed]
                findings += [Finding(sure[0], sure[-1], look.shown_after)] if sure else []
    return tuple(sorted(findings, key=lambda finding: -finding.ratio))


def _with_simple_numbers(case: Case, found: Found, place: str) -> Instance:
    """First in the coordinates of the search, where steps follow what they are fractions of."""
    begin = {"numbers": counted(case.levels, found.numbers)}
    simple = simplified(begin, lambda table: score(case, place, table["numbers"]) > 1)
    return case.instance(simple["numbers"], source_of(case, place))


def confirm(case: Case, instance: Instance, place: str) -> Confirmed:
    """Both sides, in doubles, in enclosures and by the second way, as far as there are any."""
    tried, found = ratios(case, instance, place)
    witness = Witness(
        statement=case.id,
        variant=case.variant,
        place=place,
        ratio=found.itself,
        instance=instance,
        factors=case.factors,
    )
    return Confirmed(witness, tried, found, case.again(instance, tried), case)
