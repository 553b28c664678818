"""Which mistake an instance shows: the erratum that cures it, while all the others together do not.

    printed   the statement to its letter is violated
    others    it is still violated with every erratum but those at one place
    alone     it is not violated with the errata at that place alone

An instance with all three shows a mistake at that place, whatever else is wrong. Not every erratum is such a mistake:
some cure what no instance can show, units for one.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ratecert.counterexamples.falsifiable import Falsifiable, Instance, Trial, partly, ratio_in
from ratecert.counterexamples.search import REFUSED
from ratecert.errors import PaperError, RatecertError
from ratecert.outside import own_lines
from ratecert.registry import paper
from ratecert.theory.language.paper import Paper


def score(case: Falsifiable, place: str, numbers: Mapping[str, float]) -> float:
    """How clearly the numbers show a mistake at this place (without one: any); REFUSED where nothing can be said."""
    try:
        tried = case.draw(numbers, source_of(case, place))
    except (ArithmeticError, ValueError):
        return REFUSED
    if not place:
        return tried.ratio
    alone = ratio_in(case, tried, cured(case, (place,)))
    printed = ratio_in(case, tried, paper("printed", case.key))
    return min(tried.ratio, printed, 1 / alone if alone else math.inf)


def refusal(case: Falsifiable, numbers: Mapping[str, float]) -> str:
    """Why the statement says nothing at these numbers; what the paper's own lines raise is shown as theirs."""
    try:
        case.draw(numbers, source_of(case, ""))
    except RatecertError as error:
        if not isinstance(error, (ArithmeticError, ValueError)):
            raise
        return str(error)
    except (ArithmeticError, ValueError) as error:
        if lines := own_lines(error):
            raise PaperError(f"{'; '.join(lines)}; {type(error).__name__}: {error}") from error
        return str(error)
    return ""


def cured(case: Falsifiable, places: tuple[str, ...]) -> Paper:
    """The case's paper with the errata at these places alone."""
    return partly(places, case.key)


def source_of(case: Falsifiable, place: str) -> Paper:
    """The paper whose conditions an instance has to meet: all errata but those at this place."""
    if not place:
        return paper(case.variant, case.key)
    return cured(case, tuple(other for other in all_places(case) if other != place))


def all_places(case: Falsifiable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(erratum.place for erratum in paper("repaired", case.key).errata))


def places_of(case: Falsifiable) -> list[str]:
    """The places of errata on which the statement depends: its own, and those of the constants."""
    own = paper("printed", case.key).owner
    return [p for p in all_places(case) if own(p) == case.statement or own(p).startswith("constant.")]


@dataclass(frozen=True)
class Ratios:
    """Measured over bound at one instance: as printed (or repaired), and around a mistake."""

    itself: float
    alone: float = 0.0
    others: float = 0.0

    @property
    def shows(self) -> bool:
        """A mistake at that place, and at no other."""
        return min(self.itself, self.others) > 1 > self.alone


def ratios(case: Falsifiable, instance: Instance, place: str) -> tuple[Trial, Ratios]:
    """With a place, around the mistake there."""
    tried = case.attempt(instance, source_of(case, ""))
    if not place:
        return tried, Ratios(tried.ratio)
    alone, others = cured(case, (place,)), source_of(case, place)
    return tried, Ratios(tried.ratio, ratio_in(case, tried, alone), ratio_in(case, tried, others))


def blamed(case: Falsifiable, tried: Trial) -> list[str]:
    """Places whose errata alone bring the ratio below 1."""
    return [p for p in places_of(case) if ratio_in(case, tried, cured(case, (p,))) < 1]


def holds_up(case: Falsifiable, place: str) -> Callable[[Instance], bool]:
    """Whether an instance still shows what the search was for."""

    def test(instance: Instance) -> bool:
        try:
            _, found = ratios(case, instance, place)
        except (ArithmeticError, ValueError):
            return False
        return found.shows if place else found.itself > 1

    return test
