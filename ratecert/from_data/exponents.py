"""Exponents at the end of a long range, between its last two values.

A rate is a bound: an exponent may be too large (that of eps: too small). So it is uncertain by as much as it has moved
to that side since the values before; one that moves away from the edge is taken to stay there.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from ratecert.claim.check import Check
from ratecert.claim.checks import at_least, at_most
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


def bounded(label: str, rows: Sequence[Row], x: str, y: str, claimed: float) -> Check:
    """The exponent of x in y is at most what is claimed; that of eps, which becomes small, at least."""
    value, moved = at_the_end(rows, x, y)
    if x == "eps":
        return at_least(label, value, claimed, max(0.0, -moved), TOLERANCE)
    return at_most(label, value, claimed, max(0.0, moved), TOLERANCE)


def at_the_end(rows: Sequence[Row], x: str, y: str) -> tuple[float, float]:
    """The exponent of x in y, and how it has moved since the values before."""
    points = sorted(((float(row[x]), float(row[y])) for row in rows), reverse=x == "eps")
    if any(y <= 0 for _, y in points):
        raise UndecidedError(f"a {y} of zero has no exponent.")
    if len(points) < FEWEST:
        raise UndecidedError(f"{len(points)} values of {x} do not say by how much an exponent still moves.")
    slopes = [math.log(y_2 / y_1) / math.log(x_2 / x_1) for (x_1, y_1), (x_2, y_2) in pairwise(points)]
    return slopes[-1], slopes[-1] - slopes[-2]
