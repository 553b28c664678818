"""A theorem's algorithm at the theorem's values, and the ball on which the constants of its bound hold.

A quadratic f is Lipschitz on bounded sets only, so L_0 (and sigma, where E or F is not zero) are those of a ball around
(a, b). It has to hold every point at which they are used: the iterates of all devices, their means, which a ball holds
with them, and (xbar, y*(xbar)). At a constant step `reachable_radius` certifies the iterates, for every outcome. It
refuses decaying steps; for those the following does, where E = F = 0 and alpha = beta, with w = (x, y).

    samples are F(w) + n, F(w) = J w + j, ||n|| <= N, and e_t = (u_t, v_t) - F(w_t) is the error of the momenta
    no average    e_t = (1 - a) e_{t-1} + a n_t, a = alpha eta_{t-1}^2 in (0, 1]: the noise of the difference cancels
    an average    e_{t-1} is replaced by ebar_{t-1} + J (wbar_{t-1} - w_{t-1}), as the previous point is local
    the means     wbar_{t+1} = wbar_t - eta_t R (F(wbar_t) + ebar_t), R = diag(rho_1, rho_2); no average changes ebar,
                  so its parts are at most N_u and N_v, the largest noise of u and of v, N^2 = N_u^2 + N_v^2

In the modes of RJ the largest step maps a product of discs into itself, whatever such ebar is. It is convex, and a
smaller step leads to a point between here and where the largest one leads, so every eta_t maps it into itself. Within
a round ||w - wbar|| <= ((1 + r)^i - 1) 2N/||J|| after i steps, r = max(eta rho) ||J||, as long as ||e - ebar|| <= 2N:
this holds at t = 0, survives steps, and survives averages if (1 + r)^p <= 2.

Small steps leave no certificate where noise grows with the iterates (E or F is not zero), and at times where a mode
shrinks by no more than rounding. The radius is then assumed: twice the root mean square of ||(x - a, y - b)||,
from exact moments at the powers of two. Proofs use the constants inside expectations, for which that is the right size;
it bounds neither every outcome nor every t.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.errors import NoCertificateError
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, reachable_radius
from ratecert.solvers.contract.result import Curves
from ratecert.solvers.engines.certificates.reach import rounded_up
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Quadratic
from ratecert.synthetic.algebra.units import norm
from ratecert.theory.numbers.admissible import Admissible

Array = NDArray[np.float64]

ROUNDING = 1 + 1e-9  # else rounding could make a radius a little smaller than what it bounds
SMALLEST = 1e-12  # radius, for a run that stays where it is


def solver_of(theorem: str, inside: Admissible) -> LocalMethod:
    """The algorithm that the theorem speaks about, with these steps."""
    values = inside.bound.values
    common: dict[str, Any] = {n: values[n] for n in ("alpha", "beta", "rho_1", "rho_2", "theta")}
    common |= {n: round(values[n]) for n in ("p", "Q")}
    if theorem == "theorem-1":
        return LocalBSGM(eta=values["eta"], **common)
    eta = CubeRoot(**inside.schedule) if inside.schedule else values["eta"]
    return LocalBSGVRM(eta=eta, B=round(values["B"]), **common)


@dataclass(frozen=True)
class Ball:
    """||(x - a, y - b)|| <= radius, and whether that was shown."""

    radius: float
    certified: bool


def certified_ball(
    world: Quadratic,
    solver: LocalMethod,
    K: int,
    x0: Array,
    y0: Array,
    interpreter: Interpreter | None = None,
) -> Ball | None:
    """A ball for the constants: iterates and means of every outcome, and y*(xbar) with them."""
    try:
        if math.isinf(solver.schedule.constant_until):
            radius = reachable_radius(world, solver, K, x0=x0, y0=y0, interpreter=interpreter)
        else:
            radius = decaying_radius(world, solver, K, x0=x0, y0=y0)
    except NoCertificateError:
        return None
    return Ball(_with_y_star(world, radius), certified=True)


def assumed_ball(world: Quadratic, curves: Curves) -> Ball:
    """Where nothing is certified."""
    return Ball(_with_y_star(world, 2 * _root_mean_square(world, curves)), certified=False)


def _with_y_star(world: Quadratic, reach: float) -> float:
    """||y*(x) - b|| <= ||y*(a) - b|| + ||A^{-1}B|| ||x - a||."""
    slope, _ = _truth(world)
    away = math.hypot(reach, norm(world.y_star(world.a) - world.b) + norm(slope) * reach)
    return max(SMALLEST, rounded_up(arb(away * ROUNDING)))


def _truth(world: Quadratic) -> tuple[Array, Array]:
    """The slope of y* and the Hessian of Phi."""
    origin, directions = np.zeros((world.d_x, 1)), np.eye(world.d_x)
    slope = world.y_star(directions) - world.y_star(origin)
    return slope, world.hypergradient(directions) - world.hypergradient(origin)


def _root_mean_square(world: Quadratic, curves: Curves) -> float:
    """Device - mean, y - y*(x), x - x_star and the solution - (a, b), by the triangle inequality."""
    slope, hessian = _truth(world)
    least = float(np.linalg.eigvalsh(hessian)[0])
    squares = (curves.drift_x + curves.drift_y, curves.tracking, curves.gradient)
    apart, error, slopes = (np.sqrt(np.maximum(square, 0.0)) for square in squares)
    solution = math.hypot(norm(world.x_star - world.a), norm(world.y_star(world.x_star) - world.b))
    # a flat Phi holds nothing: the radius is refused later
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = slopes / least * math.hypot(1.0, norm(slope))
    return float(np.max(apart + error + distance)) + solution


def decaying_radius(world: Quadratic, solver: LocalMethod, K: int, *, x0: Any, y0: Any) -> float:
    """The certificate of the module's text, at every step up to the largest."""
    if world.E.size or world.F.size or solver.alpha != solver.beta or not isinstance(solver, LocalBSGVRM):
        raise NoCertificateError(
            "no certificate: LocalBSGVRM with alpha = beta and a world with E = F = 0 are covered"
        )
    J, j, N_u, N_v = mean_field(world, solver)
    N = math.hypot(N_u, N_v)
    eta, rho = solver.schedule.largest, np.repeat([solver.rho_1, solver.rho_2], [world.d_x, world.d_y])
    growth = eta * float(rho.max()) * norm(J)
    if (1 + growth) ** solver.p > 2:
        raise NoCertificateError("no certificate: devices may drift apart within a round")
    drift = math.expm1((solver.p - 1) * math.log1p(growth)) * 2 * N / norm(J) if K > 1 else 0.0
    modes, V = np.linalg.eig(rho[:, None] * J)
    W = np.linalg.inv(V)
    decay = eta * (2 * modes.real - eta * np.abs(modes) ** 2) / (1 + np.abs(1 - eta * modes))
    if decay.min() <= 0:
        raise NoCertificateError("no certificate: the mean step does not shrink every mode")
    rest = np.linalg.solve(J, -j)
    begin = np.abs(W @ (np.concatenate([x0, y0]) - rest))
    kick_u, kick_v = (np.linalg.norm(part, axis=1) for part in np.split(W * rho, [world.d_x], axis=1))
    bound = np.maximum(begin, eta * (kick_u * N_u + kick_v * N_v) / decay)
    offset = norm(rest - np.concatenate([world.a, world.b]))
    radius = (offset + float(np.linalg.norm(V, axis=0) @ bound) + drift) * ROUNDING
    return rounded_up(arb(radius))


def rest_of(world: Quadratic, solver: LocalMethod) -> Array:
    """(x, y) where the mean step rests; the truncated Neumann sum moves that from the solution."""
    J, j, _, _ = mean_field(world, solver)
    return np.asarray(np.linalg.solve(J, -j), dtype=np.float64)


def mean_field(world: Quadratic, solver: LocalMethod) -> tuple[Array, Array, float, float]:
    """J and j of the mean samples (hypergradient, grad_y g), and the largest noise of each."""
    factor = np.eye(world.d_y) - solver.theta * world.A
    term = solver.theta * np.eye(world.d_y)
    total = term.copy()
    for _ in range(solver.Q):
        term = factor @ term
        total += term
    back = world.B.T @ total
    J = np.block([[world.P, back @ world.D], [-world.B, world.A]])
    j = -np.concatenate([world.P @ world.a + back @ world.D @ world.b, world.c])
    noise_u = world.s_f * (math.sqrt(world.d_x) + norm(back) * math.sqrt(world.d_y))
    return J, j, noise_u, world.s_g * math.sqrt(world.d_y)
