"""Devices of two kinds, as many of each: the smallest world on which the communication period p matters.

x and y are numbers, A_k = A for all devices, B_k = B + dial or B - dial, c_k = c + dial or c - dial. With Hhat the
Neumann sum of A and z_1 = (x_1, y_1) the solution,

    F_k(x, y) = (P(x - a) + B_k Hhat D (y - b),  A y - B_k x - c_k)       mean hypergradient estimate and grad_y g_k
    F_k(x_1, y_1) = +- dial (Hhat D (y_1 - b),  -(x_1 + 1))               what is left of it on a device
    J_k = Jbar +- dial ((0, Hhat D), (-1, 0))                             its derivative

As all A_k are equal, the mean of the local inverses is the inverse of the mean: at p = 1 the limit is the solution,
up to the Neumann bias, and what p > 1 adds is due to p alone. By the law in solvers/engines/fixed_point.py rounds of p
steps rest at z_1 + d with, in the letters used there,

    Jbar d = (p^2 - 1)/6 eta^2 s        LocalBSGM                      s = (1/K) sum_k J_k R W F_k
    Jbar d = (p^2 - 1)/6 eta^3 s        LocalBSGVRM as printed
    Jbar d = (p - 1)/2 eta W^{-1} s     LocalBSGVRM, previous points averaged or momenta fresh

and the measure there is (P + (B/A)^2 D)^2 d_x^2 + L_tilde^2 (d_y - (B/A) d_x)^2. The mean problem is MEAN, a scalar
world.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError
from ratecert.papers.federated_bilevel.evidence.runs import L_tilde
from ratecert.solvers.methods.local_bsgvrm import LocalBSGVRM
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Heterogeneous, Quadratic, scalar

Array = NDArray[np.float64]

MEAN: dict[str, Any] = {"mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.5}


def two_group_world(*, K: int, dial: float, s_f: float = 0.0, s_g: float = 0.0) -> Heterogeneous:
    """Build the world of K devices, K even; noise is additive."""
    if K < 2 or K % 2:
        raise UserError(f"K must be even, half of the devices of each kind, got {K}.")
    mean, sign = scalar(**MEAN, s_f=s_f, s_g=s_g), np.array([1.0, -1.0] * (K // 2))
    spread = {"dA": np.zeros((K, 1, 1)), "dB": sign[:, None, None], "dc": sign[:, None]}
    return Heterogeneous(**spread, dial=dial, **{f.name: getattr(mean, f.name) for f in fields(Quadratic)})


def own_field(world: Heterogeneous, solver: LocalMethod) -> Array:
    """Compute F of a device of the first kind at the solution."""
    x, y = float(world.x_star[0]), float(world.y_star(world.x_star)[0])
    return world.dial * np.array([_back(world, solver) * (y - float(world.b[0])), -(x + 1.0)])


def displacement(world: Heterogeneous, solver: LocalMethod, p: float) -> Array:
    """Compute d = (d_x, d_y) by the law of short rounds; p may be any real number >= 1."""
    A, B, P = (float(matrix[0, 0]) for matrix in (world.A, world.B, world.P))
    eta, back = solver.schedule.largest, _back(world, solver)
    R, W = np.array([solver.rho_1, solver.rho_2]), np.array([solver.alpha, solver.beta])
    s = world.dial * np.array([[0.0, back], [-1.0, 0.0]]) @ (R * W * own_field(world, solver))
    if loses_the_previous_point(solver):
        moved = (p - 1) / 2 * eta * s / W
    else:
        moved = (p**2 - 1) / 6 * eta ** (1 + solver.weight_power) * s
    return np.asarray(np.linalg.solve([[P, B * back], [-B, A]], moved))


def loses_the_previous_point(solver: LocalMethod) -> bool:
    """Say whether this is a variant of LocalBSGVRM where, after an average, no device remembers where it was."""
    return isinstance(solver, LocalBSGVRM) and (solver.momenta == "fresh" or solver.previous == "averaged")


def measure_at(world: Heterogeneous, d: Any) -> float:
    """Compute the measure at the solution plus d."""
    slope = float(world.B[0, 0] / world.A[0, 0])
    gradient = float(world.P[0, 0] + slope**2 * world.D[0, 0]) * d[0]
    return float(gradient**2 + L_tilde(world) ** 2 * (d[1] - slope * d[0]) ** 2)


def _back(world: Heterogeneous, solver: LocalMethod) -> float:
    """Compute Hhat D, with Hhat = theta sum_{q <= Q} (1 - theta A)^q."""
    A = float(world.A[0, 0])
    return float((1 - (1 - solver.theta * A) ** (solver.Q + 1)) / A * world.D[0, 0])
