"""Devices that differ, at constant steps and with noise that does not grow with the iterates: all of them, by rounds.

After an average the devices are at w_k = wbar + b v_k, where b v_k are the deviations that it leaves, of sum 0. A round
takes z = (wbar, v_1, ..., v_{K-1}) to

    z+ = Phi z + sum over devices, steps and samples of what a sample's noise has become by the end of the round,

so that z has an invariant set in the modes of Phi, however the devices differ. Within a round the distance of a device
is that of M_k^i w_k, with what the noise of i steps can add.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, norm, spectral_norm, summed
from ratecert.solvers.engines.certificates.invariant import Begin, Move, Push, invariant_sets, smallest_size
from ratecert.solvers.engines.certificates.modes import one_block
from ratecert.solvers.engines.certificates.motion import Motion
from ratecert.solvers.engines.moments.frame import Frame, resting_point

Array = NDArray[Any]  # of balls


class JointRounds:
    """What p moves of every device and an average make of all devices, from their beginnings on."""

    def __init__(self, motion: Motion, begins: Sequence[Begin]) -> None:
        self.moves, self.begins, self.left = [move for (move,) in motion.by_device], begins, motion.left
        period = motion.period
        self.K, self.remaining = len(begins), period - motion.begun  # steps of the first round
        self.powers = [_powers(move, period) for move in self.moves]
        self.devices = [self._after_average(k, motion.basis) for k in range(self.K)]
        ends = [(P[-1] @ E)[:-1] for P, E in zip(self.powers, self.devices, strict=True)]
        Phi = self._averaged(ends)
        identity = Balls.identity(len(Phi) + 1)
        increment = np.vstack([Phi - identity[:-1], 0 * identity[-1:]])
        self.frame = Frame(centre := resting_point(increment), np.ones(len(centre) + 1))
        D = self.frame.increment(increment)
        move = Move(D[:-1, :-1], D[:-1, -1], list(self._pushes(period)))
        self.sets = invariant_sets(one_block(move.D), [move], [self._begin()])

    def radius(self, read: Array) -> arb:
        """A bound on |[L, l] (w_k, 1)| on every device at every t, and so on that at their mean; read = [L, l]."""
        return reduce(arb.max, [distance for k in range(self.K) for distance in self._distances(k, read)])

    def _distances(self, k: int, read: Array) -> Iterator[arb]:
        """Of device k in the first round, and then in every later one."""
        w, noise = _and_one(self.begins[k].mean), arb(0)
        for i, power in enumerate(self.powers[k][:-1]):
            way = read @ power
            if i < self.remaining:
                yield norm(way @ w) + _size(way, self.begins[k].pushes) + noise
            yield smallest_size(self.sets, self.frame.read(way @ self.devices[k])) + noise
            noise = noise + _size(way, self.moves[k].pushes)

    def _after_average(self, k: int, basis: Array) -> Array:
        """(w_k, 1) in terms of (z, 1); v_K = -(v_1 + ... + v_{K-1})."""
        n, d = basis.shape
        shares = [int(i == k) if k < self.K - 1 else -1 for i in range(self.K - 1)]
        rows = np.hstack([Balls.identity(n), *(share * basis for share in shares), Balls.zeros(n, 1)])
        return np.vstack([rows, Balls.identity(n + (self.K - 1) * d + 1)[-1:]])

    def _averaged(self, ends: Sequence[Array]) -> Array:
        """z after an average, from the w_k before it."""
        mean = summed(ends) / self.K
        return np.vstack([mean, *(self.left @ (end - mean) for end in ends[:-1])])

    def _alone(self, k: int, push: Push, steps: int) -> Push:
        """In z: noise that entered device k so many steps before an average."""
        end = self.powers[k][steps][:-1, :-1] @ push.G
        return replace(push, G=self._averaged([end if i == k else 0 * end for i in range(self.K)]))

    def _pushes(self, steps: int) -> Iterator[Push]:
        """In z: the noise of the last steps of a round."""
        for k, move in enumerate(self.moves):
            for after in range(steps):
                yield from (self._alone(k, push, after) for push in move.pushes)

    def _begin(self) -> Begin:
        """z after the first round."""
        ends = [
            P[self.remaining][:-1] @ _and_one(b.mean) for P, b in zip(self.powers, self.begins, strict=True)
        ]
        mean = self._averaged([end[:, None] for end in ends])[:, 0]
        first = [self._alone(k, p, self.remaining) for k, b in enumerate(self.begins) for p in b.pushes]
        return Begin(mean - self.frame.centre, [*first, *self._pushes(self.remaining)])


def _powers(move: Move, period: int) -> list[Array]:
    """Of the move on (w, 1): its mean over 0, 1, ..., p steps."""
    n = len(move.D)
    M = Balls.identity(n + 1)
    M[:n, :n], M[:n, -1] = M[:n, :n] + move.D, move.drift
    powers: list[Array] = [Balls.identity(n + 1)]
    for _ in range(period):
        powers.append(M @ powers[-1])
    return powers


def _size(way: Array, pushes: Sequence[Push]) -> arb:
    """How much noise that goes this way can add."""
    return sum((p.constant * spectral_norm(way[:, :-1] @ p.G) for p in pushes), arb(0))


def _and_one(w: Array) -> Array:
    return np.concatenate([w, Balls.of([1.0])])
