"""Families of worlds that a theorem may speak of, each a few numbers: what a search for a counterexample varies.

Those here have their minimiser at the origin, or near it, two curvatures L and L/spread, and noise; a run starts x_off
away from the minimiser in every direction. In `quadratics` there is no noise, and a run starts in one direction, whose
curvature is anything between mu and L: there deterministic methods have their worst quadratics. Where theorems are
tight some of these are zero or one, so a search holds them there first. A paper may bring families of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ratecert.errors import OutsideConditionsError, PaperError, UserError
from ratecert.executable.called import called
from ratecert.executable.search_space import Level
from ratecert.synthetic.worlds.federated import Federated
from ratecert.synthetic.worlds.finite_sum import FiniteSum
from ratecert.synthetic.worlds.single_level import SingleLevel

Numbers = Mapping[str, float]
CURVATURES = (Level(name="L", low=1e-3, high=1e3), Level(name="spread", low=1.0, high=1e3))
START = Level(name="x_off", low=1e-3, high=1e3)
NOISE = Level(name="s", low=1e-3, high=1e3)  # of the gradient, in every coordinate


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

    def ordinary(self) -> dict[str, float]:
        """The usual numbers; without one the middle of its range, in logarithms."""
        middles = {level.name: level.value(0.5) for level in self.levels}
        return {name: self.usual.get(name, middle) for name, middle in middles.items()}

    def member(self, numbers: Numbers) -> Any:
        """The world with these numbers; a mistake in the paper's own function is shown as one.

        Simpler numbers than those of a search may lie outside their ranges, where there may be no world.
        """
        try:
            return called(f"world of the family {self.name}", self.world, numbers)
        except PaperError as error:
            ranges = {each.name: each for each in self.levels if each.name in numbers}
            beyond = [name for name, each in ranges.items() if not each.low <= numbers[name] <= each.high]
            if not beyond:
                raise
            raise OutsideConditionsError(
                f"the family {self.name} has no world with {beyond[0]} = {numbers[beyond[0]]:.6g}."
            ) from error

    def begin(self, world: Any, numbers: Numbers) -> Mapping[str, Any]:
        """Where a run on this member starts."""
        begun: Mapping[str, Any] = called(f"start of the family {self.name}", self.start, world, numbers)
        return begun

    def count(self, numbers: Numbers) -> int | None:
        """The number of devices, where the world has one."""
        return int(numbers[self.devices]) if isinstance(self.devices, str) else self.devices


def _single_level(numbers: Numbers) -> SingleLevel:
    return SingleLevel(H=np.diag([numbers["L"], numbers["L"] / numbers["spread"]]), s=numbers["s"])


def _quadratics(numbers: Numbers) -> SingleLevel:
    """L and mu = L/spread are the ends of the spectrum; the curvature between them is what a run feels."""
    L, spread = numbers["L"], numbers["spread"]
    return SingleLevel(H=np.diag([L, L / min(numbers["depth"], spread), L / spread]))


def along_middle(world: Any, numbers: Numbers) -> dict[str, Any]:
    """Start x_off away from x* in the second of three directions."""
    return {"x": world.x_star + np.array([0.0, numbers["x_off"], 0.0])}


def _noisy_hessians(numbers: Numbers) -> SingleLevel:
    """The noise grows with the gradient: its variance has no bound, but M + M_V ||grad F||^2."""
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    return SingleLevel(H=H, E=[numbers["noise_H"] * H], s=numbers["s"])


def _finite_sum(numbers: Numbers) -> FiniteSum:
    """Two terms that share the curvature unevenly, with minimisers on either side."""
    L, uneven = numbers["L"], numbers["uneven"]
    H = np.diag([L, L / numbers["spread"]])
    return FiniteSum(
        H=[(1 + uneven) * H, (1 - uneven) * H],
        a=[np.full(2, numbers["apart"]), np.full(2, -numbers["apart"])],
    )


def _federated(numbers: Numbers) -> Federated:
    """Two devices whose minimisers lie on either side, of which one is curved less."""
    H = np.diag([numbers["L"], numbers["L"] / numbers["spread"]])
    own = (H, H / numbers["uneven"])
    centres = (np.full(2, numbers["apart"]), np.full(2, -numbers["apart"]))
    return Federated(
        devices=[SingleLevel(H=h, a=a, s=numbers["s"]) for h, a in zip(own, centres, strict=True)]
    )


USUAL = {
    "L": 2.0,
    "spread": 4.0,
    "x_off": 1.0,
    "s": 0.5,
    "noise_H": 0.25,
    "uneven": 0.5,
    "apart": 0.5,
    "depth": 2.0,
}
APART = Level(name="apart", low=1e-3, high=1e3)  # minimisers, of terms or of devices
ONE_DIRECTION, NO_NOISE, AT_REST = {"spread": 1.0}, {"s": 0.0}, {"x_off": 0.0}
DEEPEST = 1e3
AT_L, AT_MU = {"depth": 1.0}, {"depth": DEEPEST}  # where a run feels one end of the spectrum alone

SINGLE_LEVEL = Family(
    name="single_level",
    levels=(*CURVATURES, START, NOISE),
    world=_single_level,
    held=({**AT_REST, **ONE_DIRECTION}, {**NO_NOISE, **ONE_DIRECTION}, AT_REST, NO_NOISE, {}),
    usual=USUAL,
)
QUADRATICS = Family(
    name="quadratics",
    levels=(*CURVATURES, Level(name="depth", low=1.0, high=DEEPEST), START),
    world=_quadratics,
    start=along_middle,
    held=(AT_L, AT_MU, {}),
    usual=USUAL,
)
NOISY_HESSIANS = Family(
    name="noisy_hessians",
    levels=(*CURVATURES, START, NOISE, Level(name="noise_H", low=1e-3, high=1.0)),
    world=_noisy_hessians,
    held=({**NO_NOISE, **ONE_DIRECTION}, NO_NOISE, {}),
    usual=USUAL,
)
FINITE_SUM = Family(
    name="finite_sum",
    levels=(*CURVATURES, START, Level(name="uneven", low=1e-3, high=1.0), APART),
    world=_finite_sum,
    held=({"apart": 0.0}, AT_REST, ONE_DIRECTION, {}),
    usual=USUAL,
)
FEDERATED = Family(
    name="federated",
    levels=(*CURVATURES, START, NOISE, Level(name="uneven", low=1.0, high=1e3), APART),
    world=_federated,
    held=({**NO_NOISE, **AT_REST}, NO_NOISE, {"apart": 0.0}, AT_REST, {}),
    usual=USUAL,
    devices=2,
)
FAMILIES = {each.name: each for each in (SINGLE_LEVEL, QUADRATICS, NOISY_HESSIANS, FINITE_SUM, FEDERATED)}


def family(which: str | Family) -> Family:
    """By its name, or a paper's own."""
    if isinstance(which, Family):
        return which
    if which not in FAMILIES:
        raise UserError(f"worlds must be among {', '.join(FAMILIES)}, or a Family, got {which!r:.60}.")
    return FAMILIES[which]
