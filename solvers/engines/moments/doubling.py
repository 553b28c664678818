"""n applications of one map in log2 n compositions, for many n at once.

The digits of n are used from the lowest up: powers of one map commute, so no table of powers is kept. The digits are 1
and 2, not 0 and 1, so that every power is used on the way: a state that starts far out comes in gradually and keeps
its digits, which one long map from afar would cancel.

A map has `then(later)`, `apply(state) -> (sums, state)` and, where it can tell, `settled(states)`: it has run for so
long that the state no longer depends on where it came from.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers
from ratecert.base.progress import told

Array = NDArray[Any]  # of doubles or balls
ROUNDING = float(np.finfo(float).eps)


def repeat(step: Any, jobs: Sequence[tuple[int, Any]]) -> list[tuple[Array, Any, Any]]:
    """For each (n, state): the sums over n applications of the map, the state after them, and what that is rounded to.

    In doubles a state is good to a rounding of the one before: a map that takes it to nearly nothing is itself good to
    a rounding of 1. Where the map overflows on the way the sums are NaN, for the caller to refuse.
    """
    counts = [n for n, _ in jobs]
    states = [state for _, state in jobs]
    before = list(states)
    sums: list[Any] = [0 for _ in jobs]
    doublings = range((max(counts, default=0) + 1).bit_length() - 1)
    for _ in told(doublings, "doublings"):
        if step.settled(states):
            return [_finish(step, *job) for job in zip(counts, states, sums, before, strict=True)]
        for i, n in enumerate(counts):
            digit = 0 if n == 0 else 2 - n % 2
            for _again in range(digit):
                before[i] = scale(states[i], before[i])
                gained, states[i] = step.apply(states[i])
                sums[i] = sums[i] + gained
            counts[i] = (n - digit) // 2
        if any(counts):
            step = step.then(step)
            if not step.finite:
                sums = [total + np.nan for total in sums]
                break
    return list(zip(sums, states, before, strict=True))


def scale(state: Any, before: Any) -> Any:
    """What the next state is a rounding off: this one, and a rounding of what this one is a rounding off."""
    if not isinstance(state, np.ndarray):
        return state.scale(before)
    return state if isinstance(state, Numbers) else np.abs(state) + ROUNDING * np.abs(before)


def power(step: Any, n: int) -> Any:
    """The map applied n >= 1 times, as one map."""
    total = None
    while True:
        if n & 1:
            total = step if total is None else total.then(step)
        n >>= 1
        if n == 0:
            return total
        step = step.then(step)


def composed(maps: Sequence[Any]) -> Any:
    """Different maps in a row as one, by pairs: balls then widen with the logarithm of their number."""
    while len(maps) > 1:
        pairs = [a.then(b) for a, b in zip(maps[::2], maps[1::2], strict=False)]
        maps = [*pairs, *maps[len(maps) // 2 * 2 :]]
    return maps[0]


def _finish(step: Any, n: int, state: Any, sums: Array, before: Any) -> tuple[Array, Any, Any]:
    """n more applications of a settled map: all but the first add the same."""
    if n == 0:
        return sums, state, before
    before = scale(state, before)
    first, state = step.apply(state)
    again, _ = step.apply(state)
    return sums + first + (n - 1) * again, state, before
