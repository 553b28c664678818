"""Coordinates that follow from others, proved in rationals.

After a step the last move of a variance-reduced method is a multiple of its momentum, so that wbar = l a with fewer
coordinates a. Doubles see that by rounding (round_map.py). Balls cannot see an equality at all: here it is shown for
the matrices themselves, whose entries are fractions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq_mat
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, Numbers, Rationals
from ratecert.solvers.engines.moments.step_map import StepMap

Array = NDArray[Any]  # of rationals


def proved_dependence(steps: Sequence[StepMap], chosen: NDArray[np.intp]) -> Numbers | None:
    """l with w = l w[chosen] for every w that one of the steps leads to, as balls; None where there is none."""
    image = np.hstack([part for step in steps for part in _image(step)])
    l = _combinations(image[chosen], image)
    if l is None or not bool((l @ image[chosen] == image).all()):
        return None
    return Balls.of(l)


def _image(step: StepMap) -> list[Array]:
    """What a step leads to: combinations of the columns of M, and of those by which samples enter."""
    M = Rationals.identity(len(step.matrix)) + step.matrix if step.keeps_layout else step.matrix
    return [M, *(G for noise in step.noises for _, G in noise.acts)]


def _combinations(rows: Array, wanted: Array) -> Array | None:
    """l with l rows = wanted on as many columns as determine it; None where the rows are dependent themselves."""
    echelon, rank = _matrix(rows).rref()
    if rank < len(rows):
        return None
    table = echelon.tolist()
    pivots = [next(j for j, value in enumerate(row) if value != 0) for row in table[:rank]]
    solution = _matrix(rows[:, pivots].T).solve(_matrix(wanted[:, pivots].T))
    return Rationals.of(np.array(solution.tolist(), dtype=object)).T


def _matrix(array: Array) -> Any:
    rows, columns = array.shape
    return fmpq_mat(rows, columns, Rationals.of(np.asarray(array)).ravel().tolist())
