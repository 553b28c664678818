"""Matrices with signs: M + sum_i e_i M_i for n noise directions M_i and signs e in {-1, +1}^n."""

from functools import cached_property
from typing import Any

import numpy as np

from ratecert.base.arrays import summed
from ratecert.base.validation import Array


def all_signs(n: int) -> Array:
    """(2^n, n): every row of n signs."""
    return np.where((np.arange(2**n)[:, None] >> np.arange(n)) & 1, -1.0, 1.0)


def combinations(mean: Array, directions: Array) -> Array:
    """(2^n, rows, columns): the mean plus every signed sum of the directions."""
    return mean + np.tensordot(all_signs(len(directions)), directions, axes=1)


def with_signs(mean: Any, directions: Any, i: int) -> Any:
    """The i-th of `combinations`, in any kind of numbers."""
    return summed([mean, *(each if i >> k & 1 == 0 else -each for k, each in enumerate(directions))])


class SignedSum:
    """The map (e, r) -> (M + sum_i e_i M_i) r, for any kind of vector r; the result may be changed in place.

    For columns of points, one column per draw of e, a single product with all matrices stacked is fastest.
    """

    def __init__(self, mean: Array, directions: Array) -> None:
        self.mean = mean
        self.directions = directions

    @cached_property
    def stacked(self) -> Array:
        return np.concatenate([self.mean, *self.directions])

    def __call__(self, signs: Any, r: Any) -> Any:
        if isinstance(r, np.ndarray):
            return self._columns(signs, r)
        product = self.mean @ r
        for e, M in zip(signs, self.directions, strict=True):
            product = product + e * (M @ r)
        return product

    def _columns(self, signs: Array, r: Array) -> Array:
        products = self.stacked @ r
        rows = len(self.mean)
        total = products[:rows]
        for i, e in enumerate(signs, start=1):
            noise = products[i * rows : (i + 1) * rows]
            noise *= e
            total += noise
        return total
