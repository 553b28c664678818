"""Quadratics on one level: a curvature, a minimiser, and noise of every kind that keeps second moments closed.

    F(x)            = 1/2 (x - a)'H(x - a)
    grad F(x; xi)   = H(x - a) + sum_i e_i (E_i (x - a) + c_i) + s n

with independent signs xi = (e, n): the directions E_i make the Hessian random, c_i adds noise with the sign of E_i, so
that the two are correlated, and s n is independent of both. The minimiser is a, and F* = 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, like, require_memory, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.validation import (
    Array,
    ReadOnlyCopies,
    as_finite,
    as_level,
    as_matrix,
    as_point,
    as_symmetric,
    as_vector,
    frozen,
)
from ratecert.synthetic.algebra.resolvent import beside, resolvent
from ratecert.synthetic.algebra.signs import combinations, with_signs
from ratecert.synthetic.algebra.spectra import symmetric
from ratecert.synthetic.constants.growth import growth
from ratecert.synthetic.constants.promised import (
    above,
    exactly,
    largest_eigenvalue,
    largest_of,
    root_above,
    root_of_largest_eigenvalue,
    smallest_eigenvalue,
    spectral_norm,
    squares,
)

MAX_DIRECTIONS = 12  # of noise: constants take an eigenvalue problem for each of 2^directions outcomes


@dataclass(frozen=True)
class Sample:
    """xi: the signs of one sample."""

    e: Any
    n: Any


@dataclass(frozen=True, kw_only=True, eq=False)
class SingleLevel(ReadOnlyCopies):
    """A quadratic problem on one level, made of its matrices; its solution is known exactly.

    >>> import ratecert as rc
    >>> world = rc.worlds.SingleLevel(H=2.0, a=1.0, s=0.5)
    >>> print(world.gradient(3.0), world.objective(3.0), world.x_star)
    [4.] 4.0 [1.]
    """

    H: Array  # (d_x, d_x) symmetric, positive definite
    a: Array  # (d_x,): the minimiser
    E: Array  # (directions, d_x, d_x) symmetric: noise of the Hessian
    c: Array  # (directions, d_x): noise of the gradient with the same signs
    s: float  # independent noise of the gradient, per coordinate

    def __init__(
        self,
        *,
        H: ArrayLike,
        a: ArrayLike = 0.0,
        E: Sequence[ArrayLike] | None = None,
        c: Sequence[ArrayLike] | None = None,
        s: float = 0.0,
    ) -> None:
        curvature = as_symmetric("H", H)
        d = len(curvature)
        directions = (
            [] if E is None else [as_matrix("E", each, (d, d), symmetric=True) for each in _listed(E)]
        )
        shifts = [] if c is None else [as_vector("c", each, d) for each in _listed(c)]
        if E is not None and c is not None and len(directions) != len(shifts):
            raise UserError(
                f"E and c must be lists of one length, with one matrix and one vector for each sign, got "
                f"{len(directions)} and {len(shifts)}."
            )
        n = max(len(directions), len(shifts))
        if n > MAX_DIRECTIONS:
            raise UserError(f"at most {MAX_DIRECTIONS} directions of noise are taken, got {n}.")
        values = {
            "H": curvature,
            "a": as_vector("a", a, d),
            "E": frozen(np.array(directions or np.zeros((n, d, d)))),
            "c": frozen(np.array(shifts or np.zeros((n, d)))),
            "s": as_level("s", s),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        least = float(np.linalg.eigvalsh(curvature)[0])
        if least <= 0:
            raise UserError(f"H must be positive definite, but its smallest eigenvalue is {least:.6g}.")

    @property
    def d_x(self) -> int:
        return len(self.H)

    @property
    def x_star(self) -> Array:
        """The minimiser."""
        return self.a

    @property
    def exact_x_star(self) -> Rationals:
        """The minimiser in fractions."""
        return Rationals.of(self.a)

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        gradient: Array = like(self.H, x) @ (x - beside(self.a, x))
        return gradient

    def objective(self, x: ArrayLike) -> Any:
        """F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        u = x - beside(self.a, x)
        return 0.5 * (u * (like(self.H, x) @ u)).sum(axis=0)

    def constants(self) -> dict[str, float]:
        """Exact constants: L and mu of F, L_sample of every sample, sigma_star, sigma, expected smoothness calL.

        sigma_star is the standard deviation of a sampled gradient at the minimiser, and sigma that at any point:
        infinite where the Hessian is random.
        E||grad F(x; xi) - grad F(x*; xi)||^2 <= 2 calL (F(x) - F*), with the smallest calL that holds for all x;
        L_average^2 bounds E||grad F(x; xi) - grad F(y; xi)||^2 / ||x - y||^2; M and M_V as in growth.py.
        """
        H, E, c, s = exactly(self.H), exactly(self.E), exactly(self.c[:, None])[:, 0], rational(self.s)
        second = summed([H @ H, *(each @ each for each in E)])
        D = [solve(H, each).T for each in E]
        M, M_V = growth(np.stack(D) if D else E, c)
        noise = self.d_x * s**2
        sigma_star = root_above(squares(c) + noise)
        return {
            "L": largest_eigenvalue(H),
            "mu": smallest_eigenvalue(H),
            "L_average": root_of_largest_eigenvalue(second),
            "M": above(rational(M) + noise),
            "M_V": M_V,
            "L_sample": self._largest_sample(H, E),
            "sigma_star": sigma_star,
            "sigma": math.inf if self.E.any() else sigma_star,
            "calL": largest_eigenvalue(second, H),
        }

    def _largest_sample(self, H: Any, E: Any) -> float:
        """The largest norm of the Hessian of a sample."""
        sizes = np.abs(np.linalg.eigvalsh(combinations(self.H, self.E))).max(axis=1)
        return largest_of(sizes, lambda i: spectral_norm(with_signs(H, E, i)))

    def full_gradient(self, x: Any) -> Any:
        """grad F, at columns of points of any kind."""
        return self.H @ (x - self.a[:, None])

    def prox(self, step: Any, v: Any) -> Any:
        """argmin_w F(w) + ||w - v||^2 / (2 step), at columns of points of any kind."""
        return resolvent(self.H, self.H @ self.a, step, v)

    sample_share: ClassVar[Fraction] = Fraction(1)

    def sample_vectors(self, x: Any) -> Any:
        """V, affine in x, with E||grad F(x; xi)||^2 = sample_share ||V||^2."""
        away = x - beside(self.a, x)
        shifts = [like(E, x) @ away + beside(c, x) for E, c in zip(self.E, self.c, strict=True)]
        noise = 0 * away + beside(np.full(self.d_x, self.s), x)
        return np.concatenate([like(self.H, x) @ away, *shifts, noise])

    def sample_f(self, bits: Any) -> Sample:
        return Sample(e=bits.signs(len(self.E)), n=bits.signs(self.d_x * (self.s > 0)))

    def grad_f(self, xi: Sample, x: Any) -> Any:
        """The gradient of a sample, at columns of points."""
        away = x - self.a[:, None]
        gradient = self.H @ away
        for e, E, c in zip(xi.e, self.E, self.c, strict=True):
            gradient = gradient + e * (E @ away + c[:, None])
        if self.s > 0:
            gradient = gradient + self.s * xi.n
        return gradient


