"""The worlds on which the constants of Section 3 are measured: from constructors, and stand-ins that none makes.

Asked of a world: d_x, d_y, the centre (a, b) of the sets on which `constants` hold, y_star, hypergradient, the samples
and oracles of a problem (solvers/contract/problem.py), and at most 16 signs in a sample of the hypergradient with
Q = 3.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.claims.claim import build
from ratecert.synthetic import random_quadratic
from ratecert.synthetic.constants import Reading
from ratecert.synthetic.quadratic import LowerSample, UpperSample

Array = NDArray[np.float64]
Spec = dict[str, Any]

STIFF: Spec = {"world": "scalar", "mu": 0.1, "P": 4.0, "D": 4.0, "reading": "block"}
HUBERISED: Spec = {"world": "scalar", "sigma_H": 0.3, "sigma_J": 0.4, "s_f": 0.2, "a": 0.5, "c": 0.3}
ROWS: Spec = {"features": [[1], [-2], [2], [-1], [1], [-1]], "targets": [2, -1, 1, -2, 1, 1]}
NOISY: Spec = {"sigma_H": 0.4, "sigma_J": 0.9, "s_f": 0.5}

WORLDS: dict[str, Spec] = {
    "scalar": {"world": "scalar", **NOISY, "a": 0.7, "b": -1.1, "c": 0.4, "P": 0.6, "D": 1.7},
    "random 2x3": {"world": "random_quadratic", "d_x": 2, "d_y": 3, "sigma_H": 0.6, "sigma_J": 0.5, "s_f": 0.3,
                   "seed": 1},
    "random 3x2": {"world": "random_quadratic", "d_x": 3, "d_y": 2, "sigma_H": 0.4, "sigma_J": 0.8, "seed": 2,
                   "reading": "block"},
    "aligned": {"world": "aligned"},
    "stiff": STIFF,
    "noise in every Hessian": {**STIFF, "sigma_H": 1.5, "P": 2.0, "s_f": 0.1},
    "huberised": {"world": "huberised", "of": HUBERISED, "radius": 1.5},
    "wavy": {"world": "wavy", "dial": 2.0, "E": 0.3, "s_f": 0.2, "a": 0.4, "b": -0.3},
    "ridge": {"world": "ridge", **ROWS, "m": 0.5},
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Bent:
    """The smallest world with L_21, L_22 > 0; x and y are numbers, (a, b) = 0.

        g(x, y; zeta) = A cosh(nu y)/nu^2 + e E y^2/2 - (B + e'F) sin(omega x)/omega y
        f(x, y; xi)   = P x^2/2 + slope y + D y^2/2 + s_f m_x x + s_f m_y y

    The mean of grad_y g is A sinh(nu y)/nu - B sin(omega x)/omega, hence y*(x) = arsinh(nu k/A)/nu with
    k = B sin(omega x)/omega. Where |x|, |y| <= radius the entries of the Hessian of g(.; zeta) are at most

        |g_xx| <= (B + F) omega radius,  |g_xy| <= B + F,  A - E <= g_yy <= A cosh(nu radius) + E,

    and the norm of the matrix of these bounds is at least that of the Hessian.
    """

    A: float = 1.0
    E: float = 0.0
    B: float = 1.0
    F: float = 0.0
    omega: float
    nu: float
    P: float = 1.0
    D: float = 1.0
    slope: float = 0.0
    s_f: float = 0.0
    d_x: int = field(default=1, init=False)
    d_y: int = field(default=1, init=False)

    @property
    def a(self) -> Array:
        return np.zeros(1)

    b = a

    def constants(self, *, radius: float, reading: Reading = "joint") -> dict[str, float]:
        coupling, noise_f = self.B + self.F, self.s_f * np.sqrt(2)
        H = np.array([[coupling * self.omega * radius, coupling], [coupling, 0.0]])
        H[1, 1] = self.A * np.cosh(self.nu * radius) + self.E
        L_1_of_g = np.linalg.norm(H, 2) if reading == "joint" else H.max()
        constants = {
            "mu": self.A - self.E,
            "L_0": radius * max(self.P, self.D) + abs(self.slope) + noise_f,
            "L_1": max(self.P, self.D, L_1_of_g),
            "L_21": coupling * self.omega,
            "L_22": self.A * self.nu * np.sinh(self.nu * radius),
            "sigma": np.hypot(self.E, self.F) * radius,  # E^2 y^2 + F^2 (|sin(omega x)/omega|^2 + y^2)
            "sigma_f": noise_f,
            "sigma_H": self.E,
        }
        return {name: float(value) for name, value in constants.items()}

    def y_star(self, x: ArrayLike) -> Array:
        return np.arcsinh(self._u(np.asarray(x))) / self.nu

    def hypergradient(self, x: ArrayLike) -> Array:
        """Phi'(x) by the chain rule, from the closed form of y*."""
        x, y = np.asarray(x), self.y_star(x)
        slope_of_y = self.B * np.cos(self.omega * x) / (self.A * np.sqrt(1 + self._u(x) ** 2))
        return self.P * x + (self.slope + self.D * y) * slope_of_y

    def _u(self, x: Array) -> Array:
        return self.nu * self.B / self.A * np.sin(self.omega * x) / self.omega

    def sample_f(self, bits: Any) -> UpperSample:
        return UpperSample(m_x=bits.signs(1), m_y=bits.signs(1))

    def sample_g(self, bits: Any) -> LowerSample:
        return LowerSample(e=bits.signs(1), e_F=bits.signs(1))

    def sample_hessian(self, bits: Any) -> LowerSample:
        return LowerSample(e=bits.signs(1))

    def sample_jacobian(self, bits: Any) -> LowerSample:
        return LowerSample(e_F=bits.signs(1))

    def grad_x_f(self, xi: UpperSample, x: Array, y: Array) -> Array:
        return self.P * x + self.s_f * xi.m_x

    def grad_y_f(self, xi: UpperSample, x: Array, y: Array) -> Array:
        return self.slope + self.D * y + self.s_f * xi.m_y

    def grad_y_g(self, zeta: LowerSample, x: Array, y: Array) -> Array:
        coupling = (self.B + self.F * zeta.e_F) * np.sin(self.omega * x) / self.omega
        return self.A * np.sinh(self.nu * y) / self.nu + self.E * zeta.e * y - coupling

    def hessian_g(self, zeta: LowerSample, x: Array, y: Array, r: Array) -> Array:
        return (self.A * np.cosh(self.nu * y) + self.E * zeta.e) * r

    def neumann_factor_g(self, zeta: LowerSample, x: Array, y: Array, r: Array, theta: float) -> Array:
        return r - theta * self.hessian_g(zeta, x, y, r)

    def jacobian_g(self, zeta: LowerSample, x: Array, y: Array, r: Array) -> Array:
        return -(self.B + self.F * zeta.e_F) * np.cos(self.omega * x) * r


@dataclass(frozen=True, kw_only=True)
class Cubic:
    """A lower level on which every summand of L_Phi but the first two counts; x and y are numbers:

        f(x, y) = slope y        g(x, y) = y^2/2 - xy - M ((x + y)^3 - x^3)/6

    grad_y g = 0 means w - 2x = M w^2/2 for w = x + y*(x), so Phi'(x) = slope (2/sqrt(1 - 4 M x) - 1). Near 0 g_yy =
    -g_xy = 1 and g_xxy = g_xyy = g_yyy = -M, hence Phi'' = 4 slope M there. For |x|, |y| <= r second derivatives of g
    change by at most 2 M r. `joint`: Lipschitz in (x, y), as Assumption 2 prints it. `per variable`: Lipschitz in x
    alone and in y alone; then the repaired L_Phi is 4 + 4 slope M as r -> 0, the printed one 4 + (3 + slope) slope M.
    """

    M: float
    slope: float
    r: float

    def gradient(self, x: float) -> float:
        """Phi'(x)."""
        return self.slope * (2 / math.sqrt(1 - 4 * self.M * x) - 1)

    def rise(self) -> float:
        """The quotient of Phi' between -r/2 and r/2, where also |y*(x)| < r."""
        return (self.gradient(self.r / 2) - self.gradient(-self.r / 2)) / self.r

    def constants(self) -> dict[str, dict[str, float]]:
        """Those of the assumptions on |x|, |y| <= r, by the norm reading of all of them."""
        M, r = self.M, self.r
        common = {"mu": 1 - 2 * M * r, "L_0": self.slope}
        joint = {
            "L_1": (1 + math.sqrt(5)) / 2 + 4 * M * r,
            "L_21": math.sqrt(2) * M,
            "L_22": math.sqrt(2) * M,
        }
        return {
            "joint": {**common, **joint},
            "per variable": {**common, "L_1": 1 + 2 * M * r, "L_21": M, "L_22": M},
        }


E_STACK = 0.3 * np.array([[[1.0, 0.5], [0.5, -1.0]], [[0.0, 1.0], [1.0, 0.0]]])

ZOO: dict[str, Any] = {
    **{name: build(spec) for name, spec in WORLDS.items()},
    "two directions": replace(random_quadratic(d_x=2, d_y=2, mu=2.0, sigma_J=0.3, seed=3), E=E_STACK),
    "bent in x": Bent(omega=1.0, nu=1e-3, slope=100.0),
    "bent in y": Bent(omega=1e-3, nu=1.0, slope=100.0),
    "bent": Bent(omega=0.7, nu=0.6, E=0.3, F=0.4, D=2.0, slope=0.5, s_f=0.2),
}
