"""Whole rounds at once: the state at the end of a round is smaller than that within it.

An average has just been taken, so `within` lives on the range of I - Pi: within = b q b' with a basis b.
And some coordinates of wbar follow from the others, such as the last move from the momentum that caused it: wbar = l a
with a few chosen coordinates a. The state is z = (E[a a'], q), often without q. A round is z <- z + C z, with
rows that give the measures summed over the round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, doubles, finite, identity_like, like
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.engines.moments.device_moments import DeviceMoments, Drawing
from ratecert.solvers.engines.moments.packing import Packing, packing
from ratecert.solvers.engines.moments.segment import Segment
from ratecert.solvers.engines.moments.stacks import Stacks
from ratecert.solvers.engines.moments.step_map import StepMap

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class AfterAverage:
    """The space of states after an average."""

    b: Array
    left: Array  # left b = I
    chosen: NDArray[np.intp]
    l: Array

    @property
    def full(self) -> Packing:
        return packing(len(self.l))

    @property
    def mean(self) -> Packing:
        return packing(len(self.chosen))

    @property
    def within(self) -> Packing:
        return packing(self.b.shape[1])

    @cached_property
    def from_mean(self) -> Array:
        """All packed moments of wbar, from those of the chosen coordinates."""
        return self.full.pack(self.l @ like(self.mean.basis, self.l) @ self.l.T).T

    @cached_property
    def from_q(self) -> Array:
        """`within` packed, from q."""
        return self.full.pack(self.b @ like(self.within.basis, self.b) @ self.b.T).T

    def to_vector(self, moments: DeviceMoments) -> Array:
        mean = moments.mean[np.ix_(self.chosen, self.chosen)]
        return np.concatenate(
            [self.mean.pack(mean), self.within.pack(self.left @ moments.within @ self.left.T)]
        )

    def to_moments(self, z: Array) -> DeviceMoments:
        mean, q = self.matrices(z)
        return DeviceMoments(self.l @ mean @ self.l.T, self.b @ q @ self.b.T)

    def matrices(self, z: Array) -> tuple[Array, Array]:
        return self.mean.unpack(z[: self.mean.size]), self.within.unpack(z[self.mean.size :])

    def natural_units(self, z: Array) -> Array:
        """sqrt(E a^2 E b^2) for the entry E ab."""
        sizes = []
        for block, matrix in zip((self.mean, self.within), self.matrices(z), strict=True):
            spread = np.sqrt(np.maximum(np.diag(matrix), 0.0))
            sizes.append(block.pack(np.outer(spread, spread)))
        return np.concatenate(sizes)


def independent_coordinates(step: StepMap, fields: Sequence[slice]) -> tuple[NDArray[np.intp], Array]:
    """(chosen, l) with w = l w[chosen] for every w that the step can lead to.

    A field is left out if its rows of [M, noise] are combinations of the other rows: seen in doubles, by rounding.
    """
    size = len(step.matrix)
    entering = [doubles(G) for noise in step.noises for _, G in noise.acts]
    columns = [np.eye(size) + doubles(step.matrix), *(G / np.abs(G).max() for G in entering)]
    image = np.hstack(columns)
    chosen = np.arange(size)
    for block in reversed(fields):
        inside = (chosen >= block.start) & (chosen < block.stop)
        others = image[chosen[~inside]]
        found = np.linalg.lstsq(others.T, image[block].T, rcond=None)[0].T
        size_of_rows = np.linalg.norm(image[block], axis=1)
        if np.all(np.linalg.norm(found @ others - image[block], axis=1) <= 1e-12 * size_of_rows):
            chosen = chosen[~inside]
    l = np.linalg.lstsq(image[chosen].T, image.T, rcond=None)[0].T
    l[chosen] = np.eye(len(chosen))
    return chosen, l


@dataclass(frozen=True)
class Linear(Stacks):
    """z <- z + C z, with the sums rows @ z."""

    space: AfterAverage
    C: Array
    rows: Array

    parts: ClassVar = ("C", "rows")

    def then(self, later: "Linear") -> "Linear":
        C = self.C + later.C + later.C @ self.C
        return Linear(self.space, C, self.rows + later.rows + later.rows @ self.C)

    def apply(self, z: Array) -> tuple[Array, Array]:
        return self.rows @ z, z + self.C @ z

    def enter(self, moments: DeviceMoments) -> Array:
        return self.space.to_vector(moments)

    def leave(self, z: Array) -> DeviceMoments:
        return self.space.to_moments(z)

    @property
    def finite(self) -> bool:
        return finite(self.C) and finite(self.rows)

    def settled(self, states: list[Array]) -> bool:
        """What is left of any of the states is 1e-20 of the limit, entry by entry in natural units.

        Never for balls: they have to hold whatever is left.
        """
        if isinstance(self.C, Numbers):
            return False
        one = self.space.mean.size - 1
        limit, left = self.C[:, one].copy(), np.abs(self.C + np.eye(len(self.C)))
        limit[one], left[:, one] = 1.0, 0.0
        left = left @ np.max(np.abs(states), axis=0)
        if not left.max() <= 2e-20 * np.abs(limit).max():
            return False  # no unit exceeds the largest entry (twice: rounding); most doublings end here
        return bool(np.all(left <= 1e-20 * self.space.natural_units(limit)))


def round_map(segment: Segment, kept: Array, space: AfterAverage, drawn: Drawing | None = None) -> Linear:
    """The steps of the segment followed by the average."""
    full, within, K = space.full, space.within, segment.K
    from_mean, from_q = space.from_mean, space.from_q
    project = space.left @ kept
    basis = like(full.basis, segment.D)
    to_q = within.pack(project @ basis @ project.T).T
    to_mean = full.places(space.chosen)
    change = full.pack(congruence_change(segment.D, basis)).T
    change_of_mean = (change + segment.N / K)[to_mean]
    identity = identity_like(segment.D, within.size)
    within_by_q = segment.R @ from_q - segment.N @ from_q / K
    mean_by_mean, mean_by_q = change_of_mean @ from_mean, (within_by_q - change @ from_q)[to_mean] / K
    if drawn is not None:
        added = full.pack(drawn.added(basis)).T[to_mean]
        mean_by_mean = mean_by_mean + added @ (segment.N @ from_mean)
        mean_by_q = mean_by_q + added @ (from_q + within_by_q)
    C = np.block(
        [
            [mean_by_mean, mean_by_q],
            [
                to_q @ segment.N @ from_mean,
                to_q @ within_by_q + (to_q @ from_q - identity),
            ],
        ]
    )
    rows = [segment.rows_across @ from_mean, (segment.rows_within - segment.rows_across / K) @ from_q]
    return Linear(space, C, np.hstack(rows))


def switched(switch: Switch, moves: Sequence[Linear]) -> Linear:
    """One of several lists of moves as one iteration: the mean of their maps.

    The measures are read once, where the iteration begins.
    """
    return Linear(moves[0].space, switch.expected([move.C for move in moves]), moves[0].rows)


def congruence_change(D: Array, X: Array) -> Array:
    """M X M' - X with M = I + D; X may be a stack."""
    DX = D @ X
    change: Array = DX + np.swapaxes(DX, -1, -2) + DX @ D.T
    return change
