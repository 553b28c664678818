"""A world with devices, iterations and a start, and what theorems call the numbers of it.

Constants of f hold on a ball: f with quadratic growth is Lipschitz there, and no outcome leaves it. The ball holds the
iterates of all devices, their means, and (xbar, y*(xbar)), for every outcome of the noise (`rc.reachable_radius`).
Outside it f could be any other function, such as one that is Lipschitz everywhere, and the run would be the same: a
theorem that asks for that speaks of this run.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls
from ratecert.base.errors import RatecertError, UserError
from ratecert.base.exact import around, working_precision
from ratecert.binding.along_runs import largest_gradient
from ratecert.solvers.contract import measures
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.problem import require_two_levels
from ratecert.solvers.engines.certificates.reach import certified_reach
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS
from ratecert.solvers.engines.moments.readings import reading_of

Array = NDArray[np.float64]
SMALLEST = 1e-12  # radius, of a run that stays where it is
ROOM = 4.0  # times as far as the start: where steps are chosen, before anyone knows how far they lead


@dataclass(frozen=True)
class Setting:
    """On what a method runs, before its hyperparameters are chosen."""

    world: Any
    K: int
    T: Any  # a whole number of iterations, or math.inf for the limit
    start: Mapping[str, Any]  # field -> where all devices begin

    @property
    def x0(self) -> Array:
        """Where x begins."""
        return np.asarray(self.start["x"], dtype=float)

    @cached_property
    def constants(self) -> dict[str, float]:
        """By name: those of the world, and those of the start x_0.

        gap               F(x_0) - F*
        distance          ||x_0 - x*||, and its square
        lower_distance    ||y_0 - y*(x_0)||
        largest_gradient  G with E||grad F_k(x; xi)||^2 <= G^2 along local SGD from x_0, where that is known
        """
        away = self.x0 - self.world.x_star
        squared = self._at_start(measures.distance(), float(np.square(away).sum()))
        found = {**self.world.constants(), "distance": root_above(squared), "squared_distance": squared}
        if hasattr(self.world, "objective"):  # what is no gradient has none
            F = self.world.objective
            gap = self._at_start(measures.gap(), float(F(self.x0) - F(self.world.x_star)))
            found["gap"] = gap
        if hasattr(self.world, "y_star"):
            off = np.asarray(self.start["y"], dtype=float) - self.world.y_star(self.x0)
            squared = self._at_start(measures.tracking(), float(np.square(off).sum()))
            found["lower_distance"] = root_above(squared)
        G = largest_gradient(self.world, self.x0)
        return found if G is None else found | {"largest_gradient": G}

    def _at_start(self, measure: Measure, in_doubles: float) -> float:
        """A double that the measure is at most, exactly that where it is one.

        x* need not be a double: a start at its rounding is off x*, and a bound of 0 there would be false. Where runs
        are exact the world is quadratic; one without a single minimiser says what it is in doubles.
        """
        with working_precision(ASSEMBLY_BITS):
            parts = {
                name: np.atleast_1d(np.asarray(value, dtype=float)) for name, value in self.start.items()
            }
            sizes = {name: len(part) for name, part in parts.items()}
            w, total = Balls.of(np.concatenate([*parts.values(), [1.0]])), arb(0)
            for factor, form in measure.forms:
                try:
                    reading = reading_of(form, self.world, sizes, Balls)
                except (RatecertError, AttributeError):
                    return in_doubles
                v = reading.L @ w
                total += Balls.number(factor) * (v[None, :] @ reading.W @ v)[0]
            return max(around(total)[1], 0.0)


def root_above(square: float) -> float:
    """The root, rounded up unless it is a double."""
    root = math.sqrt(square)
    return root if Fraction(root) ** 2 >= Fraction(square) else math.nextafter(root, math.inf)


@dataclass(frozen=True)
class Within:
    """A letter that stands for a constant of the world on a ball which no outcome of the run leaves.

    Steps are chosen as if the ball were four times as large as the start asks for; that the conditions hold with the
    constants of the ball itself is seen once the run is known.

    >>> import ratecert as rc
    >>> rc.statements.Within("L_0")
    Within(constant='L_0')
    """

    constant: str

    def on(self, setting: Setting, radius: float) -> float:
        """The constant on the ball of this radius."""
        found: dict[str, float] = setting.world.constants(radius=radius)
        if self.constant not in found:
            raise UserError(
                f"{type(setting.world).__name__} gives no constant {self.constant!r} on a ball; it gives "
                f"{', '.join(found)}."
            )
        return found[self.constant]


def radius_before(setting: Setting) -> float:
    """Of a ball with room around the start, for choosing steps."""
    world = setting.world
    require_two_levels("Within", world)
    off = [
        setting.x0 - world.x_star,
        np.asarray(setting.start["y"]) - world.y_star(setting.x0),
        world.x_star - world.a,
    ]
    return ROOM * max(1.0, *(float(np.linalg.norm(part)) for part in off))


def radius_of_run(setting: Setting, solver: Any) -> float:
    """Of a ball that no outcome of the run leaves."""
    found = certified_reach(setting.world, solver, setting.K, x0=setting.x0, y0=setting.start["y"])
    return max(found.iterates, found.truth, SMALLEST)
