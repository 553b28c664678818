"""Whole rounds at once: the state at the end of a round is smaller, because an average has just been taken.

After an average `within` lives on the range of I - Pi; with an orthonormal basis of it, within = b q b', the state is
z = (mean, q), and only `mean` where everything is averaged. A round is z <- z + C z, with rows that give
the measures summed over the round.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.moments.packing import Packing, packing
from solvers.moments.pair import Pair
from solvers.moments.segment import Segment

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AfterAverage:
    """The space of states after an average."""

    packing: Packing
    b: Array

    @property
    def small(self) -> Packing:
        return packing(self.b.shape[1])

    def to_vector(self, pair: Pair) -> Array:
        return np.concatenate(
            [self.packing.pack(pair.mean), self.small.pack(self.b.T @ pair.within @ self.b)]
        )

    def to_pair(self, z: Array) -> Pair:
        mean, q = self.matrices(z)
        return Pair(mean, self.b @ q @ self.b.T)

    def natural_units(self, z: Array) -> Array:
        """sqrt(E a^2 E b^2) for the entry E ab."""
        sizes = []
        for block, matrix in zip((self.packing, self.small), self.matrices(z), strict=True):
            spread = np.sqrt(np.maximum(np.diag(matrix), 0.0))
            sizes.append(block.pack(np.outer(spread, spread)))
        return np.concatenate(sizes)

    def matrices(self, z: Array) -> tuple[Array, Array]:
        return self.packing.unpack(z[: self.packing.size]), self.small.unpack(z[self.packing.size :])


def after_average(big: Packing, kept: list[Array]) -> AfterAverage:
    """A space that holds `within` after each of the averages."""
    left, singular, _ = np.linalg.svd(np.hstack(kept))
    rank = int(np.sum(singular > 1e-12 * max(1.0, float(singular[0]))))
    return AfterAverage(big, left[:, :rank])


@dataclass(frozen=True)
class Linear:
    """z <- z + C z, with the sums rows @ z."""

    space: AfterAverage
    C: Array
    rows: Array

    def then(self, later: "Linear") -> "Linear":
        C = self.C + later.C + later.C @ self.C
        return Linear(self.space, C, self.rows + later.rows + later.rows @ self.C)

    def apply(self, z: Array) -> tuple[Array, Array]:
        return self.rows @ z, z + self.C @ z

    def combined(self, weights: Array, maps: "Sequence[Linear]") -> "Linear":
        """sum of weight * map."""
        C = np.tensordot(weights, np.stack([m.C for m in maps]), axes=1)
        return Linear(self.space, C, np.tensordot(weights, np.stack([m.rows for m in maps]), axes=1))

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.C).all() and np.isfinite(self.rows).all())

    def settled(self, states: list[Array]) -> bool:
        """What is left of any of the states is 1e-20 of the limit, entry by entry in natural units."""
        one = self.space.packing.size - 1
        limit, left = self.C[:, one].copy(), np.abs(self.C + np.eye(len(self.C)))
        limit[one], left[:, one] = 1.0, 0.0
        unit = self.space.natural_units(limit)
        return bool(np.all(left @ np.max(np.abs(states), axis=0) <= 1e-20 * unit))


def round_map(segment: Segment, kept: Array, space: AfterAverage) -> Linear:
    """The steps of the segment followed by the average."""
    big, small, K = space.packing, space.small, segment.K
    lift = big.pack(space.b @ small.basis @ space.b.T).T
    project = space.b.T @ kept
    shrink = small.pack(project @ big.basis @ project.T).T
    change = big.pack(_congruence_change(segment.D, big.basis)).T
    mean_by_mean = change + segment.N / K
    within_by_q = segment.R @ lift - segment.N @ lift / K
    C = np.block(
        [
            [mean_by_mean, (within_by_q - change @ lift) / K],
            [shrink @ segment.N, shrink @ within_by_q + (shrink @ lift - np.eye(small.size))],
        ]
    )
    rows = np.hstack([segment.rows_across, (segment.rows_within - segment.rows_across / K) @ lift])
    return Linear(space, C, rows)


def _congruence_change(D: Array, X: Array) -> Array:
    DX = D @ X
    return DX + np.swapaxes(DX, -1, -2) + DX @ D.T
