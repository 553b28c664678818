"""How far a device can be from the mean over devices where an average leaves some fields apart.

Deviations d_k = w_k - wbar obey d+ = (I + D) d + noise, noise at most twice that of a device, and an average takes d to
(I - Pi) d. This is for noise that does not grow with the iterates.

    constant steps   sums over all rounds of the norms of what each step adds
    varying steps    sizes delta_i of d, i steps after an average, with |move| delta_i + 2b <= delta_{i+1} for all moves
                     between which a step lies, and |average after move| delta_{p-1} + 2b' <= delta_0
"""

from functools import reduce
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, finite, spectral_norm
from ratecert.base.errors import NoCertificateError
from ratecert.solvers.engines.certificates.invariant import (
    LEAST,
    Begin,
    Invariant,
    Move,
    below,
    larger,
    pushed,
)
from ratecert.solvers.engines.certificates.long_rounds import LongRound, largest
from ratecert.solvers.engines.certificates.modes import norms_of_blocks
from ratecert.solvers.engines.certificates.motion import Motion

Array = NDArray[Any]  # of balls

LONGEST_SUM = 10_000  # rounds after which deviations have to shrink
ROUNDS = 200  # of varying steps, after which deviations have to have settled
LONGEST_ROUND = 1000  # varying steps between averages, each of which is gone through; more are taken at once
UPWARDS = 1 + 1e-6


def deviation_radius(motion: Motion, begin: Begin, read: Array) -> arb:
    """A bound on |L d| for read = [L, l], at every t."""
    return (_of_varying_steps if motion.varies else _of_constant_steps)(motion, begin, read[:, :-1])


def _of_constant_steps(motion: Motion, begin: Begin, read: Array) -> arb:
    (move,), kept = motion.moves, motion.kept
    steps = LongRound(move.D, motion.period)

    def of_begin(Q: Array) -> arb:
        """What the beginning has become, before each step and after the last."""
        if not begin.pushes:
            return arb(0)
        bounds = [[2 * p.constant * bound for bound, _ in steps.norms(Q, p.G)] for p in begin.pushes]
        last = [2 * p.constant * spectral_norm(Q @ steps.end @ p.G) for p in begin.pushes]
        return largest([sum(at, arb(0)) for at in [*zip(*bounds, strict=True), last]])

    def of_round(Q: Array) -> arb:
        found = [2 * p.constant * n * bound for p in move.pushes for bound, n in steps.norms(Q, p.G)]
        return sum(found, arb(0)) + of_begin(Q)

    reach = [bound for bound, _ in steps.norms(read, kept)]
    after = largest([*reach, spectral_norm(read @ steps.end @ kept)])
    return of_round(read) + after * of_round(kept) * _sum_of_norms(kept @ steps.end)


def _sum_of_norms(A: Array) -> arb:
    """sum_r ||A^r||, by its first terms and a geometric tail."""
    power, total = Balls.identity(len(A)), arb(0)
    for _ in range(LONGEST_SUM):
        total = total + spectral_norm(power)
        power = A @ power
        if not finite(power):
            break
        tail = spectral_norm(power)
        if tail < arb(0.5):
            return total / (1 - tail)
    raise NoCertificateError("no certificate: deviations between devices are not seen to shrink")


def _of_varying_steps(motion: Motion, begin: Begin, read: Array) -> arb:
    """delta_0 is found by going through rounds in doubles, a little upwards each time, until it passes in balls."""
    turn = Round(motion, begin)
    guess = np.full(len(turn.modes.groups), LEAST)
    for _ in range(ROUNDS):
        sizes = turn.through(Balls.of(guess))
        if below(sizes[-1], sizes[0]):
            reached = [Invariant(turn.modes, size).linear_size(read) for size in sizes[:-1]]
            return reduce(lambda a, b: a.max(b), reached)
        guess = np.maximum(guess, UPWARDS * doubles(sizes[-1]))
        if not np.isfinite(guess).all():
            break
    raise NoCertificateError(
        f"no certificate: devices may drift apart in the {motion.period} steps between averages; "
        f"make steps smaller or rounds shorter"
    )


class Round:
    """The steps between two averages, for the sizes of deviations."""

    def __init__(self, motion: Motion, begin: Begin) -> None:
        self.modes = norms_of_blocks([move.D for move in motion.moves], motion.fields)
        self.period = motion.period
        self.inside = [self._inequality(move) for move in motion.moves]
        self.closing = [self._inequality(move.then(motion.kept)) for move in motion.moves]
        self.begins_at = motion.begun or self.period  # before the first step is after an average
        averaged = motion.begun == self.period
        pushes = [push.then(motion.kept) for push in begin.pushes] if averaged else begin.pushes
        self.first = 2 * pushed(self.modes, pushes)

    def _inequality(self, move: Move) -> tuple[Array, Array]:
        return self.modes.moduli(move.D), 2 * pushed(self.modes, move.pushes)

    def through(self, size: Array) -> list[Array]:
        """Sizes after 0, 1, ..., p steps, the last one after the average, from those after the average before."""
        if self.period > LONGEST_ROUND:
            return self._at_once(size)
        sizes = [size]
        for i in range(1, self.period + 1):
            steps = self.closing if i == self.period else self.inside
            after = [A @ sizes[-1] + b for A, b in steps]
            sizes.append(reduce(larger, [*after, self.first] if i == self.begins_at else after))
        return sizes

    def _at_once(self, size: Array) -> list[Array]:
        """The largest of all steps before the average, and the last: every step as if it had the largest of all moves.

        Moduli are not negative, so that entry by entry A^i size + (I + A + ... + A^(i-1)) b grows with A, b and size.
        """
        A, b = (reduce(larger, parts) for parts in zip(*self.inside, strict=True))

        def after(n: int, size: Array) -> tuple[Array, Array]:
            power, most, total = _powers(A, n)
            return most @ size + total @ b, power @ size + total @ b

        late = self.begins_at == self.period
        reached, last = after(self.period - 1 if late else self.begins_at, size)
        if not late:
            later, last = after(self.period - 1 - self.begins_at, larger(last, self.first))
            reached = larger(reached, later)
        ends = [A @ last + b for A, b in self.closing]
        return [size, reached, reduce(larger, [*ends, self.first] if late else ends)]


def _powers(A: Array, n: int) -> tuple[Array, Array, Array]:
    """A^n, a bound on every entry of A^0, ..., A^n, and the sum of A^0, ..., A^(n-1), for A without minus signs."""
    if n == 0:
        return Balls.identity(len(A)), Balls.identity(len(A)), 0 * A
    power, most, total = _powers(A, n // 2)
    power, most, total = power @ power, larger(most, most @ power), total + power @ total
    if n % 2:
        power, most, total = A @ power, larger(most, A @ power), total + power
    return power, most, total
