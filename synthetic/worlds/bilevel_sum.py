"""Both levels finite sums of quadratics; a sample is one term, of g or of f.

    g(x, y) = (1/n) sum_i 1/2 y'A_i y - y'(B_i x + c_i)
    f(x, y) = (1/m) sum_j 1/2 (x-a_j)'P_j(x-a_j) + 1/2 (y-b_j)'D_j(y-b_j)

i uniform on 0, ..., n - 1 and j on 0, ..., m - 1, independently. With means over terms A, B, c, P, D, p of P_j a_j and
q of D_j b_j the truth is that of one quadratic:

    y*(x)       = A^{-1}(Bx + c)
    grad Phi(x) = Px - p + B'A^{-1}(D y*(x) - q)                                     (Lemma 1)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, like, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.validation import Array, ReadOnlyCopies, as_finite, as_matrix, as_point, frozen
from ratecert.synthetic.algebra.resolvent import beside
from ratecert.synthetic.constants.promised import largest_eigenvalue, smallest_eigenvalue, spectral_norm


@dataclass(frozen=True, kw_only=True, eq=False)
class BilevelSum(ReadOnlyCopies):
    """A problem whose two levels are sums of quadratics, made of their matrices; y*(x) and Phi are known exactly.

    Where d_x = d_y = 1 all arguments are lists of numbers, one for each term.

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
        self,
        *,
        A: ArrayLike,
        B: ArrayLike,
        c: ArrayLike,
        P: ArrayLike,
        D: ArrayLike,
        a: ArrayLike,
        b: ArrayLike,
    ) -> None:
        lower, upper = _as_terms("A", A, 3), _as_terms("P", P, 3)
        (n, d_y), (m, d_x) = lower.shape[:2], upper.shape[:2]
        shapes = {
            "A": (lower, (n, d_y, d_y)),
            "B": (_as_terms("B", B, 3), (n, d_y, d_x)),
            "c": (_as_terms("c", c, 2), (n, d_y)),
            "P": (upper, (m, d_x, d_x)),
            "D": (_as_terms("D", D, 3), (m, d_y, d_y)),
            "a": (_as_terms("a", a, 2), (m, d_x)),
            "b": (_as_terms("b", b, 2), (m, d_y)),
        }
        for name, (terms, shape) in shapes.items():
            if terms.shape != shape:
                raise UserError(
                    f"{name} must have the shape {shape}, one entry for each term, got {terms.shape}."
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
    def d_x(self) -> int:
        return int(self.P.shape[1])

    @property
    def d_y(self) -> int:
        return int(self.A.shape[1])

    @property
    def n(self) -> int:
        """How many terms g has."""
        return len(self.A)

    @property
    def m(self) -> int:
        """How many terms f has."""
        return len(self.P)

    # The truth. x is one point (d_x,), or n points as columns (d_x, n).

    def y_star(self, x: ArrayLike) -> Array:
        """y*(x), at a point (d_x,) or at columns (d_x, n)."""
        x = as_point(x, self.d_x)
        slope, intercept = self._lower_level(x)
        solution: Array = slope @ x + beside(intercept, x)
        return solution

    def hypergradient(self, x: ArrayLike) -> Array:
        """grad Phi(x) by Lemma 1, at a point (d_x,) or at columns (d_x, n)."""
        x = as_point(x, self.d_x)
        slope, _ = self._lower_level(x)
        P, D = _mean(self.P, x), _mean(self.D, x)
        p, q = _mean_pull(self.P, self.a, x), _mean_pull(self.D, self.b, x)
        gradient: Array = P @ x - beside(p, x) + slope.T @ (D @ self.y_star(x) - beside(q, x))
        return gradient

    def objective(self, x: ArrayLike) -> Any:
        """Phi(x) = f(x, y*(x)), at a point (d_x,) or at columns (d_x, n)."""
        x = np.asarray(as_point(x, self.d_x), dtype=np.float64)
        y, value = self.y_star(x), 0.0
        for P, D, a, b in zip(self.P, self.D, self.a, self.b, strict=True):
            u, v = x - beside(a, x), y - beside(b, x)
            value = value + 0.5 * ((u * (P @ u)).sum(axis=0) + (v * (D @ v)).sum(axis=0))
        return value / self.m

    @cached_property
    def x_star(self) -> Array:
        """The minimiser of Phi."""
        return frozen(-np.linalg.solve(self._hessian_Phi, self.hypergradient(np.zeros(self.d_x))))

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
        of_g = [np.block([[zero, -B.T], [-B, A]]) for A, B in zip(self.A, self.B, strict=True)]
        of_f = [_beside_another(P, D) for P, D in zip(self.P, self.D, strict=True)]
        hessians_g, hessians_f, lower = (
            [*map(Rationals.of, of_g)],
            [*map(Rationals.of, of_f)],
            Rationals.of(self.A),
        )
        points = Rationals.identity(self.d_x)
        h = self.hypergradient(points) - self.hypergradient(0 * points)
        return {
            "mu_G": smallest_eigenvalue(summed([*lower]) / self.n),
            "L_G": spectral_norm(summed(hessians_g) / self.n),
            "L_F": spectral_norm(summed(hessians_f) / self.m),
            "L_max": max(map(spectral_norm, [*hessians_g, *hessians_f])),
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

    # What the truth is made of.

    def _lower_level(self, x: Any) -> tuple[Any, Any]:
        """Slope and intercept of y*, in the kind of numbers of x."""
        A = _mean(self.A, x)
        return solve(A, _mean(self.B, x)), solve(A, _mean(self.c, x))

    @cached_property
    def _hessian_Phi(self) -> Array:
        slope, _ = self._lower_level(self.A)
        H = self.P.mean(axis=0) + slope.T @ self.D.mean(axis=0) @ slope
        return frozen(0.5 * H + 0.5 * H.T)


def _as_terms(name: str, value: ArrayLike, ndim: int) -> Array:
    """One entry for each term; numbers stand for 1 x 1 matrices and for vectors of one entry."""
    terms = as_finite(name, value)
    if terms.ndim == 1:
        terms = terms.reshape(-1, *[1] * (ndim - 1))
    if terms.ndim != ndim or terms.size == 0:
        kind = "matrices" if ndim == 3 else "vectors"
        raise UserError(f"{name} must be a list of numbers or of {kind}, got an array {terms.shape}.")
    return terms


def _mean(terms: Array, x: Any) -> Any:
    """The mean over terms, in the kind of numbers of x."""
    same = like(terms, x)
    return sum(same[1:], same[0]) / len(terms)


def _mean_pull(matrices: Array, centres: Array, x: Any) -> Any:
    """The mean of matrix times centre, in the kind of numbers of x."""
    H, a = like(matrices, x), like(centres, x)
    pulls = [H[j] @ a[j] for j in range(len(matrices))]
    return sum(pulls[1:], pulls[0]) / len(pulls)


def _times(stack: Array, i: Any, v: Any) -> Any:
    return stack[i] @ v if np.ndim(i) == 0 else np.einsum("ljk,kl->jl", stack[i], v)


def _column(vectors: Array, i: Any) -> Any:
    return vectors[i][:, None] if np.ndim(i) == 0 else vectors[i].T


def _beside_another(P: Array, D: Array) -> Array:
    """The block-diagonal matrix of the two."""
    zero = np.zeros((len(P), len(D)))
    return np.block([[P, zero], [zero.T, D]])
