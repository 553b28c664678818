"""Worlds that are finite sums of quadratics, on one level or on two; a sample is one term."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, number_like, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.promised import exactly, largest_eigenvalue, smallest_eigenvalue, spectral_norm
from ratecert.base.validation import Array, as_finite, as_matrix, frozen, require_whole
from ratecert.synthetic.one_level import Quadratics
from ratecert.synthetic.quadratic import TwoLevels

ROUNDING = 1e-12  # of the largest entry: an eigenvalue that is less below zero is zero


@dataclass(frozen=True, kw_only=True, eq=False)
class FiniteSum(Quadratics):
    """A sum of quadratics on one level, each with a curvature and a minimiser of its own; x* is known exactly.

        F(x)         = (1/n) sum_i 1/2 (x - a_i)'H_i(x - a_i) + g_i'x
        grad F(x; i) = H_i (x - a_i) + g_i,  i uniform on 0, ..., n - 1

    A term is convex unless that is waived, and without g each has its own minimiser.

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
        stack = _as_terms("H", H, 3)
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

    @staticmethod
    def lowest(data: Mapping[str, Array]) -> Array:
        """Of many worlds at once, the smallest eigenvalue of what has to be positive definite, of every term too."""
        terms, sums = np.linalg.eigvalsh(data["H"]), np.linalg.eigvalsh(data["H"].mean(axis=1))
        lowest: Array = np.minimum(terms.min(axis=(1, 2)), sums[:, 0])
        return lowest

    @property
    def n(self) -> int:
        """How many terms the sum has."""
        return len(self.H)

    @property
    def terms(self) -> list[tuple[Array, Array, Array]]:
        """H_i, a_i, g_i."""
        return list(zip(self.H, self.a, self.g, strict=True))

    def constants(self) -> dict[str, float]:
        """Exact constants: L and mu of F, L_max of every term, L_average, sigma_star, sigma, calL, M and M_V, and n.

        sigma_star is the standard deviation of a sampled gradient at x*, and sigma that at any point: infinite unless
        all terms have one Hessian. M and M_V are those of `growth` in one_level.py.

        L_average^2 bounds E||grad F(x; i) - grad F(y; i)||^2 / ||x - y||^2; calL is the smallest number with
        E||grad F(x; i) - grad F(x*; i)||^2 <= 2 calL (F(x) - F*).
        """
        terms = exactly(self.H)
        exact = terms.dtype == object
        part = rational(self.sample_share) if exact else float(self.sample_share)
        H, second = part * summed(list(terms)), part * summed([each @ each for each in terms])
        D = np.stack([solve(H, each - H).T for each in terms])
        found = self.constants_of(H, second, D, self.at_rest[0], rational(0))
        return found | {
            "L_max": max(map(spectral_norm, terms)),
            "sigma": found["sigma_star"] if (self.H[0] == self.H).all() else math.inf,
            "n": float(self.n),
        }

    @property
    def at_rest(self) -> tuple[Any, Any]:
        terms = exactly(self.H)
        away = self.exact_x_star - Rationals.of(self.a) if terms.dtype == object else self.x_star - self.a
        slopes = exactly(self.g[:, None])[:, 0]
        rows = [each @ off + g for each, off, g in zip(terms, away, slopes, strict=True)]
        return np.stack(rows), rational(0)

    def sample_vectors(self, x: Any) -> Any:
        return np.concatenate(self.slopes(x))

    def sample_f(self, bits: Any) -> Any:
        """Draw i."""
        return bits.whole(self.n)

    def term(self, i: int) -> int:
        """Term i as a sample, which is not drawn."""
        return require_whole("the number of the term", i, least=0, most=self.n - 1)

    def grad_f(self, i: Any, x: Any) -> Any:
        """The gradient of term i, at columns of points; i is a number, or one for each column."""
        return _times(self.H, i, x - _column(self.a, i)) + _column(self.g, i)

    def full_gradient(self, x: Any) -> Any:
        """grad F, at columns of points of any kind."""
        return self.table_gradient(*[x] * self.n)

    def table_gradient(self, *points: Any) -> Any:
        """The mean over all terms, each at columns of its own points of any kind: 1/n as the fraction that it is."""
        total = summed(self.grad_f(i, x) for i, x in enumerate(points))
        part = number_like(total)(self.sample_share) if isinstance(total, np.ndarray) else self.sample_share
        return part * total


