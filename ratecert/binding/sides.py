"""What a run gives to both sides of a statement: the left side, and letters of the right one that are measured."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ratecert.base.own_code import called
from ratecert.solvers.contract.measures import Measure

Values = Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """A letter that the run itself gives: a measure of it, to a power.

    measure   of rc.measures, or a function of all letters' values that makes one
    power     1/2 where the letter stands for a norm, and the measure for its square
    before    how many iterations before the end it is read, where a lemma speaks of the state before a step

    >>> import ratecert as rc
    >>> rc.statements.Measured(rc.measures.sampled_gradient().largest(), power=0.5).before
    0
    """

    measure: Measure | Callable[[Values], Measure]
    power: float = 1.0
    before: int = 0


def made(name: str, measure: Measure | Callable[[Values], Measure], values: Values) -> Measure:
    """The measure itself, of the letters where it is a function of them."""
    return measure if isinstance(measure, Measure) else called(name, measure, values)


@dataclass(frozen=True)
class Sides:
    """Results by how many iterations before the end they are."""

    results: Mapping[int, Any]
    measured: Mapping[str, Measured]
    within: Mapping[str, float] = field(default_factory=dict)  # letters that hold on the ball of this radius
    radius: float = 0.0

    @property
    def left(self) -> float:
        return float(self.results[0].left)

    @property
    def left_low(self) -> float:
        """The lower end: of the enclosure where there is one, otherwise by the stated error."""
        return self._end("left", 0, -1)

    @property
    def precision(self) -> float:
        """Relative, the worst of all that was measured."""
        return max(float(result.precision) for result in self.results.values())

    def letters(self) -> dict[str, float]:
        """Those of the ball, and the measured ones at the end that makes the right side largest: their upper one."""
        found = dict(self.within)
        for name, each in self.measured.items():
            value = max(self._end(name, each.before, +1), 0.0) ** each.power
            found[name] = math.nextafter(value, math.inf) if value else value
        return found

    def _end(self, name: str, before: int, sign: int) -> float:
        result = self.results[before]
        if result.certified:
            return float(getattr(result.enclosure, name)[sign > 0])
        return float(getattr(result, name) + sign * getattr(result.absolute_error, name))
