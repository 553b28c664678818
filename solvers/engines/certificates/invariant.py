"""A set that no step leaves: sizes m* with A m* + b <= m* for every one of some affine maps with bounded noise.

A map w+ = (I + D) w + drift + sum G n with |n| <= gain |R w| + constant obeys, for the sizes |m| of `Modes`,

    |m+| <= A |m| + b,        A = |V^{-1} (I + D) V| + what the noise feeds back,        A, b >= 0,

so that every m* >= |m_1| with A m* + b <= m* bounds |m_t| for ever. A candidate is found in doubles; that it is one is
then checked in balls, with V^{-1}, D and the noise enclosed, so nothing rests on how it was found. The set |m| <= m* is
convex: it also holds averages over devices, and what lies between the images of several maps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, norm, summed
from ratecert.base.errors import NoCertificateError
from ratecert.solvers.engines.certificates.modes import Block, Modes

Array = NDArray[Any]  # of balls
Doubles = NDArray[np.float64]

IMPROVEMENTS = 100  # of a choice among inequalities; in practice a few are enough
ROUNDING = 1e-12
LEAST = 1e-300  # size, of what does not move: it has to be positive to cover what is rounded
WIDENED = (1 + 1e-9, 1 + 1e-6, 1.001)  # how much more than in doubles is taken for a candidate


@dataclass(frozen=True)
class Push:
    """One sample's noise G n with |n| <= gain |R w| + constant, R w without its constant part."""

    G: Array
    R: Array
    gain: arb
    constant: arb

    def then(self, Q: Array) -> "Push":
        """The noise with Q applied to it."""
        return replace(self, G=Q @ self.G)


@dataclass(frozen=True)
class Move:
    """w+ = w + D w + drift + noise."""

    D: Array
    drift: Array
    pushes: Sequence[Push]

    def then(self, Q: Array) -> "Move":
        """The move with Q applied after it."""
        identity = Balls.identity(len(Q))
        D = Q @ (identity + self.D) - identity
        return Move(D, Q @ self.drift, [push.then(Q) for push in self.pushes])

    def inequality(self, modes: Modes) -> tuple[Array, Array]:
        """(A, b)."""
        A, b = modes.moduli(self.D), modes.inside(self.drift) + pushed(modes, self.pushes)
        fed_back = [
            modes.rows(p.G)[:, None] * (modes.columns(p.R) * p.gain) for p in self.pushes if p.gain > 0
        ]
        return summed([A, *fed_back]), b


@dataclass(frozen=True)
class Begin:
    """A state with noise of constant size."""

    mean: Array
    pushes: Sequence[Push]


@dataclass(frozen=True)
class Invariant:
    """|m| <= bound in these modes, for ever."""

    modes: Modes
    bound: Array

    def size(self, read: Array) -> arb:
        """The largest |L w + l| over the set, for read = [L, l]."""
        return norm(read[:, -1]) + self.linear_size(read[:, :-1])

    def linear_size(self, L: Array) -> arb:
        """The largest |L w| over the set."""
        return sum((v * m for v, m in zip(self.modes.columns(L), self.bound, strict=True)), arb(0))


def pushed(modes: Modes, pushes: Sequence[Push]) -> Array:
    """What the constant part of the noise can add to the sizes."""
    return summed([Balls.zeros(len(modes.groups)), *(modes.rows(p.G) * p.constant for p in pushes)])


def below(values: Array, bound: Array) -> bool:
    """Whether every number is certainly at most the other."""
    return all(bool(value <= most) for value, most in zip(values, bound, strict=True))


def larger(some: Array, others: Array) -> Array:
    """The larger of each two numbers."""
    pairs = zip(some.ravel().tolist(), others.ravel().tolist(), strict=True)
    return Balls.of(np.array([a.max(b) for a, b in pairs], dtype=object).reshape(some.shape))


def invariant_sets(
    bases: Iterable[list[Block]], moves: Sequence[Move], begins: Sequence[Begin]
) -> list[Invariant]:
    """At least one, and one in every basis that has one: they hold every beginning, and no move leaves them."""
    found, reason = [], None
    for basis in bases:
        try:
            modes = Modes(basis)
            inequalities = [move.inequality(modes) for move in moves]
            sizes = [modes.inside(begin.mean) + pushed(modes, begin.pushes) for begin in begins]
            found.append(Invariant(modes, _bound(inequalities, reduce(larger, sizes))))
        except NoCertificateError as error:
            reason = error
    if not found and reason:
        raise reason
    return found


def smallest_size(sets: Sequence[Invariant], read: Array) -> arb:
    """Of the bounds on |L w + l|, read = [L, l]: all of them hold."""
    smallest: arb = reduce(arb.min, [held.size(read) for held in sets])
    return smallest


def _bound(inequalities: Sequence[tuple[Array, Array]], begin: Array) -> Array:
    """m* >= begin with A m* + b <= m* for every (A, b): guessed in doubles, a little too large, and checked."""
    identity = Balls.identity(len(begin))
    # I - A is taken in balls: a mode may shrink by less than a rounding
    left = np.array([doubles(identity - A) for A, _ in inequalities])
    right = np.array([doubles(b) for _, b in inequalities])
    for widened in WIDENED:
        guess = _smallest(left, right, np.maximum(doubles(begin), LEAST), widened)
        if not np.isfinite(guess).all():
            break
        bound = Balls.of(guess)
        if below(begin, bound) and all(below(A @ bound + b, bound) for A, b in inequalities):
            return bound
    decay = np.diagonal(left, axis1=1, axis2=2).max(axis=0)
    raise NoCertificateError(
        f"no certificate: the slowest mode of the mean step shrinks by {decay.min() + 0.0:.3g} at a time, "
        f"too little for noise that grows with the iterates or for steps that differ"
    )


def _smallest(left: Doubles, b: Doubles, begin: Doubles, widened: float) -> Doubles:
    """About the smallest m >= begin with b <= left m for all of them; nan where there is none.

    Every m_i is begin_i or what one inequality asks of it, times a little more than 1, so that all of them are strict;
    the choice is improved until no inequality asks for more.
    """
    n, rows = len(begin), np.arange(len(begin))
    decay = np.diagonal(left, axis1=1, axis2=2)
    off = -left * (1 - np.eye(n)) * widened
    b, begin = b * widened, begin * widened
    choice, m = np.full(n, -1), begin
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for _ in range(IMPROVEMENTS):
            asked = b + off @ m
            asked = np.where(asked > 0, asked / np.maximum(decay, 0.0), 0.0)
            hardest = asked.argmax(axis=0)
            better = np.where(asked[hardest, rows] > m * (1 + ROUNDING), hardest, choice)
            if (better == choice).all():
                return m
            choice, free = better, better >= 0
            system = np.eye(n) - np.where(free[:, None], off[choice, rows] / decay[choice, rows, None], 0.0)
            right = np.where(free, b[choice, rows] / decay[choice, rows], begin)
            # solved for what m is multiplied by, since sizes may differ by a hundred orders
            system, right = system * m / m[:, None], right / m
            if not (np.isfinite(system).all() and np.isfinite(right).all()):
                break
            try:
                m = m * np.linalg.solve(system, right)
            except np.linalg.LinAlgError:
                break
            if not (m >= begin * (1 - ROUNDING)).all():
                break
    return np.full(n, np.nan)
