"""One statement sharpened: the least factor of every term, the smallest bound of its form, and that bound on trial."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ratecert.base.chart import Drawable
from ratecert.base.errors import NothingTriedError
from ratecert.base.lists import BEYOND
from ratecert.run.tasks import in_order
from ratecert.search.case import Case, Trial
from ratecert.search.climb import FEWEST
from ratecert.search.objective import Array, Parts
from ratecert.sharpening.beyond import Room, room_of
from ratecert.sharpening.explore import Book, Seen, SubspaceStart, explore
from ratecert.sharpening.least import (
    Least,
    LeastFactor,
    Smallest,
    covering,
    least_of,
    nearest_subspaces,
    smallest,
)
from ratecert.sharpening.powers import Exponent, exponents_of

AGAIN = 10  # times the budget of one search, for the conjecture on trial
FIRST = 4  # times the budget, for the search in every subspace from which all terms begin
ROUNDS = 12  # of trial and repair
CLIMBS = 10  # of one trial in a subspace, one from the top of the other
CLEARLY = 1.05  # by which one has to rise above the other
TIGHT = 0.99
EXACTLY = 1e-6  # by which a bound that is attained may seem to be exceeded


@dataclass(frozen=True)
class Ratio:
    """The objective of a trial: measured over the bound with these factors at the terms."""

    factors: tuple[float, ...]

    def parts(self, trial: Trial) -> Parts:
        return [[trial.measured], [r * t for r, t in zip(self.factors, trial.terms.values(), strict=True)]]

    def of(self, parts: Sequence[Array]) -> Array:
        (measured,), terms = parts
        bound = terms.sum(axis=0)
        with np.errstate(divide="ignore", over="ignore"):
            return np.where(bound > 0, measured / bound, BEYOND)


@dataclass(frozen=True, repr=False)
class Sharpened(Drawable):
    """How much better a theorem could be, as far as worlds can tell."""

    case: Case
    least: tuple[Least, ...]
    bound: Smallest
    room: tuple[Room, ...]
    exponents: tuple[Exponent, ...]
    book: Book = field(repr=False)
    trials: tuple[int, ...]  # worlds that each conjecture was tried on; all but the last fell
    survived: bool  # whether the last one was not exceeded; otherwise `bound` was not tried at all
    budget: int  # worlds of one search
    seed: int

    def __repr__(self) -> str:
        gain = "nothing to sharpen" if self.tight else f"{self.bound.gain:.3g} times smaller"
        gain = "exceeded as it stands" if self.exceeded else gain
        return f"<{self.id}, {self.case.variant}: {gain}; {len(self.book.seen)} worlds>"

    @property
    def id(self) -> str:
        """Of the statement; `paper:statement` where it is not of the first paper."""
        return self.case.id

    @property
    def worst(self) -> float:
        """The largest measured/bound of all worlds, with the statement as it stands."""
        return float(self.book.ratios(np.ones(len(self.book.names))).max())

    @property
    def exceeded(self) -> bool:
        """The statement itself does not hold: its constants are to be mended, not sharpened."""
        return self.worst > 1 + EXACTLY

    @property
    def tight(self) -> bool:
        """No term can have a smaller constant."""
        return not self.exceeded and all(each.factor >= TIGHT for each in self.least)

    @property
    def conjecture(self) -> dict[str, float]:
        """The factors of the sharpened statement, by place."""
        return {f"term.{name}": factor for name, factor in self.bound.factors.items()}


def sharpen(
    case: Case,
    *,
    budget: int,
    seed: int,
    jobs: int,
    begun: Callable[[str], None] = lambda _: None,
) -> Sharpened:
    """Ask every term, find the smallest bound, and try it with ten times the budget until it stands."""
    case.require_for(jobs)
    names = tuple(case.theorem.terms)
    book = Book(names, ())
    begun("worlds")
    everywhere = partial(_in_every_subspace, case, jobs)
    first = everywhere(Ratio((1.0,) * len(names)), book, budget=FIRST * budget, seed=seed)
    book = book.with_more(first)
    _require_some(case, book)
    begun(f"{len(names)} terms")
    asked = partial(_asked, case, book, budget)
    for seen in in_order(asked, [(name, seed + i) for i, name in enumerate(names, 1)], jobs):
        book = book.with_more(seen)
    begun("exponents")
    powers = exponents_of(case, book, jobs, budget=budget, seed=seed)
    book = book.with_more([point.seen for each in powers for point in each.points if point.seen])
    trial = partial(everywhere, budget=AGAIN * budget)
    bound, book, trials, survived = _tried_until_it_stands(trial, book, seed, begun)
    begun("least factors")
    least = tuple(in_order(least_of, [(case, book, name) for name in names], jobs))
    bound = covering(case, bound, least, book)
    begun("conditions")
    room = room_of(case, book, jobs, budget=budget, seed=seed)
    return Sharpened(case, least, bound, room, powers, book, trials, survived, budget, seed)


def _asked(case: Case, book: Book, budget: int, term: str, seed: int) -> list[Seen]:
    """Worlds that need a term, looked for where the first search came nearest to one."""
    near = nearest_subspaces(case, book, term)
    return explore(case, LeastFactor(term), budget=budget, seed=seed, subspaces=near)


def _require_some(case: Case, book: Book) -> None:
    if not book.seen:
        raise NothingTriedError(
            f"{case.id} ({case.variant}): no world was inside the conditions, so that "
            f"nothing can be said; `ratecert falsify` says why."
        )


def _in_every_subspace(
    case: Case,
    jobs: int,
    objective: Ratio,
    book: Book,
    *,
    budget: int,
    seed: int,
) -> list[Seen]:
    """Each has its part of the budget, which no other can eat: what a term needs may be seen in one of them alone.

    It begins at a few points of its own and at the highest world of the book, from which it may go on.
    """
    share = max(budget // len(case.subspaces), FEWEST)
    one = partial(_to_the_top, case, objective, budget=share, seed=seed)
    tops = book.highest(book.ratios(np.array(objective.factors)), case.subspaces)
    begin = [None if i is None else book.seen[i].numbers for i in tops]
    found = in_order(one, [(start,) for start in zip(case.subspaces, begin, strict=True)], jobs)
    return [each for seen in found for each in seen]


def _to_the_top(case: Case, objective: Ratio, start: SubspaceStart, *, budget: int, seed: int) -> list[Seen]:
    """Again from the highest world, while that exceeds the bound, and more clearly each time."""
    held, begin = start
    found: list[Seen] = []
    highest = 1.0
    for i in range(CLIMBS):
        found += explore(case, objective, budget=budget, seed=seed + i, subspaces=[(held, begin)])
        top = max(found, key=lambda each: each.score, default=None)
        if top is None or top.score < CLEARLY * highest:
            break
        highest, begin = top.score, top.numbers
    return found


def _tried_until_it_stands(
    trial: Callable[..., list[Seen]], book: Book, seed: int, begun: Callable[[str], None]
) -> tuple[Smallest, Book, tuple[int, ...], bool]:
    """Every trial has a seed of its own; worlds that exceed a conjecture are in the book of the next.

    The last is whether the conjecture that is returned was tried and not exceeded.
    """
    rng = np.random.default_rng(seed)
    trials: list[int] = []
    bound = smallest(book, rng)
    for i in range(ROUNDS):
        begun(f"conjecture {i + 1}")
        factors = np.array(list(bound.factors.values()))
        seen = trial(Ratio(tuple(factors)), book, seed=seed + 1000 + i)
        trials.append(len(seen))
        exceeded = bool((Book(book.names, tuple(seen)).ratios(factors) > 1 + EXACTLY).any())
        book = book.with_more(_useful(book, seen, factors))
        if not exceeded:
            return bound, book, tuple(trials), True
        bound = smallest(book, rng)
    return bound, book, tuple(trials), False


def _useful(book: Book, seen: list[Seen], factors: np.ndarray) -> list[Seen]:
    """Of a long trial the worlds that come near the conjecture: the others say nothing new."""
    ratios = Book(book.names, tuple(seen)).ratios(factors)
    return [each for each, ratio in zip(seen, ratios, strict=True) if ratio > 0.5]
