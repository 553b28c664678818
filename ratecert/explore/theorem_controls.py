"""The controls of a theorem: devices, iterations, every letter that it leaves to choose, the numbers of a family.

Letters begin at the most that the conditions allow on an ordinary world of the family.
"""

from collections.abc import Mapping
from functools import cache

from ratecert.base.errors import RatecertError
from ratecert.binding.binding import MOST_DEVICES
from ratecert.binding.families import Family, Level
from ratecert.explore.controls import Control
from ratecert.explore.subjects import LONGEST
from ratecert.search.case import Case
from ratecert.theory.language.symbols import Symbol

MANY = 2**20  # iterations to begin with
RANGE = (1e-18, 1e18)  # of letters
SMALL = (
    1e-9  # what numbers of a world may be at least, beside 0: witnesses are simpler than what a search tries
)
SAYS = {
    "L": "largest curvature",
    "spread": "L over the smallest curvature",
    "depth": "L over the curvature that the run feels",
    "x_off": "start: distance from the minimiser",
    "s": "noise of the gradient",
    "noise_H": "noise of the Hessian",
    "apart": "heterogeneity: distance of the minimisers",
    "uneven": "heterogeneity of the curvatures",
}


def controls_of(case: Case, own: Family) -> list[Control]:
    """In the order of the page."""
    notation = case.source.notation
    most, usual = min(LONGEST, case.binding.most_iterations), _letters(case, own.name)
    run = [_whole("T", min(MANY, most), 1, most, "iterations", "run")]
    if case.binding.devices and own.devices is None:
        run.insert(0, _whole("K", 4, 1, MOST_DEVICES, "devices", "run"))
    letters = [_letter(name, notation[name], usual[name]) for name in case.letters]
    world = [_number(level, value) for level, value in zip(own.levels, own.ordinary().values(), strict=True)]
    return [*run, *letters, *world]


@cache
def _letters(case: Case, world: str) -> Mapping[str, float]:
    """1 where nothing is inside the conditions."""
    others = {level.name: level.low for each in case.families for level in each.levels}
    names = [each.name for each in case.families]
    T = float(min(MANY, case.binding.most_iterations))
    run = {"K": 4.0, "T": T, "family": names.index(world) + 1.0}
    ordinary = case.families[names.index(world)].ordinary()
    most = {f"of {name}": 1.0 for name in case.letters}
    try:
        instance = case.instance({**others, **ordinary, **run, **most}, case.source)
        return instance["letters"]
    except RatecertError:
        return dict.fromkeys(case.letters, 1.0)


def _letter(name: str, symbol: Symbol, value: float) -> Control:
    low, high = RANGE
    if symbol.least is not None:
        return _whole(name, int(value), symbol.least, int(high), symbol.meaning, "steps")
    return Control(name=name, value=value, low=low, high=high, says=symbol.meaning)


def _number(level: Level, value: float) -> Control:
    says = SAYS.get(level.name, "")
    if level.whole:
        return _whole(level.name, int(value), int(level.low), int(level.high), says, "world")
    low = min(level.low, SMALL)
    return Control(
        name=level.name, value=value, low=low, high=level.high, zero=True, says=says, group="world"
    )


def _whole(name: str, value: int, low: int, high: int, says: str, group: str) -> Control:
    return Control(name=name, value=value, low=low, high=high, whole=True, says=says, group=group)
