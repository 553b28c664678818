"""A world whose f is Lipschitz on the whole space: quadratic near (a, b), linear far away.

With z = (x - a, y - b), M = blockdiag(P, D) positive semidefinite, lambda = lambda_max(M) and s = sqrt(z'Mz),

    f(x, y) = s^2/2 where s <= delta,    delta s - delta^2/2 outside,    delta = radius sqrt(lambda)

plus the noise s_f (m_x'x + m_y'y) of the world that is wrapped; g is that world's. Since s <= sqrt(lambda) ||z||, f is
quadratic on the ball ||z|| <= radius. What Assumption 2 asks of f holds everywhere, because

    grad f = M z min(1, delta/s) = M^{1/2} proj(M^{1/2} z),    proj: the projection onto the ball of radius delta
    ||grad f|| <= sqrt(lambda) delta = radius lambda           and proj is 1-Lipschitz, so grad f is lambda-Lipschitz

(f is the Moreau envelope of delta ||.|| at M^{1/2} z). With the noise, L_0 = radius lambda + s_f sqrt(d_x + d_y). The
second derivatives of f have norm at most lambda, and so have their blocks: L_1 stays, in both readings.

The truth follows from that of the wrapped world, whatever its y*(x) is. At (x, y*(x)) the gradient of f is that of the
quadratic times one number, and Lemma 1 is linear in it: grad Phi(x) = min(1, delta/s) grad Phi_quadratic(x). f grows
with s, so x_star stays. With noise in A or B (E or F not zero) sigma is infinite on the whole space, as before:
Assumption 3 then holds on a ball only. With E = F = 0 all assumptions hold everywhere.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.errors import UserError
from ratecert.base.validation import Array, as_point, as_positive, frozen, require_finite, shown
from ratecert.synthetic.algebra import norm
from ratecert.synthetic.constants import Reading
from ratecert.synthetic.made import scalar
from ratecert.synthetic.quadratic import Around, of_the_world

ROUNDING = 4 * float(np.finfo(float).eps)
SMALLEST, LARGEST = 1e-150, 1e150  # radius; its square is still exact


def huberised(world: Any = None, *, radius: float = 10.0) -> "Huberised":
    """Make a world whose f is linear farther than `radius` from its centre, so that gradients are bounded.

    world   what is made so: a world with f = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + noise, such as Quadratic, and
            devices that are alike; without it, the scalar one with noise in f and in grad_y g
    radius  around (a, b), within which f stays quadratic

    >>> import ratecert as rc
    >>> world = rc.worlds.scalar()
    >>> print(rc.worlds.huberised(world, radius=2.0).constants()["L_0"], world.constants()["L_0"])
    2.0 inf
    """
    return Huberised(scalar(s_f=0.5, s_g=0.5) if world is None else world, radius)


@dataclass(frozen=True, eq=False)
class Huberised(Around):
    """A world with its f made linear far away; y*(x), x_star, the samples and the oracles of g are the wrapped world's.

    Engines may take it for its `quadratic_part` where all points provably stay within the `radius` of (a, b).
    """

    world: Any
    radius: float  # around (a, b); f is quadratic at least there
    a, b = of_the_world("a", "b")

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_positive("radius", self.radius, least=SMALLEST, most=LARGEST))
        _require_quadratic_f(self.world)
        _require_semidefinite("P", self.world.P, self.world.d_x)
        _require_semidefinite("D", self.world.D, self.world.d_y)
        _require_objective(self.world)
        require_finite("radius lambda_max(P, D), the largest slope of f,", self.radius * self._curvature_f)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made anew, so that what is derived from the matrices is read-only in it too."""
        return Huberised, (self.world, self.radius)

    @property
    def quadratic_part(self) -> Any:
        """The problem that this one is where ||(x - a, y - b)|| <= radius."""
        return self.world

    @cached_property
    def delta(self) -> float:
        """The s from which on f is linear."""
        return self.radius * math.sqrt(self._curvature_f)

    # The truth. x is one point (d_x,), or n points as columns (d_x, n); where d_x = 1 it may be a number.

    def objective(self, x: ArrayLike) -> Any:
        """Phi(x) = f(x, y*(x)) = t (s - t/2) with t = min(s, delta): both branches of f in one."""
        s = self._size_at_truth(x)
        t = np.minimum(s, self.delta)
        return t * (s - t / 2)

    def hypergradient(self, x: ArrayLike) -> Array:
        """grad Phi(x) by Lemma 1, at a point (d_x,) or at n columns (d_x, n)."""
        gradient: Array = self._weight(self._size_at_truth(x)) * self.world.hypergradient(x)
        return gradient

    def constants(self, *, radius: float = np.inf, reading: Reading = "joint") -> dict[str, float]:
        """Those of the wrapped world on ||(x - a, y - b)|| <= radius, but L_0 no longer grows beyond self.radius."""
        constants = dict(self.world.constants(radius=radius, reading=reading))
        inside = self.world.constants(radius=min(float(radius), self.radius), reading=reading)
        return {**constants, "L_0": inside["L_0"]}

    # The oracles of f, at columns of points. Where f is quadratic the weight is 1.0: every bit is the wrapped world's.

    def grad_x_f(self, xi: Any, x: Any, y: Any) -> Any:
        return self._weighed(self.world.P @ (x - self.a[:, None]), xi.m_x, x, y)

    def grad_y_f(self, xi: Any, x: Any, y: Any) -> Any:
        return self._weighed(self.world.D @ (y - self.b[:, None]), xi.m_y, x, y)

    def _weighed(self, gradient: Array, signs: Any, x: Array, y: Array) -> Array:
        gradient *= self._weight(self._size(x - self.a[:, None], y - self.b[:, None]))
        return gradient + self.world.s_f * signs if self.world.s_f > 0 else gradient

    # What they are made of.

    def _size(self, u: Array, v: Array) -> Any:
        """s = ||(P^{1/2} u, D^{1/2} v)||; hypot, unlike a sum of squares, overflows only where s does."""
        root_P, root_D = self._roots
        return np.hypot.reduce(np.concatenate([root_P @ u, root_D @ v]), axis=0)

    def _size_at_truth(self, x: ArrayLike) -> Any:
        x = as_point(x, self.d_x)
        return self._size((x.T - self.a).T, (self.y_star(x).T - self.b).T)

    def _weight(self, s: Any) -> Any:
        """min(1, delta/s), and 1 at s = 0."""
        return np.divide(np.minimum(s, self.delta), s, out=np.ones_like(s), where=s > 0)

    @cached_property
    def _curvature_f(self) -> float:
        """lambda_max(M)."""
        return max(norm(self.world.P), norm(self.world.D))

    @cached_property
    def _roots(self) -> tuple[Array, Array]:
        return _root(self.world.P), _root(self.world.D)


