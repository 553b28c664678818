"""Means and covariances over replicates, merged tile by tile (Chan, Golub and LeVeque 1983)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """n observations of a vector: their mean and the sum of outer products of deviations from it.

    Of outcomes with weights, n is the sum of these.
    """

    n: float
    mean: Array
    scatter: Array

    @staticmethod
    def of(values: Array, weights: Array | None = None) -> "Spread":
        """values: (..., components, replicates)."""
        if weights is None:
            mean = values.mean(axis=-1)
            off = values - mean[..., None]
            return Spread(values.shape[-1], mean, off @ np.swapaxes(off, -1, -2))
        n = float(weights.sum())
        mean = values @ weights / n
        off = values - mean[..., None]
        return Spread(n, mean, (off * weights) @ np.swapaxes(off, -1, -2))

    @staticmethod
    def stack(spreads: "Sequence[Spread]", n: float, components: int) -> "Spread":
        """Spreads of the same n observations, one after another; there may be none."""
        if not spreads:
            return Spread(n, np.zeros((0, components)), np.zeros((0, components, components)))
        return Spread(n, np.stack([s.mean for s in spreads]), np.stack([s.scatter for s in spreads]))

    def merge(self, other: "Spread") -> "Spread":
        n = self.n + other.n
        gap = other.mean - self.mean
        outer = gap[..., :, None] * gap[..., None, :]
        scatter = self.scatter + other.scatter + outer * (self.n * other.n / n)
        return Spread(n, self.mean + gap * (other.n / n), scatter)

    def covariance_of_mean(self) -> Array:
        """Infinite for a single replicate, which says nothing about its own error."""
        if self.n == 1:
            return np.full_like(self.scatter, np.inf)
        return self.scatter / (self.n * (self.n - 1))
