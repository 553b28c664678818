"""Families of worlds that a theorem may speak of, each a few numbers: what a search for a counterexample varies.

Numbers range over many decades, and the unit interval stands for their logarithms. A paper may bring families of its
own.

Those of one level have their minimiser at the origin, or near it, two curvatures L and L/spread, and noise; a run
starts x_off away from the minimiser in every direction. In `quadratics` there is no noise, and a run starts in one
direction, whose curvature is anything between mu and L: there deterministic methods have their worst quadratics. Where
theorems are tight some of these are zero or one, so a search holds them there first.

Worlds of two levels have quadratic f and g, on a line or in a plane, and noise that is the same everywhere:

    f(x, y) = P/2 ||x||^2 + D/2 ||y - b||^2        g(x, y) = 1/2 y'A y - y'B x

In the plane the curvatures of g differ by `spread`, along axes that are turned by `tilt` against those of f. b keeps
both levels from resting at one point.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ratecert.base.errors import OutsideConditionsError, PaperError, UserError, UserTypeError
from ratecert.base.own_code import called
from ratecert.base.validation import require_positive
from ratecert.synthetic.devices import Federated
from ratecert.synthetic.one_level import SingleLevel
from ratecert.synthetic.quadratic import Quadratic
from ratecert.synthetic.sums import FiniteSum


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
        low = math.ceil(self.low) if self.whole else self.low
        return f"{self.says or self.name} from {low:g} to {self.high:g}"

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
        for name, value in begun.items():
            array = np.asarray(value)
            if array.dtype.kind not in "iuf" or not (np.abs(array) <= FARTHEST).all():
                raise PaperError(
                    f"start of the family {self.name} must give finite real numbers of at most {FARTHEST:g} in size, "
                    f"whose squares are finite, too; got {name} = {value!r:.60}."
                )
        return begun

    def count(self, numbers: Numbers) -> int | None:
        """The number of devices, where the world has one."""
        return int(numbers[self.devices]) if isinstance(self.devices, str) else self.devices


# Families of one level.

FARTHEST = 1e150  # from 0, of a start
CURVATURES = (Level(name="L", low=1e-3, high=1e3), Level(name="spread", low=1.0, high=1e6, says="L/mu"))
START = Level(name="x_off", low=1e-3, high=1e3)
NOISE = Level(name="s", low=1e-3, high=1e3)  # of the gradient, in every coordinate


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
DEEPEST = 1e6
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

# Families of two levels.

SHAPE = (
    Level(name="d", low=0.75, high=2.0, whole=True),
    Level(name="A", low=1e-2, high=1e2),
    Level(name="spread", low=1.0, high=1e3),  # of the curvatures of g, where d = 2
    Level(name="tilt", low=1e-2, high=math.pi / 2),  # of their axes against those of f
    Level(name="B/A", low=1e-4, high=1e2),
    Level(name="P/A", low=1e-6, high=1e1),
    Level(name="D/A", low=1e-6, high=1e1),
)
DRIVERS = (  # what moves a run: noise of f and of g, b, and where x and y begin
    *(Level(name=name, low=1e-6, high=1e2) for name in ("s_f", "s_g")),
    *(Level(name=name, low=1e-4, high=1e2) for name in ("b", "x_off", "y_off")),
)
# All drivers but one at zero. Contributions of independent drivers add up in a linear system, and a ratio of sums is at
# most the largest of the ratios: what a single driver cannot break, several hardly can.
ONE_DRIVER_EACH = tuple({other.name: 0.0 for other in DRIVERS if other != own} for own in DRIVERS)


def matrices(numbers: Mapping[str, float]) -> dict[str, Any]:
    """What a world with these numbers is made of."""
    A, noise = numbers["A"], {"s_f": numbers["s_f"], "s_g": numbers["s_g"]}
    B, P, D = (numbers[name] * A for name in ("B/A", "P/A", "D/A"))
    if numbers["d"] < 2:
        return {"A": A, "B": B, "P": P, "D": D, "b": numbers["b"], **noise}
    axis = np.array([math.cos(numbers["tilt"]), math.sin(numbers["tilt"])])
    curvature = A * (np.eye(2) + (numbers["spread"] - 1) * np.outer(axis, axis))
    plane = {
        "B": np.diag([B, B]),
        "P": np.diag([P, P / 2]),
        "D": np.diag([D, D / 2]),
        "b": [numbers["b"], 0.0],
    }
    return {"A": curvature, **plane, **noise}


def _begun(world: Any, numbers: Mapping[str, float]) -> dict[str, Any]:
    """x_off from x*, and y_off from y*(x), in every direction."""
    x = world.x_star + np.full(world.d_x, numbers["x_off"])
    return {"x": x, "y": world.y_star(x) + np.full(world.d_y, numbers["y_off"])}


TWO_LEVEL = Family(
    name="two_level",
    levels=(*SHAPE, *DRIVERS),
    world=lambda numbers: Quadratic(**matrices(numbers)),
    start=_begun,
    held=(*ONE_DRIVER_EACH, {}),
    usual=dict.fromkeys(("d", "A", "B/A", "D/A", "b", "x_off", "y_off"), 1.0)
    | dict.fromkeys(("P/A", "s_f", "s_g"), 0.5),
)
