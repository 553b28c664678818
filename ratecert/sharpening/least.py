"""The smallest factor that one term may have while all others stay as they are.

The bound with r t_i in the place of t_i holds at a world where m <= r t_i + (sum of the others). So r is at least

    r_i = max over worlds of (m - sum of the others)/t_i,        or 0 where that is negative everywhere:

no proof can bring the constant of the term below r_i times the printed one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, fsum, log10

import numpy as np

from ratecert.catalogue.find import paper
from ratecert.search.factored import Factored
from ratecert.search.falsifiable import Falsifiable, Instance, Trial
from ratecert.search.finding import Confirmed, confirm
from ratecert.search.landscape import Array, Numbers, Parts
from ratecert.sharpening.exploring import Book, Seen, score
from ratecert.sharpening.simple import simple_instance
from ratecert.sharpening.smallest import Smallest, rounded_up, weighed

CLEAR = 1e-6  # of what is measured: what the others leave has to be more than a rounding
FAR = 1e-150  # scale of the scores of worlds at which the others suffice
KEPT = 0.999  # of the factor, that a simpler world may give away
DIGITS = 4
SUBSPACES = 2  # subspaces in which a term is asked after the first search


@dataclass(frozen=True)
class LeastFactor:
    """The objective: (m - others)/t_i; below it, where nothing is left, how near m and t_i come to the others."""

    term: str

    def parts(self, trial: Trial) -> Parts:
        others = [value for name, value in trial.terms.items() if name != self.term]
        return [[trial.measured], [trial.terms[self.term]], others]

    def of(self, parts: Sequence[Array]) -> Array:
        (measured,), (term,), others = parts
        return factor_of(measured, term, others.sum(axis=0))


def factor_of(measured: Array, term: Array, others: Array) -> Array:
    left = measured - others
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        needed = np.where(term > 0, left / term, 0.0)
        near = np.minimum(term / others, 1.0) * measured / others
        return np.where(left > CLEAR * measured, needed, FAR * near)


@dataclass(frozen=True)
class Least:
    """What a term needs at least: a factor, rounded down, and the world that needs it."""

    term: str
    factor: float
    witness: Confirmed | None = None


def least_of(case: Falsifiable, book: Book, term: str) -> Least:
    """Of all worlds seen the one that needs most, as simple as it gets, confirmed by enclosures."""
    found = [(factor, each) for each in book.seen if (factor := factor_at(book, each, term)) > 0]
    for _, each in sorted(found, key=lambda pair: -pair[0])[:3]:
        least = _simple(case, term, each)
        if least is not None:
            return least
    return Least(term, 0.0)


def covering(case: Falsifiable, bound: Smallest, least: Sequence[Least], book: Book) -> Smallest:
    """A larger factor where the simple world of a term exceeds the bound: what held the smaller one holds this."""
    factors, source = dict(bound.factors), paper(case.variant, case.key)
    for each in least:
        if each.witness is not None:
            trial = case.attempt(each.witness.witness.instance, source)
            others = fsum(factors[name] * value for name, value in trial.terms.items() if name != each.term)
            needed = rounded_up((trial.measured - others) / trial.terms[each.term])
            factors[each.term] = max(factors[each.term], needed)
    return weighed(book, factors)


def nearest_subspaces(case: Falsifiable, book: Book, term: str) -> list[tuple[Numbers, Numbers]]:
    """The subspaces that come nearest to a need of this term, each with the world that does."""
    i = book.names.index(term)
    needs = factor_of(book.measured, book.terms[:, i], np.delete(book.terms, i, axis=1).sum(axis=1))
    return book.peaks(needs, case.subspaces)[:SUBSPACES]


def factor_at(book: Book, seen: Seen, term: str) -> float:
    """The factor that this world asks of a term; 0 where it asks nothing."""
    i = book.names.index(term)
    sides = np.array([seen.measured, seen.terms[i], fsum(seen.terms[:i] + seen.terms[i + 1 :])])
    factor = float(factor_of(*sides))
    return factor if factor > FAR**0.5 else 0.0


def _simple(case: Falsifiable, term: str, seen: Seen) -> Least | None:
    exact, source = _exact_factor(case, term), paper(case.variant, case.key)
    instance = case.instance(seen.numbers, source)
    best = exact(instance)
    if not best > 0:
        return None
    simple = simple_instance(case, source, seen.numbers, lambda other: exact(other) >= KEPT * best)
    return confirmed(case, term, simple) or confirmed(case, term, instance)


def confirmed(case: Falsifiable, term: str, instance: Instance) -> Least | None:
    """What an instance says on a term, rounded down, where enclosures agree."""
    factor = rounded_down(_exact_factor(case, term)(instance) * (1 - CLEAR))
    if not factor:
        return None
    found = confirm(Factored(case, {f"term.{term}": factor}), instance, "")
    return Least(term, factor, found) if found.confirmed else None


def _exact_factor(case: Falsifiable, term: str) -> Callable[[Instance], float]:
    source = paper(case.variant, case.key)

    def factor(instance: Instance) -> float:
        try:
            trial = case.attempt(instance, source)
        except (ArithmeticError, ValueError):
            return 0.0
        if not (trial.certified and trial.measured > 0):
            return 0.0
        found = score(LeastFactor(term), trial)
        return found if found > FAR**0.5 else 0.0

    return factor


def rounded_down(value: float, digits: int = DIGITS) -> float:
    """To so many digits."""
    if not value > 0:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - digits + 1)
    return float(f"{floor(value / unit) * unit:.{digits}g}")
