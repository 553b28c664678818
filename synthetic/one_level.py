"""Worlds on one level: a quadratic with noise of every kind, one with a regulariser, and a nonexpansive map.

The noise of a quadratic keeps second moments closed:

    F(x)            = 1/2 (x - a)'H(x - a)
    grad F(x; xi)   = H(x - a) + sum_i e_i (E_i (x - a) + c_i) + s n

with independent signs xi = (e, n): the directions E_i make the Hessian random, c_i adds noise with the sign of E_i, so
that the two are correlated, and s n is independent of both. The minimiser is a, and F* = 0.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, doubles, like, number_like, require_memory, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.promised import (
    above,
    below,
    exactly,
    inner,
    largest_eigenvalue,
    largest_of,
    minimiser_of,
    root_above,
    root_of_largest_eigenvalue,
    smallest_eigenvalue,
    spectral_norm,
    squares,
)
from ratecert.base.validation import (
    Array,
    ReadOnlyCopies,
    as_finite,
    as_level,
    as_matrix,
    as_point,
    as_square,
    as_symmetric,
    as_vector,
    frozen,
    shown,
)
from ratecert.synthetic.algebra import beside, combinations, mean, resolvent, symmetric, with_signs

MAX_DIRECTIONS = 12  # of noise: constants take an eigenvalue problem for each of 2^directions outcomes
ROUNDING = 1e-12  # of a norm that is to be 1, and of a distance from singular matrices
NO_CORRELATION = 1e-9  # of the largest that b can be, sqrt(c M_V): less may be none


class OneLevel(ReadOnlyCopies):
    """What a world of one level knows from its gradient, which is affine."""

    @property
    def d_x(self) -> int:
        raise NotImplementedError

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        raise NotImplementedError

    @cached_property
    def exact_x_star(self) -> Rationals:
        """Where the gradient vanishes, in fractions."""
        return minimiser_of(self.gradient, self.d_x)

    @cached_property
    def x_star(self) -> Array:
        """Where the gradient vanishes."""
        return frozen(doubles(self.exact_x_star))


class Quadratics(OneLevel):
    """The mean of terms F_i(x) = 1/2 (x - a_i)'H_i(x - a_i) + g_i'x, of which there may be one."""

    H: Array  # of every term, or of the one that there is

    @property
    def d_x(self) -> int:
        return int(self.H.shape[-1])

    @property
    def terms(self) -> list[tuple[Array, Array, Array]]:
        """H_i, a_i, g_i."""
        raise NotImplementedError

    @property
    def sample_share(self) -> Fraction:
        """How likely each term is."""
        return Fraction(1, len(self.terms))

    def sample_vectors(self, x: Any) -> Any:
        """V, affine in x, with E||grad F(x; xi)||^2 = sample_share ||V||^2."""
        raise NotImplementedError

    @property
    def at_rest(self) -> tuple[Any, Any]:
        """r and s: a sampled gradient at x* has the covariance sample_share r'r + s^2 I."""
        raise NotImplementedError

    @property
    def sigma_in_one_direction(self) -> float:
        """The root of the largest eigenvalue of that covariance, rounded up."""
        r, s = self.at_rest
        return root_of_largest_eigenvalue(
            rational(self.sample_share) * (r.T @ r) + s**2 * Rationals.identity(self.d_x)
        )

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        gradient: Array = mean(self.slopes(as_point(x, self.d_x)))
        return gradient

    def slopes(self, x: Any) -> list[Any]:
        """The gradient of every term, in the kind of numbers of x."""
        return [like(H, x) @ (x - beside(a, x)) + beside(g, x) for H, a, g in self.terms]

    def objective(self, x: ArrayLike) -> Any:
        """F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        away = [(like(H, x), x - beside(a, x), beside(g, x)) for H, a, g in self.terms]
        return mean([(u * (H @ u) / 2 + g * x).sum(axis=0) for H, u, g in away])

    def prox(self, step: Any, v: Any) -> Any:
        """argmin_w F(w) + ||w - v||^2 / (2 step), at columns of points of any kind."""
        H, pull = mean([H for H, _, _ in self.terms]), mean([H @ a - g for H, a, g in self.terms])
        return resolvent(H, pull, step, v)

    def constants_of(self, H: Any, second: Any, D: Any, r: Any, noise: Any) -> dict[str, float]:
        """From the Hessian, its mean square and how samples deviate: D_j grad F + r_j, and noise of this variance."""
        M, M_V = growth(D, r, self.sample_share)
        return {
            "L": largest_eigenvalue(H),
            "mu": smallest_eigenvalue(H),
            "L_average": root_of_largest_eigenvalue(second),
            "M": above(rational(M) + noise),
            "M_V": M_V,
            "sigma_star": root_above(rational(self.sample_share) * squares(r) + noise),
            "calL": largest_eigenvalue(second, H),
        }


def growth(D: Any, r: Any, weight: Fraction = Fraction(1)) -> tuple[float, float]:
    """(M, M_V) with Var g <= M + M_V ||grad F||^2, for rational D (j, d, d) and r (j, d); every sample has the weight.

    On a quadratic the deviation of sample j from v = grad F is D_j v + r_j, so that

        Var g = v'A v + 2 b'v + c,        A = sum_j D_j'D_j,    b = sum_j D_j'r_j,    c = sum_j ||r_j||^2

    Without b the smallest constants are M = c and M_V, the largest eigenvalue of A. With b there is no smallest pair:
    M_V is then taken twice as large, and M is what it has to be, c + b'(M_V I - A)^{-1} b. Where b may be rounding of
    the world's own numbers, M_V is a billionth larger only.
    """
    share, exact = rational(weight), D.dtype == object
    number: Any = rational if exact else float
    if not len(D):
        return 0.0, 0.0
    A = number(weight) * summed([each.T @ each for each in D])
    b = number(weight) * summed([D.T @ r for D, r in zip(D, r, strict=True)])
    c, largest = share * squares(r), largest_eigenvalue(A)
    size = float(squares(b))
    if not size:
        return above(c), largest
    M_V = (2 if size > NO_CORRELATION**2 * float(c) * largest else 1 + NO_CORRELATION) * largest
    identity = Rationals.identity(len(A)) if exact else np.eye(len(A))
    return above(c + inner(b, solve(number(M_V) * identity - A, b))), M_V


def deviation_at(world: Quadratics, x: Rationals) -> float:
    """The standard deviation of a world's sampled gradients at x."""
    second = rational(world.sample_share) * squares(world.sample_vectors(x[:, None]))
    return root_above(second - squares(world.gradient(x)))