def single_level(
    spectrum: Sequence[float],
    *,
    a: ArrayLike = 0.0,
    seed: int | None = None,
    noise_H: float = 0.0,
    correlated: float = 0.0,
    s: float = 0.0,
) -> SingleLevel:
    """Make a quadratic on one level with a chosen spectrum.

    spectrum    the eigenvalues of H, all positive
    a           the minimiser; a number for all coordinates
    seed        of the eigenvectors; without it H is diagonal
    noise_H     samples of the Hessian are (1 +- noise_H) H
    correlated  noise of the gradient with the sign of that of the Hessian, in every coordinate
    s           independent noise of the gradient, in every coordinate

    >>> import ratecert as rc
    >>> rc.worlds.single_level([1.0, 4.0], s=0.5).constants()["L"]
    4.0
    """
    values = np.atleast_1d(as_finite("spectrum", spectrum))
    if values.ndim != 1 or not len(values) or not (np.isfinite(values) & (values > 0)).all():
        raise UserError(f"spectrum must be a list of numbers > 0, got {spectrum!r}.")
    d = len(values)
    require_memory("single_level", d=d)
    H = np.diag(values) if seed is None else symmetric(np.random.default_rng(seed), values)
    on = as_level("noise_H", noise_H) > 0 or as_level("correlated", correlated) > 0
    return SingleLevel(
        H=H,
        a=a,
        E=[noise_H * H] if on else None,
        c=[np.full(d, correlated)] if on else None,
        s=s,
    )


def _listed(value: Sequence[ArrayLike]) -> list[ArrayLike]:
    if isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim > 0):
        return list(value)
    raise UserError(f"E and c must be lists, with one entry for each sign of the noise, got {value!r}.")
