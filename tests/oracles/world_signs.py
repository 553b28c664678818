"""Sources of signs for the samples of a world: all outcomes, or no noise at all.

A world draws its noise as `bits.signs(n)`; here the rows of a table are handed out instead, one column per
outcome, so that a mean over the columns of all outcomes is an expectation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MOST_SIGNS = 16


class Signs:
    """Hands out the rows of a table of signs in order, one column per outcome."""

    def __init__(self, table: Array) -> None:
        self.table, self.used = table, 0

    def signs(self, n: int) -> Array:
        start, self.used = self.used, self.used + n
        return self.table[start : self.used]


def every_outcome(draw: Callable[[Signs], Any]) -> tuple[Any, int]:
    """The sample `draw(bits)`, one column per outcome of the signs it uses, and the number of outcomes."""
    counted = Signs(np.zeros((MOST_SIGNS, 1)))
    draw(counted)
    n = counted.used
    assert n <= MOST_SIGNS
    return draw(Signs(1.0 - 2.0 * ((np.arange(2**n) >> np.arange(n)[:, None]) & 1))), 2**n


def noise_free(draw: Callable[[Signs], Any]) -> Any:
    """The sample `draw(bits)` with zeros for signs: the mean."""
    return draw(Signs(np.zeros((MOST_SIGNS, 1))))
