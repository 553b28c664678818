"""The four measures as linear functionals of a Pair.

gradient, tracking = tr(W mean) with W from the affine maps grad Phi(x) and y - y*(x)
drift_x, drift_y   = (1 - 1/K) tr(within over the block of x, of y)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.moments.forms import NotAffine
from solvers.moments.interpreter import Layout
from solvers.moments.pair import Pair
from solvers.moments.step_map import Frame

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ruler:
    on_mean: Array  # (4, n, n); the last two are zero
    on_within: Array  # (4, n, n); the first two are zero

    def read(self, pair: Pair) -> Array:
        terms = self.on_mean * pair.mean + self.on_within * pair.within
        total: Array = terms.sum(axis=(1, 2))
        return total

    def in_frame(self, frame: Frame) -> "Ruler":
        units = np.outer(frame.units, frame.units)
        return Ruler(frame.shift.T @ self.on_mean @ frame.shift * units, self.on_within * units)


def ruler(problem: Any, layout: Layout, K: int) -> Ruler:
    n, x, y = layout.size, layout.slices["x"], layout.slices["y"]
    gradient, target = _affine(problem.hypergradient, problem.d_x), _affine(problem.y_star, problem.d_x)
    L_gradient, L_tracking = np.zeros((problem.d_x, n)), np.zeros((problem.d_y, n))
    L_gradient[:, x], L_gradient[:, -1] = gradient
    L_tracking[:, x], L_tracking[:, -1] = -target[0], -target[1]
    L_tracking[:, y] = np.eye(problem.d_y)
    on_mean, on_within = np.zeros((4, n, n)), np.zeros((4, n, n))
    on_mean[0], on_mean[1] = L_gradient.T @ L_gradient, L_tracking.T @ L_tracking
    for row, block in ((2, x), (3, y)):
        on_within[row, block, block] = (1 - 1 / K) * np.eye(block.stop - block.start)
    return Ruler(on_mean, on_within)


def _affine(function: Any, d: int) -> tuple[Array, Array]:
    """(slope, constant) of an affine function of x; one that is not is refused."""
    constant = function(np.zeros(d))
    slope = function(np.eye(d)) - constant[:, None]
    probe = np.cos(np.arange(1.0, d + 1.0))
    expected = slope @ probe + constant
    if not np.allclose(function(probe), expected, rtol=1e-9, atol=1e-9 * (1 + np.abs(slope).max())):
        raise NotAffine(
            f"{function.__name__}(x) of the problem is not affine in x, so exact moments do not apply; use simulate."
        )
    return slope, constant
