"""A world with devices, iterations and a start, and what theorems call the numbers of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.synthetic.worlds.along_runs import largest_gradient

Array = NDArray[np.float64]

OF_START = {  # of the start x_0 of a run
    "gap": "F(x_0) - F*",
    "distance": "||x_0 - x*||",
    "squared_distance": "||x_0 - x*||^2",
    "largest_gradient": "G with E||grad F_k(x; xi)||^2 <= G^2 along local SGD from x_0, where that is known",
}


@dataclass(frozen=True)
class Setting:
    """On what a method runs, before its hyperparameters are chosen."""

    world: Any
    K: int
    T: int
    start: Mapping[str, Any]  # field -> where all devices begin

    @property
    def x0(self) -> Array:
        """Where x begins."""
        return np.asarray(self.start["x"], dtype=float)

    @cached_property
    def constants(self) -> dict[str, float]:
        """By name: those of the world, and those of the start."""
        away = self.x0 - self.world.x_star
        squared = float(np.square(away).sum())
        F = getattr(self.world, "objective", None)  # what is no gradient has none
        G = largest_gradient(self.world, self.x0)
        return {
            **self.world.constants(),
            **({} if F is None else {"gap": float(F(self.x0) - F(self.world.x_star))}),
            "distance": float(np.sqrt(squared)),
            "squared_distance": squared,
            **({} if G is None else {"largest_gradient": G}),
        }
