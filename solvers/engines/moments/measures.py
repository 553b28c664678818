"""The measures as functionals of the moments of the devices.

A form E v'W v with v = L w, affine in w = (coordinates, 1), is

    of the mean       tr(L'W L mean)
    of deviations     (1 - 1/K) tr(L'W L within), without the constant part of L

L is moved to other coordinates before it is squared: near the solution its constant part is small, its square is not
the difference of large squares.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, doubles, identity_like, nothing_like, number_like
from ratecert.solvers.contract.measures import IterateSum
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.frame import Frame

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Term:
    """E v'W v with v = L w, of the mean over devices, of deviations from it, or of both."""

    L: Array
    W: Array
    of_mean: bool
    of_deviations: bool


@dataclass(frozen=True)
class MeasureMap:
    measures: tuple[tuple[Term, ...], ...]
    K: Any  # None: moments of deviations are given as they are
    size: int  # of w
    averaged: tuple[bool, ...]  # over t < T; the others are read at the end
    running: tuple[
        tuple[IterateSum, slice], ...
    ] = ()  # coordinates that are sums over the iterates so far, of which the mean is read
    exact: bool = True  # whether the problem has given its truth in exact numbers, not in doubles

    @property
    def nothing(self) -> Array:
        """Zero for each measure: whole, a zero of every kind of number."""
        return np.zeros(len(self.measures), dtype=int)

    @cached_property
    def read_mean(self) -> NDArray[np.bool_]:
        """Which measures are averages over t of what they read of the mean over devices."""
        return np.array(self.averaged) & [any(t.of_mean for t in terms) for terms in self.measures]

    @cached_property
    def read_within(self) -> NDArray[np.bool_]:
        """Which ones are averages of what they read of deviations from it."""
        return np.array(self.averaged) & [any(t.of_deviations for t in terms) for terms in self.measures]

    @cached_property
    def on_mean(self) -> Array:
        """(measures, n, n)"""
        return self._stacked([[_square(t.L, t.W) for t in terms if t.of_mean] for terms in self.measures])

    @cached_property
    def on_within(self) -> Array:
        """(measures, n, n)"""
        parts = [[_square(_linear(t.L), t.W) for t in terms if t.of_deviations] for terms in self.measures]
        if self.K is None:
            return self._stacked(parts)
        return self._stacked([[X - X / self.K for X in squares] for squares in parts])

    @cached_property
    def summed_mean(self) -> Array:
        """The same as on_mean of what is averaged over t, and zero for what is read at the end."""
        return self._averaged(self.on_mean)

    @cached_property
    def summed_within(self) -> Array:
        return self._averaged(self.on_within)

    def read(self, moments: DeviceMoments, t: int) -> Array:
        """All measures at iteration t >= 1."""
        terms = self.on_mean * self._at(moments.mean, t) + self.on_within * self._at(moments.within, t)
        total: Array = terms.sum(axis=(1, 2))
        return total

    def summed(self, moments: DeviceMoments) -> Array:
        """What one iteration adds to the averages over t."""
        terms = self.summed_mean * moments.mean + self.summed_within * moments.within
        total: Array = terms.sum(axis=(1, 2))
        return total

    def _averaged(self, forms: Array) -> Array:
        kept: Array = forms.copy()
        kept[~np.array(self.averaged)] = 0 * kept[~np.array(self.averaged)]
        return kept

    def _at(self, X: Array, t: int) -> Array:
        """Moments with the mean of the iterates before t in the place of their sum."""
        if not self.running:
            return X
        scale = identity_like(X, self.size).diagonal().copy()
        for each, block in self.running:
            scale[block] = scale[block] / number_like(X)(each.total(t))
        scaled: Array = X * scale * scale[:, None]
        return scaled

    def grain(self, moments: DeviceMoments, t: int) -> Array:
        """What a reading in doubles is rounded to: its terms may be larger than their sum. Nothing for balls.

        After a long map it is rounded to what the moments were before.
        """
        if isinstance(moments.mean, Numbers):
            return self.nothing.astype(np.float64)
        if moments.before is not None:
            return np.maximum(self.grain(replace(moments, before=None), t), self.grain(moments.before, t))
        mean, within = self._at(moments.mean, t), self._at(moments.within, t)
        terms = np.abs(self.on_mean * mean) + np.abs(self.on_within * within)
        grain: Array = float(np.finfo(float).eps) * terms.sum(axis=(1, 2))
        return grain

    def at(self, w: Array) -> Array:
        """Where every device is at the point w = (coordinates, 1)."""
        values = []
        for terms in self.measures:
            vectors = [(t.L @ w, t.W) for t in terms if t.of_mean]
            pairs = [pair for v, W in vectors for pair in zip(v, W @ v, strict=True)]
            values.append(sum((a * b for a, b in pairs), 0 * w[-1]))
        return np.array(values, dtype=object).view(type(w)) if isinstance(w, Numbers) else np.array(values)

    def in_frame(self, frame: Frame) -> "MeasureMap":
        return self._each(lambda t: replace(t, L=frame.read(t.L)))

    def rounded(self) -> "MeasureMap":
        """The same in doubles, every number rounded once."""
        return self._each(lambda t: replace(t, L=doubles(t.L), W=doubles(t.W)))

    def _each(self, change: Any) -> "MeasureMap":
        return replace(self, measures=tuple(tuple(map(change, terms)) for terms in self.measures))

    def _stacked(self, squares: Sequence[Sequence[Array]]) -> Array:
        terms = [term.L for terms in self.measures for term in terms]
        nothing = nothing_like(terms[0] if terms else np.zeros(0), self.size, self.size)
        return np.stack([sum(each, nothing) for each in squares])


def _linear(L: Array) -> Array:
    """L without its constant part."""
    linear = L.copy()
    linear[:, -1] = 0 * linear[:, -1]
    return linear


def _square(L: Array, W: Array) -> Array:
    square: Array = L.T @ W @ L
    return square
