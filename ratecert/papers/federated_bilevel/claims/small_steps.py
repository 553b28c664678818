"""The constant in front of (KT)^-r on a scalar world, as a closed form in the limit of small steps.

With z = (x - x_star, y - y*(x_star)) samples have the mean J z, the measure is z'W z, and S(z) is the covariance of a
sample's noise: that of f, of g, of the Hessians in a Neumann sum without end, of the coupling. Here

    J = [[P, (B/A) D], [-B, A]]      W = h h' + L_tilde^2 k k',  h = (P + (B/A)^2 D, 0),  k = (-B/A, 1).

LocalBSGM, eta = s (K/T)^(1/2). In the time tau = eta t the mean run follows z' = -R m, m' = M (J z - m) with
R = diag(rho), M = diag(alpha, beta) and m(0) = J z(0); noise of variance eta M S(0) M/K enters m. If X solves the
Lyapunov equation of that flow, F'X + X F + W = 0, then

    measure (KT)^(1/2)  ->  X[z(0), m(0)]/s  +  tr(X_mm S(z(0)))/(s K)  +  s tr(X_mm M S(0) M).

The middle part, "first", is the noise of the first sample, which stays in the momenta for 1/(alpha eta) iterations.

LocalBSGVRM, alpha = beta = a/K, eta = s K^(2/3)/T^(1/3), B = b T^(1/3)/K^(2/3). The errors e of the momenta change at
the rate alpha eta^2, far more slowly than z, which rests at z = -J^{-1} e. With N = J^{-T} W J^{-1} and X for the flow
z' = -R J z, and as the variance of e falls at the rate 2 alpha eta^2,

    measure (KT)^(2/3)  ->  X[z(0)]/s  +  s^2 a tr(N S(0))/2  +  tr(N S(z(0)))/(2 a b s^2)  +  tr(N V)/(2 a s).

V = integral of S'(z'(tau)) is the noise that differences of samples collect on the way from the start; S' is the part
of S that grows with the point.

With infinitely many devices and a fixed step only sums over t are left, of order 1/T: the speedup ends at the K at
which constant/(KT)^r is that measure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov

from ratecert.papers.federated_bilevel.claims.measured_run import L_tilde

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SmallSteps:
    """The parts of the constant at K = 1, each with its power of K; and T times the measure of very many devices."""

    rate: float  # r
    parts: Mapping[str, tuple[float, int]]
    many: float  # at the largest step

    def constant(self, K: float) -> float:
        return float(sum(value * K**power for value, power in self.parts.values()))

    def last_useful_K(self, constant: float, many: float, T: float) -> float:
        """The K at which constant/(KT)^r = many/T."""
        return float((constant / many) ** (1 / self.rate) * T ** (1 / self.rate - 1))


@dataclass(frozen=True)
class Model:
    J: Array
    W: Array
    start: Array  # z(0)
    noise_at_start: Array  # the diagonal of S(z(0)); u and v see independent samples
    noise_at_rest: Array  # of S(0)
    noise_of_motion: Array  # S'(z) has the diagonal noise_of_motion @ z^2


def model(world: Any, theta: float, x0: float, y0: float) -> Model:
    A, E, B, F, P, D, b = (float(np.squeeze(getattr(world, name))) for name in "AEBFPDb")
    x, y = float(world.x_star[0]), float(world.y_star(world.x_star)[0])
    h, k = np.array([P + (B / A) ** 2 * D, 0.0]), np.array([-B / A, 1.0])
    square = (B * B + F * F) * neumann_square(theta, A, E)

    def noise(x: float, y: float) -> Array:
        slope = D * (y - b)  # of f in y, on average
        of_u = world.s_f**2 + square * (slope**2 + world.s_f**2) - (B / A * slope) ** 2
        return np.array([of_u, (E * y) ** 2 + (F * x) ** 2 + world.s_g**2])

    return Model(
        J=np.array([[P, B / A * D], [-B, A]]),
        W=np.outer(h, h) + L_tilde(world) ** 2 * np.outer(k, k),
        start=np.array([x0 - x, y0 - y]),
        noise_at_start=noise(x0, y0),
        noise_at_rest=noise(x, y),
        noise_of_motion=np.array([[0.0, (square - (B / A) ** 2) * D**2], [F * F, E * E]]),
    )


def neumann_square(theta: float, A: float, E: float) -> float:
    """E Hhat^2 for Hhat = theta (1 + X_1 + X_1 X_2 + ...), X_j = 1 - theta (A + e_j E): Hhat = theta + X_1 Hhat'."""
    mean, square = 1 - theta * A, (1 - theta * A) ** 2 + (theta * E) ** 2
    return (theta**2 + 2 * theta * mean / A) / (1 - square)


def local_bsgm(m: Model, units: Mapping[str, float], largest_step: float) -> SmallSteps:
    """Corollary 1."""
    R, M, s = _diagonal(units, "rho_1", "rho_2"), _diagonal(units, "alpha", "beta"), units["eta"]
    W = np.pad(m.W, (0, 2))  # on (z, m)
    z = np.concatenate([m.start, m.J @ m.start])
    X = solve_continuous_lyapunov(np.block([[np.zeros((2, 2)), -R], [M @ m.J, -M]]).T, -W)
    of_momenta = np.diagonal(X)[2:]
    parts = {
        "start": (float(z @ X @ z) / s, 0),
        "first": (float(of_momenta @ m.noise_at_start) / s, -1),
        "noise": (s * float(of_momenta @ (np.diagonal(M) ** 2 * m.noise_at_rest)), 0),
    }
    R, M, one = largest_step * R, largest_step * M, np.eye(2)
    momenta = np.hstack([M @ m.J, one - M])  # of this iteration, from z and the momenta of the last one
    step = np.vstack([np.hstack([one, np.zeros((2, 2))]) - R @ momenta, momenta])
    return SmallSteps(1 / 2, parts, float(z @ solve_discrete_lyapunov(step.T, W) @ z))


def local_bsgvrm(m: Model, units: Mapping[str, float], largest_step: float) -> SmallSteps:
    """Corollary 3; `many` is for B = 1 and 1 << K << T."""
    s, a, b = units["eta"], units["alpha"], units.get("B", 1.0)
    back = np.linalg.inv(m.J)
    N = np.diagonal(back.T @ m.W @ back)
    flow = -_diagonal(units, "rho_1", "rho_2") @ m.J
    X, speed = solve_continuous_lyapunov(flow.T, -m.W), flow @ m.start
    travelled = np.diagonal(solve_continuous_lyapunov(flow, -np.outer(speed, speed)))  # of z'(tau)^2
    parts = {
        "start": (float(m.start @ X @ m.start) / s, 0),
        "noise": (s**2 * a * float(N @ m.noise_at_rest) / 2, 0),
        "first": (float(N @ m.noise_at_start) / (2 * a * b * s**2), 0),
        "motion": (float(N @ (m.noise_of_motion @ travelled)) / (2 * a * s), 0),
    }
    step, move = np.eye(2) + largest_step * flow, largest_step * speed
    X = solve_discrete_lyapunov(step.T, m.W)
    travelled = np.diagonal(solve_discrete_lyapunov(step, np.outer(move, move)))
    errors = float(N @ (m.noise_at_start + m.noise_of_motion @ travelled)) / (2 * a * largest_step**2)
    return SmallSteps(2 / 3, parts, float(m.start @ X @ m.start) + errors)


def _diagonal(units: Mapping[str, float], *names: str) -> Array:
    return np.diag([units[name] for name in names])
