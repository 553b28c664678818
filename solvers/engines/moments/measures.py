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

from ratecert.errors import NotAffineError
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.layout import Layout
from ratecert.solvers.engines.moments.step_map import Frame

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MeasureMap:
    maps: tuple[Array, ...]  # measure i has E||maps[i] wbar||^2; no rows where it does not read the mean
    on_within: Array  # (4, n, n): and tr(on_within[i] within)

    @cached_property
    def on_mean(self) -> Array:
        return np.stack([L.T @ L for L in self.maps])

    def read(self, moments: DeviceMoments) -> Array:
        terms = self.on_mean * moments.mean + self.on_within * moments.within
        total: Array = terms.sum(axis=(1, 2))
        return total

    def at(self, w: Array) -> Array:
        """Where every device is at the point w = (coordinates, 1)."""
        return np.array([float(np.sum((L @ w) ** 2)) for L in self.maps])

    def in_frame(self, frame: Frame) -> "MeasureMap":
        maps = tuple(L @ frame.shift * frame.units for L in self.maps)
        return MeasureMap(maps, self.on_within * np.outer(frame.units, frame.units))


def measure_map(problem: Problem, layout: Layout, K: int) -> MeasureMap:
    n, x, y = layout.size, layout.slices["x"], layout.slices["y"]
    gradient, target = _affine(problem.hypergradient, problem.d_x), _affine(problem.y_star, problem.d_x)
    L_gradient, L_tracking = np.zeros((problem.d_x, n)), np.zeros((problem.d_y, n))
    L_gradient[:, x], L_gradient[:, -1] = gradient
    L_tracking[:, x], L_tracking[:, -1] = -target[0], -target[1]
    L_tracking[:, y] = np.eye(problem.d_y)
    on_within = np.zeros((4, n, n))
    for row, block in ((2, x), (3, y)):
        on_within[row, block, block] = (1 - 1 / K) * np.eye(block.stop - block.start)
    return MeasureMap((L_gradient, L_tracking, np.zeros((0, n)), np.zeros((0, n))), on_within)


def _affine(function: Any, d: int) -> tuple[Array, Array]:
    """(slope, constant) of an affine function of x; one that is not is refused."""
    constant = function(np.zeros(d))
    slope = function(np.eye(d)) - constant[:, None]
    probe = np.cos(np.arange(1.0, d + 1.0))
    expected = slope @ probe + constant
    if not np.allclose(function(probe), expected, rtol=1e-9, atol=1e-9 * (1 + np.abs(slope).max())):
        raise NotAffineError(
            f"{function.__name__}(x) of the problem is not affine in x, so exact moments do not apply; use simulate."
        )
    return slope, constant
