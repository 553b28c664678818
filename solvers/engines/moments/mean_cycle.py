"""The mean state over a whole cycle of stages, as an increment: w <- w + D w.

Its fixed point is where the coordinates of the engines have their origin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import identity_like
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.moments.doubling import power

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Increment:
    D: Array

    def then(self, later: "Increment") -> "Increment":
        return Increment(self.D + later.D + later.D @ self.D)


def mean_cycle(stages: Sequence[Stage | Switch], steps: Sequence[Array], averages: Sequence[Array]) -> Array:
    """From the increments of all moves' steps, and the matrices of the averages after them.

    Of steps that diverge within a cycle the increment is not finite.
    """
    total, moves = Increment(np.zeros_like(steps[0])), iter(zip(steps, averages, strict=True))

    def change(repeats: int) -> Array:
        step, A = next(moves)
        moved: Increment = power(Increment(step), repeats).then(Increment(A - identity_like(A, len(A))))
        return moved.D

    with np.errstate(over="ignore", invalid="ignore"):
        for stage in stages:
            if isinstance(stage, Switch):
                total = total.then(Increment(stage.expected([change(1) for _ in stage.moves])))
            else:
                total = total.then(Increment(change(stage.repeats)))
    return total.D
