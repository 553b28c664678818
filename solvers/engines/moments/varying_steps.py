"""Long runs with slowly varying step sizes.

The map of 2^k cycles that begin at iteration t is a smooth function of log t, so on an interval [a, ratio a] it is
held by its values at Chebyshev points. Doubling goes on pointwise, with the second half read off between points:

    F_{k+1}(t) = F_k(t) then F_k(t + 2^k cycles)

Within an interval of ratio 2 a polynomial of degree 13 in log t has more digits than are needed; a second run
with the square root of the ratio says how many.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]
POINTS = 14
REACH = 1 / 16  # of the beginning of the interval: the longest map that is made


def chebyshev_times(a: float, b: float) -> Array:
    """Points for [a, b] and as much beyond b as a map can reach."""
    b = b * (1 + 2 * REACH)
    middle, half = 0.5 * np.log(a * b), 0.5 * np.log(b / a)
    angles = np.pi * (2 * np.arange(POINTS) + 1) / (2 * POINTS)
    return np.exp(middle + half * np.cos(angles))  # type: ignore[no-any-return]


class Smooth:
    """Maps at the points of an interval, gathered, and read off in between."""

    def __init__(self, times: Array, weights: Callable[[Array], Array], maps: Any) -> None:
        self.times, self.weights, self.maps = times, weights, maps

    @classmethod
    def of(cls, times: Array, maps: Sequence[Any]) -> "Smooth":
        # With a fixed order of the points: scipy would draw one, and last digits would differ from run to run.
        weights = scipy.interpolate.BarycentricInterpolator(np.log(times), np.eye(len(times)), rng=0)
        return cls(times, weights, maps[0].gathered(maps))

    def at(self, t: Any) -> Any:
        """The map at t; for many t, maps that are gathered."""
        return self.maps.weighted(self.weights(np.log(t)))

    def doubled(self, duration: int) -> "Smooth":
        """The maps of twice the duration."""
        return Smooth(self.times, self.weights, self.maps.then(self.at(self.times + duration)))


class Interval:
    """[a, b] with every map of 2^k cycles that is not too long for it."""

    def __init__(self, a: int, b: float, cycle: int, cycle_at: Callable[[float], Any]) -> None:
        times = chebyshev_times(a, b)
        self.cycle = cycle
        self.levels = [Smooth.of(times, [cycle_at(t) for t in times])]
        while 2 * self._duration(len(self.levels) - 1) <= max(REACH * a, cycle):
            self.levels.append(self.levels[-1].doubled(self._duration(len(self.levels) - 1)))

    def _duration(self, k: int) -> int:
        return self.cycle << k

    def run(self, z: Any, t: int, cycles: int) -> tuple[Array, Any]:
        """The sums over that many cycles from t, and the state after them."""
        sums: Any = 0
        while cycles > 0:
            k = min(cycles.bit_length(), len(self.levels)) - 1
            gained, z = self.levels[k].at(t).apply(z)
            sums = sums + gained
            t, cycles = t + self._duration(k), cycles - (1 << k)
        return sums, z


def steps_of_stage(segment_at: Callable[[float], Any], times: Array, n: int) -> Callable[[float], Any]:
    """A function of t: n steps from t with their own step sizes."""
    if n == 1:
        return segment_at
    levels = [Smooth.of(times, [segment_at(t) for t in times])]
    while 2 << (len(levels) - 1) <= n:
        levels.append(levels[-1].doubled(1 << (len(levels) - 1)))

    def at(t: float) -> Any:
        total, left = None, n
        while left > 0:
            k = left.bit_length() - 1
            part = levels[k].at(t)
            total = part if total is None else total.then(part)
            t, left = t + (1 << k), left - (1 << k)
        return total

    return at
