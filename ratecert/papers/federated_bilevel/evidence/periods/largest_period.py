"""The largest p that raises the measure by at most a given fraction over p = 1, and the real number where it does."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ratecert.errors import UndecidedError

MOST_RUNS = 16


@dataclass(frozen=True)
class LargestPeriod:
    p: int  # raises the measure by at most the fraction; p + 1 by more
    real: float  # where the fraction is reached, between p and p + 1
    runs: int  # how many periods were tried


def largest_period(
    rise: Callable[[int], float], fraction: float, *, near: int, power: float
) -> LargestPeriod:
    """rise(p) is the relative rise; about p^power, and growing, between p = 1 and where it reaches the fraction.

    `near` is where to look first. Only neighbours, one on each side of the fraction, end the search.
    """
    known: dict[int, float] = {1: 0.0}
    p = near
    while len(known) <= MOST_RUNS:
        known[p] = rise(p)
        below = max(q for q in known if known[q] <= fraction)
        above = min((q for q in known if known[q] > fraction), default=2**62)
        if above <= below + 1:
            return LargestPeriod(below, _between(below, known[below], known[above], fraction), len(known) - 1)
        guess = p * (fraction / known[p]) ** (1 / power) if known[p] > 0 else 2 * p
        p = min(max(math.floor(guess), below + 1), above - 1)
    raise UndecidedError(f"no largest period within {MOST_RUNS} runs: {known}.")


def _between(p: int, low: float, high: float, fraction: float) -> float:
    """log rise is nearly linear in log p."""
    if low <= 0:
        return float(p)
    return p * math.exp(math.log(1 + 1 / p) * math.log(fraction / low) / math.log(high / low))
