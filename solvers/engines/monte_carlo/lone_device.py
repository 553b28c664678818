"""One device of a problem whose devices differ, by itself, with the signs that it has among the others.

Devices share streams of signs: where one of them draws fewer signs for a sample than another, it skips the rest, so
that all begin their next sample at the same place. Alone, a device has to know how many the others draw.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from ratecert.solvers.contract.problem import SAMPLES, Devices, Problem, SampledProblem
from ratecert.solvers.engines.monte_carlo.noise import BITS_OF_WHOLE, Array, Reader, Whole


class Drawn:
    """Signs that count themselves."""

    def __init__(self) -> None:
        self.number = 0

    def signs(self, n: int) -> Array:
        self.number += n
        return np.ones((n, 1))

    def whole(self, n: int) -> Whole:
        self.number += BITS_OF_WHOLE
        return np.zeros(1, dtype=np.int64)


def lone_device(problem: Devices, k: int) -> SampledProblem:
    """Make a problem of device k alone, with the signs that it has among the others."""
    return cast(SampledProblem, LoneDevice(problem.devices, k))


class LoneDevice:
    """One device, which skips the signs that a longer one would draw."""

    def __init__(self, devices: Sequence[Problem], k: int) -> None:
        self._devices = devices
        self._own = devices[k]
        self._longest = cache(self._signs_of_the_longest)

    def __getattr__(self, name: str) -> Any:
        return self._sampler(name) if name in SAMPLES else getattr(self._own, name)

    def _sampler(self, name: str) -> Callable[[Reader], Any]:
        def sample(bits: Reader) -> Any:
            begin = bits.used
            drawn = getattr(self._own, name)(bits)
            bits.skip(begin + self._longest(name) - bits.used)
            return drawn

        return sample

    def _signs_of_the_longest(self, name: str) -> int:
        """A device draws the same number of signs for every sample of a kind."""
        counts = [Drawn() for _ in self._devices]
        for device, count in zip(self._devices, counts, strict=True):
            getattr(device, name)(count)
        return max(count.number for count in counts)
