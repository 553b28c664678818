"""What a search climbs: a score that is a known function of parts, each nearly a product of powers of the numbers.

Measured values and the terms of a bound are such parts: their logarithms are close to linear in the logarithms of the
numbers, and what makes measured/bound piecewise linear, that the largest term decides, is known exactly. A landscape
tells the two apart, so that a model of the parts is a model of the score, with all its kinks (ascent.py).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = Mapping[str, float]
Score = Callable[
    [Numbers], float
]  # measured/bound; 0 where nothing is measured, REFUSED outside the conditions
Parts = Sequence[Sequence[float]]  # groups of numbers >= 0

REFUSED = -1.0  # score of numbers at which the statement says nothing, or which make no world


class Landscape(Protocol):
    def tried(self, numbers: Numbers) -> Any:
        """What a run at these numbers gives; None where they are refused."""

    def score(self, tried: Any) -> float:
        """Of what was tried."""

    def parts(self, tried: Any) -> Parts:
        """What the score is made of; nothing where that is 0."""

    def of(self, parts: Sequence[Array]) -> Array:
        """About the score of such parts; every number may be a row of them, one for each of many points."""


@dataclass(frozen=True)
class Plain:
    """A score of which nothing else is known: its only part."""

    of_numbers: Score

    def tried(self, numbers: Numbers) -> float | None:
        found = self.of_numbers(numbers)
        return None if found == REFUSED else found

    def score(self, tried: float) -> float:
        return tried

    def parts(self, tried: float) -> Parts:
        return [[tried]] if 0 < tried < math.inf else []

    def of(self, parts: Sequence[Array]) -> Array:
        return np.asarray(parts[0][0])
