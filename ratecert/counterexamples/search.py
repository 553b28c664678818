"""The largest score that a search finds, in logarithms, subspace by subspace.

A bound is a sum, and its largest term decides: the logarithm of measured/bound is close to piecewise linear in the
logarithms of all parameters, and so has plateaus (descent alone gives 1/2) beside which other peaks are lost. So the
search is made in subspaces, in each of which some parameters are held. First every subspace is spanned by a few points,
from the best of which long strides lead uphill; then in turn, the most promising subspace first, from the next best of
each, and with short strides at the highest (ascent.py). Where no score is enough, half of what is left is for
differential evolution. What a seed finds does not depend on the number of processes.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from joblib import Parallel

from ratecert.counterexamples.landscape import REFUSED, Landscape, Numbers, Plain, Score
from ratecert.counterexamples.subspace import FEWEST, MEMBERS, Found, Subspace, Tally
from ratecert.executable.search_space import Level
from ratecert.run import cluster

__all__ = ["FEWEST", "MEMBERS", "MOST", "REFUSED", "Found", "Numbers", "Score", "search"]

MOST = 10**8  # worlds: more than anybody will wait for


def search(
    score: Score | Landscape,
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
) -> Found:
    """The best of all subspaces, each with its part of the budget; a score above `enough` ends the search.

    `seeds` are numbers to begin with, the most promising first, each in the subspaces that it lies in. Those in
    `simple` are tried as well, and left uphill only where nothing is higher.
    """
    landscape = Plain(score) if callable(score) else score
    with Parallel(n_jobs=jobs, backend=cluster.backend()) as parallel:
        tally = Tally(landscape, parallel, advance, budget, enough)
        niches = [
            Subspace(tally, levels, held, (*np.atleast_1d(seed).tolist(), i))
            for i, held in enumerate(subspaces)
        ]
        own = {niche: [n for n in seeds if niche.holds(n)] for niche in niches}
        scarce = budget // len(niches) < FEWEST  # then only the most promising have their worlds
        first = {niche: seeds.index(held[0]) if scarce else 0 for niche, held in own.items() if held}
        niches.sort(key=lambda niche: first.get(niche, len(seeds)))
        for i, niche in enumerate(niches):
            few = min(FEWEST, tally.left) if own[niche] else 0
            before, share = tally.tried, max(tally.left // (len(niches) - i), few)
            niche.look([numbers for numbers in simple if _smallest(niches, numbers) is niche])
            niche.ascend(share - (tally.tried - before), own[niche])
        kept = tally.left // 2 if enough == math.inf else 0
        while tally.left > kept and any(niche.starts for niche in niches):
            niches.sort(key=lambda niche: -niche.best)
            niches[0].climb_on()
            for niche in niches:
                niche.climb_next()
        niches.sort(key=lambda niche: -niche.best)
        for i, niche in enumerate(niches):
            niche.evolve(tally.left // (len(niches) - i))
    return tally.found()


def _smallest(niches: Sequence[Subspace], numbers: Numbers) -> Subspace | None:
    """The subspace of these numbers that holds the most of them."""
    own = [niche for niche in niches if niche.holds(numbers)]
    return max(own, key=lambda niche: len(niche.held), default=None)
