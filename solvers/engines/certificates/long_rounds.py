"""How large Q M^i G is for every i < p, in fewer norms than p.

Powers are taken one by one at first, then in blocks of 2, 4, 8, ... steps: the farther, the less two neighbours differ.
Inside a block that begins at n and has s steps

    Q M^(n+b) G = Q M^n G + Q M^n D (G + M G + ... + M^(b-1) G),    M = I + D, b < s,

so that all of them are at most ||Q M^n G|| + (s - 1) ||Q M^n D|| h, with h >= ||M^j G|| for j < s, known from before.
"""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, matrix_power, spectral_norm

Array = NDArray[Any]  # of balls

ONE_BY_ONE = 128  # powers at first, and blocks of each length


class LongRound:
    """The powers of I + D below p, in blocks."""

    def __init__(self, D: Array, p: int) -> None:
        self.D = D
        identity = Balls.identity(len(D))
        M: Any = identity + D
        self.blocks = list(_blocks(identity, M, p))  # (M^n, s)
        self.end = matrix_power(M, p)

    def norms(self, Q: Array, G: Array) -> list[tuple[arb, int]]:
        """For every block a bound on ||Q M^i G|| for each i in it, and how many they are."""
        return list(self._norms(Q, G, self._before(G)))

    def _before(self, G: Array) -> dict[int, arb]:
        """For the length s of every block a bound on ||M^j G|| for all j < s."""
        lengths, below = {s for _, s in self.blocks}, dict[int, arb]()
        largest, n = arb(0), 0
        for bound, s in self._norms(Balls.identity(len(self.D)), G, below):
            largest, n = largest.max(bound), n + s
            below |= {length: largest for length in lengths - set(below) if length <= n}
            if lengths <= set(below):
                break
        return below

    def _norms(self, Q: Array, G: Array, below: dict[int, arb]) -> Iterator[tuple[arb, int]]:
        for P, s in self.blocks:
            at = Q @ P
            first = spectral_norm(at @ G)
            yield (first if s == 1 else first + (s - 1) * spectral_norm(at @ self.D) * below[s]), s


def _blocks(first: Array, M: Array, p: int) -> Iterator[tuple[Array, int]]:
    """(M^n, s) with n + s of one the n of the next; the last one ends at p."""
    P, n, s = first, 0, 1
    while n < p:
        for _ in range(ONE_BY_ONE):
            if n < p:
                yield P, min(s, p - n)
            P, n = M @ P, n + s
        M, s = M @ M, 2 * s


def largest(values: list[arb]) -> arb:
    """The largest of some numbers that are not negative."""
    return reduce(lambda a, b: a.max(b), values, arb(0))
