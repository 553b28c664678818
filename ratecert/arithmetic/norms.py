"""Norms of arrays of balls, rounded up."""

from typing import Any

from flint import arb
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import matrix_power

SQUARINGS = 24  # of A'A, after which the estimate of a norm is larger than the norm by less than 1e-7


def norm(values: NDArray[Any]) -> arb:
    """The Euclidean norm of a vector, the Frobenius norm of a matrix."""
    square: arb = sum((value * value for value in values.ravel().tolist()), arb(0))
    return square.abs_upper().sqrt().upper()


def spectral_norm(A: NDArray[Any]) -> arb:
    """||A|| <= ||(A'A)^m||_F^(1/2m), which is larger by at most a factor n^(1/4m) for n columns.

    The norm of A' is the same: the narrower of the two is taken.
    """
    narrow = A if A.shape[1] <= A.shape[0] else A.T
    size = norm(matrix_power(narrow.T @ narrow, 2**SQUARINGS))
    return arb(0) if size == 0 else size.root(2 ** (SQUARINGS + 1)).upper()
