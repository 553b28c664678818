"""Noise that is the same at every point: the moments move by congruences, and nothing is packed.

A step w+ = M w + noise takes X = E[w w'] to M X M' + N with a fixed N. So m of them are

    X <- M^m X M^m' + N_m,        sums of the measures = <V_m, X> + c_m

and two such maps in a row make one,

    N = M_2 N_1 M_2' + N_2,       V = V_1 + M_1' V_2 M_1,       c = c_1 + <V_2, N_1> + c_2,

at the cost of n x n matrices, where a map on packed moments has n^2/2 rows. The mean over devices and a device's
deviation from it move apart from one another: the mean by N/K, the deviation by N and by the averages.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, finite, identity_like
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.stacks import Stacks, for_each_row
from ratecert.solvers.engines.moments.step_map import StepMap

Array = NDArray[Any]  # of doubles or balls


@dataclass(frozen=True)
class Congruence(Stacks):
    """X <- M X M' + N with M = I + D, and the sums <V, X> + c on the way."""

    D: Array
    N: Array
    V: Array  # (measures that read it, n, n)
    c: Array  # (measures that read it,)

    parts: ClassVar = ("D", "N", "V", "c")

    def then(self, later: "Congruence") -> "Congruence":
        D = for_each_row(self.D)
        VD = later.V @ D
        back = VD + np.swapaxes(VD, -1, -2) + np.swapaxes(D, -1, -2) @ VD
        return Congruence(
            D=self.D + later.D + later.D @ self.D,
            N=later.moved(self.N),
            V=self.V + later.V + back,
            c=self.c + later.c + _pairing(later.V, for_each_row(self.N)),
        )

    def moved(self, X: Array) -> Array:
        DX = self.D @ X
        moved: Array = X + (DX + np.swapaxes(DX, -1, -2) + DX @ np.swapaxes(self.D, -1, -2)) + self.N
        return moved

    def apply(self, X: Array) -> tuple[Array, Array]:
        return _pairing(self.V, for_each_row(X)) + self.c, self.moved(X)


@dataclass(frozen=True)
class AdditiveMap:
    """What happens to the mean over devices, and to a device's deviation from it, and which measures read them."""

    mean: Congruence
    within: Congruence
    read_mean: NDArray[np.bool_]  # (measures,)
    read_within: NDArray[np.bool_]

    def then(self, later: "AdditiveMap") -> "AdditiveMap":
        return replace(self, mean=self.mean.then(later.mean), within=self.within.then(later.within))

    def gathered(self, maps: Sequence[Self]) -> Self:
        """All these maps as one (see Stacks)."""
        mean, within = self.mean.gathered([each.mean for each in maps]), [each.within for each in maps]
        return replace(self, mean=mean, within=self.within.gathered(within))

    def weighted(self, weights: Array) -> Self:
        """Of gathered maps the sum of weight * map, part by part."""
        return replace(self, mean=self.mean.weighted(weights), within=self.within.weighted(weights))

    def apply(self, moments: DeviceMoments) -> tuple[Array, DeviceMoments]:
        of_mean, mean = self.mean.apply(moments.mean)
        of_within, within = self.within.apply(moments.within)
        sums: Array = np.zeros_like(of_mean, shape=self.read_mean.shape)
        sums[self.read_mean] = of_mean
        sums[self.read_within] = sums[self.read_within] + of_within
        return sums, DeviceMoments(mean, within)

    def enter(self, moments: DeviceMoments) -> DeviceMoments:
        return moments

    leave = enter

    @property
    def finite(self) -> bool:
        return all(finite(part) for map in (self.mean, self.within) for part in (map.D, map.N, map.V))

    def settled(self, states: list[DeviceMoments]) -> bool:
        """What is left of the states is 1e-20 of what the noise has made, entry by entry in natural units."""
        if isinstance(self.mean.D, Numbers):
            return False
        start = np.zeros_like(self.mean.N)
        start[-1, -1] = 1.0
        limit = DeviceMoments(self.mean.moved(start), self.within.N)
        return all(
            _forgotten(map, [getattr(s, name) for s in states], getattr(limit, name))
            for map, name in ((self.mean, "mean"), (self.within, "within"))
        )


def _forgotten(map: Congruence, states: list[Array], limit: Array) -> bool:
    M = np.abs(map.D + np.eye(len(map.D)))
    M[-1, -1] = 0.0
    spread = np.sqrt(np.maximum(np.diag(limit), 0.0))
    far = np.max([np.sqrt(np.maximum(np.diag(X), 0.0)) for X in states], axis=0)
    return bool(np.all(M[:-1] @ far <= 1e-20 * spread[:-1]))


def one_step(step: StepMap, measures: MeasureMap, K: int) -> AdditiveMap:
    origin = np.zeros_like(step.matrix)
    origin[-1, -1] = identity_like(step.matrix, 1)[0, 0]
    N = step.injection(origin)
    on_mean, on_within = measures.on_mean[measures.read_mean], measures.on_within[measures.read_within]
    return AdditiveMap(
        Congruence(step.matrix, N / K, on_mean, np.zeros_like(N, shape=len(on_mean))),
        Congruence(step.matrix, N, on_within, np.zeros_like(N, shape=len(on_within))),
        measures.read_mean,
        measures.read_within,
    )


def average(kept: Array, like_this: AdditiveMap) -> AdditiveMap:
    """An average over devices: the mean stays, of a deviation what is kept."""
    mean = like_this.mean
    nothing = Congruence(0 * mean.D, 0 * mean.N, 0 * mean.V, 0 * mean.c)
    V, c = like_this.within.V, like_this.within.c
    within = Congruence(kept - identity_like(kept, len(kept)), nothing.N, 0 * V, 0 * c)
    return replace(like_this, mean=nothing, within=within)


def _pairing(V: Array, X: Array) -> Array:
    """<V, X> for every matrix of a stack."""
    pairing: Array = (V * X).sum(axis=(-2, -1))
    return pairing
