"""A family of worlds, by a few numbers: what a search for a counterexample varies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ratecert.base.errors import OutsideConditionsError, PaperError, UserError, UserTypeError
from ratecert.base.own_code import called
from ratecert.binding.search_space import Level

Numbers = Mapping[str, float]


def from_minimiser(world: Any, numbers: Numbers) -> dict[str, Any]:
    """Start x_off away from x* in every direction."""
    return {"x": world.x_star + np.full(world.d_x, numbers["x_off"])}


@dataclass(frozen=True, kw_only=True)
class Family:
    """Worlds by numbers.

    name     by which a witness speaks of it
    levels   the numbers, each with the range that a search tries
    world    a function of the numbers' values that makes the world
    start    a function of the world and the numbers: field -> where all devices begin
    held     numbers that are held while the others are searched, one mapping after the other
    usual    numbers of an ordinary member, on which rates are measured
    devices  their number, or the name of the number that gives it, where it is part of the world

    >>> import ratecert as rc
    >>> line = rc.statements.Family(
    ...     name="line", levels=(rc.statements.Level(name="h", low=0.1, high=10.0),),
    ...     world=lambda numbers: rc.worlds.SingleLevel(H=numbers["h"]), start=lambda world, numbers: {"x": 1.0})
    >>> line.member(line.ordinary()).H
    array([[1.]])
    """

    name: str
    levels: tuple[Level, ...]
    world: Callable[[Numbers], Any]
    start: Callable[[Any, Numbers], Mapping[str, Any]] = from_minimiser
    held: tuple[Numbers, ...] = ({},)
    usual: Numbers = field(default_factory=dict)
    devices: int | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise UserTypeError(f"the name of a family must be a text such as 'line', got {self.name!r:.60}.")
        if not isinstance(self.levels, tuple) or not all(isinstance(each, Level) for each in self.levels):
            raise UserTypeError(
                f"levels of the family {self.name} must be a tuple of rc.statements.Level, got {self.levels!r:.60}."
            )
        known = [*(level.name for level in self.levels), "K", "T"]
        unknown = [name for numbers in self.held for name in numbers if name not in known]
        if unknown:
            raise UserError(
                f"held of the family {self.name} must name its levels, K or T, got {unknown[0]!r}; its levels are "
                f"{', '.join(known[:-2])}."
            )

    def __str__(self) -> str:
        """The family with the ranges of its numbers, for readers."""
        return f"{self.name} ({', '.join(map(str, self.levels))})"

    def ordinary(self) -> dict[str, float]:
        """The usual numbers; without one the middle of its range, in logarithms."""
        middles = {level.name: level.value(0.5) for level in self.levels}
        return {name: self.usual.get(name, middle) for name, middle in middles.items()}

    def member(self, numbers: Numbers) -> Any:
        """The world with these numbers; a mistake in the paper's own function is shown as one.

        Simpler numbers than those of a search may lie outside their ranges, where there may be no world.
        """
        try:
            made = called(f"world of the family {self.name}", self.world, numbers)
        except PaperError as error:
            ranges = {each.name: each for each in self.levels if each.name in numbers}
            beyond = [name for name, each in ranges.items() if not each.low <= numbers[name] <= each.high]
            if not beyond:
                raise
            raise OutsideConditionsError(
                f"the family {self.name} has no world with {beyond[0]} = {numbers[beyond[0]]:.6g}."
            ) from error
        if not hasattr(made, "constants"):
            raise PaperError(
                f"world of the family {self.name} must return a world of rc.worlds, got {made!r:.60}."
            )
        return made

    def begin(self, world: Any, numbers: Numbers) -> Mapping[str, Any]:
        """Where a run on this member starts."""
        begun = called(f"start of the family {self.name}", self.start, world, numbers)
        if not isinstance(begun, Mapping) or "x" not in begun:
            raise PaperError(
                f"start of the family {self.name} must return a mapping such as {{'x': 1.0}}, with x in it, got "
                f"{begun!r:.60}."
            )
        return begun

    def count(self, numbers: Numbers) -> int | None:
        """The number of devices, where the world has one."""
        return int(numbers[self.devices]) if isinstance(self.devices, str) else self.devices
