"""The oracle on arrays: vectors are (d, lanes), lanes sorted by device, and samples are arrays of signs.

Devices that differ, `problem.devices`, become one problem: each sees its own lanes and its own signs. They share
streams of signs: where one of them draws fewer signs for a sample than another, it skips the rest, so that all begin
their next sample at the same place. A device that runs alone has to know how many the others draw.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, cast

import numpy as np

from ratecert.base.arrays import number_like
from ratecert.base.errors import UserError
from ratecert.solvers.contract.draws import Choice
from ratecert.solvers.contract.problem import EXACT, ORACLES, SAMPLES, Devices, Problem, SampledProblem
from ratecert.solvers.contract.stage import Estimator, Sampled, State, Vector, require_own_label
from ratecert.solvers.engines.sampling.noise import BITS_OF_WHOLE, Array, Reader, SignStreams, Whole

MEMBERS = 2**32  # more than a batch has: members of different rounds have different numbers


class ArrayOracle:
    def __init__(self, problem: SampledProblem, noise: SignStreams, *, round: int = 0) -> None:
        """`round` tells apart the random rounds of one iteration, each with samples of its own."""
        self.problem = problem
        self.noise = noise
        self.round = round
        self._estimators: dict[str, Estimator] = {}
        self._signs_used: dict[str, int] = {}

    def in_round(self, round: int) -> "ArrayOracle":
        return ArrayOracle(self.problem, self.noise, round=round)

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        require_own_label(self._estimators, estimator)
        if batch == 1:
            sample = self._draw(estimator, t, 0)
            return lambda *point: estimator.evaluate(self.problem, sample, *point)
        return lambda *point: self._batch_mean(estimator, t, batch, point)

    def choose(self, choice: Choice, t: int, s: State) -> State:
        """Every step on all lanes, and of each lane the one that it has drawn."""
        if choice.label in self._estimators:
            raise UserError(
                f"a choice and an estimator draw from the stream {choice.label!r}; give each a label."
            )
        reader = self.noise.reader(t, choice.label, self.round * MEMBERS, 0)
        case = reader.case([float(p) for p in choice.probabilities])
        states, lanes = [vars(step(t, s, self)) for step in choice.steps], np.arange(len(case))
        return State(
            **{name: np.stack([each[name] for each in states])[case, :, lanes].T for name in states[0]}
        )

    def _draw(self, estimator: Estimator, t: int, member: int) -> Any:
        ahead = self._signs_used.get(estimator.label, 0)
        bits = self.noise.reader(t, estimator.label, self.round * MEMBERS + member, ahead)
        sample = estimator.sample(self.problem, bits)
        self._signs_used[estimator.label] = bits.used
        return sample

    def _batch_mean(self, estimator: Estimator, t: int, batch: int, point: tuple[Vector, ...]) -> Vector:
        """Members are drawn again at every point, which gives the same signs and needs no memory."""
        total = estimator.evaluate(self.problem, self._draw(estimator, t, 0), *point)
        for member in range(1, batch):
            total = total + estimator.evaluate(self.problem, self._draw(estimator, t, member), *point)
        return total * number_like(total)(Fraction(1, batch))


# Devices that differ, together.


class DeviceBits:
    """The signs of one device's lanes, out of a stream for all lanes."""

    def __init__(self, reader: Reader, k: int, columns: slice) -> None:
        self._reader = reader
        self._k, self._columns = k, columns
        self.used = 0

    def signs(self, n: int) -> Array:
        start, self.used = self.used, self.used + n
        return self._reader.at(start, n)[:, self._columns]

    def whole(self, n: int) -> Whole:
        start, self.used = self.used, self.used + BITS_OF_WHOLE
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
            return partial(self._sample, name)
        if name in ORACLES:
            return lambda samples, *arguments: self._each(name, [(each,) for each in samples], *arguments)
        if name in EXACT and all(hasattr(device, name) for device in self.devices):
            return partial(self._each, name, [()] * len(self.devices))
        if name == "term":
            return lambda i: [cast(Any, device).term(i) for device in self.devices]
        raise AttributeError(name)

    def _sample(self, name: str, bits: Reader) -> list[Any]:
        own = [DeviceBits(bits, k, columns) for k, columns in enumerate(self.columns)]
        samples = [getattr(device, name)(each) for device, each in zip(self.devices, own, strict=True)]
        bits.skip(max(each.used for each in own))
        return samples

    def _each(self, name: str, own: Sequence[tuple[Any, ...]], *arguments: Any) -> Array:
        """What the devices make of their own values and their own columns of the arguments, side by side."""
        values = [
            getattr(device, name)(*mine, *(a[:, c] if getattr(a, "ndim", 0) == 2 else a for a in arguments))
            for device, mine, c in zip(self.devices, own, self.columns, strict=True)
        ]
        first = values[0]
        return np.hstack(values) if isinstance(first, np.ndarray) else type(first).side_by_side(values)


# One of them alone.


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
        self._longest: Callable[[str], int] = cache(self._signs_of_the_longest)

    def __getattr__(self, name: str) -> Any:
        return partial(self._sample, name) if name in SAMPLES else getattr(self._own, name)

    def _sample(self, name: str, bits: Reader) -> Any:
        begin = bits.used
        drawn = getattr(self._own, name)(bits)
        bits.skip(begin + self._longest(name) - bits.used)
        return drawn

    def _signs_of_the_longest(self, name: str) -> int:
        """A device draws the same number of signs for every sample of a kind."""
        counts = [Drawn() for _ in self._devices]
        for device, count in zip(self._devices, counts, strict=True):
            getattr(device, name)(count)
        return max(count.number for count in counts)
