"""Pairs of doubles: what cancels in an assembly is computed with twice the digits, and rounded once.

A number is hi + lo with |lo| at most a rounding of hi. Sums and products of doubles are a double and an error that is
a double too (Dekker; Knuth), so that a pair has about 32 digits. Only vectors are pairs: what an estimator's mean is at
the world's solution, and where that is. There everything cancels; elsewhere doubles lose nothing.

`MeanVector` is what an estimator's own code is run on: a vector of pairs, which takes every sign for zero.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.errors import NotAffineError
from ratecert.solvers.engines.batch.arrays import Array, Many, as_many, constants, namespace
from ratecert.solvers.engines.batch.congruences import digits, mask_of
from ratecert.solvers.engines.batch.signs import counts_of

SPLITTER = 134217729.0  # 2^27 + 1: halves of a double have at most 26 bits


@dataclass(frozen=True)
class Pair:
    """hi + lo."""

    hi: Array
    lo: Array
    __array_ufunc__ = None

    @property
    def rounded(self) -> Array:
        return self.hi + self.lo

    def __add__(self, other: Any) -> "Pair":
        hi, lo = _parts(other)
        total, error = _sum(self.hi, hi)
        return _normal(total, error + self.lo + lo)

    __radd__ = __add__

    def __neg__(self) -> "Pair":
        return Pair(-self.hi, -self.lo)

    def __sub__(self, other: Any) -> "Pair":
        hi, lo = _parts(other)
        return self + Pair(-hi, -lo)

    def __rsub__(self, other: Any) -> "Pair":
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> "Pair":
        hi, lo = _parts(other)
        product, error = _product(self.hi, hi)
        return _normal(product, error + self.hi * lo + self.lo * hi)

    __rmul__ = __mul__

    def __getitem__(self, key: Any) -> "Pair":
        return Pair(self.hi[key], self.lo[key] if self.lo.shape == self.hi.shape else self.lo)


def exactly(array: Array) -> Pair:
    """Doubles as they are."""
    return Pair(array, namespace(array).zeros_like(array))


def times(M: Any, v: Pair) -> Pair:
    """M @ v, for a matrix of doubles or pairs (N, r, c) and columns (N, c, k)."""
    total: Pair | None = None
    for i in range(v.hi.shape[-2]):
        column, row = _column(M, i), Pair(v.hi[..., i, None, :], v.lo[..., i, None, :])
        term = row * column
        total = term if total is None else total + term
    assert total is not None
    return total


def refined(solve: Callable[[Array], Array], residual: Callable[[Pair], Pair], start: Array) -> Pair:
    """The root of an affine function, by corrections that doubles make: each brings about 15 digits."""
    x = exactly(start)
    for _ in range(3):
        x = x + exactly(solve(-residual(x).rounded))
    return x


def _column(M: Any, i: int) -> Any:
    return M[..., :, i, None]


def _parts(value: Any) -> tuple[Any, Any]:
    return (value.hi, value.lo) if isinstance(value, Pair) else (value, 0.0)


def _sum(a: Any, b: Any) -> tuple[Any, Any]:
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def _normal(hi: Any, lo: Any) -> Pair:
    total = hi + lo
    return Pair(total, lo - (total - hi))


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    product = a * b
    (a_hi, a_lo), (b_hi, b_lo) = _halves(a), _halves(b)
    return product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo


def _halves(a: Any) -> tuple[Any, Any]:
    scaled = SPLITTER * a
    hi = scaled - (scaled - a)
    return hi, a - hi


class NoSigns:
    """Where samples come from when only the mean is asked for: signs that are zero, and given whole numbers."""

    def __init__(self, given: tuple[int, ...] = ()) -> None:
        self._given = list(given)
        self.bases: list[int] = []

    def signs(self, n: int) -> "NoRow":
        return NoRow(n)

    def whole(self, n: int) -> int:
        self.bases.append(n)
        return self._given.pop(0) if self._given else n - 1

    def repeat(self, n: Any, draw: Callable[[Any], Any]) -> "MeanLoop":
        return MeanLoop(n, draw(self))


@dataclass(frozen=True)
class NoRow:
    """A row of signs at their mean; each of them, too."""

    n: int
    __array_ufunc__ = None

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator["NoRow"]:
        return iter([self] * self.n)

    def __getitem__(self, _: int) -> "NoRow":
        return self

    def __mul__(self, other: Any) -> Any:
        return self

    __rmul__ = __mul__

    def __neg__(self) -> "NoRow":
        return self


@dataclass(frozen=True, eq=False)
class MeanVector:
    """A vector (N, d, 1) of pairs at which an estimator's mean is evaluated."""

    value: Pair
    __array_ufunc__ = None

    def __rmatmul__(self, M: Any) -> "MeanVector":
        return MeanVector(times(as_many(M, Many(self.value.hi)).values, self.value))

    def __mul__(self, c: Any) -> Any:
        if isinstance(c, NoRow):
            return c
        factor = c.values[:, None, None] if isinstance(c, Many) else float(c)
        return MeanVector(self.value * factor)

    __rmul__ = __mul__

    def __neg__(self) -> "MeanVector":
        return MeanVector(-self.value)

    def __add__(self, other: Any) -> "MeanVector":
        if isinstance(other, NoRow):
            return self
        return MeanVector(self.value + _value(other, self))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "MeanVector":
        return self if isinstance(other, NoRow) else MeanVector(self.value - _value(other, self))

    def __rsub__(self, other: Any) -> "MeanVector":
        return (-self).__add__(other)


