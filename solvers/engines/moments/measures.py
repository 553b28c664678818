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

from ratecert.arithmetic.arrays import Balls, Numbers, doubles
from ratecert.errors import NotAffineError
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.layout import Layout

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


def measure_map(problem: Problem, layout: Layout, K: int, numbers: type[Numbers] = Balls) -> MeasureMap:
    n, x, y = layout.size, layout.slices["x"], layout.slices["y"]
    (gradient, certain), (target, sure) = (
        _affine(function, problem.d_x, numbers) for function in (problem.hypergradient, problem.y_star)
    )
    L_gradient, L_tracking = numbers.of(np.zeros((problem.d_x, n))), numbers.of(np.zeros((problem.d_y, n)))
    L_gradient[:, x], L_gradient[:, -1] = gradient[:, :-1], gradient[:, -1]
    L_tracking[:, x], L_tracking[:, -1] = -target[:, :-1], -target[:, -1]
    L_tracking[:, y] = numbers.of(np.eye(problem.d_y))
    on_within = numbers.of(np.zeros((4, n, n)))
    for row, block in ((2, x), (3, y)):
        identity = numbers.of(np.eye(block.stop - block.start))
        on_within[row, block, block] = identity - identity / K
    nothing = numbers.of(np.zeros((0, n)))
    return MeasureMap((L_gradient, L_tracking, nothing, nothing), on_within, certain and sure)


def _affine(function: Any, d: int, numbers: type[Numbers]) -> tuple[Array, bool]:
    """[slope, constant] of an affine function of x, and whether it was computed exactly; one that is not is refused."""
    rough = _slope_and_constant(function, np.zeros(d), np.eye(d))
    probe = np.cos(np.arange(1.0, d + 1.0))
    expected, size = rough[:, :-1] @ probe + rough[:, -1], np.abs(rough[:, :-1]).max()
    if not np.allclose(function(probe), expected, rtol=1e-9, atol=1e-9 * (1 + size)):
        raise NotAffineError(
            f"{function.__name__}(x) of the problem is not affine in x, so exact moments do not apply; use simulate."
        )
    try:
        exact = _slope_and_constant(function, numbers.of(np.zeros(d)), numbers.of(np.eye(d)))
    except (TypeError, ValueError, AttributeError):
        exact = rough
    return numbers.of(exact), isinstance(exact, numbers)


def _slope_and_constant(function: Any, zero: Array, units: Array) -> Array:
    constant = function(zero)
    return np.column_stack([function(units) - constant[:, None], constant])