@dataclass(frozen=True)
class Sample:
    """xi: the signs of one sample."""

    e: Any
    n: Any


@dataclass(frozen=True, kw_only=True, eq=False)
class SingleLevel(Quadratics):
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
        self, *, H: ArrayLike, a: ArrayLike = 0.0, E: Sequence[ArrayLike] | None = None,
        c: Sequence[ArrayLike] | None = None, s: float = 0.0,
    ) -> None:  # fmt: skip
        curvature = as_symmetric("H", H)
        d = len(curvature)
        directions = [as_matrix("E", each, (d, d), symmetric=True) for each in _listed(E)]
        shifts = [as_vector("c", each, d) for each in _listed(c)]
        if E is not None and c is not None and len(directions) != len(shifts):
            raise UserError(
                f"E and c must be lists of one length, with one matrix and one vector for each sign, got "
                f"{len(directions)} and {len(shifts)}."
            )
        n = max(len(directions), len(shifts))
        if n > MAX_DIRECTIONS:
            raise UserError(f"at most {MAX_DIRECTIONS} directions of noise are taken, got {n}.")
        object.__setattr__(self, "H", curvature)
        object.__setattr__(self, "a", as_vector("a", a, d))
        object.__setattr__(self, "E", frozen(np.array(directions or np.zeros((n, d, d)))))
        object.__setattr__(self, "c", frozen(np.array(shifts or np.zeros((n, d)))))
        object.__setattr__(self, "s", as_level("s", s))
        least = float(np.linalg.eigvalsh(curvature)[0])
        if least <= 0:
            raise UserError(f"H must be positive definite, but its smallest eigenvalue is {least:.6g}.")

    @staticmethod
    def lowest(data: Mapping[str, Array]) -> Array:
        """Of many worlds at once, the smallest eigenvalue of what has to be positive definite."""
        return as_finite("the spectra", np.linalg.eigvalsh(data["H"]))[:, 0]

    @property
    def terms(self) -> list[tuple[Array, Array, Array]]:
        """The one that there is."""
        return [(self.H, self.a, np.zeros(self.d_x))]

    @cached_property
    def exact_x_star(self) -> Rationals:
        """The minimiser, which is given."""
        return Rationals.of(self.a)

    def constants(self) -> dict[str, float]:
        """Exact constants: L and mu of F, L_sample of every sample, sigma_star, sigma, expected smoothness calL.

        sigma_star is the standard deviation of a sampled gradient at the minimiser, and sigma that at any point:
        infinite where the Hessian is random.
        E||grad F(x; xi) - grad F(x*; xi)||^2 <= 2 calL (F(x) - F*), with the smallest calL that holds for all x;
        L_average^2 bounds E||grad F(x; xi) - grad F(y; xi)||^2 / ||x - y||^2; M and M_V as in `growth`.
        """
        H, E, (c, s) = exactly(self.H), exactly(self.E), self.at_rest
        D = [solve(H, each).T for each in E]
        second = summed([H @ H, *(each @ each for each in E)])
        found = self.constants_of(H, second, np.stack(D) if D else E, c, self.d_x * s**2)
        sizes = np.abs(np.linalg.eigvalsh(combinations(self.H, self.E))).max(axis=1)
        return found | {
            "L_sample": largest_of(sizes, lambda i: spectral_norm(with_signs(H, E, i))),
            "sigma": math.inf if self.E.any() else found["sigma_star"],
        }

    @property
    def at_rest(self) -> tuple[Any, Any]:
        return exactly(self.c[:, None])[:, 0], rational(self.s)

    def full_gradient(self, x: Any) -> Any:
        """grad F, at columns of points of any kind."""
        return self.H @ (x - self.a[:, None])

    def sample_vectors(self, x: Any) -> Any:
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
    spectrum: Sequence[float], *, a: ArrayLike = 0.0, seed: int | None = None, noise_H: float = 0.0,
    correlated: float = 0.0, s: float = 0.0,
) -> SingleLevel:  # fmt: skip
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
    values = as_spectrum(spectrum)
    d = len(values)
    require_memory("single_level", d=d)
    H = np.diag(values) if seed is None else symmetric(np.random.default_rng(seed), values)
    on = as_level("noise_H", noise_H) > 0 or as_level("correlated", correlated) > 0
    E, c = ([noise_H * H], [np.full(d, correlated)]) if on else (None, None)
    return SingleLevel(H=H, a=a, E=E, c=c, s=s)


