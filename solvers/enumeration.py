"""Exact expectations of short runs: every outcome of every sign, each exactly once.

The engine is the one that samples; only the signs come from somewhere else. A run that uses n signs has 2^n
equally likely outcomes, and the mean over them is the expectation, to rounding.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.monte_carlo import LANES, merge_both, result, run_tile
from solvers.noise import Reader
from solvers.result import Result
from solvers.setting import prepare
from solvers.stage import Algorithm

MOST_SIGNS = 22


class Outcomes:
    """Outcome number i of n signs: sign j is (-1)^(bit j of i). Signs get their number j when first used."""

    def __init__(self, first: int, size: int, K: int, numbers: dict[Any, int]) -> None:
        self.outcome = np.arange(first, first + size)
        self.K = K
        self.numbers = numbers

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        def source(start: int, count: int) -> NDArray[np.float64]:
            rows = np.empty((count, self.K, len(self.outcome)))
            for i in range(count):
                for k in range(self.K):
                    j = self.numbers.setdefault((t, label, member, start + i, k), len(self.numbers))
                    rows[i, k] = 1 - 2 * ((self.outcome >> j) & 1)
            return rows.reshape(count, self.K * len(self.outcome))

        return Reader(source, ahead)


def enumerate_outcomes(
    problem: Any,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike,
    y0: ArrayLike,
    times: Sequence[int] | None = None,
) -> Result:
    """What `simulate` estimates, exactly, for runs with at most 2^22 outcomes."""
    setting = prepare(problem, solver, K=K, T=T, x0=x0, y0=y0, times=times)
    numbers: dict[Any, int] = {}
    run_tile(setting, Outcomes(0, 1, K, numbers), 0, 1)
    if len(numbers) > MOST_SIGNS:
        raise ValueError(
            f"this run has 2^{len(numbers)} outcomes, at most 2^{MOST_SIGNS} are enumerated; "
            f"make T, K, Q or B smaller, or switch sources of noise off."
        )
    outcomes = 2 ** len(numbers)
    size = max(1, 16 * LANES // K)
    tiles = ((first, min(size, outcomes - first)) for first in range(0, outcomes, size))
    spreads = (run_tile(setting, Outcomes(first, n, K, numbers), first, n) for first, n in tiles)
    averages, curves = reduce(merge_both, spreads)
    return result(setting, averages, curves, np.zeros_like(averages.scatter), np.zeros_like(curves.scatter))
