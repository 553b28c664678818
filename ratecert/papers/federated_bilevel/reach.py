"""The size T at which a measure that falls with T is eps: the secant method in logarithms.

Where the measure falls as T^-r, log(measure/eps) is nearly linear in log T with slope -r, so that few steps are enough.
The first step takes the claimed slope, the following ones that of the last two points.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from ratecert.base.errors import UndecidedError

R = TypeVar("R")
MOST_STEPS = 40
APART = 1e-9  # of two log T whose secant still means something
SLOPES = (-4.0, -0.02)  # a measure that falls neither faster nor slower is followed


@dataclass(frozen=True)
class Reached(Generic[R]):
    """What was found at T, and what is left of log(measure/eps) there."""

    T: float
    found: R
    excess: float
    slope: float  # d log measure / d log T

    @property
    def corrected(self) -> float:
        """T after one more step, which would be the last."""
        return self.T * math.exp(-self.excess / self.slope)


def reach(
    eps: float,
    run: Callable[[float], tuple[float, R]],
    *,
    first: float,
    slope: float,
    close: float,
    confirm: Callable[[float], tuple[float, R]] | None = None,
) -> Reached[R]:
    """run(T) -> (measure, whatever else is wanted of that run); `slope` is the claimed d log measure / d log T.

    What decides is computed by `confirm`, where it is given: the same with more care, once, where the search ends.
    """
    T, tried = first, []
    for _ in range(MOST_STEPS):
        measure, found = run(T)
        if not 0 < measure < math.inf:
            raise UndecidedError(f"the measure at T = {T:.6g} is {measure!r}, which no T makes {eps:.3g}.")
        tried.append((math.log(T), math.log(measure / eps)))
        if len(tried) > 1 and abs(tried[-1][0] - tried[-2][0]) > APART:
            slope = (tried[-1][1] - tried[-2][1]) / (tried[-1][0] - tried[-2][0])
        if not SLOPES[0] < slope < SLOPES[1]:
            raise UndecidedError(f"the measure does not fall with T near T = {T:.6g}: exponent {slope:.3g}.")
        if abs(tried[-1][1]) <= close:
            measure, found = confirm(T) if confirm else (measure, found)
            return Reached(T, found, math.log(measure / eps), slope)
        T *= math.exp(-tried[-1][1] / slope)
    raise UndecidedError(
        f"no T with a measure of {eps:.3g} was found in {MOST_STEPS} steps; the last is {T:.6g}."
    )
