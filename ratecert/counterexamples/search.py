"""The largest score that differential evolution finds, in logarithms, subspace by subspace.

A bound is a sum, and its largest term decides: the logarithm of measured/bound is close to piecewise linear in the
logarithms of all parameters, and so has plateaus (descent alone gives 1/2) beside which other peaks are lost. So the
search is made in subspaces, in each of which some parameters are held. What a seed finds does not depend on the number
of processes.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import OptimizeResult, differential_evolution

from ratecert.executable.search_space import Level, numbers
from ratecert.run import cluster

Numbers = Mapping[str, float]
Score = Callable[
    [Numbers], float
]  # measured/bound; 0 where nothing is measured, REFUSED outside the conditions

MEMBERS = 32  # of a generation
FEWEST = 5  # with which differential evolution works
LEAST = 1e-300  # score that stands for 0
REFUSED = -1.0  # score of numbers at which the statement says nothing, or which make no world


@dataclass(frozen=True)
class Found:
    numbers: Numbers
    score: float
    tried: int
    held: Numbers  # the subspace
    inside: int = 0  # how many of them the statement speaks of
    broken_after: int | None = None  # worlds, until the first with a score above 1


def search(
    score: Score,
    levels: Sequence[Level],
    subspaces: Sequence[Numbers],
    *,
    budget: int,
    seed: int,
    jobs: int,
    enough: float = math.inf,
    advance: Callable[[int], None] = lambda _: None,
) -> Found:
    """The best of all subspaces, each with its part of the budget; a score above `enough` ends the search."""
    best, tried, inside, broken = Found({}, 0.0, 0, {}), 0, 0, None
    with Parallel(n_jobs=jobs, backend=cluster.backend()) as parallel:
        for i, held in enumerate(subspaces):
            share = (budget - tried) // (len(subspaces) - i)
            members = min(MEMBERS, max(share, FEWEST))
            if tried + members > budget:
                break
            free = [level for level in levels if level.name not in held]
            subspace = _Subspace(score, free, held, parallel, advance)
            found = subspace.evolve(members, share // members, np.random.default_rng([seed, i]), enough)
            inside += found.inside
            if broken is None and found.broken_after is not None:
                broken = tried + found.broken_after
            tried += found.tried
            best = max(best, found, key=lambda f: f.score)
            if best.score > enough:
                break
    return replace(best, tried=tried, inside=inside, broken_after=broken)


@dataclass(frozen=True)
class _Subspace:
    score: Score
    levels: Sequence[Level]
    held: Numbers
    parallel: Parallel
    advance: Callable[[int], None]

    def evolve(self, members: int, generations: int, rng: np.random.Generator, enough: float) -> Found:
        tried, inside, broken = 0, 0, None

        def generation(_: object, points: Sequence[Sequence[float]]) -> list[float]:
            nonlocal tried, inside, broken
            points = list(points)
            scores = self.parallel(delayed(self.score)(self._at(point)) for point in points)
            if broken is None:
                broken = next((tried + i for i, score in enumerate(scores, start=1) if score > 1), None)
            inside += sum(score != REFUSED for score in scores)
            tried += len(points)
            self.advance(len(points))
            return [-math.log(max(score, LEAST)) for score in scores]

        def found_enough(intermediate_result: OptimizeResult) -> bool:
            return bool(math.exp(-intermediate_result.fun) > enough)

        result = differential_evolution(
            lambda _: 0.0,  # never called: `generation` scores whole generations
            [(0.0, 1.0)] * len(self.levels),
            init=rng.uniform(size=(members, len(self.levels))),
            maxiter=max(0, generations - 1),
            mutation=(0.4, 0.9),
            recombination=0.8,
            tol=0.0,
            atol=0.0,
            polish=False,
            updating="deferred",
            workers=generation,
            callback=found_enough,
            rng=rng,
        )
        score = math.exp(-float(result.fun))
        best = 0.0 if score <= 2 * LEAST else score
        return Found(self._at(result.x), best, tried, self.held, inside, broken)

    def _at(self, point: Sequence[float]) -> Numbers:
        return {**numbers(self.levels, point), **self.held}
