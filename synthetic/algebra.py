"""Linear algebra of the worlds: signed sums, matrices of given spectra, minimisers, sizes without overflow.

A unit in which numbers of any size can be squared is a power of two, so that to change to it and back is exact: in it
the largest lies in [1, 2). Matrices with signs are M + sum_i e_i M_i for n noise directions M_i and signs e in
{-1, +1}^n. A proximal step is argmin_w F(w) + ||w - v||^2 / (2 step) = (I + step H)^{-1} (v + step pull), for
grad F(w) = H w - pull.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb

from ratecert.base.arrays import Balls, Rationals, like, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.validation import Array, shown


def unit_of(*arrays: Array | float) -> float:
    """The largest power of two that is at most the largest entry; 1 if all are zero."""
    largest = max((float(np.abs(array).max()) for array in arrays if np.size(array)), default=0.0)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0 else 1.0


def norm(array: Array) -> float:
    """The Euclidean norm of a vector, the spectral norm of a matrix."""
    unit = unit_of(array)
    return unit * float(np.linalg.norm(array / unit, 2))


def all_signs(n: int) -> Array:
    """(2^n, n): every row of n signs."""
    return np.where((np.arange(2**n)[:, None] >> np.arange(n)) & 1, -1.0, 1.0)


def combinations(mean: Array, directions: Array) -> Array:
    """(2^n, rows, columns): the mean plus every signed sum of the directions."""
    return mean + np.tensordot(all_signs(len(directions)), directions, axes=1)


def with_signs(mean: Any, directions: Any, i: int) -> Any:
    """The i-th of `combinations`, in any kind of numbers."""
    return summed([mean, *(each if i >> k & 1 == 0 else -each for k, each in enumerate(directions))])


def signed(mean: Any, directions: Any, signs: Any, r: Any) -> Any:
    """(M + sum_i e_i M_i) r, for any kind of vector r; the result may be changed in place."""
    product = mean @ r
    for e, M in zip(signs, directions, strict=True):
        product += e * (M @ r)
    return product


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


def least_minimiser(H: Array, g: Array, *, size_H: float, size_g: float, rounding: float) -> Array:
    """Where Phi(x) = 1/2 x'Hx + g'x + constant is least, of least norm; refused where it is least nowhere.

    Phi has a minimum if and only if no curvature is negative and no flat direction has a slope. H and g are sums
    and known up to rounding, relative to the sizes of what was summed: a curvature below rounding * size_H counts
    as zero, and a slope that errors of that relative size in H and g can make, as none.
    """
    curvatures, directions = np.linalg.eigh(H)
    slopes = directions.T @ g
    if curvatures[0] < -rounding * size_H:
        raise UserError(
            f"Phi must have a minimum: the smallest eigenvalue of its Hessian P + B'A^-1 D A^-1 B is "
            f"{curvatures[0]:.6g}, allowed is >= 0; choose P and D positive semidefinite."
        )
    curved = curvatures > rounding * size_H
    x: Array = -directions[:, curved] @ (slopes[curved] / curvatures[curved])
    slope = float(np.linalg.norm(slopes[~curved]))
    if slope > rounding * (size_H * float(np.linalg.norm(x)) + size_g):
        downhill = -directions[:, ~curved] @ (slopes[~curved] / slope)
        raise UserError(
            f"Phi must have a minimum: along {shown(downhill.round(4))} its Hessian P + B'A^-1 D A^-1 B is "
            f"zero to rounding, but its linear term has the slope {-slope:.6g}, so that to rounding Phi is "
            f"unbounded below; make P larger there, or choose a, b and c for which that slope is 0."
        )
    return x


def mean(each: Sequence[Any]) -> Any:
    """Of arrays of any kind; of one, itself."""
    return summed(each) / len(each) if len(each) > 1 else each[0]


def beside(v: Array, x: Array) -> Array:
    """The vector v in the kind of numbers of x, shaped for addition to it: a point, or a row of columns."""
    same: Array = like(v, x)
    return same if np.ndim(x) == 1 else same[:, None]


def resolvent(H: Array, pull: Array, step: Any, v: Any) -> Any:
    """At columns v of doubles, or at a vector of an engine's own kind: then the inverse is exact, or a ball."""
    if isinstance(v, np.ndarray):
        return np.linalg.solve(np.eye(len(H)) + float(step) * H, v + float(step) * pull[:, None])
    kind = Balls if isinstance(step, arb) else Rationals
    size, identity = kind.number(step), kind.identity(len(H))
    inverse = solve(identity + size * kind.of(H), identity)
    return inverse @ v + inverse @ (size * kind.of(pull))[:, None]
