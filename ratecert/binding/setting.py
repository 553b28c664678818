"""A world with devices, iterations and a start, and what theorems call the numbers of it."""

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
from ratecert.base.errors import RatecertError
from ratecert.base.exact import around, working_precision
from ratecert.solvers.contract import measures
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS
from ratecert.solvers.engines.moments.readings import reading_of
from ratecert.synthetic.worlds.along_runs import largest_gradient

Array = NDArray[np.float64]


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
        squared, gap = self._at_start(measures.distance(), float(np.square(away).sum())), None
        if hasattr(self.world, "objective"):  # what is no gradient has none
            F = self.world.objective
            gap = self._at_start(measures.gap(), float(F(self.x0) - F(self.world.x_star)))
        G = largest_gradient(self.world, self.x0)
        return {
            **self.world.constants(),
            **({} if gap is None else {"gap": gap}),
            "distance": root_above(squared),
            "squared_distance": squared,
            **self._of_lower_level(),
            **({} if G is None else {"largest_gradient": G}),
        }

    def _of_lower_level(self) -> dict[str, float]:
        """How far y begins from its minimiser, where there are two levels."""
        if not hasattr(self.world, "y_star"):
            return {}
        off = np.asarray(self.start["y"], dtype=float) - self.world.y_star(self.x0)
        return {
            "lower_distance": root_above(self._at_start(measures.tracking(), float(np.square(off).sum())))
        }

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
