"""A number that can be moved: its range, and how it is read from text.

Text is a decimal number or a power of two such as 2^40; nothing else is understood, and nothing is evaluated.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import UserError
from ratecert.binding.binding import MOST_DEVICES
from ratecert.binding.families import Family, Level

LONGEST = 2**62  # iterations
WHOLE = re.compile(r"[0-9]{1,20}")
POWER = re.compile(r"2\^([0-9]{1,2})")
NUMBER = re.compile(r"[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?")
DECADES = 1e3  # that a slider spans on either side of where it begins

SMALL = 1e-9  # the least of a world's numbers, beside 0: witnesses are simpler than what a search tries
STEPS, NOISES = ("eta", "alpha", "gamma", "rho", "rho_1", "eta_l"), ("s_f", "s", "s_g", "noise_H")
MAIN = (("T",), ("K", "devices"), STEPS, NOISES, ("x_off", "y_off"))
SAYS = {
    "A": "curvature of g in y",
    "B/A": "coupling of x and y in g, over A",
    "P/A": "curvature of f in x, over A",
    "D/A": "curvature of f in y, over A",
    "b": "centre of f in y",
    "d": "dimensions",
    "s_f": "noise of the gradient of f",
    "s_g": "noise of the gradient of g",
    "y_off": "start: distance of y from y*(x)",
    "dial": "heterogeneity of the devices",
    "devices": "devices, which differ",
    "L": "largest curvature",
    "spread": "L over the smallest curvature",
    "depth": "L over the curvature that the run feels",
    "x_off": "start: distance from the minimiser",
    "s": "noise of the gradient",
    "noise_H": "noise of the Hessian",
    "apart": "heterogeneity: distance of the minimisers",
    "uneven": "heterogeneity of the curvatures",
}


@dataclass(frozen=True, kw_only=True)
class Control(Level):
    """A slider: `low` to `high`, in logarithms unless it is `linear`; 0 is its left end where `zero` is allowed."""

    at: float  # where it begins
    group: str = "steps"
    linear: bool = False
    zero: bool = False

    def number(self, given: float | str) -> float:
        """A number inside the range, given as such, or as text in a link or in a field."""
        value = _read(given, self.whole) if isinstance(given, str) else given
        inside = self.low <= value <= self.high or (self.zero and value == 0)
        if not inside or (self.whole and value != int(value)):
            raise UserError(
                f"{self.name} must be {self.range}, got {str(given)!r:.42}; move its slider or correct the link."
            )
        return int(value) if self.whole else float(value)

    @property
    def range(self) -> str:
        if self.whole:
            return f"a whole number from {0 if self.zero else shown(self.low)} to {shown(self.high)}"
        return f"{'0, or ' if self.zero else ''}a number from {shown(self.low)} to {shown(self.high)}"

    @property
    def span(self) -> tuple[float, float]:
        """What the slider covers: the whole range, or a few decades around where it begins."""
        if self.linear or self.whole:
            return self.low, self.high
        middle = self.at or 1.0
        return max(self.low, middle / DECADES), min(self.high, middle * DECADES)

    def as_data(self) -> dict[str, Any]:
        """What the page makes a slider and a field of."""
        names = ("name", "group", "says", "range", "whole", "linear", "zero")
        own = {name: getattr(self, name) for name in names}
        low, high = self.span
        return {**own, "text": text_of(self.at), "value": float(self.at), "low": low, "high": high}


def _read(text: str, whole: bool) -> float:
    """nan for what is no number."""
    if power := POWER.fullmatch(text):
        return 1 << int(power[1])
    if whole:
        return int(text) if WHOLE.fullmatch(text) else math.nan
    return float(text) if NUMBER.fullmatch(text) else math.nan


def shown(value: float) -> str:
    """A limit as people write it: powers of two and of ten as such from 1000 on."""
    two, ten = int(value).bit_length() - 1, len(str(int(value))) - 1
    if value >= 1000 and value == 2**two:
        return f"2^{two}"
    return f"10^{ten}" if value >= 1000 and value == 10**ten else f"{value:g}"


def text_of(value: float) -> str:
    """What `read` gives back to the last digit."""
    if not isinstance(value, int):
        return repr(float(value))
    power = value.bit_length() - 1
    return f"2^{power}" if power >= 7 and value == 2**power else str(value)


def control_of(level: Level, value: float) -> Control:
    """The slider of a number of a world; it reaches beyond what a search tries, and to 0."""
    says = SAYS.get(level.name, "")
    if level.whole:
        return whole_number(level.name, int(value), 0, int(level.high), says, "world")
    low = min(level.low, SMALL)
    return Control(name=level.name, at=value, low=low, high=level.high, says=says, group="world", zero=True)


def whole_number(name: str, value: int, low: int, high: int, says: str, group: str) -> Control:
    """0 has no logarithm: it is the slider's left end."""
    return Control(
        name=name, at=value, low=max(low, 1), high=high, whole=True, says=says, group=group, zero=low == 0
    )


def main_of(controls: Sequence[Control]) -> list[str]:
    """The five that are seen first: length, devices, a step, a noise and a start where there are, then others."""
    names = [each.name for each in controls]
    wanted = [name for kind in MAIN for name in [each for each in kind if each in names][:1]]
    return list(dict.fromkeys([*wanted, *names]))[: len(MAIN)]


def controls_of(own: Family, steps: Sequence[Control], T: int, most: int, *, devices: bool) -> list[Control]:
    """Of the run, where its devices can be chosen with them; of its steps; and of the world."""
    K = [whole_number("K", 4, 1, MOST_DEVICES, "devices", "run")] if devices and own.devices is None else []
    run = [*K, whole_number("T", T, 1, most, "iterations", "run")]
    return [*run, *steps, *map(control_of, own.levels, own.ordinary().values())]
