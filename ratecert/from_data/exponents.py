"""Exponents at the end of a long range: between its last two values; by how much they moved is their uncertainty."""

import math
from collections.abc import Sequence
from itertools import pairwise

from ratecert.claim.rows import Row, Rows
from ratecert.errors import UndecidedError
from ratecert.from_data.along import FEWEST

TOLERANCE = 1e-3


def longest(runs: Rows, other: str) -> tuple[float, list[Row]]:
    """The runs with the most extreme value of a letter at which there are enough; a window may cut some off."""
    by_value = {value: list(rows) for value, rows in runs.by(other)}
    enough = [value for value, rows in by_value.items() if len(rows) >= FEWEST]
    held = (min if other == "eps" else max)(enough or by_value)
    return held, by_value[held]


def at_the_end(rows: Sequence[Row], x: str, y: str) -> tuple[float, float]:
    """The exponent of x in y, and by how much it has moved since the values before."""
    points = sorted(((float(row[x]), float(row[y])) for row in rows), reverse=x == "eps")
    if any(y <= 0 for _, y in points):
        raise UndecidedError(f"a {y} of zero has no exponent.")
    if len(points) < FEWEST:
        raise UndecidedError(f"{len(points)} values of {x} do not say by how much an exponent still moves.")
    slopes = [math.log(y_2 / y_1) / math.log(x_2 / x_1) for (x_1, y_1), (x_2, y_2) in pairwise(points)]
    return slopes[-1], abs(slopes[-1] - slopes[-2])
