"""Which powers the worst case needs: the least factor of a term along one number, all others free.

Where the least factor falls like v^-d as v grows, the term may have the power v^(a - d) in the place of the printed
v^a. Both ends are worlds: the factors there are lower bounds on the constants of any theorem of this form.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from joblib import Parallel, delayed

from ratecert.counterexamples.falsifiable import Falsifiable
from ratecert.executable.search_space import Level
from ratecert.sharpening.exploring import Book, Seen, explore
from ratecert.sharpening.least import Least, LeastFactor, factor_at
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem

PLACES = (
    0.25,
    0.5,
    0.75,
    1.0,
)  # of the range of a number, in logarithms; of a step from its largest value down
FEWER = 4  # times, worlds than in other searches: every one begins at the best world
FEWEST = 20
AGREE = 0.1  # two slopes in a row that are this near are one power
FRACTION = "of "  # begins the name of a number that is a part of the largest step


@dataclass(frozen=True)
class Point:
    """One value of the number, and the least factor of the term there."""

    value: float
    factor: float
    numbers: Mapping[str, float]


@dataclass(frozen=True)
class Exponent:
    """A term along a number."""

    term: str
    along: str
    points: tuple[Point, ...]

    @property
    def slopes(self) -> list[float]:
        """Local exponents of the least factor, from point to point where some world needs the term."""
        needed = [point for point in self.points if point.factor > 0]
        return [math.log(b.factor / a.factor) / math.log(b.value / a.value) for a, b in pairwise(needed)]

    @property
    def change(self) -> float | None:
        """By how much the power may change, where the last two slopes are one; None where there is no power."""
        *_, before, last = [math.nan, math.nan, *self.slopes]
        return last if abs(last - before) <= AGREE else None


def exponents_of(
    case: Falsifiable,
    source: Paper,
    theorem: Theorem,
    book: Book,
    least: Sequence[Least],
    parallel: Parallel,
    *,
    budget: int,
    seed: int,
) -> tuple[Exponent, ...]:
    """Of the terms that some world needs, along every count and every step."""
    letters = {str(symbol) for term in theorem.terms.values() for symbol in term.free_symbols}
    levels = [each for each in case.levels if _letter(each.name) in letters or each.whole]
    wanted = [
        (each.term, level)
        for each in least
        if each.factor > 0
        for level in levels
        if level.high > level.low and _letter(level.name) in _names(theorem, each.term)
    ]
    one = partial(_exponent, case, source, book, budget=max(budget // FEWER, FEWEST), seed=seed)
    return tuple(parallel(delayed(one)(term, level) for term, level in wanted))


def _letter(name: str) -> str:
    return name.removeprefix(FRACTION)


def _names(theorem: Theorem, term: str) -> set[str]:
    return {str(symbol) for symbol in theorem.terms[term].free_symbols}


def _exponent(
    case: Falsifiable, source: Paper, book: Book, term: str, level: Level, *, budget: int, seed: int
) -> Exponent:
    small = level.name.startswith(
        FRACTION
    )  # what matters of a step is how the term behaves where it is small
    values = dict.fromkeys(level.value(1.0 - place + PLACES[0] if small else place) for place in PLACES)
    best = max(book.seen, key=lambda each: factor_at(book, each, term))
    points = []
    for value in values:
        point = _at(case, source, book, term, best, {level.name: value}, budget, seed)
        points.append(point)
    return Exponent(term, level.name, tuple(points))


def _at(
    case: Falsifiable,
    source: Paper,
    book: Book,
    term: str,
    best: Seen,
    held: Mapping[str, float],
    budget: int,
    seed: int,
) -> Point:
    """The largest factor with this number held, from the best world on; what is zero there stays zero."""
    zeros = {level.name: best.numbers[level.name] for level in case.levels if _out(level, best)}
    niche = ({**zeros, **held}, {**best.numbers, **held})
    seen = explore(case, source, LeastFactor(term), budget=budget, seed=seed, niches=[niche])
    ((name, value),) = held.items()
    found = max(seen, default=None, key=lambda each: factor_at(book, each, term))
    if found is None:
        return Point(value, 0.0, {})
    return Point(_counted(case, source, name, found, value), factor_at(book, found, term), found.numbers)


def _counted(case: Falsifiable, source: Paper, name: str, found: Seen, value: float) -> float:
    """The letter that a fraction stands for where that has no most, otherwise the number itself."""
    letter = letter_along(name, source.the(Theorem, case.statement), source)
    return value if letter == name else case.draw(found.numbers, source).values[letter]


def letter_along(name: str, theorem: Theorem, source: Paper) -> str:
    """p for "of p" where p has no units and no most; steps are compared as parts of the largest."""
    letter = source.notation.get(_letter(name))
    bounded = {c.name for c in theorem.conditions.values() if c.relation in ("<=", "<")}
    return letter.name if letter and letter.units == "1" and letter.name not in bounded else name


def _out(level: Level, best: Seen) -> bool:
    return not level.low <= best.numbers[level.name] <= level.high
