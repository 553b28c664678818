"""The constants of Assumptions 1-3, computed from the matrices of a quadratic world.

On the set ||(x - a, y - b)|| <= radius, with maxima over all samples:

    mu      = min lambda_min(A + e E)                                                (Assumption 1)
    L_0     = radius max(||P||, ||D||) + s_f sqrt(d_x + d_y)   >= ||grad f(.; xi)||   (Assumption 2)
    L_1     >= Lipschitz constant of grad f(.; xi) and grad g(.; zeta)
    L_21    = L_22 = 0                                         second derivatives are constant
    sigma^2 = max E||grad g(.; zeta) - grad g||^2
            = max ||E y||^2 + ||F x||^2 + ||F'y||^2 + s_g^2 d_y                      (Assumption 3)

and two that the paper does not name but needs: sigma_f, the same as sigma for f, and sigma_H with
sigma_H^2 = max_r E||(grad_yy g(.; zeta) - grad_yy g) r||^2 / ||r||^2.

L_1 has two readings. `joint`, the letter of Assumption 2: the Hessian of g in (x, y) as one matrix,
[[0, -(B + e'F)'], [-(B + e'F), A + e E]]. `block`: the largest of the norms of its blocks.

L_0 is attained where s_f = 0; with noise it is attained up to the alignment of a sign vector with the
top eigenvector. All others are attained. With radius = inf a quantity that grows is inf, not omitted.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.optimize import brentq

from synthetic.arrays import Array
from synthetic.signs import combinations

if TYPE_CHECKING:
    from synthetic.quadratic import Quadratic

Reading = Literal["joint", "block"]


def constants_of(world: "Quadratic", *, radius: float, reading: Reading) -> dict[str, float]:
    if not radius > 0:
        raise ValueError(f"radius must be > 0, got {radius!r}; math.inf means the whole space.")
    if reading not in ("joint", "block"):
        raise ValueError(f"reading must be 'joint' or 'block', got {reading!r}.")
    d = world.d_x + world.d_y
    curvature_f = max(norm(world.P), norm(world.D))
    L_0 = radius * curvature_f if curvature_f > 0 else 0.0
    g_norm = joint_norm if reading == "joint" else block_norm
    return {
        "mu": world.curvature[0],
        "L_0": L_0 + world.s_f * float(np.sqrt(d)),
        "L_1": max(curvature_f, g_norm(world.A, world.E, world.B, world.F)),
        "L_21": 0.0,
        "L_22": 0.0,
        "sigma": float(np.sqrt(_multiplicative_variance(world, radius) + world.s_g**2 * world.d_y)),
        "sigma_f": world.s_f * float(np.sqrt(d)),
        "sigma_H": float(np.sqrt(norm(_sum_of_squares(world.E)))),
    }


def norm(matrix: Array) -> float:
    return float(np.linalg.norm(matrix, 2))


def joint_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """max over signs of ||[[0, -N'], [-N, M]]||, M = A + e E, N = B + e'F. Costs 2^(directions of E and F)."""
    d_y, d_x = B.shape
    couplings = combinations(B, F)
    hessian = np.zeros((len(couplings), d_x + d_y, d_x + d_y))
    hessian[:, d_x:, :d_x] = -couplings
    hessian[:, :d_x, d_x:] = -np.swapaxes(couplings, 1, 2)
    largest = 0.0
    for M in combinations(A, E):
        hessian[:, d_x:, d_x:] = M
        largest = max(largest, float(np.abs(np.linalg.eigvalsh(hessian)).max()))
    return largest


def block_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """The larger of max ||A + e E|| and max ||B + e'F||."""
    lower = np.abs(np.linalg.eigvalsh(combinations(A, E))).max()
    return max(float(lower), float(np.linalg.norm(combinations(B, F), 2, axis=(1, 2)).max()))


def _sum_of_squares(stack: Array) -> Array:
    return np.einsum("kij,kil->jl", stack, stack)


def _multiplicative_variance(world: "Quadratic", radius: float) -> float:
    """max of sum_i ||E_i y||^2 + ||F_i x||^2 + ||F_i'y||^2 on the set."""
    in_x = _sum_of_squares(world.F)
    in_y = _sum_of_squares(world.E) + _sum_of_squares(np.swapaxes(world.F, 1, 2))
    if not (in_x.any() or in_y.any()):
        return 0.0
    if np.isinf(radius):
        return np.inf
    weights_x, basis_x = np.linalg.eigh(in_x)
    weights_y, basis_y = np.linalg.eigh(in_y)
    weights = np.concatenate([weights_x, weights_y])
    return largest_on_ball(weights, np.concatenate([basis_x.T @ world.a, basis_y.T @ world.b]), radius)


def largest_on_ball(weights: Array, centre: Array, radius: float) -> float:
    """max of sum_i w_i (c_i + z_i)^2 over ||z|| <= radius, for weights w_i >= 0.

    For every nu > max w the dual value nu radius^2 + sum_i w_i c_i^2 + w_i^2 c_i^2/(nu - w_i) is an upper
    bound; the least one is the maximum (S-lemma), and there sum_i w_i^2 c_i^2/(nu - w_i)^2 = radius^2.
    """
    weights = np.maximum(weights, 0.0)
    top, pull = float(weights.max()), weights * np.abs(centre)
    moved = pull > 1e-14 * max(top * radius, float(pull.max()), 1e-300)
    w, q = weights[moved], pull[moved]

    def excess(nu: float) -> float:
        return float(np.sum((q / (nu - w)) ** 2)) - radius**2

    lowest = top * (1 + 1e-12)
    nu = lowest
    if moved.any() and excess(lowest) > 0:
        nu = brentq(excess, lowest, top + float(np.linalg.norm(q)) / radius * (1 + 1e-12), xtol=1e-300)
    return float(nu * radius**2 + np.sum(weights * centre**2) + np.sum(q**2 / (nu - w)))
