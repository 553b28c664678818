"""The base world: both levels quadratic, all noise Rademacher, every device alike.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'((B + e' F)x + c) + s_g n'y
    f(x, y; xi)   = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

with independent signs zeta = (e, e', n) and xi = (m_x, m_y). The means are g and f without the signs, so

    y*(x)       = A^{-1}(Bx + c)
    grad Phi(x) = P(x-a) + B'A^{-1} D (y*(x) - b)                                    (Lemma 1)

E and F may be stacks of noise directions, each with a sign of its own: e E then reads sum_i e_i E_i.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike

from ratecert.base.arrays import Numbers, identity_like, kind_of, like, solve, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import is_exact
from ratecert.base.promised import exactly, largest_of, smallest_eigenvalue
from ratecert.base.validation import (
    Array,
    ReadOnlyCopies,
    as_level,
    as_matrix,
    as_point,
    as_stack,
    as_symmetric,
    as_vector,
    frozen,
    require_finite,
)
from ratecert.synthetic.algebra import (
    all_signs,
    beside,
    combinations,
    least_minimiser,
    mean,
    norm,
    signed,
    with_signs,
)
from ratecert.synthetic.constants import Reading, quadratic_constants

MAX_DIRECTIONS = 12  # of noise: constants take an eigenvalue problem for each of 2^directions outcomes


class TwoLevels(ReadOnlyCopies):
    """The truth of two quadratic levels, each the mean of terms, of which there may be one.

    x is one point (d_x,), or n points as columns (d_x, n); where d_x = 1 it may be a number. Entries that are not
    finite are refused, except in an array (d_x, n): there they pass through (`as_point`).
    """

    A: Array
    P: Array

    def _terms(self, *names: str) -> list[tuple[Array, ...]]:
        """These parts of every term; the parts of a world of one term have no index of terms."""
        parts = tuple(getattr(self, name) for name in names)
        return [parts] if self.P.ndim == 2 else list(zip(*parts, strict=True))

    @property
    def d_x(self) -> int:
        return int(self.P.shape[-1])

    @property
    def d_y(self) -> int:
        return int(self.A.shape[-1])

    def y_star(self, x: ArrayLike) -> Array:
        """y*(x) = A^{-1}(Bx + c), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        slope, intercept = self._lower_level(x)
        solution: Array = slope @ x + beside(intercept, x)
        return solution

    def objective(self, x: ArrayLike) -> Any:
        """Phi(x) = f(x, y*(x)), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        levels = ((x, self._terms("P", "a")), (self.y_star(x), self._terms("D", "b")))
        away = [(like(M, x), z - beside(c, x)) for z, terms in levels for M, c in terms]
        return summed([(u * (M @ u)).sum(axis=0) for M, u in away]) / (len(away) // 2) / 2

    def hypergradient(self, x: ArrayLike) -> Array:
        """grad Phi(x) by Lemma 1, at a point (d_x,) or at n columns (d_x, n); (grad_x y*)' = B'A^{-1}."""
        x = as_point(x, self.d_x)
        y, (slope, _) = self.y_star(x), self._lower_level(x)
        in_x = mean([like(P, x) @ (x - beside(a, x)) for P, a in self._terms("P", "a")])
        in_y = mean([like(D, x) @ (y - beside(b, x)) for D, b in self._terms("D", "b")])
        gradient: Array = in_x + slope.T @ in_y
        return gradient

    @cached_property
    def x_star(self) -> Array:
        """The minimiser of Phi."""
        return frozen(-np.linalg.solve(self._hessian_Phi, self.hypergradient(np.zeros(self.d_x))))

    def _lower_level(self, x: Array) -> tuple[Array, Array]:
        """Slope and intercept of y*, in the kind of numbers of x."""
        return self._solved(x) if isinstance(x, Numbers) else self._in_doubles

    def _solved(self, x: Array) -> tuple[Array, Array]:
        A = self._mean("A", x)
        return solve(A, self._mean("B", x)), solve(A, self._mean("c", x))

    def _mean(self, name: str, x: Array) -> Any:
        """The mean of a part over all terms, in the kind of numbers of x."""
        return mean([like(part, x) for (part,) in self._terms(name)])

    @cached_property
    def _in_doubles(self) -> tuple[Array, Array]:
        try:
            slope, intercept = self._solved(np.zeros(self.d_x))
        except np.linalg.LinAlgError:
            A = self._mean("A", self.P)
            raise UserError(
                f"A must be positive definite by more than rounding, but its smallest eigenvalue is "
                f"{np.linalg.eigvalsh(A)[0]:.6g} and its largest {norm(A):.6g}; make A larger."
            ) from None
        return frozen(slope), frozen(intercept)

    @property
    def _slope(self) -> Array:
        return self._in_doubles[0]

    @cached_property
    def _hessian_Phi(self) -> Array:
        H = self._mean("P", self.P) + self._slope.T @ self._mean("D", self.P) @ self._slope
        return frozen(0.5 * H + 0.5 * H.T)


@dataclass(frozen=True)
class UpperSample:
    """xi: the signs of one sample of f."""

    m_x: Any
    m_y: Any


@dataclass(frozen=True)
class LowerSample:
    """zeta: the signs of one sample of g. A part that the sample is not used for is not drawn."""

    e: Any = None
    e_F: Any = None
    n: Any = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Quadratic(TwoLevels):
    """A quadratic bilevel problem, made of its matrices; y*(x), Phi and the hypergradient are known exactly.

    >>> import ratecert as rc
    >>> world = rc.worlds.Quadratic(A=2.0, B=1.0, P=1.0, D=1.0)
    >>> print(world.y_star(3.0), world.hypergradient(3.0), world.objective(3.0))
    [1.5] [3.75] 5.625

    E and F may have up to 12 noise directions each. To make a world takes 2^(directions of E) eigenvalue
    problems of size d_y; its joint constants take 2^(directions of E and F), see `constants`.
    """

    A: Array  # (d_y, d_y) symmetric: curvature of the lower level
    E: Array  # (directions, d_y, d_y) symmetric: noise of the Hessian
    B: Array  # (d_y, d_x): coupling of the levels
    F: Array  # (directions, d_y, d_x): noise of the coupling
    c: Array  # (d_y,): lower target
    P: Array  # (d_x, d_x) symmetric: curvature of f in x
    D: Array  # (d_y, d_y) symmetric: curvature of f in y
    a: Array  # (d_x,): centre of f in x
    b: Array  # (d_y,): centre of f in y
    s_f: float  # additive noise of grad f, per coordinate
    s_g: float  # additive noise of grad_y g, per coordinate

    def __init__(
        self, *, A: ArrayLike, E: ArrayLike = 0.0, B: ArrayLike, F: ArrayLike = 0.0, c: ArrayLike = 0.0,
        P: ArrayLike, D: ArrayLike, a: ArrayLike = 0.0, b: ArrayLike = 0.0, s_f: float = 0.0,
        s_g: float = 0.0,
    ) -> None:  # fmt: skip
        curvature_g, curvature_f = as_symmetric("A", A), as_symmetric("P", P)
        d_y, d_x = len(curvature_g), len(curvature_f)
        made = {
            "A": curvature_g,
            "E": as_stack("E", E, (d_y, d_y), most=MAX_DIRECTIONS, symmetric=True),
            "B": as_matrix("B", B, (d_y, d_x)),
            "F": as_stack("F", F, (d_y, d_x), most=MAX_DIRECTIONS),
            "c": as_vector("c", c, d_y),
            "P": curvature_f,
            "D": as_matrix("D", D, (d_y, d_y), symmetric=True),
            "a": as_vector("a", a, d_x),
            "b": as_vector("b", b, d_y),
            "s_f": as_level("s_f", s_f),
            "s_g": as_level("s_g", s_g),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # refused below, by name
            self._require_strong_convexity()
            self._require_finite_truth()
            require_finite("The minimiser of Phi", self.x_star)  # and refuses a Phi that has no minimum

    @staticmethod
    def lowest(data: Mapping[str, Array]) -> Array:
        """Of many worlds at once, the smallest eigenvalue of A + e E over all signs."""
        signed = np.einsum("se,nejk->nsjk", all_signs(data["E"].shape[1]), data["E"])
        lowest: Array = np.linalg.eigvalsh(data["A"][:, None] + signed)[..., 0].min(axis=1)
        return lowest

    def _require_strong_convexity(self) -> None:
        signs, lowest = all_signs(len(self.E)), self._hessian_spectra[:, 0]
        worst = int(np.argmin(lowest))
        if lowest[worst] <= 0:
            e = signs[worst].astype(int).tolist()
            raise UserError(
                f"A + e E must be positive definite for every sign: with e = {e} its smallest eigenvalue is "
                f"{lowest[worst]:.6g}, not > 0; make E smaller or A larger."
            )

    def _require_finite_truth(self) -> None:
        require_finite("A^-1 B, the slope of y*,", self._slope)
        require_finite("A^-1 c, the value of y* at 0,", self._in_doubles[1])
        require_finite("P + B'A^-1 D A^-1 B, the Hessian of Phi,", self._hessian_Phi)
        require_finite("The gradient of Phi at 0", self.hypergradient(np.zeros(self.d_x)))

    @cached_property
    def x_star(self) -> Array:
        """The minimiser of Phi (the one of least norm if there are several)."""
        slope, intercept, D = norm(self._slope), norm(self._in_doubles[1]), norm(self.D)
        size_H = norm(self.P) + slope * D * slope
        size_g = norm(self.P) * norm(self.a) + slope * D * (intercept + norm(self.b))
        require_finite("||P|| + ||A^-1 B||^2 ||D||", size_H)
        require_finite("||P|| ||a|| + ||A^-1 B|| ||D|| (||A^-1 c|| + ||b||)", size_g)
        solution = least_minimiser(
            self._hessian_Phi,
            self.hypergradient(np.zeros(self.d_x)),
            size_H=size_H,
            size_g=size_g,
            rounding=4 * (self.d_x + self.d_y) * float(np.finfo(float).eps),
        )
        return frozen(solution)

    def constants(self, *, radius: float = np.inf, reading: Reading = "joint") -> dict[str, float]:
        """The constants of Assumptions 1-3 on ||(x - a, y - b)|| <= radius; see synthetic/constants.py.

        Cost: with n_E and n_F noise directions, `joint` solves 2^(n_E + n_F) eigenvalue problems of size
        d_x + d_y at every call: for 12 + 12 directions 2^24, half a minute even at d_x = d_y = 2. `block`
        solves 2^n_E + 2^n_F.
        """
        matrices = {f.name: getattr(self, f.name) for f in fields(Quadratic) if f.name != "c"}
        return quadratic_constants(mu=self._mu, **matrices, radius=radius, reading=reading)

    @cached_property
    def _mu(self) -> float:
        A, E = exactly(self.A), exactly(self.E)
        return -largest_of(-self._hessian_spectra[:, 0], lambda i: -smallest_eigenvalue(with_signs(A, E, i)))

    @property
    def curvature(self) -> tuple[float, float]:
        """Smallest and largest eigenvalue of grad_yy g over all samples."""
        spectra = self._hessian_spectra
        return float(spectra[:, 0].min()), float(spectra[:, -1].max())

    # Samples. `bits.signs(n)` gives n independent signs; a source that is switched off draws none.

    def sample_f(self, bits: Any) -> UpperSample:
        on = self.s_f > 0
        return UpperSample(m_x=bits.signs(self.d_x * on), m_y=bits.signs(self.d_y * on))

    def sample_g(self, bits: Any) -> LowerSample:
        """zeta for grad_y g, which sees all of its signs."""
        e, e_F = bits.signs(len(self.E)), bits.signs(len(self.F))
        return LowerSample(e=e, e_F=e_F, n=bits.signs(self.d_y * (self.s_g > 0)))

    def sample_hessian(self, bits: Any) -> LowerSample:
        """zeta for grad_yy g alone."""
        return LowerSample(e=bits.signs(len(self.E)))

    def sample_jacobian(self, bits: Any) -> LowerSample:
        """zeta for grad_xy g alone."""
        return LowerSample(e_F=bits.signs(len(self.F)))

    # Sampled oracles, at columns of points. Written with +, -, scalar * and matrix @ only, and summed in
    # place where an array allows it, so that each engine can pass its own kind of vector.

    def grad_x_f(self, xi: UpperSample, x: Any, y: Any) -> Any:
        gradient = self.P @ (x - self.a[:, None])
        if self.s_f > 0:
            gradient += self.s_f * xi.m_x
        return gradient

    def grad_y_f(self, xi: UpperSample, x: Any, y: Any) -> Any:
        gradient = self.D @ (y - self.b[:, None])
        if self.s_f > 0:
            gradient += self.s_f * xi.m_y
        return gradient

    def grad_y_g(self, zeta: LowerSample, x: Any, y: Any) -> Any:
        gradient = signed(self.A, self.E, zeta.e, y)
        gradient -= signed(self.B, self.F, zeta.e_F, x)
        gradient -= self.c[:, None]
        if self.s_g > 0:
            gradient += self.s_g * zeta.n
        return gradient

    def hessian_g(self, zeta: LowerSample, x: Any, y: Any, r: Any) -> Any:
        """grad_yy g(x, y; zeta) r = (A + e E) r."""
        return signed(self.A, self.E, zeta.e, r)

    def jacobian_g(self, zeta: LowerSample, x: Any, y: Any, r: Any) -> Any:
        """grad_xy g(x, y; zeta) r = -(B + e' F)'r."""
        return signed(-self.B.T, -np.swapaxes(self.F, 1, 2), zeta.e_F, r)

    def neumann_factor_g(self, zeta: LowerSample, x: Any, y: Any, r: Any, theta: Any) -> Any:
        """(I - theta grad_yy g(x, y; zeta)) r, as one matrix: its norm, unlike the sum of two, is below 1.

        For a theta that is a rational or a ball the matrices are made of these numbers; a ball's have its bits.
        """
        theta = theta if is_exact(theta) else float(theta)
        if not isinstance(theta, float | fmpq):
            return signed(*self._neumann_factor(theta), zeta.e, r)
        if (type(theta), theta) not in self._neumann_factors:
            self._neumann_factors[type(theta), theta] = self._neumann_factor(theta)
        return signed(*self._neumann_factors[type(theta), theta], zeta.e, r)

    def _neumann_factor(self, theta: Any) -> tuple[Any, Any]:
        kind = kind_of(theta).of if is_exact(theta) else np.asarray
        A, E = kind(self.A), kind(self.E)
        return identity_like(A, self.d_y) - A * theta, -(E * theta)

    @cached_property
    def _neumann_factors(self) -> dict[tuple[type, Any], tuple[Any, Any]]:
        return {}

    @cached_property
    def _hessian_spectra(self) -> Array:
        """Eigenvalues of A + e E, one row per combination of signs."""
        hessians = combinations(self.A, self.E)
        require_finite("A + e E", hessians)
        spectra = np.linalg.eigvalsh(hessians)
        require_finite("Every eigenvalue of A + e E", spectra)
        return frozen(spectra)


def of_the_world(*names: str) -> Any:
    """Members that are the wrapped world's own."""
    return map(_forwarded, names)


def _forwarded(name: str) -> Any:
    own = getattr(Quadratic, name, None)
    if not callable(own):
        return property(lambda self: getattr(self.world, name))

    @wraps(own)
    def call(self: Any, *given: Any) -> Any:
        return getattr(self.world, name)(*given)

    return call


class Around(ReadOnlyCopies):
    """A world around another one, `world`: what it does not say itself is that one's."""

    d_x, d_y, x_star, curvature = of_the_world("d_x", "d_y", "x_star", "curvature")
    y_star, grad_x_f, grad_y_f, grad_y_g = of_the_world("y_star", "grad_x_f", "grad_y_f", "grad_y_g")
    hessian_g, neumann_factor_g, jacobian_g = of_the_world("hessian_g", "neumann_factor_g", "jacobian_g")
    sample_f, sample_g = of_the_world("sample_f", "sample_g")
    sample_hessian, sample_jacobian = of_the_world("sample_hessian", "sample_jacobian")
