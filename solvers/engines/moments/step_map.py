"""A step in numbers: w+ = M w + noise, for w = (coordinates of one device, 1).

M = I + D, with D known to the last bits however small
noise = sum over samples of G N(R w): N the sample's zero-mean part at the point R w, G where it enters
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import doubles, like, on_the_other_side
from ratecert.base.exact import is_zero
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.mixture import Noise
from ratecert.solvers.engines.moments.pairs import Centre

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class StepNoise:
    """G N(R w) for one sample; several (R, G) where it acts at points that are not multiples of one another.

    With a centre, R w is the point's deviation from it.
    """

    moments: Noise
    acts: tuple[tuple[Array, Array], ...]
    batch: Any
    centre: Centre = ()

    def on_probe(self) -> Array:
        """sum of G N R for one N without symmetries."""
        acts = [(doubles(R), doubles(G)) for R, G in self.acts]
        R, G = acts[0]
        N = np.cos(np.arange(1.0, 1.0 + G.shape[1] * len(R))).reshape(G.shape[1], len(R))
        total: Array = sum(G @ N @ R for R, G in acts)
        return total

    def injection(self, S: Array) -> Array:
        """What the sample adds to E[w w'] for E[w w'] = S; S may be a stack."""
        size = len(self.acts[0][1])
        total: Array = np.zeros_like(S, shape=(*S.shape[:-2], size, size))
        for i, (R, G) in enumerate(self.acts):
            total = total + G @ self.moments.covariance(R @ S @ R.T, self.centre) @ G.T
            for R_2, G_2 in self.acts[:i]:
                cross = G @ self.moments.cross_covariance(R @ S @ R_2.T, self.centre) @ G_2.T
                total = total + cross + np.swapaxes(cross, -1, -2)
        injected: Array = total / self.batch
        return injected

    def in_frame(self, frame: Frame) -> "StepNoise":
        """The same for w', centred where the sample acts at the frame's origin."""
        acts = tuple((frame.read(R), G / frame.units[:, None]) for R, G in self.acts)
        return replace(self, acts=acts)._centred()

    def around(self, w: Array) -> "StepNoise":
        """The same for deviations from the point w, centred where the sample acts there."""
        acts = tuple((np.column_stack([R[:, :-1], R @ w]), G) for R, G in self.acts)
        return replace(self, acts=acts)._centred()

    def _centred(self) -> "StepNoise":
        """With a centre in doubles, where the sample acts at the origin.

        What the rounded centre misses by stays in R: a rounding of the point, of which a rounding is lost where the
        point is far from the origin and the sample's noise there is small. Rounded, the centre is the same at all t.
        """
        ones = [R for R, _ in self.acts if not is_zero(R[-1, -1])]
        if not ones:
            return self
        at_origin = doubles(ones[0][:-1, -1] / ones[0][-1, -1])
        acts = tuple((_off(R, at_origin), G) for R, G in self.acts)
        return replace(self, acts=acts, centre=tuple(at_origin.tolist()))

    def rounded(self) -> "StepNoise":
        acts = tuple((doubles(R), doubles(G)) for R, G in self.acts)
        return replace(self, acts=acts, batch=float(self.batch))


def _off(R: Array, centre: Array) -> Array:
    """R for deviations from a centre."""
    moved = R.copy()
    moved[:-1, -1] -= centre * R[-1, -1]
    return moved


@dataclass(frozen=True)
class StepMap:
    """D = M - I where the step keeps the layout, else M itself."""

    matrix: Array
    keeps_layout: bool
    noises: tuple[StepNoise, ...]

    def mean_change(self, S: Array) -> Array:
        """M S M' - S, or M S M' where the layout changes."""
        left = self.matrix @ S
        if not self.keeps_layout:
            return left @ self.matrix.T
        change: Array = left + np.swapaxes(left, -1, -2) + left @ self.matrix.T
        return change

    def injection(self, S: Array) -> Array:
        size = len(self.matrix)
        total: Array = like(np.zeros((*S.shape[:-2], size, size)), S)
        for noise in self.noises:
            total = total + noise.injection(S)
        return total

    def resembles(self, other: "StepMap") -> bool:
        """The same step up to rounding: of an entry, or of the largest one in its row, where 1 - alpha eta cancels.

        A sample's action, sum of G N R over its (R, G), is compared on one N: the pairs themselves may come in another
        order, or scaled against one another.
        """

        def parts(step: StepMap) -> list[Array]:
            return [doubles(step.matrix), *(noise.on_probe() for noise in step.noises)]

        def close(a: Array, b: Array) -> bool:
            row = np.abs(a).max(axis=1, keepdims=True, initial=0.0)
            return bool((np.abs(a - b) <= 1e-9 * np.abs(b) + 1e-14 * row).all())

        mine, theirs = parts(self), parts(other)
        return len(mine) == len(theirs) and all(
            a.shape == b.shape and close(a, b) for a, b in zip(mine, theirs, strict=True)
        )

    def in_frame(self, frame: Frame) -> "StepMap":
        """The same step for the frame's coordinates."""
        noises = tuple(noise.in_frame(frame) for noise in self.noises)
        return StepMap(frame.increment(self.matrix), self.keeps_layout, noises)

    def rounded(self, *, otherwise: bool = False) -> "StepMap":
        """The same step in doubles, every number rounded once; see rounded_matrix."""
        noises = tuple(noise.rounded() for noise in self.noises)
        return StepMap(rounded_matrix(self.matrix, otherwise), self.keeps_layout, noises)


def rounded_matrix(matrix: Array, otherwise: bool) -> Array:
    """In doubles. A diagonal has the same numbers in all units: `otherwise` rounds it to the other side.

    So two engines show what a rounding does there: where D is nearly -2, and M nearly -1, all that M damps may be one.
    """
    rounded: Array = doubles(matrix)
    if otherwise:
        np.fill_diagonal(rounded, on_the_other_side(matrix.diagonal()))
    return rounded
