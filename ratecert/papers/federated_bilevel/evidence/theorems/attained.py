"""How far iterates get at the least: with signs that never change, which no certified radius may forget.

Where E = F = 0 the samples of (hypergradient, grad_y g) are F(w) + n at w = (x, y), F(w) = J w + j, with

    J = [[P, S'D], [-B, A]],    S = theta sum_{q<=Q} (I - theta A)^q B,    n = (s_f (m_x + S' m_y), s_g m_g)

for signs m_x, m_y and m_g. If these are the same at all t on all devices, the devices stay together, averages do
nothing, and where the steps have an infinite sum both algorithms tend to the point at which their momenta vanish,
F(w) + n = 0. So

    attained = max(||w_0 - (a, b)||, max over signs of ||-J^{-1}(j + n) - (a, b)||)

is approached or reached by some outcome. With Hessian noise only the start is counted.
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ratecert.synthetic import Quadratic

Array = NDArray[np.float64]


def attained(world: Quadratic, x0: Array, y0: Array, *, theta: float, Q: int) -> float:
    """The largest ||(x - a, y - b)|| of the start and of runs with signs that never change."""
    points = np.concatenate([x0, y0])[:, None]
    if not (world.E.size or world.F.size):
        points = np.hstack([points, resting_points(world, theta=theta, Q=Q)])
    away = points - np.concatenate([world.a, world.b])[:, None]
    return float(np.linalg.norm(away, axis=0).max())


def resting_points(world: Quadratic, *, theta: float, Q: int) -> Array:
    """-J^{-1}(j + n), one column for all signs of a sample."""
    term = total = theta * world.B
    for _ in range(Q):
        term = term - theta * (world.A @ term)
        total = total + term
    J = np.block([[world.P, total.T @ world.D], [-world.B, world.A]])
    j = -np.concatenate([world.P @ world.a + total.T @ world.D @ world.b, world.c])
    signs = np.array(list(product((-1.0, 1.0), repeat=world.d_x + 2 * world.d_y))).T
    m_x, m_y, m_g = np.split(signs, [world.d_x, world.d_x + world.d_y])
    n = np.vstack([world.s_f * (m_x + total.T @ m_y), world.s_g * m_g])
    points: Array = np.linalg.solve(J, -j[:, None] - n)
    return points
