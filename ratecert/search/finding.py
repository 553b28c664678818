"""From a statement to what is wrong with it: search, tell the mistakes apart, simplify, confirm.

A printed statement that is violated may be so for several reasons at once. Each erratum on which it depends gets a
search of its own, for an instance that it cures and all the others do not (mistakes.py). Nothing counts as found before
a second way to compute both sides, where there is one, has confirmed the simplified instance.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ratecert.base.chart import Drawable
from ratecert.binding.families import counted
from ratecert.catalogue.find import full_id
from ratecert.search.climb import Found
from ratecert.search.factored import Factored
from ratecert.search.falsifiable import Again, Falsifiable, Instance, Trial
from ratecert.search.looking import Look, looks
from ratecert.search.mistakes import Ratios, holds_up, ratios, score, source_of
from ratecert.search.simplify import simplified
from ratecert.search.witness import Witness

AGREE = 1e-6


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
    shown_after: int | None = None  # worlds in all, until the first that shows it

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
    first, *rest = looks(case, budget=budget, seed=seed, jobs=jobs, advance=advance)
    findings = _findings(case, rest) or _findings(case, [first])
    return Outcome(
        case,
        max([first.found.score, *(finding.ratio for finding in findings)]),
        sum(look.found.tried for look in (first, *rest)),
        findings,
        sum(look.found.inside for look in (first, *rest)),
        first.shown_after,
        _nearest(case, first.found),
    )


def _nearest(case: Falsifiable, found: Found) -> Instance:
    """The instance with the largest ratio; none where nothing was measured."""
    return case.instance(found.numbers, source_of(case, "")) if found.score > 0 else {}


def _findings(case: Falsifiable, found: Sequence[Look]) -> tuple[Finding, ...]:
    """What holds up, the clearest first."""
    findings = []
    for look in found:
        place = look.place
        if look.found.score > 1:
            instance = case.instance(look.found.numbers, source_of(case, place))
            test = holds_up(case, place)
            if test(instance):
                simple = simplified(_with_simple_numbers(case, look.found, place), test)
                pair = confirm(case, instance, place, twice=False), confirm(case, simple, place)
                findings += [Finding(*pair, look.shown_after)] if all(c.confirmed for c in pair) else []
    return tuple(sorted(findings, key=lambda finding: -finding.ratio))


def _with_simple_numbers(case: Falsifiable, found: Found, place: str) -> Instance:
    """First in the coordinates of the search, where steps follow what they are fractions of."""
    begin = {"numbers": counted(case.levels, found.numbers)}
    simple = simplified(begin, lambda table: score(case, place, table["numbers"]) > 1)
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
