"""The four measures as functionals of the moments of the devices.

    gradient, tracking = E||L wbar||^2 with the affine maps grad Phi(x) and y - y*(x) as matrices L on (coordinates, 1)
    drift_x, drift_y   = (1 - 1/K) tr(within over the block of x, of y)

L is moved to other coordinates before it is squared: near the solution its constant part is small, its square is not
the difference of large squares.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import Numbers, doubles
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.layout import Layout
from ratecert.solvers.engines.moments.truth import Truth

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class MeasureMap:
    maps: tuple[Array, ...]  # measure i has E||maps[i] wbar||^2; no rows where it does not read the mean
    on_within: Array  # (4, n, n): and tr(on_within[i] within)
    exact: bool = True  # whether the problem has given its truth in exact numbers, not in doubles

    @cached_property
    def on_mean(self) -> Array:
        return np.stack([L.T @ L for L in self.maps])

    def read(self, moments: DeviceMoments) -> Array:
        terms = self.on_mean * moments.mean + self.on_within * moments.within
        total: Array = terms.sum(axis=(1, 2))
        return total

    def grain(self, moments: DeviceMoments) -> Array:
        """What a reading in doubles is rounded to: its terms may be larger than their sum. Nothing for balls."""
        if isinstance(moments.mean, Numbers):
            return np.zeros(len(self.on_within))
        terms = np.abs(self.on_mean * moments.mean) + np.abs(self.on_within * moments.within)
        grain: Array = float(np.finfo(float).eps) * terms.sum(axis=(1, 2))
        return grain

    def at(self, w: Array) -> Array:
        """Where every device is at the point w = (coordinates, 1)."""
        values = [L @ w for L in self.maps]
        return np.stack([(v * v).sum() + 0 * w[-1] for v in values]).view(type(w))

    def in_frame(self, frame: Frame) -> "MeasureMap":
        maps = tuple(frame.read(L) for L in self.maps)
        units = frame.units[:, None] * frame.units
        return MeasureMap(maps, self.on_within * units, self.exact)

    def rounded(self) -> "MeasureMap":
        """The same in doubles, every number rounded once."""
        return MeasureMap(tuple(doubles(L) for L in self.maps), doubles(self.on_within), self.exact)


def measure_map(truth: Truth, layout: Layout, K: int) -> MeasureMap:
    numbers, n, x, y = type(truth.gradient), layout.size, layout.slices["x"], layout.slices["y"]
    L_gradient, L_tracking = numbers.zeros(len(truth.gradient), n), numbers.zeros(len(truth.y_star), n)
    L_gradient[:, x], L_gradient[:, -1] = truth.gradient[:, :-1], truth.gradient[:, -1]
    L_tracking[:, x], L_tracking[:, -1] = -truth.y_star[:, :-1], -truth.y_star[:, -1]
    L_tracking[:, y] = numbers.identity(len(truth.y_star))
    on_within = numbers.zeros(4, n, n)
    for row, block in ((2, x), (3, y)):
        identity = numbers.identity(block.stop - block.start)
        on_within[row, block, block] = identity - identity / K
    nothing = numbers.zeros(0, n)
    return MeasureMap((L_gradient, L_tracking, nothing, nothing), on_within, truth.exact)
