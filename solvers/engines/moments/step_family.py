"""A step as a function of t, which enters through the step sizes.

Every matrix of the step is a polynomial in them, with matrices as coefficients; where they are constant it is a single
matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import identity_like
from ratecert.solvers.engines.moments.layout import Steps
from ratecert.solvers.engines.moments.mixture import Moments
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise
from ratecert.solvers.engines.moments.step_sizes import Etas, InSteps

Array = NDArray[Any]  # of balls or rationals


@dataclass(frozen=True)
class Place:
    """A field that a sample enters, times `numerator / denominator`."""

    rows: slice
    numerator: InSteps
    denominator: InSteps

    def factor(self, etas: Etas) -> Any:
        return self.numerator.at(etas) / self.denominator.at(etas)


@dataclass(frozen=True)
class Action:
    """Where one sample acts: a point R w, and the places that it enters from there; several where points differ."""

    moments: Moments
    acts: tuple[tuple[Steps, tuple[Place, ...]], ...]
    batch: int
    size: int  # of what it enters

    def at(self, etas: Etas) -> StepNoise:
        acts = []
        for point, places in self.acts:
            R = point.at(etas)
            acts.append((R, self._entering(R, places, etas)))
        return StepNoise(self.moments, tuple(acts), self.batch)

    def _entering(self, R: Array, places: tuple[Place, ...], etas: Etas) -> Array:
        d = len(self.moments.mean)
        G: Array = np.zeros_like(R, shape=(self.size, d))
        for place in places:
            np.fill_diagonal(G[place.rows], identity_like(R, 1)[0, 0] * place.factor(etas))
        return G


@dataclass(frozen=True)
class StepFamily:
    """The increment D where the step keeps the layout, else M itself; and where its samples act."""

    mean: Steps
    keeps_layout: bool
    actions: tuple[Action, ...]
    etas: Callable[[float], Etas]  # the step sizes around t

    def at(self, t: float) -> StepMap:
        etas = self.etas(t)
        noises = tuple(action.at(etas) for action in self.actions)
        return StepMap(self.mean.at(etas), self.keeps_layout, noises)
