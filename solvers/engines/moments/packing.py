"""Symmetric matrices as vectors: the entries on and above the diagonal, once each.

A row r of numbers is a linear functional r . pack(X) = tr(W X); `weights` makes r from W and `matrix_of` undoes
it. Functionals follow a congruence backwards: r . pack(M X M') has the matrix M' W M.
"""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.moments.stacks import for_each_row

Array = NDArray[Any]  # of doubles, balls or rationals


class Packing:
    def __init__(self, n: int) -> None:
        self.n = n
        self.rows, self.columns = np.triu_indices(n)
        self.size = len(self.rows)
        self._place = np.empty((n, n), dtype=np.intp)
        self._place[self.rows, self.columns] = self._place[self.columns, self.rows] = np.arange(self.size)
        self._twice = np.where(self.rows == self.columns, 1, 2)

    def pack(self, X: Array) -> Array:
        return X[..., self.rows, self.columns]

    def unpack(self, v: Array) -> Array:
        return v[..., self._place]

    def weights(self, W: Array) -> Array:
        return self.pack(W) * self._twice

    def matrix_of(self, r: Array) -> Array:
        return self.unpack(r / self._twice)

    def places(self, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where the packed entries of X[chosen, chosen] are among those of X."""
        small = packing(len(chosen))
        return self._place[chosen[small.rows], chosen[small.columns]]

    @cached_property
    def basis(self) -> Array:
        """(size, n, n): the matrices whose packed vectors are the unit vectors."""
        return self.unpack(np.eye(self.size))

    def change_backwards(self, r: Array, D: Array) -> Array:
        """Functionals of M X M' - X, M = I + D, for functionals r of X; r may be a stack of rows."""
        W, D = self.matrix_of(r), for_each_row(D)
        WD = W @ D
        return self.weights(WD + np.swapaxes(WD, -1, -2) + np.swapaxes(D, -1, -2) @ WD)


@lru_cache(maxsize=64)
def packing(n: int) -> Packing:
    return Packing(n)