def as_spectrum(spectrum: Any) -> Array:
    """Eigenvalues that are asked for: numbers > 0."""
    values = np.atleast_1d(as_finite("spectrum", spectrum))
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise UserError(f"spectrum must be a list of numbers > 0, got {shown(spectrum)}.")
    return values


def _listed(value: Sequence[ArrayLike] | None) -> list[ArrayLike]:
    if value is None:
        return []
    if isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim > 0):
        return list(value)
    raise UserError(f"E and c must be lists, with one entry for each sign of the noise, got {shown(value)}.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Regularised(OneLevel):
    """A world F = f + r with the regulariser r(x) = lam/2 ||x - c||^2, which methods may treat by its proximal step.

    Samples are those of f, and the minimiser x* of F is where grad f(x*) = -grad r(x*).

    >>> import ratecert as rc
    >>> world = rc.worlds.Regularised(smooth=rc.worlds.SingleLevel(H=1.0, a=3.0), lam=2.0)
    >>> print(world.x_star, world.gradient(0.0))
    [1.] [-3.]
    """

    smooth: Any  # f, a SingleLevel or a FiniteSum
    lam: float
    c: Array  # (d_x,)

    def __init__(self, *, smooth: Any, lam: float, c: ArrayLike = 0.0) -> None:
        if not isinstance(smooth, Quadratics):
            raise UserError(f"smooth must be a SingleLevel or a FiniteSum, got {shown(smooth)}.")
        object.__setattr__(self, "smooth", smooth)
        object.__setattr__(self, "lam", as_level("lam", lam))
        object.__setattr__(self, "c", as_vector("c", c, smooth.d_x))

    @property
    def d_x(self) -> int:
        return int(self.smooth.d_x)

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        total: Array = self.smooth.gradient(x) + number_like(x)(self.lam) * (x - beside(self.c, x))
        return total

    def objective(self, x: ArrayLike) -> Any:
        """F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        away = x - beside(self.c, x)
        return self.smooth.objective(x) + number_like(x)(self.lam) * (away * away).sum(axis=0) / 2

    def constants(self) -> dict[str, float]:
        """The constants of f, which theorems on proximal methods name, lam, and sigma_star at the minimiser of F."""
        sigma_star = deviation_at(self.smooth, self.exact_x_star)
        return {**self.smooth.constants(), "sigma_star": sigma_star, "lam": self.lam}

    def prox_r(self, step: Any, v: Any) -> Any:
        """argmin_x r(x) + ||x - v||^2 / (2 step) = (v + step lam c) / (1 + step lam), at columns of points."""
        return resolvent(self.lam * np.eye(self.d_x), self.lam * self.c, step, v)

    def full_gradient(self, x: Any) -> Any:
        """grad f, at columns of points of any kind."""
        return self.smooth.full_gradient(x)

    def sample_f(self, bits: Any) -> Any:
        """A sample of f."""
        return self.smooth.sample_f(bits)

    def grad_f(self, xi: Any, x: Any) -> Any:
        """The gradient of a sample of f."""
        return self.smooth.grad_f(xi, x)


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearMap(OneLevel):
    """A nonexpansive affine map T(x) = M x + b, ||M||_2 <= 1, with one fixed point; the gradient is x - T(x).

    SGD with the step alpha is then the Krasnoselskii-Mann iteration x+ = (1 - alpha) x + alpha T(x). There is no noise
    and, unless M is symmetric, no function of which the residual is the gradient.

    >>> import ratecert as rc
    >>> world = rc.worlds.LinearMap(M=[[0.0, -1.0], [1.0, 0.0]], b=[1.0, 0.0])
    >>> print(world.x_star, world.gradient([1.0, 0.0]))
    [0.5 0.5] [ 0. -1.]
    """

    M: Array  # (d_x, d_x), of norm 1 at most
    b: Array  # (d_x,)

    def __init__(self, *, M: ArrayLike, b: ArrayLike = 0.0) -> None:
        object.__setattr__(self, "M", as_square("M", M))
        object.__setattr__(self, "b", as_vector("b", b, self.d_x))
        norm = float(np.linalg.norm(self.M, 2))
        least = float(np.linalg.norm(np.eye(self.d_x) - self.M, -2))
        if norm > 1 + ROUNDING:
            raise UserError(
                f"M must be nonexpansive, but its norm is {norm:.6g}; divide M by its norm, which must be at most 1."
            )
        if least <= ROUNDING:
            raise UserError(
                f"I - M must be invertible, so that there is one fixed point, but its smallest singular value is "
                f"{least:.6g}; choose M without the eigenvalue 1."
            )

    @property
    def d_x(self) -> int:
        return len(self.M)

    def gradient(self, x: ArrayLike) -> Array:
        """x - T(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        residual: Array = x - like(self.M, x) @ x - beside(self.b, x)
        return residual

    def constants(self) -> dict[str, float]:
        """Exact constants: the norm of M, and L and mu with mu ||x - x*|| <= ||x - T(x)|| <= L ||x - x*||."""
        M, one = exactly(self.M), exactly(np.eye(self.d_x))
        mu = below(1 / rational(spectral_norm(solve(one - M, one))))
        return {"norm": spectral_norm(M), "L": spectral_norm(one - M), "mu": mu}

    def sample_f(self, bits: Any) -> None:
        """There is nothing to draw."""

    def grad_f(self, _xi: None, x: Any) -> Any:
        """The residual, at columns of points."""
        return self.full_gradient(x)

    def full_gradient(self, x: Any) -> Any:
        """The residual, at columns of points of any kind."""
        return x - (self.M @ x + self.b[:, None])
