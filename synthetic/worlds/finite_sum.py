"""A finite sum of quadratics, each with a curvature and a minimiser of its own; a sample is one of them.

    F(x)         = (1/n) sum_i 1/2 (x - a_i)'H_i(x - a_i) + g_i'x
    grad F(x; i) = H_i (x - a_i) + g_i,  i uniform on 0, ..., n - 1

so that F has the Hessian H = (1/n) sum_i H_i and the minimiser x* = H^{-1} (1/n) sum_i (H_i a_i - g_i). A term is
convex unless that is waived, and without g each has its own minimiser.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, like, number_like, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.validation import Array, ReadOnlyCopies, as_finite, as_matrix, as_point, frozen
from ratecert.synthetic.algebra.resolvent import beside, resolvent
from ratecert.synthetic.constants.growth import growth
from ratecert.synthetic.constants.promised import (
    exactly,
    largest_eigenvalue,
    minimiser_of,
    root_above,
    root_of_largest_eigenvalue,
    smallest_eigenvalue,
    spectral_norm,
    squares,
)

ROUNDING = 1e-12  # of the largest entry: an eigenvalue that is less below zero is zero


@dataclass(frozen=True, kw_only=True, eq=False)
class FiniteSum(ReadOnlyCopies):
    """A sum of quadratics on one level, made of their matrices; its solution is known exactly.

    >>> import ratecert as rc
    >>> world = rc.worlds.FiniteSum(H=[1.0, 3.0], a=[0.0, 1.0])
    >>> print(world.x_star, world.gradient(1.0), world.constants()["L_max"])
    [0.75] [0.5] 3.0
    """

    H: Array  # (n, d_x, d_x) symmetric, of mean positive definite
    a: Array  # (n, d_x)
    g: Array  # (n, d_x): a linear part of each term

    def __init__(self, *, H: ArrayLike, a: ArrayLike = 0.0, g: ArrayLike = 0.0, convex: bool = True) -> None:
        """Terms with negative eigenvalues are taken with convex=False only; a number a or g is that of every term."""
        stack = as_finite("H", H)
        stack = stack[:, None, None] if stack.ndim == 1 else stack
        if stack.ndim != 3 or not len(stack):
            raise UserError(
                f"H must be a list of numbers or of symmetric matrices, got an array {stack.shape}."
            )
        n, d = stack.shape[:2]
        for i, matrix in enumerate(stack):
            as_matrix(f"H[{i}]", matrix, (d, d), symmetric=True)
        object.__setattr__(self, "H", frozen(stack))
        object.__setattr__(self, "a", _points("a", a, n, d))
        object.__setattr__(self, "g", _points("g", g, n, d))
        lowest = np.linalg.eigvalsh(stack)[:, 0]
        if convex and lowest.min() < -ROUNDING * np.abs(stack).max():
            i = int(np.argmin(lowest))
            raise UserError(
                f"every H must be convex, but H[{i}] has the eigenvalue {lowest[i]:.6g}; terms that need not be convex "
                "are taken with convex=False."
            )
        if np.linalg.eigvalsh(stack.mean(axis=0))[0] <= 0:
            raise UserError("the mean of the H must be positive definite, and it is not.")

    @property
    def d_x(self) -> int:
        return int(self.H.shape[1])

    @property
    def n(self) -> int:
        """How many terms the sum has."""
        return len(self.H)

    @cached_property
    def x_star(self) -> Array:
        """The minimiser."""
        return frozen(np.linalg.solve(*self._means(np.zeros(self.d_x))))

    @cached_property
    def exact_x_star(self) -> Rationals:
        """The minimiser in fractions."""
        return minimiser_of(self.gradient, self.d_x)

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        H, pull = self._means(x)
        gradient: Array = H @ x - beside(pull, x)
        return gradient

    def objective(self, x: ArrayLike) -> Any:
        """F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = np.asarray(as_point(x, self.d_x), dtype=np.float64)
        u = x[None] - (self.a if x.ndim == 1 else self.a[:, :, None])
        curved = 0.5 * np.einsum("ij...,ijk,ik...->...", u, self.H, u)
        return (curved + np.einsum("ij,j...->...", self.g, x)) / self.n

    def constants(self) -> dict[str, float]:
        """Exact constants: L and mu of F, L_max of every term, L_average, sigma_star, sigma, calL, M and M_V, and n.

        sigma_star is the standard deviation of a sampled gradient at x*, and sigma that at any point: infinite unless
        all terms have one Hessian. M and M_V are those of growth.py.

        L_average^2 bounds E||grad F(x; i) - grad F(y; i)||^2 / ||x - y||^2; calL is the smallest number with
        E||grad F(x; i) - grad F(x*; i)||^2 <= 2 calL (F(x) - F*).
        """
        terms, share = exactly(self.H), rational(self.sample_share)
        part = share if terms.dtype == object else float(self.sample_share)
        H, second = part * summed(list(terms)), part * summed([each @ each for each in terms])
        exact = terms.dtype == object
        away = self.exact_x_star - Rationals.of(self.a) if exact else self.x_star - self.a
        slopes = exactly(self.g[:, None])[:, 0]
        at_rest = np.stack([each @ off + g for each, off, g in zip(terms, away, slopes, strict=True)])
        deviations = np.stack([solve(H, each - H).T for each in terms])
        M, M_V = growth(deviations, at_rest, self.sample_share)
        sigma_star = root_above(share * squares(at_rest))
        return {
            "M": M,
            "M_V": M_V,
            "L": largest_eigenvalue(H),
            "mu": smallest_eigenvalue(H),
            "L_max": max(map(spectral_norm, terms)),
            "L_average": root_of_largest_eigenvalue(second),
            "sigma_star": sigma_star,
            "sigma": sigma_star if (self.H[0] == self.H).all() else math.inf,
            "calL": largest_eigenvalue(second, H),
            "n": float(self.n),
        }

    def prox(self, step: Any, v: Any) -> Any:
        """argmin_w F(w) + ||w - v||^2 / (2 step), at columns of points of any kind."""
        return resolvent(*self._means(np.zeros(self.d_x)), step, v)

    @property
    def sample_share(self) -> Fraction:
        """How likely each term is."""
        return Fraction(1, self.n)

    def sample_vectors(self, x: Any) -> Any:
        """V, affine in x, with E||grad F(x; i)||^2 = sample_share ||V||^2."""
        each = zip(self.H, self.a, self.g, strict=True)
        return np.concatenate([like(H, x) @ (x - beside(a, x)) + beside(g, x) for H, a, g in each])

    def sample_f(self, bits: Any) -> Any:
        """Draw i."""
        return bits.whole(self.n)

    def term(self, i: int) -> int:
        """Term i as a sample, which is not drawn."""
        if not 0 <= i < self.n:
            raise UserError(f"the sum has the terms 0 to {self.n - 1}, and term {i} is asked for.")
        return i

    def grad_f(self, i: Any, x: Any) -> Any:
        """The gradient of term i, at columns of points; i is a number, or one for each column."""
        if np.ndim(i) == 0:
            return self.H[i] @ (x - self.a[i][:, None]) + self.g[i][:, None]
        return np.einsum("ljk,kl->jl", self.H[i], x - self.a[i].T) + self.g[i].T

    def full_gradient(self, x: Any) -> Any:
        """grad F, at columns of points of any kind."""
        return self.table_gradient(*[x] * self.n)

    def table_gradient(self, *points: Any) -> Any:
        """The mean over all terms, each at columns of its own points of any kind: 1/n as the fraction that it is."""
        first, *others = (self.grad_f(i, x) for i, x in enumerate(points))
        part = Fraction(1, self.n)
        return (number_like(first)(part) if isinstance(first, np.ndarray) else part) * sum(others, first)

    def _means(self, x: Array) -> tuple[Any, Any]:
        """H and the mean of H_i a_i - g_i, in the kind of numbers of x."""
        H, a, g = like(self.H, x), like(self.a, x), like(self.g, x)
        pulls = [H[i] @ a[i] - g[i] for i in range(self.n)]
        return sum(H[1:], H[0]) / self.n, sum(pulls[1:], pulls[0]) / self.n


def _points(name: str, given: ArrayLike, n: int, d: int) -> Array:
    points = as_finite(name, given)
    points = points[:, None] if points.ndim == 1 and d == 1 else points
    points = np.full((n, d), points) if points.ndim == 0 else points
    if points.shape != (n, d):
        raise UserError(f"{name} must have one point for each H, shape ({n}, {d}), got {points.shape}.")
    return frozen(points)
