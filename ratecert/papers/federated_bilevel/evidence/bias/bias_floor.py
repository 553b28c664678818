"""The floor that a truncated Neumann sum leaves: where a method comes to rest, and how large grad Phi is there.

Without noise, or as eta -> 0, both algorithms rest where their mean estimates vanish: y = y*(x) and hat(x, y) = 0.
On a quadratic world, with M = I - theta A and A^{-1} (I - M^{Q+1}) as the truncated inverse,

    0 = P (x - a) + B' A^{-1} (I - M^{Q+1}) D (y*(x) - b)
    grad Phi(x) = B' A^{-1} M^{Q+1} D (y*(x) - b)            what the truncation leaves out, at that x

The first is a linear system for x. The second is not a difference of large numbers, so its square, the floor, is
accurate at every Q. It falls by (1 - theta lambda)^2 per term as Q grows, lambda the least eigenvalue of A. None of
eta, alpha, beta, rho_1, rho_2, p and K enters, nor the level of noise: noise moves no mean on a quadratic world.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.synthetic import Quadratic
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import number, with_constants

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rest:
    """Where the mean iterates stay."""

    x: Array
    floor: float  # ||grad Phi(x)||^2
    radius: float  # ||(x - a, y*(x) - b)||


def at_rest(world: Quadratic, *, theta: float, Q: int) -> Rest:
    """Solve for the point of rest with Q + 1 terms."""
    eye = np.eye(world.d_y)
    left_out = np.linalg.matrix_power(eye - theta * world.A, Q + 1)
    back = np.linalg.solve(world.A, world.B).T  # B' A^{-1}
    used, lost = back @ (eye - left_out) @ world.D, back @ left_out @ world.D
    offset = world.y_star(world.a) - world.b
    x = world.a - np.linalg.solve(world.P + used @ back.T, used @ offset)
    away = world.y_star(x) - world.b
    floor = float(np.sum((lost @ away) ** 2))
    return Rest(x, floor, math.hypot(np.linalg.norm(x - world.a), np.linalg.norm(away)))


def bias_term(world: Quadratic, *, theta: float, Q: int, radius: float, theorem: str = "theorem-1") -> float:
    """Evaluate what the theorem adds for the bias, 4 Delta_Q^2, with the constants of this ball."""
    values = {**world.constants(radius=radius), "theta": theta, "Q": Q}
    return number(paper().the(Theorem, theorem).terms["bias"], with_constants(paper(), values))
