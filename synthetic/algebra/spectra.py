"""Matrices with prescribed eigenvalues or singular values in a random orthonormal basis."""

import numpy as np

from ratecert.base.validation import Array


def rotation(rng: np.random.Generator, d: int) -> Array:
    """A random orthogonal matrix, uniform over all of them (the signs make QR unique)."""
    Q, R = np.linalg.qr(rng.standard_normal((d, d)))
    basis: Array = Q * np.sign(np.diag(R))
    return basis


def symmetric(rng: np.random.Generator, eigenvalues: Array) -> Array:
    U = rotation(rng, len(eigenvalues))
    M = (U * eigenvalues) @ U.T
    return 0.5 * (M + M.T)


def rectangular(rng: np.random.Generator, rows: int, columns: int, singular_values: Array) -> Array:
    U, V = rotation(rng, rows), rotation(rng, columns)
    k = len(singular_values)
    return (U[:, :k] * singular_values) @ V[:, :k].T
