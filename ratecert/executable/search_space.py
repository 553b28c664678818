"""The coordinates of a search: numbers over many decades, for whose logarithms the unit interval stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ratecert.errors import UserError


@dataclass(frozen=True, kw_only=True)
class Level:
    name: str
    low: float
    high: float
    whole: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high < float("inf"):
            raise UserError(
                f"the level {self.name} must have 0 < low <= high < inf, got low = {self.low}, high = {self.high}."
            )

    def value(self, u: float) -> float:
        """The number that u in [0, 1] stands for."""
        number = self.low * (self.high / self.low) ** u
        return float(round(number)) if self.whole else number


def numbers(levels: Sequence[Level], point: Sequence[float]) -> Mapping[str, float]:
    """A point of the unit cube as numbers by name."""
    return {level.name: level.value(float(u)) for level, u in zip(levels, point, strict=True)}
