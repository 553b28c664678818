"""Many cycles of a large problem, without a map on packed moments: functions of the change of one cycle.

With the limit z* of many cycles and C the change of a cycle, N cycles take z* + v to z* + (I + C)^N v, and the sums
over them need (I + (I + C) + ... + (I + C)^{N-1}) v. Both are functions of C at v, and are read off a space for all N,

    span{v, (C - s_1)^{-1} v, (C - s_2)^{-1} v, ...},

with shifts s_i spread over all time scales of the problem: C is projected onto it, and powers of a small matrix remain.
Solves are those of the limit (matrix_free.py); they shape the space, and what is projected onto it is C itself. How
much the last few shifts have changed says how good it is.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UndecidedError
from ratecert.base.progress import told
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.matrix_free import (
    Cycle,
    Cyclic,
    Deviations,
    natural_units,
    stationary_moments,
)

Array = NDArray[np.float64]
MOST_SHIFTS = 64
SOLVED = 1e-12  # with 1e-8 the space stops growing towards what is sought
GOOD = (
    1e-11  # relative to the sums: the space is large enough when so much has changed by the last few shifts
)
LAST = 4
POOR = 1e-6  # what is worse is refused
LOST = 1e-14  # of a vector, after what the space has of it is taken off: nothing new


class LongRuns:
    """The runs of one engine from one state, for any number of cycles."""

    def __init__(self, engine: Cyclic, begin: DeviceMoments) -> None:
        self.cycle = Cycle(engine)
        self.limit = stationary_moments(engine)
        self.in_limit, _, _ = self.cycle.change(self.limit)
        self.other = (
            1.0 if engine.frame is None else float(engine.frame.units[0])
        )  # other units, other shifts
        units = np.concatenate([natural_units(self.limit.mean), natural_units(self.limit.within)])
        self.deviations = Deviations(self.cycle, units)
        self.begin = self.deviations.vector(begin.mean - self.limit.mean, begin.within - self.limit.within)
        self.basis: list[Array] = []
        self.changes: list[Array] = []
        self.sums: list[Array] = []

    def after(self, counts: Sequence[int]) -> dict[int, tuple[Array, DeviceMoments]]:
        """By number of cycles: the sums of the measures, and the state."""
        self._enlarge(self.begin)
        history: list[list[Array]] = []
        for shift in told(list(self._shifts()), "shifts at most"):
            if not self.basis:
                break  # it begins in the limit
            with np.errstate(over="ignore", invalid="ignore"):  # a small space may seem to diverge
                history.append([self._sums(N) for N in counts])
            changed = self._changed(history, counts)
            if changed <= GOOD or not self._enlarge(self._solved(shift)):
                break
        else:
            if changed > POOR:
                raise UndecidedError(
                    f"a run of {max(counts)} cycles is known to {changed:.0e} only; take fewer iterations, larger "
                    f"steps or fewer dimensions."
                )
        return {N: (self._sums(N), self._state(N)) for N in counts}

    def _shifts(self) -> Iterator[float]:
        """From the slowest time scale to that of one cycle, the gaps between them halved again and again."""
        A, _ = self.deviations.contractions
        slowest = max(1 - float(np.abs(np.linalg.eigvals(A[:-1, :-1])).max()), 1e-15)
        low, high = math.log(slowest / 3 * self.other), math.log(self.other)
        for i in range(MOST_SHIFTS):
            yield math.exp(low + (high - low) * _spread(i))

    def _solved(self, shift: float) -> Array:
        """(C - shift)^{-1} of the last vector."""
        from scipy.sparse.linalg import LinearOperator, gmres  # slow to load, and seldom needed

        space = self.deviations

        def operator(u: Array) -> Array:
            return -space.additive_solution(space.change(u)[1] - shift * u, shift)

        right, wanted = (
            space.additive_solution(self.basis[-1], shift),
            LinearOperator(space.shape, operator),
        )
        solution: Array = gmres(wanted, right, rtol=SOLVED, restart=40, maxiter=2)[0]
        return solution

    def _enlarge(self, v: Array) -> bool:
        """Take a vector into the space; False where the space has it already."""
        size = float(np.linalg.norm(v))
        for _ in range(2):
            for known in self.basis:
                v = v - known * (known @ v)
        left = float(np.linalg.norm(v))
        if not left > LOST * size:
            return False
        v = v / left
        sums, change = self.deviations.change(v)
        self.basis.append(v)
        self.changes.append(change)
        self.sums.append(sums)
        return True

    def _powers(self, N: int) -> tuple[Array, Array]:
        """In the coordinates of the space: the sum over N cycles, and the state after them."""
        basis = np.array(self.basis)
        C, begin = basis @ np.array(self.changes).T, basis @ self.begin
        total, state, power, added = np.zeros(len(C)), begin, C, np.eye(len(C))
        while N:
            if N & 1:
                total, state = total + added @ state, state + power @ state
            power, added = 2 * power + power @ power, 2 * added + added @ power
            N >>= 1
        return total, state

    def _sums(self, N: int) -> Array:
        if not self.basis:
            return N * self.in_limit
        total, _ = self._powers(N)
        sums: Array = N * self.in_limit + np.array(self.sums).T @ total
        return sums

    def _state(self, N: int) -> DeviceMoments:
        if not self.basis:
            return self.limit
        _, state = self._powers(N)
        off = self.deviations.moments(np.array(self.basis).T @ state)
        return DeviceMoments(self.limit.mean + off.mean, self.limit.within + off.within)

    def _changed(self, history: Sequence[Sequence[Array]], counts: Sequence[int]) -> float:
        """The largest relative change of sums by the last shifts, and by those before: one may change nothing."""
        if len(history) <= 2 * LAST:
            return math.inf
        now = history[-1]
        sizes = [np.maximum(np.abs(sums), 1e-14 * np.abs(sums).max()) for sums in now]
        earlier = [history[-1 - back] for back in range(1, LAST + 1)]
        found = [
            float((np.abs(a - b) / size).max(initial=0.0))
            for before in earlier
            for a, b, size in zip(now, before, sizes, strict=True)
        ]
        return max(found) if np.isfinite(found).all() else math.inf


def _spread(i: int) -> float:
    """Points of [0, 1] that halve the gaps: 0, 1, 1/2, 1/4, 3/4, 1/8, ..."""
    if i < 2:
        return float(i)
    level = (i - 1).bit_length()
    return float((2 * (i - 1 - 2 ** (level - 1)) + 1) / 2**level)
