"""Whose results an average over devices is made of: all by their weights, or the drawn ones."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.draws import Drawn
from ratecert.solvers.contract.problem import AnyProblem, weights_of
from ratecert.solvers.engines.monte_carlo.noise import SignStreams

Array = NDArray[np.float64]


class Shares:
    """The share that each of K devices has in an average, in a tile of replicates."""

    def __init__(self, problem: AnyProblem, K: int, noise: SignStreams) -> None:
        self.K, self.noise = K, noise
        self.problem = problem

    @cached_property
    def weights(self) -> Array:
        """(K,): of all devices."""
        return np.array([float(p) for p in weights_of(self.problem, self.K)])

    @cached_property
    def alike(self) -> bool:
        """Whether all weights are the same."""
        return bool((self.weights == self.weights[0]).all())

    def of(self, drawn: Drawn | None, t: int, turn: int) -> Array | None:
        """(K, 1) or (K, replicates), of sum 1; None: all the same. `turn` tells apart the averages of one iteration."""
        if drawn is None:
            return None if self.alike else self.weights[:, None]
        drawn.require(self.K, weights_differ=not self.alike)
        counts = self._with_replacement if drawn.replacement else self._different
        return counts(drawn.m, t, turn) / drawn.m

    def _with_replacement(self, m: int, t: int, turn: int) -> Array:
        probabilities = self.weights.tolist()
        cases = [self.noise.common(t, _label(turn, i), probabilities) for i in range(m)]
        counts = np.zeros((self.K, len(cases[0])))
        for case in cases:
            counts[case, np.arange(len(case))] += 1
        return counts

    def _different(self, m: int, t: int, turn: int) -> Array:
        """The first m of a shuffled list, one place after the other."""
        places = [self.noise.common(t, _label(turn, i), [1 / (self.K - i)] * (self.K - i)) for i in range(m)]
        runs = np.arange(len(places[0]))
        order = np.repeat(np.arange(self.K)[:, None], len(runs), axis=1)
        for i, place in enumerate(places):
            order[i], order[i + place, runs] = order[i + place, runs], order[i].copy()
        counts = np.zeros((self.K, len(runs)))
        for device in order[:m]:
            counts[device, runs] = 1
        return counts


def _label(turn: int, i: int) -> str:
    return f"device {i} of turn {turn}"
