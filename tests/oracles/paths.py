"""Paths of the Monte Carlo engine, and signs made beforehand that it and another implementation can both read.

Lanes are sorted by device: lane = device * replicates + replicate.
"""

import zlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from oracles.sampled import Signs
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.experiment import prepare
from ratecert.solvers.engines.sampling import tile
from ratecert.solvers.engines.sampling.measured import Readings
from ratecert.solvers.engines.sampling.noise import Reader, SignStreams

Array = NDArray[np.float64]
Paths = tuple[Array, ...]  # of x and of y: (T + 1, d, K, replicates)

SIGNS = 96  # made of each stream, more than any sample here needs


class Given:
    """`signs(t, label, member)` is (SIGNS, lanes) in the order in which a sample draws them, `rounds(t, n)` is k."""

    weights, every_case = None, False

    def __init__(self, *, seed: int, K: int, replicates: int) -> None:
        self.seed, self.K, self.replicates = seed, K, replicates
        self.signs = cache(self._signs)

    def _signs(self, t: int, label: str, member: int) -> Array:
        rng = np.random.default_rng([self.seed, t, zlib.crc32(label.encode()), member])
        signs = rng.choice([-1.0, 1.0], size=(SIGNS, self.K * self.replicates))
        signs.flags.writeable = False
        return signs

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        return stream(self.signs(t, label, member), ahead)

    def common(self, t: int, label: str, probabilities: Sequence[float]) -> NDArray[np.int64]:
        return self.rounds(t, len(probabilities))

    def rounds(self, t: int, n: int) -> NDArray[np.int64]:
        return np.random.default_rng([self.seed, t]).integers(n, size=self.replicates)

    def drawn(self, replicate: int) -> Callable[..., Signs]:
        """draw(t, label, i): the signs of device i in this replicate."""

        def draw(t: int, label: str, i: int = 0, member: int = 0) -> Signs:
            return Signs(self.signs(t, label, member)[:, i * self.replicates + replicate])

        return draw


def stream(signs: Array, ahead: int) -> Reader:
    def source(start: int, count: int) -> Array:
        assert start + count <= len(signs)
        return signs[start : start + count]

    return Reader(source, ahead)


def device_paths(
    world: Any,
    solver: Any,
    noise: SignStreams,
    *,
    T: int,
    x0: Any,
    y0: Any,
    K: int = 1,
    replicates: int = 1,
    fields: tuple[str, ...] = ("x", "y"),
) -> Paths:
    """The fields of every device at the beginning of the iterations 0, ..., T: (T + 1, d, K, replicates) each.

    The engine measures every state in which an iteration begins, and the last; here the states are kept.
    """
    states: list[State] = []
    at = Readings.at

    def kept(self: Readings, t: int, s: State) -> Array:
        states.append(s)
        return at(self, t, s)

    setting = prepare(world, solver, K=K, T=T, x0=x0, y0=y0, times=[T])
    with patch.object(Readings, "at", kept):
        tile.run_tile(setting, noise, 0, replicates)
    assert len(states) == T + 1
    return tuple(
        np.array([getattr(s, name) for s in states]).reshape(T + 1, -1, K, replicates) for name in fields
    )


def distance(one: Paths, other: Paths) -> float:
    """The largest difference between two paths in any field; they are of the order of 1."""
    assert [a.shape for a in one] == [b.shape for b in other]
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True))
