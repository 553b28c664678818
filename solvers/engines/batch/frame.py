"""From where a run is seen: coordinates around where the mean rests, in units, w = centre + units w'.

There nothing is left of the force on the mean, and it is set to nothing. In other units, with every entry off by a
rounding, the same run rounds otherwise: what the two differ by is what is not known to doubles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ratecert.solvers.engines.batch.arrays import Array, apply, constants, namespace
from ratecert.solvers.engines.batch.congruences import size_of
from ratecert.solvers.engines.batch.numbers import Noise, Numbers

UNITS = 1.37  # of a second run, to the power of a coordinate's number: no power of two


@dataclass(frozen=True)
class Frame:
    """Coordinates seen from where the mean rests, in units: w = centre + units w'."""

    numbers: Numbers
    centre: Array  # (N, n - 1)
    units: Array  # (n - 1,)
    rests: bool  # whether the mean stays at the centre
    nudge: float = 0.0  # by which the entries of its matrices are off, relative, up or down

    def at(self, t: int) -> "Frame":
        """The same at iteration t."""
        return replace(self, numbers=self.numbers.at(t))

    @cached_property
    def D(self) -> Array:
        xp, D = namespace(self.centre), self.numbers.increment
        linear = self._nudged(D[..., :-1]) * (self.units / self.units[:, None, ...])
        force = D[..., -1] + apply(D[..., :-1], self.centre)
        if self.rests:  # nothing is left of it, but what sums gain of the centre
            gains = np.zeros(self.numbers.n - 1)
            gains[sum(self.numbers.reading.own.values()) :] = 1.0
            force = force * constants(force, gains)
        force = xp.broadcast_to(force / self.units, linear.shape[:-1])
        return _with_last(xp.concat([linear, force[..., None]], axis=-1), 0.0)

    def _nudged(self, matrix: Array) -> Array:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(1, *matrix.shape[1:]))
        return matrix * constants(matrix, 1 + self.nudge * signs) if self.nudge else matrix

    @cached_property
    def F(self) -> Array:
        noises = self.numbers.noises(self.numbers.reading.rows, self.numbers.sources)
        return self._added(noises, size_of(self.numbers.n))

    def _added(self, noises: Sequence[Noise], columns: int, inward: bool = True) -> Array:
        nothing = constants(self.centre, np.zeros((1, size_of(self.numbers.n), columns)))
        found = []
        for noise in noises:
            G = _with_last(self._nudged(noise.G) / self.units[:, None, ...], 0.0)
            R = self.seen(noise.R) if inward else noise.R
            found.append(Noise(noise.moments, R, G, noise.batch).covariance())
        return sum(found, nothing)

    @cached_property
    def first(self) -> tuple[Array, Array]:
        """What makes the first coordinates of the start: the mean's matrix, and what samples add."""
        xp, M = namespace(self.centre), self.numbers.first
        shifted = (M[..., -1] - self.centre) / self.units
        linear = xp.broadcast_to(
            M[..., :-1] / self.units[:, None, ...], (shifted.shape[0], *M.shape[1:-1], M.shape[-1] - 1)
        )
        mean = _with_last(xp.concat([linear, shifted[..., None]], axis=-1), 1.0)
        noises = self.numbers.noises(self.numbers.reading.first, self.numbers.point)
        return mean, self._added(noises, size_of(M.shape[-1]), inward=False)

    def seen(self, V: Array) -> Array:
        """A matrix on (w, 1) as one on (w', 1)."""
        xp = namespace(V)
        constant = V[..., -1] + apply(V[..., :-1], self.centre)
        linear = xp.broadcast_to(
            V[..., :-1] * self.units, (constant.shape[0], *V.shape[1:-1], V.shape[-1] - 1)
        )
        return xp.concat([linear, constant[..., None]], axis=-1)

    def kept(self) -> tuple[Array, Array] | None:
        """(b, left): deviations after an average are b times a vector, and left gives it back; None: there are none."""
        reading, numbers = self.numbers.reading, self.numbers
        if not reading.local:
            return None
        fields = {name: (row.d, numbers.nowhere(row.d)) for name, row in vars(reading.state).items()}
        into = [(vars(reading.state)[name].mean, d, None) for name, d in reading.local.items()]
        out = [(row.mean, row.d, None) for row in reading.back.values()]
        left = numbers.matrix(into, numbers.sources)[..., :-1] * self.units
        ends = np.cumsum([0, *(d for d, _ in fields.values())]).tolist()
        places = {name: range(a, a + d) for a, (name, (d, _)) in zip(ends, fields.items(), strict=False)}
        chosen = [i for name in reading.local for i in places[name]]
        basis = namespace(left).take(numbers.matrix(out, fields), constants(left, np.array(chosen)), axis=-1)
        basis = basis / self.units[:, None, ...]
        xp = namespace(left)
        left = xp.concat([left, xp.zeros_like(left[..., :1])], axis=-1)
        return _with_last(basis, 0.0), left


def framed(numbers: Numbers) -> Frame:
    """Coordinates around where the mean rests, if it rests anywhere."""
    units = constants(numbers.pattern, np.ones(numbers.n - 1))
    return Frame(numbers, *resting(numbers, numbers.increment, units))


def resting(numbers: Numbers, D: Array, units: Array) -> tuple[Array, Array, bool]:
    """Where a mean rests that gains D, with units, and whether it does; else the origin. Sums begin at theirs."""
    xp = namespace(D)
    own = sum(numbers.reading.own.values())
    try:
        centre = -xp.linalg.solve(D[..., :own, :own], D[..., :own, -1:])[..., 0]
    except (np.linalg.LinAlgError, RuntimeError):
        return xp.zeros_like(D[..., -1]), units, False
    if not bool(xp.all(xp.isfinite(centre))):
        return xp.zeros_like(D[..., -1]), units, False
    sums = constants(centre, np.zeros((1, numbers.n - 1 - own)))
    sums = xp.broadcast_to(sums, (centre.shape[0], sums.shape[1]))
    return xp.concat([centre, sums], axis=-1), units, True


def unmoved(numbers: Numbers) -> Frame:
    """Coordinates around the origins alone, which stay where steps change."""
    xp, pattern = namespace(numbers.pattern), numbers.pattern
    units = constants(pattern, np.ones(numbers.n - 1))
    return Frame(numbers, xp.zeros_like(numbers.increment[..., -1]), units, False)


def otherwise(frame: Frame) -> Frame:
    """The same in odd units, with every entry off by a rounding: what a run makes of that is what it rounds to."""
    units = constants(frame.centre, UNITS ** np.arange(1.0, frame.numbers.n))
    return replace(frame, units=units, nudge=float(np.finfo(float).eps))


def _with_last(matrix: Array, corner: float) -> Array:
    """With a last row of zeros, but for its last entry."""
    xp = namespace(matrix)
    row = np.zeros((1, 1, matrix.shape[-1]))
    row[..., -1] = corner
    last = xp.broadcast_to(constants(matrix, row), (matrix.shape[0], 1, matrix.shape[-1]))
    return xp.concat([matrix, last], axis=-2)
