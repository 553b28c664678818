"""Coordinates in which doubles are good: the origin where the mean step rests, each coordinate in its own unit.

    w = (centre + units w', 1)

Second moments in these coordinates are those of deviations, so that a small variance far from the origin keeps its
digits. Balls need no frame: they have bits to spare.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, solve

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Frame:
    """The centre is exact: a point, known to all its bits."""

    centre: Array  # (n - 1,) balls without radius
    units: NDArray[np.float64]  # (n,), the last one 1
    moving: NDArray[np.bool_] | None = (
        None  # (n - 1,): sums over iterates, whose centre moves by itself every t
    )
    first: NDArray[np.float64] | None = None  # (n - 1,): how often sums count the first iterate

    def read(self, L: Array) -> Array:
        """A matrix on w as one on w', exactly."""
        return np.column_stack([L[:, :-1] * self.units[:-1], L[:, :-1] @ self.centre + L[:, -1]])

    def increment(self, D: Array) -> Array:
        """The increment of w as one of w': that of a sum is without what its centre moves by."""
        moved: Array = self.read(D) / self.units[:, None]
        if self.moving is not None:
            moved[:-1][self.moving, -1] = 0 * moved[:-1][self.moving, -1]
        return moved

    def entered(self, w: Array, t: int) -> Array:
        """The point w at iteration t = 0 or 1, where a run begins, in these coordinates."""
        centre = self.centre
        if self.moving is not None and self.first is not None:
            centre = centre * np.where(self.moving, 0.0 if t == 0 else self.first, 1.0)
        return np.append(w[:-1] - centre, w[-1]) / self.units


def resting_point(increment: Array) -> Array:
    """The fixed point of w -> w + increment w, as exact numbers; what it misses by stays in the steps.

    The origin where the increment is not finite: the run, which diverges, says so.
    """
    D, constant = increment[:-1, :-1], increment[:-1, -1]
    try:
        return Balls.of([value.mid() for value in solve(D, -constant)])
    except np.linalg.LinAlgError:
        return Balls.of(_least_squares(doubles(D), doubles(constant)))


def _least_squares(D: NDArray[np.float64], constant: NDArray[np.float64]) -> NDArray[np.float64]:
    """For directions in which nothing moves, or nothing is seen to move."""
    if not (np.isfinite(D).all() and np.isfinite(constant).all()):
        return np.zeros(len(constant))
    rows = np.abs(D).max(axis=1, initial=1e-300)
    centre: NDArray[np.float64] = np.linalg.lstsq(D / rows[:, None], -constant / rows, rcond=None)[0]
    return centre


def units_of(size: int, odd: bool) -> NDArray[np.float64]:
    """Ones, or numbers in [1, 2) that no rounding error can be common to."""
    units = np.ones(size)
    if odd:
        units[:-1] += (np.arange(1, size) * 0.6180339887498949) % 1
    return units
