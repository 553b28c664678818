"""The coordinates of a search: numbers over many decades, for whose logarithms the unit interval stands."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ratecert.base.errors import UserError, UserTypeError
from ratecert.solvers.contract.validation import require_positive


@dataclass(frozen=True, kw_only=True)
class Level:
    """A number that a search for counterexamples varies between `low` and `high`, evenly in its logarithm.

    whole   it is a whole number
    says    what readers call it, where that is not its name
    """

    name: str
    low: float
    high: float
    whole: bool = False
    says: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise UserTypeError(f"the name of a level must be a text such as 'h', got {self.name!r:.60}.")
        for end in ("low", "high"):
            require_positive(f"{end} of the level {self.name}", getattr(self, end))
        if self.low > self.high:
            raise UserError(
                f"the level {self.name} must have 0 < low <= high < inf, got low = {self.low}, high = {self.high}."
            )

    def __str__(self) -> str:
        """The range, for readers."""
        return f"{self.says or self.name} from {self.low:g} to {self.high:g}"

    def value(self, u: float) -> float:
        """The number that u in [0, 1] stands for."""
        number = self.low * (self.high / self.low) ** u
        return float(round(number)) if self.whole else number

    def place(self, number: float) -> float:
        """The u in [0, 1] that stands for a number; for those beyond the ends, the nearer end."""
        if self.low == self.high or number <= self.low:
            return 0.0
        return min(1.0, math.log(number / self.low) / math.log(self.high / self.low))


def numbers(levels: Sequence[Level], point: Sequence[float]) -> Mapping[str, float]:
    """A point of the unit cube as numbers by name."""
    return {level.name: level.value(float(u)) for level, u in zip(levels, point, strict=True)}


def counted(levels: Sequence[Level], given: Mapping[str, float]) -> dict[str, float]:
    """The same numbers, counts as whole ones; a limit stays."""
    whole = {level.name for level in levels if level.whole}
    return {n: int(v) if n in whole and v < math.inf else v for n, v in given.items()}
