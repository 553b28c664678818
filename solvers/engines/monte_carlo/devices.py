"""Problems whose devices differ: `problem.devices` holds one problem per device, `problem` itself the truth.

`PerDevice` makes of them one problem for the Monte Carlo engine: lanes are sorted by device, and each device's own
oracles see its own lanes and its own signs.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ratecert.solvers.contract.problem import EXACT, ORACLES, SAMPLES, Devices, SampledProblem
from ratecert.solvers.engines.monte_carlo.noise import BITS_OF_WHOLE, Array, Reader, Whole


class DeviceBits:
    """The signs of one device's lanes, out of a stream for all lanes."""

    def __init__(self, reader: Reader, k: int, columns: slice) -> None:
        self._reader = reader
        self._k, self._columns = k, columns
        self._read = 0

    def signs(self, n: int) -> Array:
        start, self._read = self._read, self._read + n
        return self._reader.at(start, n)[:, self._columns]

    def whole(self, n: int) -> Whole:
        start, self._read = self._read, self._read + BITS_OF_WHOLE
        return self._reader.whole_of_device(start, n, self._k, self._columns)


def per_device(problem: Devices, replicates: int) -> SampledProblem:
    """Make one problem of the devices, for lanes that are sorted by device."""
    return cast(SampledProblem, PerDevice(problem, replicates))


class PerDevice:
    """All devices as one problem, which has the oracles that they have."""

    def __init__(self, problem: Devices, replicates: int) -> None:
        self.devices = problem.devices
        self.columns = [slice(k * replicates, (k + 1) * replicates) for k in range(len(self.devices))]

    def __getattr__(self, name: str) -> Any:
        if name in SAMPLES:
            return self._sampler(name)
        if name in ORACLES:
            return self._oracle(name)
        if name in EXACT and all(hasattr(device, name) for device in self.devices):
            return partial(self._each, name, [()] * len(self.devices))
        if name == "term":
            return lambda i: [cast(Any, device).term(i) for device in self.devices]
        raise AttributeError(name)

    def _sampler(self, name: str) -> Callable[[Reader], list[Any]]:
        def sample(bits: Reader) -> list[Any]:
            own = [DeviceBits(bits, k, columns) for k, columns in enumerate(self.columns)]
            samples = [getattr(d, name)(b) for d, b in zip(self.devices, own, strict=True)]
            bits.skip(max(b._read for b in own))
            return samples

        return sample

    def _oracle(self, name: str) -> Callable[..., Array]:
        def evaluate(samples: list[Any], *arguments: Any) -> Array:
            return self._each(name, [(sample,) for sample in samples], *arguments)

        return evaluate

    def _each(self, name: str, own: Sequence[tuple[Any, ...]], *arguments: Any) -> Array:
        """What the devices make of their own values and their own columns of the arguments, side by side."""
        values = [
            getattr(device, name)(*mine, *(a[:, c] if isinstance(a, np.ndarray) else a for a in arguments))
            for device, mine, c in zip(self.devices, own, self.columns, strict=True)
        ]
        return np.hstack(values)
