"""Norms of arrays of balls, rounded up."""

from typing import Any

from flint import arb
from numpy.typing import NDArray

SQUARINGS = 24  # of A'A, after which the estimate of a norm is larger than the norm by less than 1e-7


def norm(values: NDArray[Any]) -> arb:
    """The Euclidean norm of a vector, the Frobenius norm of a matrix."""
    square: arb = sum((value * value for value in values.ravel().tolist()), arb(0))
    return square.abs_upper().sqrt().upper()


def spectral_norm(A: NDArray[Any]) -> arb:
    """||A|| <= ||(A'A)^m||_F^(1/2m), which is larger by at most a factor n^(1/4m) for n columns."""
    power, exponent = A.T @ A, 2
    for _ in range(SQUARINGS):
        power, exponent = power @ power, 2 * exponent
    size = norm(power)
    return arb(0) if size == 0 else size.root(exponent).upper()
