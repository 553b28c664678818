"""Which powers the worst case needs: the least factor of a term along one number, with a search at each value.

Where the least factor falls like v^-d as v grows, the term may have the power v^(a - d) in the place of the printed
v^a. The last two points are stored as worlds. Factors are lower bounds: that they do not fall shows that the power is
needed; that they fall says that the search found no more, and is a conjecture. Where runs are as long as they may be,
they may be too short, and nothing is said. A count that a term does not have is asked, too, and told of where the term
could fall with it: a 1/K that was lost.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import sympy

from ratecert.binding.families import Level
from ratecert.run.tasks import in_order
from ratecert.search.case import Case
from ratecert.search.finding import Confirmed
from ratecert.search.objective import REFUSED, Numbers
from ratecert.sharpening.explore import Book, Explored, Seen, explore
from ratecert.sharpening.least import LeastFactor, confirmed, factor_at

PLACES = (
    0.25,
    0.5,
    0.75,
    1.0,
)  # of the range of a number, in logarithms; of a step from its largest value down
LONG = 2.0**40  # iterations that are enough for anything
AGREE = 0.1  # two slopes in a row that are this near are one power
CLEAR = 2 * AGREE  # a change that cannot be their disagreement
SAME = 0.05  # a change that is none; of what lies between, nothing is said


@dataclass(frozen=True)
class Point:
    """One value of the number, and the least factor of the term there."""

    value: float
    factor: float
    seen: Seen | None = None  # the world
    cut_short: bool = False  # its run is as long as it may be


@dataclass(frozen=True)
class Exponent:
    """A term along a number."""

    term: str
    along: str
    printed: float | None  # the power in the print; None where it is no power
    points: tuple[Point, ...]
    pair: tuple[Confirmed, ...] = ()  # the last two points; none where there is no power

    @property
    def slopes(self) -> list[float]:
        """Local exponents of the least factor, from point to point where some world needs the term."""
        needed = [point for point in self.points if point.factor > 0]
        return [math.log(b.factor / a.factor) / math.log(b.value / a.value) for a, b in pairwise(needed)]

    @property
    def change(self) -> float | None:
        """By how much the power may change, where the last two slopes are one; None where there is no power."""
        *_, before, last = [math.nan, math.nan, *self.slopes]
        if not abs(last - before) <= AGREE or SAME <= abs(last) <= CLEAR:
            return None
        return None if last < -CLEAR and any(point.cut_short for point in self.points) else last

    @property
    def falls(self) -> bool:
        """Whether a smaller power may do."""
        return self.change is not None and self.change < -CLEAR

    @property
    def needed(self) -> float | None:
        """The power that the worst case needs."""
        return None if self.change is None or self.printed is None else self.printed + self.change


def exponents_of(
    case: Case,
    book: Book,
    jobs: int,
    *,
    budget: int,
    seed: int,
) -> tuple[Exponent, ...]:
    """Of the terms that some world needs, along every count and every step."""
    terms = case.theorem.terms
    best = {term: _best(book, term) for term in terms}
    wanted = [
        (term, level)
        for term in terms
        if factor_at(book, best[term], term) > 0
        for level in case.levels
        if level.high > level.low
        and (varies(case, terms[term], best[term], level) or lacks(case, terms[term], level))
    ]
    one = partial(_exponent, case, book, budget=budget, seed=seed)
    found = in_order(one, wanted, jobs)
    return tuple(each for each in found if each.printed != 0 or each.falls)


def _best(book: Book, term: str) -> Seen:
    return max(book.seen, key=lambda each: factor_at(book, each, term))


def _exponent(
    case: Case,
    book: Book,
    term: str,
    level: Level,
    *,
    budget: int,
    seed: int,
) -> Exponent:
    small = level.name.startswith(FRACTION)  # what matters of a step is how a term behaves where it is small
    values = dict.fromkeys(level.value(1.0 - place + PLACES[0] if small else place) for place in PLACES)
    best = _best(book, term)
    points: list[Point] = []
    for value in values:
        near = [best, *(point.seen for point in points if point.seen)]
        points.append(_at(case, book, term, near, {level.name: value}, budget, seed))
    printed = power_in(case.theorem.terms[term], letter_of(level.name))
    found = Exponent(term, level.name, printed, tuple(points))
    if found.change is None:
        return found
    last_two = [point.seen for point in points if point.seen][-2:]
    pair = [confirmed(case, term, case.instance(seen.numbers, case.source)) for seen in last_two]
    worlds = [each.witness for each in pair if each and each.witness]
    return replace(found, pair=tuple(worlds) if len(worlds) == len(pair) else ())


def _at(
    case: Case,
    book: Book,
    term: str,
    near: Sequence[Seen],
    held: Mapping[str, float],
    budget: int,
    seed: int,
) -> Point:
    """The largest factor with this number held, from the best of the worlds near by; what is zero there stays zero."""
    best = near[0]
    zeros = {level.name: best.numbers[level.name] for level in case.levels if _out(level, best)}
    land = Explored(case, LeastFactor(term))

    def there(numbers: Numbers) -> float:
        tried = land.tried(numbers)
        return REFUSED if tried is None else land.score(tried)

    begin = max(({**each.numbers, **held} for each in near), key=there)
    start = ({**zeros, **held}, begin)
    seen = explore(case, LeastFactor(term), budget=budget, seed=seed, subspaces=[start])
    ((name, value),) = held.items()
    found = max(seen, default=None, key=lambda each: factor_at(book, each, term))
    if found is None or not (factor := factor_at(book, found, term)):
        return Point(value, 0.0)
    longest = next((level.high for level in case.levels if level.name == T and name != T), math.inf)
    cut_short = longest < LONG and found.numbers[T] >= longest
    return Point(_counted(case, name, found, value), factor, found, cut_short)


def _counted(case: Case, name: str, found: Seen, value: float) -> float:
    """The letter that a fraction stands for where that has no most, otherwise the number itself."""
    letter = letter_along(name, case)
    return value if letter in (name, ONE_OVER_MU) else case.draw(found.numbers, case.source).values[letter]


def _out(level: Level, best: Seen) -> bool:
    return not level.low <= best.numbers[level.name] <= level.high


# Which letter of a theorem a number of the search stands for, and which power a term has of it.

SPREAD = "spread"  # of curvatures: the largest over the smallest, which is mu where that is the letter
MU, ONE_OVER_MU = "mu", "1/mu"
T = "T"  # iterations
FRACTION = "of "  # begins the name of a number that is a part of the largest step


def letter_of(name: str) -> str:
    """That of the paper which a number of the search stands for."""
    return ONE_OVER_MU if name == SPREAD else name.removeprefix(FRACTION)


def letter_along(name: str, case: Case) -> str:
    """p for "of p" where p has no units and no most, and 1/mu for the spread; steps are parts of the largest."""
    if name == SPREAD:
        return ONE_OVER_MU
    letter = case.source.notation.get(letter_of(name))
    bounded = {c.name for c in case.theorem.conditions.values() if c.relation in ("<=", "<")}
    return letter.name if letter and letter.units == "1" and letter.name not in bounded else name


def varies(case: Case, term: Any, best: Seen, level: Level) -> bool:
    """Whether the level is a letter of the term; the spread of curvatures is 1/mu where mu follows it."""
    names = {str(symbol) for symbol in term.free_symbols}
    if level.name != SPREAD:
        return letter_of(level.name) in names
    return MU in names and _follows(case, best, level)


def lacks(case: Case, term: Any, level: Level) -> bool:
    """Whether the level is a count, such as K, T or p, that the term does not have and perhaps could."""
    letter = case.source.notation.get(letter_along(level.name, case))
    if letter is None or letter.least is None:
        return False
    return letter.name not in {str(symbol) for symbol in term.free_symbols}


def _follows(case: Case, best: Seen, level: Level) -> bool:
    """Whether mu is as many times smaller as the spread is larger."""
    try:
        ends = [
            case.draw({**best.numbers, SPREAD: spread}, case.source) for spread in (level.low, level.high)
        ]
    except (ArithmeticError, ValueError):
        return False
    first, last = (trial.values[MU] for trial in ends)
    return math.isclose(first / last, level.high / level.low, rel_tol=1e-6)


def power_in(expression: Any, letter: str) -> float | None:
    """a where the expression is c v^a with v the letter, or 1/mu; None where it is no power of it."""
    name = MU if letter == ONE_OVER_MU else letter
    symbol = next((s for s in expression.free_symbols if str(s) == name), None)
    if symbol is None:
        return 0.0
    power = sympy.simplify(symbol * sympy.diff(expression, symbol) / expression)
    if not power.is_number:
        return None
    return -float(power) if letter == ONE_OVER_MU else float(power)
