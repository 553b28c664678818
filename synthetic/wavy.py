"""A world with a nonconvex Phi all of whose stationary points are known: x enters the lower level through a wave.

    g(x, y; zeta) = 1/2 y'(A + e E)y - y'(B w(x) + c) + s_g n'y,      w(x) = x + (dial/omega) sin(omega (x - a))
    f(x, y; xi)   = 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

with diagonal matrices, the sine taken entry by entry, and c = Ab - Ba. This is the base world with P = 0 and w(x) in
the place of x; at dial = 0 it is the base world. With h = A^{-1} B D A^{-1} B (a diagonal) and v = x - a,

    y*(x)       = b + A^{-1} B (w(x) - a)
    Phi(x)      = 1/2 sum_i h_i (w_i - a_i)^2
    grad Phi(x) = w'(x) h (w(x) - a),       w'(x) = 1 + dial cos(omega v)                                 (Lemma 1)

so x is stationary if and only if every entry has w_i = a_i or w_i' = 0. For 0 <= dial < 4.6033 the first means v_i = 0:
x_star = a is the only minimiser with Phi = 0. The second means cos(omega v_i) = -1/dial, which has solutions from
dial = 1 on: with phi = arccos(-1/dial), along an entry Phi has

    maxima at omega |v_i| = phi + 2 pi k       and, worse than x_star, minima at omega |v_i| = 2 pi - phi + 2 pi k

(at dial = 1 these fall together, and Phi only has a flat spot there).

Phi is nonconvex for every dial > 0: where omega v = pi/2 + 2 pi k, Phi'' = h (1 - dial^2 - dial omega v) < 0 for
some k, and for k = 0 if dial > 0.4862. From 4.6033 on w = a has more roots, which have no closed form.

Constants on ||(x - a, y - b)|| <= radius: those of the base world (mu, L_0, sigma, sigma_f, sigma_H, L_22 = 0), but

    L_21 = dial omega s max_i |B_i|,                              s = sin(min(omega radius, pi/2))
    L_1  = max(D, max_i ||[[dial omega s |B_i| (|b_i| + radius), (1 + dial)|B_i|], [., A_i + |E_i|]]||)

where `block` takes the largest entry of these 2 x 2 matrices. grad_xx g grows with y, so that L_1, as L_0, exists on
balls only. L_21 is attained. L_1 is an upper bound, at most three times (`block`: twice) the least: the first entry is
at most twice its largest value on the ball, and under `joint` the entries are not all attained at one point.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import (
    Array,
    as_finite,
    as_level,
    as_number,
    as_point,
    form,
    frozen,
    require_finite,
    require_whole,
)
from ratecert.synthetic.constants import Reading
from ratecert.synthetic.quadratic import Around, LowerSample, Quadratic

# sqrt(1 + u^2) for the u in (pi, 2 pi) with tan u = u: where the curve u + dial sin u first touches 0 again.
LEAST_WITH_MORE_ROOTS = 4.603338848751700


@dataclass(frozen=True, kw_only=True, eq=False)
class Wavy(Around):
    """A base world with diagonal matrices, P = 0 and w(x) in the place of x in g; made by `wavy`."""

    d: int  # d_x = d_y
    dial: float  # how wavy: 0 is the base world
    omega: float  # waves per length 2 pi
    A: Array  # (d,): curvature of the lower level
    E: Array  # (d,): noise of the Hessian
    B: Array  # (d,): coupling of the levels
    D: Array  # (d,): curvature of f in y
    a: Array  # (d,): where Phi is least
    b: Array  # (d,): y*(a)
    s_f: float  # additive noise of grad f, per coordinate
    s_g: float  # additive noise of grad_y g, per coordinate

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "d": require_whole("d", self.d, least=1),
            "omega": as_number("omega", self.omega),
        }
        checked |= {name: as_level(name, getattr(self, name)) for name in ("dial", "s_f", "s_g")}
        checked |= {
            name: _as_entries(name, getattr(self, name), self.d) for name in ("A", "E", "B", "D", "a", "b")
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.dial >= LEAST_WITH_MORE_ROOTS:
            raise UserError(
                f"dial must lie in [0, {LEAST_WITH_MORE_ROOTS:.16g}), where all stationary points have a closed form, "
                f"got {self.dial}."
            )
        if not self.omega > 0:
            raise UserError(f"omega must be > 0, got omega = {self.omega}; for no waves take dial = 0.")
        require_finite("dial/omega", self.dial / self.omega)
        for name, wrong, allowed in (("B", self.B == 0, "!= 0"), ("D", self.D <= 0, "> 0")):
            if wrong.any():
                raise UserError(
                    f"Every entry of {name} must be {allowed}, got {getattr(self, name)[wrong][0]}; else a is not the "
                    f"only minimiser of Phi."
                )
        _ = self.world  # refuses an A + e E that is not positive definite, and sizes that overflow

    @cached_property
    def world(self) -> Quadratic:
        """The same without the wave."""
        with np.errstate(over="ignore", invalid="ignore"):
            c = self.A * self.b - self.B * self.a
        require_finite("c = Ab - Ba", c)
        return Quadratic(
            A=np.diag(self.A), E=np.diag(self.E), B=np.diag(self.B), c=c, P=np.zeros((self.d, self.d)),
            D=np.diag(self.D), a=self.a, b=self.b, s_f=self.s_f, s_g=self.s_g,
        )  # fmt: skip

    # The truth, at one point (d,) or at columns (d, n).

    def y_star(self, x: ArrayLike) -> Array:
        """y*(x) = A^{-1}(B w(x) + c)."""
        return self.world.y_star(self._w(as_point(x, self.d_x)))

    def objective(self, x: ArrayLike) -> Any:
        """Phi(x) = f(x, y*(x)), which with P = 0 is the base world's at w(x)."""
        return self.world.objective(self._w(as_point(x, self.d_x)))

    def hypergradient(self, x: ArrayLike) -> Array:
        """grad Phi(x), by the chain rule from the base world's at w(x)."""
        x = as_point(x, self.d_x)
        gradient: Array = self._slope_of_w(x) * self.world.hypergradient(self._w(x))
        return gradient

    @property
    def x_star(self) -> Array:
        """The only global minimiser of Phi."""
        return self.a

    def stationary_offsets(self, *, within: float) -> Array:
        """All v in [-within, within] that an entry of x - a can have at a stationary point x, in order.

        x is stationary if and only if every entry of x - a is one of them.
        """
        if not 0 <= as_number("within", within) * self.omega <= 1e6:
            raise UserError(f"within must lie in [0, 1e6/omega] = [0, {1e6 / self.omega:.6g}], got {within}.")
        if self.dial < 1:
            return np.zeros(1)
        phi, turns = math.acos(-1 / self.dial), 2 * math.pi * np.arange(within * self.omega // 6 + 1)
        right = np.concatenate([phi + turns, 2 * math.pi - phi + turns]) / self.omega
        right = np.unique(right[right <= within])  # at dial = 1 maxima and minima fall together
        return np.concatenate([-right[::-1], [0.0], right])

    def constants(self, *, radius: float = np.inf, reading: Reading = "joint") -> dict[str, float]:
        """The constants of Assumptions 1-3 on ||(x - a, y - b)|| <= radius."""
        constants = self.world.constants(radius=radius, reading=reading)
        if self.dial == 0:
            return constants
        bend = self.dial * self.omega * math.sin(min(self.omega * radius, math.pi / 2)) * np.abs(self.B)
        xx, xy = bend * (np.abs(self.b) + radius), (1 + self.dial) * np.abs(self.B)
        yy = self.A + np.abs(self.E)
        with np.errstate(over="ignore"):
            joint = (xx + yy + np.hypot(xx - yy, 2 * xy)) / 2  # the norm of [[xx, xy], [xy, yy]]
        L_1_of_g = joint if reading == "joint" else np.concatenate([xx, xy, yy])
        return constants | {"L_1": float(max(self.D.max(), L_1_of_g.max())), "L_21": float(bend.max())}

    # The oracles of g: those of the base world, at w(x).

    def grad_y_g(self, zeta: LowerSample, x: Any, y: Any) -> Any:
        return self.world.grad_y_g(zeta, self._w(x), y)

    def jacobian_g(self, zeta: LowerSample, x: Any, y: Any, r: Any) -> Any:
        """grad_xy g(x, y; zeta) r = -w'(x) B r."""
        return self._slope_of_w(x) * self.world.jacobian_g(zeta, x, y, r)

    # The wave. At dial = 0 nothing is asked of x, so that each engine can pass its own kind of vector; with a wave it
    # has to know sin and cos.

    def _w(self, x: Any) -> Any:
        return x if self.dial == 0 else x + self.dial / self.omega * np.sin(self._phase(x))

    def _slope_of_w(self, x: Any) -> Any:
        return 1.0 if self.dial == 0 else 1 + self.dial * np.cos(self._phase(x))

    def _phase(self, x: Any) -> Array:
        if not hasattr(x, "ndim"):  # a vector of the moment engine
            raise UserTypeError(f"with dial = {self.dial:g} > 0 g has a sine of x")
        phase: Array = self.omega * (x - (self.a if x.ndim == 1 else self.a[:, None]))
        return phase


def wavy(
    *, d: int = 1, dial: float = 2.0, omega: float = 1.0, A: ArrayLike = 1.0, E: ArrayLike = 0.0,
    B: ArrayLike = 1.0, D: ArrayLike = 1.0, a: ArrayLike = 0.0, b: ArrayLike = 0.0, s_f: float = 0.0,
    s_g: float = 0.0,
) -> Wavy:  # fmt: skip
    """Make a wavy world with d_x = d_y = d; A, E, B, D, a and b are d numbers, or one for all entries.

    d           dimension of x and of y
    dial        how wavy: 0 is the base world, from 1 on Phi has further stationary points, at most 4.6033
    omega       waves per length 2 pi
    A, E, B, D  curvature of g in y, its noise, the coupling, and the curvature of f in y
    a, b        where Phi is least, and y*(a)
    s_f, s_g    additive noise of grad f and of grad_y g, per coordinate

    >>> import ratecert as rc
    >>> print(rc.worlds.wavy(dial=2.0).stationary_offsets(within=3.0).round(4).tolist())
    [-2.0944, 0.0, 2.0944]
    """
    entries: dict[str, Any] = {"A": A, "E": E, "B": B, "D": D, "a": a, "b": b}
    return Wavy(d=d, dial=dial, omega=omega, s_f=s_f, s_g=s_g, **entries)


def _as_entries(name: str, value: ArrayLike, d: int) -> Array:
    array = as_finite(name, value)
    if array.shape not in ((), (d,)):
        raise UserError(f"{name} must be a number or d = {d} numbers, got {form(array)}.")
    return frozen(np.full(d, array))