def _root(matrix: Array) -> Array:
    """The symmetric square root; eigenvalues that are negative by rounding count as zero."""
    values, vectors = np.linalg.eigh(matrix)
    return frozen(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)


def _require_quadratic_f(world: Any) -> None:
    if hasattr(world, "devices"):
        raise UserError(
            f"world must have devices that are all alike, got {type(world).__name__} with {len(world.devices)} that "
            f"may differ: the mean of their f would not be one f made linear far away."
        )
    missing = [name for name in ("P", "D", "a", "b", "s_f", "d_x", "d_y") if not hasattr(world, name)]
    if missing:
        raise UserError(
            f"world must have f = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + noise of level s_f, got {shown(world)} without "
            f"{', '.join(missing)}."
        )


def _require_semidefinite(name: str, matrix: Array, d: int) -> None:
    if np.shape(matrix) != (d, d):
        raise UserError(f"{name} of the world must have shape {(d, d)}, got {np.shape(matrix)}.")
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < -ROUNDING * d * norm(matrix):
        raise UserError(
            f"{name} must be positive semidefinite for f to be linear far away, but its smallest eigenvalue is "
            f"{lowest:.6g}, not >= 0; choose another {name}."
        )


def _require_objective(world: Any) -> None:
    """P, D, a and b may be the letters of something else: Phi at one point tells."""
    x = world.a + 1.0
    u, v = x - world.a, world.y_star(x) - world.b
    with np.errstate(over="ignore", invalid="ignore"):
        quadratic, found = 0.5 * float(u @ world.P @ u + v @ world.D @ v), float(world.objective(x))
    if not math.isclose(found, quadratic, rel_tol=1e-6, abs_tol=1e-300):
        raise UserError(
            f"world must have Phi = 1/2 (x-a)'P(x-a) + 1/2 (y*-b)'D(y*-b), got {found:.6g} instead of {quadratic:.6g} "
            f"at x = a + 1 from {type(world).__name__}."
        )
