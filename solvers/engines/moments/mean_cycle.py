"""The mean state over a whole cycle of stages, as an increment: w <- w + D w.

Its fixed point is where the coordinates of the engines have their origin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import identity_like
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments.doubling import power

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Increment:
    D: Array

    def then(self, later: "Increment") -> "Increment":
        return Increment(self.D + later.D + later.D @ self.D)


def mean_cycle(stages: Sequence[Stage], steps: Sequence[Array], averages: Sequence[Array]) -> Array:
    """From the increments of the stages' steps, and the matrices of the averages after them.

    Of steps that diverge within a cycle the increment is not finite.
    """
    total = Increment(np.zeros_like(steps[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        for stage, step, A in zip(stages, steps, averages, strict=True):
            one = power(Increment(step), stage.repeats).then(Increment(A - identity_like(A, len(A))))
            if stage.random_rounds is not None:
                one = Increment(mean_of_powers(one.D, stage.random_rounds))
            total = total.then(one)
    return total.D


def mean_of_powers(D: Array, N: int) -> Array:
    """(1/N) sum_{k<N} (I + D)^k - I."""
    this = total = np.zeros_like(D)
    for _ in range(1, N):
        this = this + D + D @ this
        total = total + this
    return total / N
