"""Views of signs that are given (paths.py): some of the replicates, one sign turned around, or lanes that never change.

Lanes are sorted by device: lane = device * replicates + replicate.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracles.paths import Given, stream
from ratecert.solvers.engines.monte_carlo.noise import Hashed, Reader

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


class Chosen:
    """The replicates in `chosen` only, in that order."""

    weights, every_case = None, False

    def __init__(self, noise: Given, chosen: Sequence[int]) -> None:
        self.noise, self.chosen = noise, list(chosen)

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        signs = self.noise.signs(t, label, member)
        by_device = signs.reshape(len(signs), self.noise.K, self.noise.replicates)
        return stream(by_device[..., self.chosen].reshape(len(signs), -1), ahead)

    def common(self, t: int, label: str, probabilities: Sequence[float]) -> Whole:
        return self.noise.common(t, label, probabilities)[self.chosen]


class Flipped(Given):
    """The signs of another given noise, but for one of them."""

    def __init__(self, noise: Given, *, t: int, label: str, index: int, lane: int) -> None:
        super().__init__(seed=noise.seed, K=noise.K, replicates=noise.replicates)
        self.place, self.index, self.lane = (t, label), index, lane

    def _signs(self, t: int, label: str, member: int) -> Array:
        signs = super()._signs(t, label, member)
        if (t, label) == self.place:
            signs = signs.copy()
            signs[self.index, self.lane] *= -1
        return signs


class Fixed(Given):
    """Every sign of a replicate is the same, at all times and on all devices."""

    def __init__(self, sign_of_replicate: Sequence[float], *, K: int) -> None:
        super().__init__(seed=0, K=K, replicates=len(sign_of_replicate))
        self.sign_of_replicate = np.array(sign_of_replicate)

    def _signs(self, t: int, label: str, member: int) -> Array:
        return np.tile(self.sign_of_replicate, (len(super()._signs(0, "", 0)), self.K))


class Disguised:
    """The engine's own signs as a noise of another kind."""

    weights, every_case = None, False

    def __init__(self, noise: Hashed) -> None:
        self.noise = noise

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        return self.noise.reader(t, label, member, ahead)

    def common(self, t: int, label: str, probabilities: Sequence[float]) -> Whole:
        return self.noise.common(t, label, probabilities)
