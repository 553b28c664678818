"""The smallest factor that one term may have while all others stay as they are, and the smallest bound.

The bound with r t_i in the place of t_i holds at a world where m <= r t_i + (sum of the others). So r is at least

    r_i = max over worlds of (m - sum of the others)/t_i,        or 0 where that is negative everywhere:

no proof can bring the constant of the term below r_i times the printed one.

The bound of the same form that no world exceeds, and that is smallest in the geometric mean over the worlds, is

    minimise   sum over worlds of log(sum_j r_j t_j)     over r >= 0
    such that  sum_j r_j t_j >= m                        at every world

A sum of concave functions on a polyhedron, smallest at a vertex of it. Each linear program minimises the tangent at the
last point, above which the sum cannot lie: the mean falls from step to step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, fsum, log10

import numpy as np
from scipy.optimize import linprog

from ratecert.search.case import Case, Trial
from ratecert.search.finding import Confirmed, confirm
from ratecert.search.objective import Array, Numbers, Parts
from ratecert.search.witness import Instance
from ratecert.sharpening.explore import Book, Seen, score, simple_instance

CLEAR = 1e-6  # of what is measured: what the others leave has to be more than a rounding
FAR = 1e-150  # scale of the scores of worlds at which the others suffice
GIVEN_AWAY = 0.999  # of the factor, that a simpler world may give away
ROUNDED_DOWN = 4  # digits
SUBSPACES = 2  # subspaces in which a term is asked after the first search
RANGE = 1e12  # of a program's coefficients: a larger one counts as this, which is on the safe side
SMALL = 1e-14  # solvers refuse programs with numbers that are further apart
STEPS, STARTS = 40, 12
WORTH = 0.05  # a term that saves less than this of the bound, in the geometric mean, is left out
ROUNDED_UP = 3  # digits


@dataclass(frozen=True)
class Smallest:
    """Factors at the terms, and what they come to."""

    factors: dict[str, float]
    gain: float  # printed over sharpened, in the geometric mean over the worlds
    largest: float  # measured/bound, of all worlds


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


def least_of(case: Case, book: Book, term: str) -> Least:
    """Of all worlds seen the one that needs most, as simple as it gets, confirmed by enclosures."""
    found = [(factor, each) for each in book.seen if (factor := factor_at(book, each, term)) > 0]
    for _, each in sorted(found, key=lambda pair: -pair[0])[:3]:
        least = _simple(case, term, each)
        if least is not None:
            return least
    return Least(term, 0.0)


def covering(case: Case, bound: Smallest, least: Sequence[Least], book: Book) -> Smallest:
    """A larger factor where the simple world of a term exceeds the bound: what held the smaller one holds this."""
    factors, source = dict(bound.factors), case.source
    for each in least:
        if each.witness is not None:
            trial = case.attempt(each.witness.witness.instance, source)
            others = fsum(factors[name] * value for name, value in trial.terms.items() if name != each.term)
            needed = rounded_up((trial.measured - others) / trial.terms[each.term])
            factors[each.term] = max(factors[each.term], needed)
    return weighed(book, factors)


def nearest_subspaces(case: Case, book: Book, term: str) -> list[tuple[Numbers, Numbers]]:
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


def _simple(case: Case, term: str, seen: Seen) -> Least | None:
    exact, source = _exact_factor(case, term), case.source
    instance = case.instance(seen.numbers, source)
    best = exact(instance)
    if not best > 0:
        return None
    simple = simple_instance(case, seen.numbers, lambda other: exact(other) >= GIVEN_AWAY * best)
    return confirmed(case, term, simple) or confirmed(case, term, instance)


def confirmed(case: Case, term: str, instance: Instance) -> Least | None:
    """What an instance says on a term, rounded down, where enclosures agree."""
    factor = rounded_down(_exact_factor(case, term)(instance) * (1 - CLEAR))
    if not factor:
        return None
    found = confirm(replace(case, factors={f"term.{term}": factor}), instance, "")
    return Least(term, factor, found) if found.confirmed else None


def _exact_factor(case: Case, term: str) -> Callable[[Instance], float]:
    source = case.source

    def factor(instance: Instance) -> float:
        try:
            trial = case.attempt(instance, source)
        except (ArithmeticError, ValueError):
            return 0.0
        if not (trial.measured > 0):
            return 0.0
        found = score(LeastFactor(term), trial)
        return found if found > FAR**0.5 else 0.0

    return factor


def rounded_down(value: float, digits: int = ROUNDED_DOWN) -> float:
    """To so many digits."""
    if not value > 0:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - digits + 1)
    return float(f"{floor(value / unit) * unit:.{digits}g}")


# The smallest bound.


def smallest(book: Book, rng: np.random.Generator) -> Smallest:
    """Over the worlds of the book, each factor at most 1 where the print holds at all of them."""
    names = book.names
    part = book.terms / book.measured[:, None]
    shares = book.terms / book.terms.sum(axis=1, keepdims=True)
    most = 1.0 if (part.sum(axis=1) >= 1).all() else None
    kept, best = list(range(len(names))), _solved(part, shares, list(range(len(names))), most, rng)
    while best is not None and len(kept) > 1:
        trials = [(_solved(part, shares, [k for k in kept if k != j], most, rng), j) for j in kept]
        possible = [(_mean(shares, r), r, j) for r, j in trials if r is not None]
        least = min(possible, default=None, key=lambda each: each[0])
        if least is None or least[0] > _mean(shares, best) + np.log1p(WORTH):
            break
        best, kept = least[1], [k for k in kept if k != least[2]]
    if best is None:  # no factors are large enough, as where all terms vanish and something is measured
        best = np.ones(len(names))
    factors = np.minimum([rounded_up(r) for r in best], np.inf if most is None else most)
    return weighed(book, dict(zip(names, factors.tolist(), strict=True)))


def weighed(book: Book, factors: dict[str, float]) -> Smallest:
    """What these factors come to over the worlds of the book."""
    r = np.array([factors[name] for name in book.names])
    shares = book.terms / book.terms.sum(axis=1, keepdims=True)
    return Smallest(factors, float(np.exp(-_mean(shares, r))), float(book.ratios(r).max()))


def _solved(
    part: Array, shares: Array, kept: Sequence[int], most: float | None, rng: np.random.Generator
) -> Array | None:
    """The best of several descents, with these terms alone; None where they do not suffice."""
    found = []
    starts = [np.ones(len(kept)), *(10.0 ** rng.uniform(-6, 0, size=(STARTS - 1, len(kept))))]
    for start in starts:
        if (r := _descended(part[:, kept], shares[:, kept], start, most)) is not None:
            whole = np.zeros(part.shape[1])
            whole[list(kept)] = r
            found.append(whole)
    return min(found, default=None, key=lambda r: _mean(shares, r))


def _descended(part: Array, shares: Array, r: Array, most: float | None) -> Array | None:
    for _ in range(STEPS):
        weights = (shares / np.maximum(shares @ r, 1e-300)[:, None]).sum(axis=0)
        unit = 1 / np.clip(weights, SMALL, 1 / SMALL)  # in which the objective is a plain sum
        result = linprog(
            np.minimum(weights * unit, 1 / SMALL),
            A_ub=-np.clip(part * unit, 0.0, RANGE),
            b_ub=-np.ones(len(part)),
            bounds=[(0.0, None if most is None else min(most / u, 1 / SMALL)) for u in unit],
        )
        if result.x is None:
            return None
        lifted = result.x * unit / min(1.0, float((part @ (result.x * unit)).min()))
        if np.allclose(lifted, r, rtol=1e-9, atol=0.0):
            break
        r = lifted
    return r


def _mean(shares: Array, r: Array) -> float:
    """The logarithm of sharpened over printed, in the mean."""
    return float(np.log(np.maximum(shares @ r, 1e-300)).mean())


def rounded_up(value: float, digits: int = ROUNDED_UP) -> float:
    """To so many digits; a rounding above one of them is that."""
    if not value > 0:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - digits + 1)
    return float(f"{ceil(value / unit - 1e-6) * unit:.{digits}g}")
