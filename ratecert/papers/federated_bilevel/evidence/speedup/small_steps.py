"""Leading constants in closed form, on scalar worlds: what the measure times (KT)^r tends to as T grows.

With z = (x - x_star, y - y*(x_star)) the samples have the mean J z, the measure is z'W z, and S(z) is the covariance of
a sample's noise, which contains all of it: of f, of g, of the Hessians in a Neumann sum without end, of the coupling.
A world with one x and one y has

    J = [[P, (B/A) D], [-B, A]]      W = h h' + L_tilde^2 k k',  h = (P + (B/A)^2 D, 0),  k = (-B/A, 1).

LocalBSGM, eta = s (K/T)^(1/2). In the time tau = eta t the mean run follows z' = -R m, m' = M (J z - m) with
R = diag(rho), M = diag(alpha, beta) and m(0) = J z(0); noise of variance eta M S(0) M/K enters m. If X solves the
Lyapunov equation of that flow, F'X + X F + W = 0, then

    measure (KT)^(1/2)  ->  X[z(0), m(0)]/s  +  tr(X_mm S(z(0)))/(s K)  +  s tr(X_mm M S(0) M).

The middle part is the noise of the first sample, which stays in the momenta for 1/(alpha eta) iterations.

LocalBSGVRM, alpha = a/K, eta = s K^(2/3)/T^(1/3), B = b T^(1/3)/K^(2/3). The errors e of the momenta change at the
rate alpha eta^2, far more slowly than z, which therefore rests at z = -J^{-1} e. With N = J^{-T} W J^{-1} and X the
solution for the flow z' = -R J z, and since the variance of e falls at the rate 2 alpha eta^2,

    measure (KT)^(2/3)  ->  X[z(0)]/s  +  s^2 a tr(N S(0))/2  +  tr(N S(z(0)))/(2 a b s^2)  +  tr(N V)/(2 a s),

(alpha = beta). V = integral of S'(z'(tau)) is the noise that differences of samples collect on the way from the start;
S'(z) is the part of S that grows with the point.

With infinitely many devices and a fixed step nothing is left but the sums over t: `many_devices` has them, exactly. The
speedup ends where the two laws meet, constant/(KT)^r = many_devices/T.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov

from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.experiment import Experiment, claimed
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde

Array = NDArray[np.float64]
Parts = dict[str, tuple[float, int]]  # name -> value at K = 1, power of K


def leading_parts(here: Experiment) -> Parts:
    """The parts of the leading constant, of LocalBSGM or of LocalBSGVRM."""
    return (_momentum_parts if here.corollary == "corollary-1" else _reduced_parts)(here)


def leading_constant(parts: Parts, K: float, *, shared_noise: bool = False) -> float:
    """The limit of measure (KT)^r at K. Noise that devices share is not divided by K: all parts but `start` see it."""
    extra = {name: int(shared_noise and name != "start") for name in parts}
    return float(sum(value * K ** float(power + extra[name]) for name, (value, power) in parts.items()))


def many_devices(here: Experiment, eta: float) -> float:
    """T times the measure of infinitely many devices with the step eta, of LocalBSGM or of LocalBSGVRM."""
    return (_momentum_sum if here.corollary == "corollary-1" else _reduced_sum)(here, eta)


def last_useful_K(corollary: str, constant: float, many: float, T: float) -> float:
    """The K at which constant/(KT)^r = many/T: beyond it more devices do not help."""
    power = -1 / claimed(corollary, "T")
    return float((constant / many) ** power * float(T) ** (power - 1))


@dataclass(frozen=True)
class Model:
    J: Array
    W: Array
    start: Array  # z(0)
    noise_at_start: Array  # the diagonal of S(z(0)); u and v see independent samples
    noise_at_rest: Array  # of S(0)
    noise_of_motion: Array  # S'(z) has the diagonal noise_of_motion @ z^2


def model(here: Experiment) -> Model:
    world: Any = build(here.world)
    A, E, B, F, P, D, b = (float(np.squeeze(getattr(world, name))) for name in "AEBFPDb")
    x, y = float(world.x_star[0]), float(world.y_star(world.x_star)[0])
    x0, y0 = (float(point[0]) for point in here.start(world).values())
    h, k = np.array([P + (B / A) ** 2 * D, 0.0]), np.array([-B / A, 1.0])
    square = (B * B + F * F) * neumann_square(here.theta, A, E)

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


def _momentum_parts(here: Experiment) -> Parts:
    """The parts of Corollary 1's constant."""
    m, units = model(here), here.units
    R, M, s = _diagonal(units, "rho_1", "rho_2"), _diagonal(units, "alpha", "beta"), units["eta"]
    flow = np.block([[np.zeros((2, 2)), -R], [M @ m.J, -M]])
    X = solve_continuous_lyapunov(flow.T, -_on_z(m.W))
    z = np.concatenate([m.start, m.J @ m.start])
    of_momenta = np.diagonal(X)[2:]
    return {
        "start": (float(z @ X @ z) / s, 0),
        "first": (float(of_momenta @ m.noise_at_start) / s, -1),
        "noise": (s * float(of_momenta @ (np.diagonal(M) ** 2 * m.noise_at_rest)), 0),
    }


