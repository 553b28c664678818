"""Exponents at the end of a long range, between its last two values.

A rate is a bound: an exponent may be too large (that of eps: too small). So it is uncertain by what is left of its way
to that side. Where its steps shrink, that is the rest of a geometric series; else as much as the last step.
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
SHRINKS = 0.5  # the ratio of two steps from which on they are not taken to become small


def longest(runs: Rows, other: str) -> tuple[float, list[Row]]:
    """The runs with the most extreme value of a letter at which there are enough; a window may cut some off."""
    by_value = {value: list(rows) for value, rows in runs.by(other)}
    enough = [value for value, rows in by_value.items() if len(rows) >= FEWEST]
    held = (min if other == "eps" else max)(enough or by_value)
    return held, by_value[held]


def bounded(label: str, rows: Sequence[Row], x: str, y: str, claimed: float, bound: str = "") -> Check:
    """The exponent of x in y is at most what is claimed; that of eps, which becomes small, at least.

    Where the `bound` on y has not come to the claimed exponent on these rows either, they are too short to fail by.
    """
    value, moved = at_the_end(rows, x, y)
    compared, rest = (at_least, -moved) if x == "eps" else (at_most, moved)
    check = compared(label, value, claimed, max(0.0, rest), TOLERANCE)
    if not bound or check.verdict != "fails":
        return check
    own = compared(label, at_the_end(rows, x, bound)[0], claimed, 0.0, TOLERANCE)
    too_early = f"{label}, where the bound itself still has {own.measured:.3g}"
    return check if own.verdict == "passes" else compared(too_early, value, claimed, math.inf, TOLERANCE)


def at_the_end(rows: Sequence[Row], x: str, y: str) -> tuple[float, float]:
    """The exponent of x in y, and how far it may still move."""
    points = sorted(((float(row[x]), float(row[y])) for row in rows), reverse=x == "eps")
    if any(y <= 0 for _, y in points):
        raise UndecidedError(f"a {y} of zero has no exponent.")
    if len(points) < FEWEST:
        raise UndecidedError(f"{len(points)} values of {x} do not say by how much an exponent still moves.")
    slopes = [math.log(y_2 / y_1) / math.log(x_2 / x_1) for (x_1, y_1), (x_2, y_2) in pairwise(points)]
    return slopes[-1], _rest(slopes)


def _rest(slopes: Sequence[float]) -> float:
    """The way that is left, with its sign."""
    *before, last = [b - a for a, b in pairwise(slopes)]
    ratio = abs(last / before[-1]) if before and before[-1] else 1.0
    return last * ratio / (1 - ratio) if ratio < SHRINKS else last
