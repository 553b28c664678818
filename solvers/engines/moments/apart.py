"""Devices that differ on their way from one average to the next.

They start together, and each moves by its own step with its own noise. So given z, what they had in common (see
common_space.py), they are independent: device k is at

    w_k = (A + B_k) z + noise of its own with the covariance N_k,

where A follows the mean step of all devices and B_k what device k does otherwise, which is all that drives them apart:

    A <- M A,      B_k <- M_k B_k + (M_k - M) A,      N_k <- M_k N_k M_k' + Inj_k(E[w_k w_k'])

With S = E[z z'] and Bbar = sum_k p_k B_k,

    of the mean      (A + Bbar) S (A + Bbar)' + sum_k p_k^2 N_k
    of deviations    sum_k p_k (B_k - Bbar) S (B_k - Bbar)' + sum_k p_k (1 - p_k) N_k

Nothing is subtracted that is large, and the cost is linear in K.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import doubles, identity_like, like, nothing_like, summed
from ratecert.base.progress import told
from ratecert.solvers.engines.moments.common_space import Collapse, CommonSpace
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.step_map import StepMap, rounded_matrix

Array = NDArray[Any]  # of doubles or balls
LARGEST_TABLES = (
    1.6e7  # numbers in what devices inject as matrices on packed moments: 128 MB, of which there are a dozen
)


@dataclass(frozen=True)
class DeviceSteps:
    """A step of every device: its increment, and what that is beyond the mean of all increments."""

    common: Array  # (n, n)
    beyond: Array  # (K, n, n)
    each: tuple[StepMap, ...]

    @staticmethod
    def of(steps: Sequence[StepMap]) -> "DeviceSteps":
        common: Array = summed(step.matrix for step in steps) / len(steps)
        return DeviceSteps(common, np.stack([step.matrix - common for step in steps]), tuple(steps))

    def rounded(self, *, otherwise: bool = False) -> "DeviceSteps":
        """The same in doubles, every number rounded once; see step_map.rounded_matrix."""
        each = tuple(step.rounded(otherwise=otherwise) for step in self.each)
        return DeviceSteps(rounded_matrix(self.common, otherwise), doubles(self.beyond), each)

    @cached_property
    def increments(self) -> Array:
        return self.common + self.beyond

    @cached_property
    def injections(self) -> Array:
        """(K, size, size): what a step injects, of packed moments."""
        pack = packing(len(self.common))
        basis = like(pack.basis, self.common)
        return np.stack([pack.pack(step.injection(basis)).T for step in told(self.each, "devices injected")])

    @cached_property
    def noise(self) -> Array:
        """(K, n, n): what a step injects where w_k = (0, 1)."""
        origin = np.zeros_like(self.common)
        origin[-1, -1] = identity_like(self.common, 1)[0, 0]
        return np.stack([step.injection(origin) for step in self.each])

    def injected(self, X: Array) -> Array:
        """What every device's step adds to its E[w_k w_k'] = X_k."""
        if self.additive:
            return self.noise
        if len(self.each) * packing(len(self.common)).size ** 2 > LARGEST_TABLES:
            return np.stack([step.injection(own) for step, own in zip(self.each, X, strict=True)])
        pack = packing(len(self.common))
        return pack.unpack((self.injections @ pack.pack(X)[..., None])[..., 0])

    @cached_property
    def additive(self) -> bool:
        """Whether the noise is the same everywhere."""
        return all(noise.moments.additive for step in self.each for noise in step.noises)


@dataclass(frozen=True)
class AdditiveSteps:
    """The same where the noise is the same everywhere, and nothing else is asked of it."""

    common: Array
    beyond: Array
    noise: Array  # (K, n, n): what a step injects

    additive: ClassVar = True

    @cached_property
    def increments(self) -> Array:
        return self.common + self.beyond

    def injected(self, _X: Array) -> Array:
        return self.noise


Steps = DeviceSteps | AdditiveSteps


@dataclass(frozen=True)
class Paths:
    """A - (wbar, 1) and B_k - (w_k - wbar) as z has them: what the devices have moved by since they were together."""

    space: CommonSpace
    A: Array  # (n, m)
    B: Array  # (K, n, m)
    unmoved: bool = False  # right after an average

    @staticmethod
    def beginning(space: CommonSpace) -> "Paths":
        return Paths(space, 0 * space.mean, 0 * space.apart, unmoved=True)

    def then(self, steps: Steps) -> "Paths":
        A = self.space.mean + self.A
        B = self.B + steps.increments @ (self.space.apart + self.B) + steps.beyond @ A
        return Paths(self.space, self.A + steps.common @ A, B)

    @cached_property
    def of_mean(self) -> Array:
        """A + Bbar."""
        way: Array = self.space.mean + self.A + self._mean_of_B
        return way

    @cached_property
    def of_deviations(self) -> Array:
        """B_k - Bbar, and where the devices rest."""
        apart: Array = self.space.apart + (self.B - self._mean_of_B)
        apart[:, :, -1] = apart[:, :, -1] + self.space.rest
        return apart

    @cached_property
    def of_devices(self) -> Array:
        """A + B_k."""
        return self.space.mean + self.A + self.space.apart + self.B

    @cached_property
    def _mean_of_B(self) -> Array:
        mean: Array = (self.space.weights[:, None, None] * self.B).sum(axis=0)
        return mean

    def increment(self, collapse: Collapse) -> Array:
        """z after an average, minus z, without noise."""
        total: Array = self.space.lift @ self.A + (collapse.share @ self.B).sum(axis=0) + collapse.fixed
        return total


@dataclass(frozen=True)
class Apart:
    """The second moments of all devices."""

    S: Array  # (m, m), E[z z'] when they were together
    paths: Paths
    N: Array  # (K, n, n)
    before: "Apart | None" = None  # what a long map has made them of, of which they are a rounding off

    @staticmethod
    def together(space: CommonSpace, S: Array) -> "Apart":
        """Right after an average."""
        n, K = len(space.mean), len(space.weights)
        return Apart((S + S.T) / 2, Paths.beginning(space), nothing_like(S, K, n, n))

    def step(self, steps: Steps, _K: int) -> "Apart":
        """Rounding must not open the antisymmetric part of N, which a step need not damp."""
        moved = steps.increments @ self.N
        twice = moved @ _turned(steps.increments)
        N = self.N + (moved + _turned(moved)) + (twice + _turned(twice)) / 2
        return replace(self, paths=self.paths.then(steps), N=N + steps.injected(self.devices))

    def average(self, collapse: Collapse) -> "Apart":
        D, share = self.paths.increment(collapse), collapse.share
        DS = D @ self.S
        S = self.S + (DS + DS.T + DS @ D.T) + (share @ self.N @ _turned(share)).sum(axis=0)
        if collapse.drawn is not None:
            c, taken = collapse.drawn
            S = S + c * (taken @ self.within @ taken.T)
        return Apart.together(self.paths.space, S)

    @cached_property
    def devices(self) -> Array:
        """(K, n, n), E[w_k w_k']."""
        way = self.paths.of_devices
        return way @ self.S @ _turned(way) + self.N

    @cached_property
    def mean(self) -> Array:
        """E[wbar wbar']."""
        way, p = self.paths.of_mean, self.paths.space.weights[:, None, None]
        moments: Array = way @ self.S @ way.T + (p * p * self.N).sum(axis=0)
        return moments

    @cached_property
    def within(self) -> Array:
        """sum_k p_k E[(w_k - wbar)(w_k - wbar)']."""
        way, space = self.paths.of_deviations, self.paths.space
        p, shares = space.weights[:, None, None], space.shares[:, None, None]
        across = (p * (way @ self.S @ _turned(way))).sum(axis=0)
        moments: Array = across + (shares * self.N).sum(axis=0)
        return moments

    @staticmethod
    def mixture(each: "Sequence[tuple[Any, Apart]]") -> "Apart":
        """The moments of a state that is one of these, with these probabilities, by a draw that all devices share.

        In all of them the devices are together.
        """
        return Apart.together(each[0][1].paths.space, summed(p * m.S for p, m in each))


def _turned(X: Array) -> Array:
    """The transposes of a stack."""
    return np.swapaxes(X, -1, -2)