def _reduced_parts(here: Experiment) -> Parts:
    """The parts of Corollary 3's constant."""
    m, units = model(here), here.units
    s, a, b = units["eta"], units["alpha"], units.get("B", 1.0)
    flow = -_diagonal(units, "rho_1", "rho_2") @ m.J
    X = solve_continuous_lyapunov(flow.T, -m.W)
    speed = flow @ m.start
    travelled = np.diagonal(solve_continuous_lyapunov(flow, -np.outer(speed, speed)))  # of z'(tau)^2
    N = _response(m)
    return {
        "start": (float(m.start @ X @ m.start) / s, 0),
        "noise": (s**2 * a * float(N @ m.noise_at_rest) / 2, 0),
        "first": (float(N @ m.noise_at_start) / (2 * a * b * s**2), 0),
        "motion": (float(N @ (m.noise_of_motion @ travelled)) / (2 * a * s), 0),
    }


def _momentum_sum(here: Experiment, eta: float) -> float:
    """T times the measure of LocalBSGM for K and then T to infinity, at a fixed step."""
    m, units = model(here), here.units
    R, M, one = eta * _diagonal(units, "rho_1", "rho_2"), eta * _diagonal(units, "alpha", "beta"), np.eye(2)
    momenta = np.hstack([M @ m.J, one - M])  # of this iteration, from z and the momenta of the last one
    step = np.vstack([np.hstack([one, np.zeros((2, 2))]) - R @ momenta, momenta])
    X = solve_discrete_lyapunov(step.T, _on_z(m.W))
    z = np.concatenate([m.start, m.J @ m.start])
    return float(z @ X @ z)


def _reduced_sum(here: Experiment, eta: float) -> float:
    """T times the measure of LocalBSGVRM with B = 1 for 1 << K << T, at a fixed step."""
    m, units = model(here), here.units
    step = np.eye(2) - eta * _diagonal(units, "rho_1", "rho_2") @ m.J
    X = solve_discrete_lyapunov(step.T, m.W)
    first_move = (step - np.eye(2)) @ m.start
    travelled = np.diagonal(solve_discrete_lyapunov(step, np.outer(first_move, first_move)))
    errors = m.noise_at_start + m.noise_of_motion @ travelled
    return float(m.start @ X @ m.start) + float(_response(m) @ errors) / (2 * units["alpha"] * eta**2)


def _response(m: Model) -> Array:
    """The diagonal of N: what the measure is, at rest, per squared error of each momentum."""
    back = np.linalg.inv(m.J)
    return np.diagonal(back.T @ m.W @ back)


def _diagonal(units: Mapping[str, float], *names: str) -> Array:
    return np.diag([units[name] for name in names])


def _on_z(W: Array) -> Array:
    """W on (z, m)."""
    return np.pad(W, (0, 2))
