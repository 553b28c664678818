"""The largest score that a search finds, in logarithms, subspace by subspace.

A bound is a sum, and its largest term decides: the logarithm of measured/bound is close to piecewise linear in the
logarithms of all parameters, and so has plateaus (descent alone gives 1/2) beside which other peaks are lost. So the
search is made in subspaces, in each of which some parameters are held. First every subspace is spanned by a few points,
from the best of which long strides lead uphill; then in turn, the most promising subspace first, from the next best of
each, and with short strides at the highest (objective.py). Where no score is enough, half of what is left is for
differential evolution. What a seed finds does not depend on the number of processes.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import differential_evolution
from scipy.stats import qmc

from ratecert.binding.families import Level, numbers
from ratecert.run.tasks import in_order
from ratecert.search.objective import (
    LONG,
    REFUSED,
    SHORT,
    Model,
    Numbers,
    Objective,
    Plain,
    Point,
    Score,
    Stride,
    neighbours,
)

MOST = 10**8  # worlds: more than anybody will wait for
MEMBERS = 32  # of a generation
FEWEST = 5  # worlds that are worth a search; differential evolution needs as many
BATCH = 16  # of what is drawn
BEST = 4  # of what is drawn, from which ways uphill are tried
STARTS = 16  # points that span a subspace
STEPS = 12  # uphill, at most, from anywhere to a score that is enough
LEAST = 1e-300  # score that stands for 0
SLACK = 1 - 1e-9  # for the rounding of ends


@dataclass(frozen=True)
class Found:
    numbers: Numbers
    score: float
    tried: int
    held: Numbers  # the subspace
    inside: int = 0  # how many of them the statement speaks of
    broken_after: int | None = None  # worlds, until the first with a score above 1
    archive: Sequence[tuple[Numbers, Any]] = field(
        default=(), compare=False
    )  # all that was tried; None is refused


@dataclass
class Tally:
    """All that was tried, in order; no more than the budget, and nothing more once a score is enough."""

    objective: Objective
    jobs: int
    advance: Callable[[int], None]
    budget: int
    enough: float
    archive: list[tuple[Numbers, Any]] = field(default_factory=list)
    tried: int = 0
    broken_after: int | None = None
    best: tuple[float, Numbers, Numbers] = (0.0, {}, {})  # score, numbers, subspace
    until: float = math.inf  # of the monotonic clock

    @property
    def left(self) -> int:
        over = self.best[0] > self.enough or time.monotonic() > self.until
        return 0 if over else self.budget - self.tried

    def scores(self, numbers: Iterable[Numbers], held: Numbers) -> list[tuple[float, Any]]:
        """Each with what was tried there."""
        batch = list(numbers)
        found = in_order(self.objective.tried, [(each,) for each in batch], self.jobs)
        scores = [REFUSED if one is None else self.objective.score(one) for one in found]
        for each, one, score in zip(batch, found, scores, strict=True):
            self.tried += 1
            if self.broken_after is None and score > 1:
                self.broken_after = self.tried
            self.archive.append((each, one))
            if score > self.best[0] or not self.best[1]:
                self.best = (max(score, 0.0), each, held)
        if batch:
            self.advance(len(batch))
        return list(zip(scores, found, strict=True))

    def found(self) -> Found:
        score, best, held = self.best
        inside = sum(one is not None for _, one in self.archive)
        return Found(best, score, self.tried, held, inside, self.broken_after, self.archive)


class Subspace:
    def __init__(self, tally: Tally, levels: Sequence[Level], held: Numbers, seed: Sequence[int]) -> None:
        self.tally, self.held = tally, held
        self.levels = [level for level in levels if level.name not in held]
        self.rng = np.random.default_rng(seed)
        self.starts: list[Point] = []  # from which nothing went uphill yet
        self.finished = b""  # the highest point, once short strides lead no further
        self.known: dict[bytes, tuple[Point, float, Any]] = {}  # point, score, what was tried there

    @property
    def best(self) -> float:
        return max((score for _, score, _ in self.known.values()), default=0.0)

    def holds(self, point: Numbers) -> bool:
        """Whether the numbers lie in this subspace: a zero that another one holds is in no range."""
        free = all(SLACK * each.low <= point[each.name] <= each.high / SLACK for each in self.levels)
        return free and all(point[name] == value for name, value in self.held.items())

    def ascend(self, budget: int, seeds: Sequence[Numbers]) -> None:
        """Begin with what is given, span the subspace, and go uphill from the best."""
        if budget < FEWEST:
            return
        spanned = qmc.Sobol(len(self.levels), rng=self.rng).random(STARTS)
        self.starts = [*map(self._point, seeds), *spanned]
        self._try(self.starts, budget)
        self.starts.sort(key=lambda start: -self._score(start))
        if budget > len(self.starts) + len(self.levels):
            self.climb_next()

    def look(self, simple: Sequence[Numbers]) -> None:
        """Try these numbers."""
        self._try([*map(self._point, simple)])

    def climb_next(self) -> None:
        """From the best start that is left."""
        if self.starts:
            self._climb(self.starts.pop(0), LONG)

    def climb_on(self) -> None:
        """With short strides, from the highest point that is known, once."""
        if self.known and _key(self._top()) != self.finished:
            self._climb(self._top(), SHORT)
            self.finished = _key(self._top())

    def _top(self) -> Point:
        return max((u for u, _, _ in self.known.values()), key=self._score)

    def _climb(self, u: Point, stride: Stride) -> None:
        """As far as it leads, whatever its part of the budget: what goes on is worth its worlds."""
        while self.tally.left > len(self.levels) and self._score(u) > 0:
            top = max(self._uphill(u, stride), key=self._score)
            if not self._score(top) > self._worth_while(u, stride) * self._score(u):
                return
            u = top

    def _worth_while(self, u: Point, stride: Stride) -> float:
        """The gain after which another step is made: where a score is enough, a few like it have to lead there."""
        enough = self.tally.enough
        return (
            stride.gain if enough == math.inf else max(stride.gain, (enough / self._score(u)) ** (1 / STEPS))
        )

    def _uphill(self, u: Point, stride: Stride) -> list[Point]:
        """What was tried around a point, itself included."""
        around = neighbours(self.levels, u, stride.step)
        self._try(around)
        parts, *others = (self._parts(v) for v in (u, *around))
        steps = np.array([(v - u)[i] for i, v in enumerate(around)])
        if not parts:
            return [u, *around]
        model = Model(self.tally.objective, u, parts, steps, others)
        tried = [u, *around]
        for free in self._choices():
            up = model.steps_up(free, stride.sizes)
            self._try(up)
            tried += up
            if max(map(self._score, up)) > stride.gain * self._score(u):
                break
        return tried

    def _choices(self) -> list[NDArray[np.bool_]]:
        """All coordinates, or else one half and the other: one that a model has wrong spoils all the steps."""
        n = len(self.levels)
        half = self.rng.permutation(n) < n / 2
        return [np.ones(n, dtype=bool), half, ~half]

    def evolve(self, budget: int) -> None:
        """Differential evolution from the best that are known, and from anywhere."""
        end = self.tally.tried + budget
        members = min(MEMBERS, max(budget, FEWEST))
        if budget < FEWEST or not self.levels:
            return
        ranked = sorted(self.known.values(), key=lambda known: -known[1])[: members // 2]
        anywhere = self.rng.uniform(size=(members - len(ranked), len(self.levels)))

        def generation(_: object, points: Iterable[Sequence[float]]) -> list[float]:
            batch = [np.asarray(point, dtype=float) for point in points]
            self._try(batch, end - self.tally.tried)
            return [-math.log(max(self._score(u), LEAST)) for u in batch]

        differential_evolution(
            lambda _: 0.0,  # never called: `generation` scores whole generations
            [(0.0, 1.0)] * len(self.levels),
            init=np.array([*(u for u, _, _ in ranked), *anywhere]),
            maxiter=max(0, (budget - len(anywhere)) // members),
            mutation=(0.4, 0.9),
            recombination=0.8,
            tol=0.0,
            atol=0.0,
            polish=False,
            updating="deferred",
            workers=generation,
            callback=lambda *_, **__: self.tally.left < members or self.tally.tried >= end,
            rng=self.rng,
        )

    def _try(self, points: Sequence[Point], most: float = math.inf) -> None:
        """Those that are not known, as far as the budget goes."""
        fresh = {_key(u): u for u in points if _key(u) not in self.known}
        batch = list(fresh.values())[: int(max(0, min(self.tally.left, most)))]
        for u, (score, tried) in zip(batch, self.tally.scores(map(self._at, batch), self.held), strict=True):
            self.known[_key(u)] = u, score, tried

    def _score(self, u: Point) -> float:
        return self.known[_key(u)][1] if _key(u) in self.known else REFUSED

    def _parts(self, u: Point) -> Any:
        tried = self.known[_key(u)][2] if _key(u) in self.known else None
        return None if tried is None else self.tally.objective.parts(tried)

    def _at(self, u: Point) -> Numbers:
        return {**numbers(self.levels, u.tolist()), **self.held}

    def _point(self, seed: Numbers) -> Point:
        return np.array([level.place(seed[level.name]) for level in self.levels])


def _key(u: Point) -> bytes:
    """Points that differ by rounding are one."""
    return (np.round(u, 12) + 0.0).tobytes()


def search(
    score: Score | Objective,
    levels: Sequence[Level],
    subspaces: Sequence[Numbers],
    *,
    budget: int,
    seed: int | Sequence[int],
    jobs: int,
    enough: float = math.inf,
    advance: Callable[[int], None] = lambda _: None,
    seeds: Sequence[Numbers] = (),
    simple: Sequence[Numbers] = (),
    drawn: Iterable[Numbers] = (),
    until: float = math.inf,
) -> Found:
    """The best of all subspaces, each with its part of the budget; a score above `enough` ends the search.

    `seeds` are numbers to begin with, the most promising first, each in the subspaces that it lies in. Those in
    `simple` are tried as well, and left uphill only where nothing is higher. What is `drawn` blindly comes after these,
    and the best of it is begun with, too. When the monotonic clock is past `until`, the search ends with what it
    has.
    """
    objective = Plain(score) if callable(score) else score
    tally = Tally(objective, jobs, advance, budget, enough, until=until)
    searched = [
        Subspace(tally, levels, held, (*np.atleast_1d(seed).tolist(), i)) for i, held in enumerate(subspaces)
    ]
    for subspace in searched:
        subspace.look([numbers for numbers in simple if _smallest(searched, numbers) is subspace])
    seeds = [*seeds, *_best_of(tally, drawn)]
    own = {subspace: [n for n in seeds if subspace.holds(n)] for subspace in searched}
    scarce = tally.left // len(searched) < FEWEST  # then only the most promising have their worlds
    first = {subspace: seeds.index(held[0]) if scarce else 0 for subspace, held in own.items() if held}
    searched.sort(key=lambda subspace: first.get(subspace, len(seeds)))
    for i, subspace in enumerate(searched):
        few = min(FEWEST, tally.left) if own[subspace] else 0
        subspace.ascend(max(tally.left // (len(searched) - i), few), own[subspace])
    kept = tally.left // 2 if enough == math.inf else 0
    while tally.left > kept and any(subspace.starts for subspace in searched):
        searched.sort(key=lambda subspace: -subspace.best)
        searched[0].climb_on()
        for subspace in searched:
            subspace.climb_next()
    searched.sort(key=lambda subspace: -subspace.best)
    for i, subspace in enumerate(searched):
        subspace.evolve(tally.left // (len(searched) - i))
    return tally.found()


def _best_of(tally: Tally, drawn: Iterable[Numbers]) -> list[Numbers]:
    """Try them all, a batch at a time, as far as the budget goes, and tell the few best."""
    best, left = list[tuple[float, Numbers]](), iter(drawn)
    while batch := list(islice(left, min(BATCH, max(tally.left, 0)))):
        found = tally.scores(batch, {})
        best += [(score, each) for (score, _), each in zip(found, batch, strict=True) if score > 0]
        best = sorted(best, key=lambda pair: -pair[0])[:BEST]
    return [each for _, each in best]


def _smallest(searched: Sequence[Subspace], numbers: Numbers) -> Subspace | None:
    """The subspace of these numbers that holds the most of them."""
    own = [subspace for subspace in searched if subspace.holds(numbers)]
    return max(own, key=lambda subspace: len(subspace.held), default=None)
