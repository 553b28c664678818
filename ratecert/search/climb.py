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

from ratecert.binding.families import Level
from ratecert.search.landscape import REFUSED, Landscape, Numbers, Plain, Score
from ratecert.search.subspace import FEWEST, MEMBERS, Found, Subspace, Tally

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
    tally = Tally(landscape, jobs, advance, budget, enough)
    searched = [
        Subspace(tally, levels, held, (*np.atleast_1d(seed).tolist(), i)) for i, held in enumerate(subspaces)
    ]
    own = {subspace: [n for n in seeds if subspace.holds(n)] for subspace in searched}
    scarce = budget // len(searched) < FEWEST  # then only the most promising have their worlds
    first = {subspace: seeds.index(held[0]) if scarce else 0 for subspace, held in own.items() if held}
    searched.sort(key=lambda subspace: first.get(subspace, len(seeds)))
    for i, subspace in enumerate(searched):
        few = min(FEWEST, tally.left) if own[subspace] else 0
        before, share = tally.tried, max(tally.left // (len(searched) - i), few)
        subspace.look([numbers for numbers in simple if _smallest(searched, numbers) is subspace])
        subspace.ascend(share - (tally.tried - before), own[subspace])
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


def _smallest(searched: Sequence[Subspace], numbers: Numbers) -> Subspace | None:
    """The subspace of these numbers that holds the most of them."""
    own = [subspace for subspace in searched if subspace.holds(numbers)]
    return max(own, key=lambda subspace: len(subspace.held), default=None)
