"""Devices that differ: their mean and how far each is from it, as one state on which everything is linear.

With shares omega_c of sum 1 and Dbar = sum omega_c D_c, device c is at a + beta_c, where between averages

    a <- a + Dbar a          beta_c <- beta_c + D_c beta_c + (D_c - Dbar) a + noise_c

so that J = (a, beta_1, ..., beta_C) takes one step with one increment, and its noise is that of each device where it
is. An average makes G = a + sum omega_c beta_c of it: G = H J, and J = U G afterwards. So a run of J is that of one
device with another average. What devices have in common never has to cancel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ratecert.solvers.engines.batch.arrays import Array, constants, joined
from ratecert.solvers.engines.batch.congruences import congruence
from ratecert.solvers.engines.batch.frame import Frame, otherwise, resting, unmoved
from ratecert.solvers.engines.batch.functional import Readings
from ratecert.solvers.engines.batch.numbers import Numbers
from ratecert.solvers.engines.batch.reading import OneByOne

MOST = 24  # coordinates of all devices together: a map of their moments has 300 rows


@dataclass(frozen=True)
class Population:
    """One frame for all devices, each with its own numbers."""

    frames: tuple[Frame, ...]
    shares: tuple[Array, ...]
    rests: bool  # whether the mean stays at the centre

    def at(self, t: int) -> "Population":
        frames = tuple(Frame(f.numbers.at(t), f.centre, f.units, f.rests, f.nudge) for f in self.frames)
        return Population(frames, self.shares, self.rests)

    def otherwise(self) -> "Population":
        """The same in odd units, with every entry off by a rounding."""
        return Population(tuple(map(otherwise, self.frames)), self.shares, self.rests)

    @property
    def numbers(self) -> Numbers:
        """Of the first device: what all have in common."""
        return self.frames[0].numbers

    @property
    def n(self) -> int:
        n: int = self.numbers.n
        return n

    def _weighted(self, each: Sequence[Array]) -> Array:
        parts = [share[:, None, None] * own for share, own in zip(self.shares, each, strict=True)]
        return sum(parts[1:], parts[0])

    @cached_property
    def D(self) -> Array:
        n, C = self.n, len(self.frames)
        each = [frame.D for frame in self.frames]
        mean = self._weighted(each)
        apart = [(own - mean)[..., :-1, :] for own in each]
        if self.rests:  # nothing is left of the force on the mean, but what sums gain of the centre
            gains = np.ones((n, n))
            gains[: sum(self.numbers.reading.own.values()), -1] = 0.0
            mean = mean * constants(mean, gains)
        rows = [joined([mean, *[0.0 * mean[..., :-1]] * C], -1)]
        for c, own in enumerate(each):
            linear = own[..., :-1, :-1]
            rows.append(joined([apart[c], *(linear if i == c else 0.0 * linear for i in range(C))], -1))
        return joined(rows, -2)

    @cached_property
    def F(self) -> Array:
        return self._entering([frame.F for frame in self.frames], inward=True)

    @cached_property
    def first(self) -> tuple[Array, Array]:
        each, noises = zip(*(frame.first for frame in self.frames), strict=True)
        mean = self._weighted(each)
        J = joined([mean, *((own - mean)[..., :-1, :] for own in each)], -2)
        return J, self._entering(noises, inward=False)

    def _entering(self, noises: Sequence[Array], *, inward: bool) -> Array:
        """What the samples of each device add to the moments of J."""
        parts = []
        for c, F in enumerate(noises):
            led = congruence(constants(F, self._own(c).T[None])) @ F
            parts.append(led @ congruence(self._device(c)) if inward else led)
        return sum(parts[1:], parts[0])

    def _own(self, c: int) -> np.ndarray:
        """(n, size of J): beta_c, without the coordinate that is 1."""
        picked = np.zeros((self.n, self.n + len(self.frames) * (self.n - 1)))
        begin = self.n + c * (self.n - 1)
        picked[range(self.n - 1), range(begin, begin + self.n - 1)] = 1.0
        return picked

    def _mean_path(self) -> np.ndarray:
        return np.eye(self.n, self.n + len(self.frames) * (self.n - 1))

    def _device(self, c: int) -> Array:
        """(n, size of J): a + beta_c."""
        return constants(self.frames[0].centre, (self._mean_path() + self._own(c))[None])

    @cached_property
    def gathered(self) -> tuple[Array, Array]:
        """H and U: what an average makes of J, and J after it."""
        pattern = self.frames[0].centre
        H = self._weighted([self._device(c) for c in range(len(self.frames))])
        return H, constants(pattern, self._mean_path().T[None])

    def kept(self) -> None:
        """An average leaves nothing of deviations."""

    def readings(self, make: Callable[[Frame], Readings]) -> Readings:
        """Rows on the moments of J: of the mean through H, of deviations from it device by device."""
        own = make(self.frames[0])
        H, _ = self.gathered
        rows = own.of_mean @ congruence(H)
        for c, share in enumerate(self.shares):
            away = self._device(c) - H
            rows = rows + share[:, None, None] * (own.of_deviations @ congruence(away))
        return Readings(rows, 0.0 * rows, own.at_start)


def population(numbers: Sequence[Numbers], shares: Sequence[Array], *, moves: bool) -> Population:
    """Devices around where their mean rests; around the origins alone where steps change."""
    first = numbers[0]
    reading = first.reading
    if reading.local:
        raise OneByOne("devices differ, and an average leaves fields alone")
    if hasattr(reading.solver, "to_coordinates"):
        raise OneByOne("devices differ, and the method's coordinates need means of its estimates")
    if (first.n - 1) * (1 + len(numbers)) > MOST:
        raise OneByOne(f"devices that differ have more than {MOST} coordinates together")
    if moves:
        return Population(tuple(map(unmoved, numbers)), tuple(shares), False)
    each = [share[:, None, None] * own.increment for share, own in zip(shares, numbers, strict=True)]
    units = constants(first.pattern, np.ones(first.n - 1))
    centre, units, rests = resting(first, sum(each[1:], each[0]), units)
    return Population(tuple(Frame(own, centre, units, False) for own in numbers), tuple(shares), rests)
