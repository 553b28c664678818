"""How the variance of a sampled gradient grows with the gradient: Var g <= M + M_V ||grad F||^2.

On a quadratic the deviation of sample j from v = grad F is D_j v + r_j, so that

    Var g = v'A v + 2 b'v + c,        A = sum_j D_j'D_j,    b = sum_j D_j'r_j,    c = sum_j ||r_j||^2

Without b the smallest constants are M = c and M_V, the largest eigenvalue of A. With b there is no smallest pair: M_V
is then taken twice as large, and M is what it has to be, c + b'(M_V I - A)^{-1} b.
"""

from typing import Any

import numpy as np

from ratecert.synthetic.validation.arrays import Array

ROUNDING = 1e-9  # of the largest that b can be, sqrt(c M_V): less is none


def growth(D: Array, r: Array) -> tuple[float, float]:
    """(M, M_V), for D (j, d, d) and r (j, d)."""
    A, b, c = np.einsum("jki,jkl->il", D, D), np.einsum("jki,jk->i", D, r), float(np.square(r).sum())
    largest = max(0.0, float(np.linalg.eigvalsh(A)[-1]))
    if np.linalg.norm(b) <= ROUNDING * np.sqrt(c * largest):
        return c, largest
    M_V = 2 * largest
    return c + float(b @ np.linalg.solve(M_V * np.eye(len(b)) - A, b)), M_V


def deviation_at(world: Any, x: Array) -> float:
    """The standard deviation of a world's sampled gradients at x."""
    second = float(world.sample_share) * np.square(world.sample_vectors(x[:, None])).sum()
    return float(np.sqrt(max(0.0, second - np.square(world.gradient(x)).sum())))