def _value(other: Any, beside: MeanVector) -> Any:
    if isinstance(other, MeanVector):
        return other.value
    if not isinstance(other, Many | np.ndarray):
        raise NotAffineError(f"a vector is added to {type(other).__name__}; exact moments need vectors.")
    return as_many(other, Many(beside.value.hi)).values


@dataclass(frozen=True)
class MeanLoop:
    """Equal steps at their mean: one of them is a matrix, which is taken to its n-th power by squaring."""

    n: Any
    sample: Any

    def through(self, step: Callable[..., tuple[Any, ...]], *start: MeanVector) -> tuple[MeanVector, ...]:
        xp = namespace(start[0].value.hi)
        sizes = [vector.value.hi.shape[-2] for vector in start]
        ends = np.cumsum([0, *sizes]).tolist()
        size, pattern = ends[-1], start[0].value.hi
        units = constants(pattern, np.eye(size)[None])
        inner = [MeanVector(exactly(units[:, a:b, :])) for a, b in itertools.pairwise(ends)]
        T = _above([vector.value for vector in step(self.sample, *inner)])
        power, counts = T, counts_of(self.n)
        z = _above([vector.value for vector in start])
        longest = int(counts.max()).bit_length()
        for i in range(longest):
            taken, chosen = times(power, z), digits(counts, i)
            if chosen.all():
                z = taken
            elif chosen.any():
                mask = mask_of(chosen, pattern)[:, None, None]
                z = Pair(xp.where(mask, taken.hi, z.hi), xp.where(mask, taken.lo, z.lo))
            power = times(power, power) if i + 1 < longest else power
        parts = itertools.pairwise(ends)
        return tuple(MeanVector(Pair(z.hi[:, a:b, :], z.lo[:, a:b, :])) for a, b in parts)


def _above(pairs: list[Pair]) -> Pair:
    """Vectors one above the other."""
    xp = namespace(pairs[0].hi)
    most = max(pair.hi.shape[0] for pair in pairs)

    def joined(parts: list[Array]) -> Array:
        return xp.concat([xp.broadcast_to(part, (most, *part.shape[1:])) for part in parts], axis=-2)

    return Pair(joined([pair.hi for pair in pairs]), joined([pair.lo for pair in pairs]))