@dataclass(frozen=True, kw_only=True, eq=False)
class BilevelSum(TwoLevels):
    """Both levels sums of quadratics, made of their matrices; y*(x) and Phi are known exactly.

        g(x, y) = (1/n) sum_i 1/2 y'A_i y - y'(B_i x + c_i)
        f(x, y) = (1/m) sum_j 1/2 (x-a_j)'P_j(x-a_j) + 1/2 (y-b_j)'D_j(y-b_j)

    i uniform on 0, ..., n - 1 and j on 0, ..., m - 1, independently. The truth is that of the means over terms. Where
    d_x = d_y = 1 all arguments are lists of numbers, one for each term.

    >>> import ratecert as rc
    >>> world = rc.worlds.BilevelSum(
    ...     A=[1.0, 3.0], B=[1.0, 3.0], c=[0.0, 0.0], P=[1.0], D=[1.0], a=[0.0], b=[0.0]
    ... )
    >>> print(world.y_star(3.0), world.hypergradient(3.0), world.objective(3.0))
    [3.] [6.] 9.0
    """

    A: Array  # (n, d_y, d_y) symmetric, positive definite: curvatures of the lower level
    B: Array  # (n, d_y, d_x): couplings of the levels
    c: Array  # (n, d_y): lower targets
    P: Array  # (m, d_x, d_x) symmetric: curvatures of f in x
    D: Array  # (m, d_y, d_y) symmetric: curvatures of f in y
    a: Array  # (m, d_x): centres of f in x
    b: Array  # (m, d_y): centres of f in y

    def __init__(
        self, *, A: ArrayLike, B: ArrayLike, c: ArrayLike, P: ArrayLike, D: ArrayLike, a: ArrayLike,
        b: ArrayLike,
    ) -> None:  # fmt: skip
        given = {"A": A, "B": B, "c": c, "P": P, "D": D, "a": a, "b": b}
        found = {name: _as_terms(name, value, 2 if name in "cab" else 3) for name, value in given.items()}
        (n, d_y), (m, d_x) = found["A"].shape[:2], found["P"].shape[:2]
        shapes = {
            "A": (n, d_y, d_y), "B": (n, d_y, d_x), "c": (n, d_y),
            "P": (m, d_x, d_x), "D": (m, d_y, d_y), "a": (m, d_x), "b": (m, d_y),
        }  # fmt: skip
        for name, terms in found.items():
            if terms.shape != shapes[name]:
                raise UserError(
                    f"{name} must have the shape {shapes[name]}, one entry for each term, got {terms.shape}."
                )
            for i, matrix in enumerate(terms if name in "APD" else ()):
                as_matrix(f"{name}[{i}]", matrix, matrix.shape, symmetric=True)
            object.__setattr__(self, name, frozen(terms))
        lowest = np.linalg.eigvalsh(self.A)[:, 0]
        if lowest.min() <= 0:
            i = int(np.argmin(lowest))
            raise UserError(
                f"every A must be positive definite, but A[{i}] has the eigenvalue {lowest[i]:.6g}."
            )
        least = float(np.linalg.eigvalsh(self._hessian_Phi)[0])
        if least <= 0:
            raise UserError(f"Phi must have one minimum, but its Hessian has the eigenvalue {least:.6g}.")

    @property
    def n(self) -> int:
        """How many terms g has."""
        return len(self.A)

    @property
    def m(self) -> int:
        """How many terms f has."""
        return len(self.P)

    @property
    def curvature(self) -> tuple[float, float]:
        """Smallest and largest eigenvalue of grad_yy g over all terms."""
        spectra = np.linalg.eigvalsh(self.A)
        return float(spectra[:, 0].min()), float(spectra[:, -1].max())

    def constants(self) -> dict[str, float]:
        """Exact constants of the means: mu_G of G, L_F and L_G of the gradients, L_h and mu_h of h = Phi.

        L_max bounds the gradients of every term in (x, y).
        """
        zero = np.zeros((self.d_x, self.d_x))
        beside = np.zeros((self.d_x, self.d_y))
        of_g = [Rationals.of(np.block([[zero, -B.T], [-B, A]])) for A, B in zip(self.A, self.B, strict=True)]
        of_f = [
            Rationals.of(np.block([[P, beside], [beside.T, D]])) for P, D in zip(self.P, self.D, strict=True)
        ]
        points = Rationals.identity(self.d_x)
        h = self.hypergradient(points) - self.hypergradient(0 * points)
        return {
            "mu_G": smallest_eigenvalue(summed([*Rationals.of(self.A)]) / self.n),
            "L_G": spectral_norm(summed(of_g) / self.n),
            "L_F": spectral_norm(summed(of_f) / self.m),
            "L_max": max(map(spectral_norm, [*of_g, *of_f])),
            "mu_h": smallest_eigenvalue(h),
            "L_h": largest_eigenvalue(h),
        }

    # Samples: the number of a term.

    def sample_f(self, bits: Any) -> Any:
        """Draw j."""
        return bits.whole(self.m)

    def sample_g(self, bits: Any) -> Any:
        """Draw i."""
        return bits.whole(self.n)

    sample_hessian = sample_jacobian = sample_g

    def term_f(self, j: int) -> int:
        """Take term j of f as a sample."""
        return j

    def term_g(self, i: int) -> int:
        """Take term i of g as a sample."""
        return i

    # Sampled oracles, at columns of points; the sample is a number, or one for each column.

    def grad_x_f(self, j: Any, x: Any, y: Any) -> Any:
        return _times(self.P, j, x - _column(self.a, j))

    def grad_y_f(self, j: Any, x: Any, y: Any) -> Any:
        return _times(self.D, j, y - _column(self.b, j))

    def grad_y_g(self, i: Any, x: Any, y: Any) -> Any:
        return _times(self.A, i, y) - _times(self.B, i, x) - _column(self.c, i)

    def hessian_g(self, i: Any, x: Any, y: Any, r: Any) -> Any:
        """grad_yy g_i r = A_i r."""
        return _times(self.A, i, r)

    def neumann_factor_g(self, i: Any, x: Any, y: Any, r: Any, theta: float) -> Any:
        """(I - theta grad_yy g_i) r."""
        return r - theta * _times(self.A, i, r)

    def jacobian_g(self, i: Any, x: Any, y: Any, r: Any) -> Any:
        """grad_xy g_i r = -B_i'r."""
        return _times(-np.swapaxes(self.B, 1, 2), i, r)


def _as_terms(name: str, value: ArrayLike, ndim: int) -> Array:
    """One entry for each term; numbers stand for 1 x 1 matrices and for vectors of one entry."""
    terms = as_finite(name, value)
    if terms.ndim == 1:
        terms = terms.reshape(-1, *[1] * (ndim - 1))
    if terms.ndim != ndim or terms.size == 0:
        kind = "matrices" if ndim == 3 else "vectors"
        raise UserError(f"{name} must be a list of numbers or of {kind}, got an array {terms.shape}.")
    return terms


def _points(name: str, given: ArrayLike, n: int, d: int) -> Array:
    points = as_finite(name, given)
    points = points[:, None] if points.ndim == 1 and d == 1 else points
    points = np.full((n, d), points) if points.ndim == 0 else points
    if points.shape != (n, d):
        raise UserError(f"{name} must have one point for each H, shape ({n}, {d}), got {points.shape}.")
    return frozen(points)


def _times(stack: Array, i: Any, v: Any) -> Any:
    return stack[i] @ v if np.ndim(i) == 0 else np.einsum("ljk,kl->jl", stack[i], v)


def _column(vectors: Array, i: Any) -> Any:
    return vectors[i][:, None] if np.ndim(i) == 0 else vectors[i].T
