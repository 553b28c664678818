"""Constants as promises: the nearest doubles that certainly hold, L from above and mu from below.

A function that is L-smooth is L'-smooth for every L' > L, so a theorem that is true holds with L', too; with a double
that is an ulp below L it need not. The matrices of a world are doubles, hence rationals, and on these everything here
is decided exactly: c is at least the largest eigenvalue of N^{-1} M, whose characteristic polynomial p has real roots
only, if and only if p(c + x) has no negative coefficient.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from ratecert.base.arrays import Rationals, doubles, solve
from ratecert.base.exact import rational
from ratecert.base.validation import Array

LARGEST = 24  # dimension, up to which eigenvalues are decided exactly; beyond, LAPACK's error is added
NEAR = 1e-12  # relative: sizes that are so near the largest may be larger
MANY = 64  # of these, above which they are not told apart
EPS = float(np.finfo(float).eps)


def exactly(values: Any) -> Any:
    """As rationals; beyond the largest dimension as the doubles that they are."""
    array = np.asarray(values)
    return Rationals.of(values) if array.ndim == 0 or max(array.shape[-2:]) <= LARGEST else array


def above(value: fmpq) -> float:
    """The smallest double that is not below."""
    try:
        near = float(Fraction(int(value.p), int(value.q)))
    except OverflowError:
        return math.inf if value > 0 else -float(np.finfo(float).max)
    return near if rational(near) >= value else math.nextafter(near, math.inf)


def below(value: fmpq) -> float:
    """The largest double that is not above."""
    return -above(-value)


def root_above(square: fmpq) -> float:
    """The smallest double whose square is not below, exactly the root where that is a double."""
    p, q = int(square.p), int(square.q)
    if p <= 0:
        return 0.0
    shift = max(0, 64 - (p.bit_length() - q.bit_length()) // 2)
    part, left = divmod(p << 2 * shift, q)
    whole = math.isqrt(part)
    exact = not left and whole * whole == part
    return above(fmpq(whole + (not exact), 1 << shift))


def largest_eigenvalue(M: Any, N: Any = None) -> float:
    """The smallest double that is not below any eigenvalue of M, symmetric; of N^{-1} M for positive definite N."""
    return _least_above(M if N is None else solve(N, M), power=1)


def smallest_eigenvalue(M: Any, N: Any = None) -> float:
    """The largest double that is not above any eigenvalue."""
    return -largest_eigenvalue(-M, N)


def root_of_largest_eigenvalue(M: Any) -> float:
    """The same of its root, where no eigenvalue is negative."""
    return _least_above(M, power=2)


def spectral_norm(M: Any) -> float:
    """The smallest double that is not below ||M||_2."""
    if max(M.shape) > LARGEST:
        return outward(float(np.linalg.norm(doubles(M), 2)))
    return root_of_largest_eigenvalue(M.T @ M if M.shape[1] <= M.shape[0] else M @ M.T)


def _least_above(M: Any, power: int) -> float:
    """The smallest double c, not below 0 where the power is 2, with c^power >= every eigenvalue of M."""
    if len(M) > LARGEST:
        plain = doubles(M)
        top = float(np.linalg.eigvals(plain).real.max()) + 4 * len(M) * EPS * float(np.abs(plain).sum())
        return top if power == 1 else math.sqrt(max(top, 0.0))
    if not any(M[i, j] for i in range(len(M)) for j in range(len(M)) if i != j):
        largest = rational(max(M[i, i] for i in range(len(M))))
        return above(largest) if power == 1 else root_above(largest)
    unit = 2 * (max(map(_exponent, M.ravel().tolist())) // 2)  # in 2^unit no guess is too large or too small
    M = (rational(2) ** -unit * M).view(Rationals)
    plain = doubles(M)
    top, error = float(np.linalg.eigvals(plain).real.max()), 4 * len(plain) * EPS * float(np.abs(plain).sum())
    if power == 2:
        top, error = math.sqrt(max(top, 0.0)), math.sqrt(error)
    characteristic = fmpq_mat(len(M), len(M), M.ravel().tolist()).charpoly()

    def holds(c: float) -> bool:
        shifted = characteristic(fmpq_poly([rational(c) ** power, 1]))
        return (power == 1 or c >= 0) and all(each >= 0 for each in shifted.coeffs())

    low, high = top - error, top + error
    while not holds(high):
        high, error = high + error, 2 * error
    while holds(low):
        low, error = low - error, 2 * error
    while (middle := low + (high - low) / 2) not in (low, high):
        low, high = (low, middle) if holds(middle) else (middle, high)
    return above(rational(high) * rational(2) ** (unit // power))


def _exponent(value: fmpq) -> int:
    """Of a power of two near the size of a number."""
    return int(value.p).bit_length() - int(value.q).bit_length() if value else -4000


def largest_of(sizes: Array, exactly: Callable[[int], float]) -> float:
    """The largest of many sizes, known in doubles: those that are largest to rounding are compared `exactly`."""
    top = float(sizes.max())
    near = np.flatnonzero(sizes >= top - NEAR * abs(top)).tolist()
    return max(map(exactly, near)) if len(near) <= MANY else outward(top)


def outward(value: float) -> float:
    """What is known in doubles, with their error: for constants that no theorem needs to the last digit."""
    return value + NEAR * abs(value)


def minimiser_of(gradient: Callable[[Any], Any], d: int) -> Rationals:
    """Where an affine gradient vanishes, in fractions."""
    slope = gradient(exactly(np.zeros((d, 1))))
    curvature = gradient(exactly(np.eye(d))) - slope
    return Rationals.of(solve(curvature, -slope[:, 0]))


def inner(a: Any, b: Any) -> fmpq:
    """The sum of the products of entries, of doubles or rationals."""
    pairs = zip(Rationals.of(a).ravel().tolist(), Rationals.of(b).ravel().tolist(), strict=True)
    return sum((x * y for x, y in pairs), fmpq(0))


def squares(values: Any) -> fmpq:
    """The sum of the squares of the entries."""
    return inner(values, values)
