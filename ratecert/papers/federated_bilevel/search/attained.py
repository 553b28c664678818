"""Where what a constant has to bound is largest on a ball, in closed form: the value and the point that attains it.

evidence/constants/__init__.py says what each constant bounds. On a quadratic world with u = x - a, v = y - b

    h(z; s) = P u + s_f m_x + J (D v + s_f m_y),    J = (B + e'F)'N,    N = theta sum_{q<=Q} prod_{j<=q} (I - theta H_j)

is affine in z = (u, v) and everything is an operator norm. With S = A^{-1} B

    L_Phi      ||P + S'D S||
    L_tilde    ||S'D||
    Delta_Q    radius ||S'(I - theta A)^{Q+1} D||
    L_hat^2    the top eigenvalue of M = E[(P, J D)'(P, J D)]
    G^2        radius^2 L_hat^2 + s_f^2 (d_x + trace E[J'J])

For x and y numbers on a wavy world B becomes B w'(x), and P = 0. w' is largest at x = a, which serves L_tilde, G and
Delta_Q. L_Phi and L_hat are the largest slope at one point (a ball is convex, so that this bounds all quotients):

    L_Phi      |S^2 D (w'^2 + (w - a) w'')|  where (x, y*(x)) is in the ball
    L_hat^2    E[N^2] B^2 times the top eigenvalue of [[w''^2 (D^2 v^2 + s_f^2), w'' w' D^2 v], [., w'^2 D^2]]

which grows with |v|, so that u alone is searched, on a grid that is made finer around its best point. A value that is
found is attained, or the limit of quotients that are.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError
from ratecert.synthetic import Quadratic
from ratecert.synthetic.worlds.wavy import Wavy

Array = NDArray[np.float64]
POINTS = 256  # of a grid
FINER = 6  # times, each by POINTS/4


@dataclass(frozen=True)
class Attained:
    value: float
    z: Array  # from (a, b)
    along: Array  # of a quotient: its direction in z; zero where the value is a norm at z


def attained(constant: str, world: Any, radius: float, *, theta: float = 0.0, Q: int = 0) -> Attained:
    """The largest value; theta and Q are those of the Neumann sum."""
    if isinstance(world, Wavy):
        return _on_a_wave(constant, world, radius, theta, Q)
    match constant:
        case "L_Phi":
            return _slope_of_grad_Phi(world)
        case "L_tilde":
            value, v = _top(_solved(world).T @ world.D)
            return Attained(value, np.zeros(world.d_x + world.d_y), _below(world, v))
        case "Delta_Q":
            power = np.linalg.matrix_power(np.eye(world.d_y) - theta * world.A, Q + 1)
            value, v = _top(_solved(world).T @ power @ world.D)
            return Attained(radius * value, _below(world, radius * v), np.zeros(world.d_x + world.d_y))
    return _of_a_sample(constant, world, radius, theta, Q)


def neumann_moments(A: Array, E: Array, W: Array, theta: float, Q: int) -> tuple[Array, Array]:
    """E[N] and E[N'W N]: one of Q factors multiplies a sum with Q - 1 others, which are independent of it."""
    one, step = np.eye(len(A)), np.eye(len(A)) - theta * A
    mean, square = one, W
    for _ in range(Q):
        cross = W @ mean @ step
        noise: Array = theta**2 * np.einsum("kij,jl,klm->im", E, square, E)
        square = W + cross + cross.T + step @ square @ step + noise
        mean = one + mean @ step
    return theta * mean, theta**2 * square


def _solved(world: Quadratic) -> Array:
    return np.asarray(np.linalg.solve(world.A, world.B), dtype=np.float64)


def _top(matrix: Array) -> tuple[float, Array]:
    """The norm, and the unit vector that attains it."""
    _, sizes, rows = np.linalg.svd(matrix)
    return float(sizes[0]), rows[0]


def _below(world: Any, v: Array) -> Array:
    return np.concatenate([np.zeros(world.d_x), v])


def _slope_of_grad_Phi(world: Quadratic) -> Attained:
    S = _solved(world)
    value, u = _top(world.P + S.T @ world.D @ S)
    return Attained(value, np.zeros(world.d_x + world.d_y), np.concatenate([u, np.zeros(world.d_y)]))


def _of_a_sample(constant: str, world: Quadratic, radius: float, theta: float, Q: int) -> Attained:
    """L_hat and G."""
    W = world.B @ world.B.T + np.einsum("kij,klj->il", world.F, world.F)
    N, JJ = neumann_moments(world.A, world.E, W, theta, Q)
    across = world.P @ world.B.T @ N @ world.D
    M = np.block([[world.P @ world.P, across], [across.T, world.D @ JJ @ world.D]])
    sizes, columns = np.linalg.eigh(M)
    steepest, top = max(0.0, float(sizes[-1])), columns[:, -1]
    if constant == "L_hat":
        return Attained(math.sqrt(steepest), np.zeros(len(top)), top)
    noise = world.s_f**2 * (world.d_x + float(np.trace(JJ)))
    return Attained(math.sqrt(radius**2 * steepest + noise), radius * top, np.zeros(len(top)))


def _on_a_wave(constant: str, world: Wavy, radius: float, theta: float, Q: int) -> Attained:
    if world.d != 1:
        raise UserError(f"world.d must be 1 for a wavy world, got {world.d}.")
    if constant == "L_Phi":
        return _steepest_wave(world, radius)
    if constant == "L_hat":
        return _steepest_sample(world, radius, theta, Q)
    base = world.base
    B = base.B * (1 + world.dial)
    steep = Quadratic(A=base.A, E=base.E, B=B, P=base.P, D=base.D, s_f=base.s_f)
    return attained(constant, steep, radius, theta=theta, Q=Q)


def _wave(world: Wavy, u: Array) -> tuple[Array, Array, Array]:
    """w - a, w' and w''."""
    phase, dial, omega = world.omega * u, world.dial, world.omega
    return u + dial / omega * np.sin(phase), 1 + dial * np.cos(phase), -dial * omega * np.sin(phase)


def _steepest_wave(world: Wavy, radius: float) -> Attained:
    S, D = float(world.B[0] / world.A[0]), float(world.D[0])

    def slope(u: Array) -> Array:
        w, first, second = _wave(world, u)
        inside = np.hypot(u, S * w) <= radius
        sizes: Array = np.where(inside, S**2 * D * np.abs(first**2 + w * second), 0.0)
        return sizes

    u, value = _highest(slope, radius)
    w = _wave(world, np.array([u]))[0]
    return Attained(value, np.array([u, S * float(w[0])]), np.array([1.0, 0.0]))


def _steepest_sample(world: Wavy, radius: float, theta: float, Q: int) -> Attained:
    _, JJ = neumann_moments(world.base.A, world.base.E, np.outer(world.B, world.B), theta, Q)
    D, s_f = float(world.D[0]), world.s_f

    def parts(u: Array) -> tuple[Array, Array, Array]:
        _, first, second = _wave(world, u)
        v = np.sqrt(np.maximum(0.0, (radius - u) * (radius + u)))
        return second**2 * (D**2 * v**2 + s_f**2), second * first * D**2 * v, first**2 * D**2

    def top(u: Array) -> Array:
        xx, xy, yy = parts(u)
        largest: Array = (xx + yy + np.hypot(xx - yy, 2 * xy)) / 2
        return largest

    u, value = _highest(top, radius)
    xx, xy, yy = (float(part[0]) for part in parts(np.array([u])))
    along = np.linalg.eigh(np.array([[xx, xy], [xy, yy]]))[1][:, -1]
    z = np.array([u, math.sqrt(max(0.0, (radius - u) * (radius + u)))])
    return Attained(math.sqrt(value * float(JJ[0, 0])), z, along)


def _highest(height: Any, radius: float) -> tuple[float, float]:
    """The best u of [0, radius], and its height; no height of a wavy world depends on the sign of u."""
    low, high = 0.0, radius
    best, top = 0.0, float(height(np.zeros(1))[0])
    for _ in range(FINER):
        u = np.linspace(low, high, POINTS + 1)
        heights = height(u)
        i = int(np.argmax(heights))
        if heights[i] > top:
            best, top = float(u[i]), float(heights[i])
        reach = 2 * (high - low) / POINTS
        low, high = max(0.0, best - reach), min(radius, best + reach)
    return best, top
