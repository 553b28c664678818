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

The Lipschitz constant of grad g has two readings. `joint`, the letter of Assumption 2: the norm of the Hessian of g in
(x, y) as one matrix, [[0, -(B + e'F)'], [-(B + e'F), A + e E]]. `block`: the largest of the norms of its blocks.

L_0 is attained where s_f = 0; with noise it is attained up to the alignment of a sign vector with the
top eigenvector. All others are attained. With radius = inf a quantity that grows is inf, not omitted.

Cost: mu takes an eigenvalue problem of size d_y for each of the 2^(directions of E) outcomes; L_1 under `joint`
takes one of size d_x + d_y for each of the 2^(directions of E and F) outcomes, under `block` only
2^(directions of E) + 2^(directions of F) small ones. Nothing but mu is kept between calls.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import scipy

from ratecert.base.arrays import Rationals, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.promised import (
    LARGEST,
    above,
    exactly,
    largest_of,
    outward,
    root_above,
    root_of_largest_eigenvalue,
    spectral_norm,
)
from ratecert.base.validation import Array, as_positive, shown
from ratecert.synthetic.algebra import combinations, norm, unit_of, with_signs

Reading = Literal["joint", "block"]
SMALLEST = 1e-150  # of the unit of length, or of the distance of the set from 0; its square is still exact


def quadratic_constants(
    *, mu: float, A: Array, E: Array, B: Array, F: Array, P: Array, D: Array, a: Array, b: Array,
    s_f: float, s_g: float, radius: float, reading: Reading,
) -> dict[str, float]:  # fmt: skip
    """Compute the constants above from the matrices of a quadratic world and mu, which the world knows."""
    radius = as_radius(radius, a, b)
    L_1_of_g = norm_of_g(reading)
    curvature_f = max(spectral_norm(exactly(P)), spectral_norm(exactly(D)))
    sigma_f = root_above(rational(s_f) ** 2 * (len(a) + len(b)))
    sigma_g = root_above(rational(s_g) ** 2 * len(b))
    moving = _multiplicative_noise(E, F, a, b, radius)
    return {
        "mu": mu,
        "L_0": _largest_gradient(curvature_f, radius, sigma_f),
        "L_1": max(curvature_f, L_1_of_g(A, E, B, F)),
        "L_21": 0.0,
        "L_22": 0.0,
        "sigma": outward(math.hypot(moving, sigma_g)) if moving else sigma_g,
        "sigma_f": sigma_f,
        "sigma_H": _root_of_squares(E),
    }


class OfDevices:
    """What holds on every device of a world: the smallest mu, and the largest of the other constants."""

    devices: tuple[Any, ...]

    def constants(self, *, radius: float = math.inf, reading: Reading = "joint") -> dict[str, float]:
        """The constants of Assumptions 1-3 that hold on every device; the ball is the same for all."""
        each = [device.constants(radius=radius, reading=reading) for device in self.devices]
        return {name: (min if name == "mu" else max)(own[name] for own in each) for name in each[0]}

    @property
    def curvature(self) -> tuple[float, float]:
        """Smallest and largest eigenvalue of grad_yy g_k over all samples and devices."""
        lowest, highest = zip(*(device.curvature for device in self.devices), strict=True)
        return min(lowest), max(highest)


def as_radius(value: Any, *centre: Array) -> float:
    """Of a ball around a point, in which squares of lengths are floats."""
    least = SMALLEST * max(1.0, norm(np.concatenate(centre)))
    return as_positive("radius", value, least=least, advice="; math.inf means the whole space")


def _largest_gradient(curvature: float, radius: float, noise: float) -> float:
    if not curvature:
        return noise
    return math.inf if math.isinf(radius) else above(rational(curvature) * rational(radius) + rational(noise))


def _sum_of_squares(stack: Array) -> Array:
    total: Array = np.einsum("kij,kil->jl", stack, stack)
    return total


def _root_of_squares(stack: Array) -> float:
    """The root of max sum_i ||E_i r||^2 / ||r||^2."""
    return root_of_largest_eigenvalue(summed([E.T @ E for E in exactly(stack)])) if len(stack) else 0.0


def _multiplicative_noise(E: Array, F: Array, a: Array, b: Array, radius: float) -> float:
    """The root of max sum_i ||E_i y||^2 + ||F_i x||^2 + ||F_i'y||^2 on the set."""
    level = unit_of(E, F)
    E, F = E / level, F / level
    in_x = _sum_of_squares(F)
    in_y = _sum_of_squares(E) + _sum_of_squares(np.swapaxes(F, 1, 2))
    if not (in_x.any() or in_y.any()):
        return 0.0
    if np.isinf(radius):
        return math.inf
    weights_x, basis_x = np.linalg.eigh(in_x)
    weights_y, basis_y = np.linalg.eigh(in_y)
    weights = np.concatenate([weights_x, weights_y])
    centre = np.concatenate([basis_x.T @ a, basis_y.T @ b])
    unit = max(radius, norm(centre))  # in this unit no square is too large for a float
    return level * unit * math.sqrt(largest_on_ball(weights, centre / unit, radius / unit))


def require_reading(reading: Reading) -> None:
    if not (isinstance(reading, str) and reading in get_args(Reading)):
        raise UserError(f"reading must be 'joint' or 'block', got {shown(reading)}.")


def norm_of_g(reading: Reading) -> Callable[[Array, Array, Array, Array], float]:
    """(A, E, B, F) -> L_1 of g under this reading."""
    require_reading(reading)
    return joint_norm if reading == "joint" else block_norm


def joint_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """max over signs of ||[[0, -N'], [-N, M]]||, M = A + e E, N = B + e'F: 2^(all directions) of them."""
    hessians, couplings = combinations(A, E), combinations(B, F)
    sizes = np.concatenate([np.abs(np.linalg.eigvalsh(_joint(M, couplings))).max(axis=1) for M in hessians])
    if A.shape[0] + B.shape[1] > LARGEST:
        return outward(float(sizes.max()))
    exact_A, exact_E, exact_B, exact_F = map(Rationals.of, (A, E, B, F))

    def exactly(i: int) -> float:
        M, N = divmod(i, len(couplings))
        whole = _joint(with_signs(exact_A, exact_E, M), with_signs(exact_B, exact_F, N)[None])
        return spectral_norm(Rationals.of(whole[0]))

    return largest_of(sizes, exactly)


def _joint(M: Any, couplings: Any) -> Any:
    """[[0, -N'], [-N, M]] for every N."""
    d_y, d_x = couplings.shape[1:]
    hessian = np.zeros((len(couplings), d_x + d_y, d_x + d_y), dtype=M.dtype)
    hessian[:, d_x:, :d_x] = -couplings
    hessian[:, :d_x, d_x:] = -np.swapaxes(couplings, 1, 2)
    hessian[:, d_x:, d_x:] = M
    return hessian


def block_norm(A: Array, E: Array, B: Array, F: Array) -> float:
    """The larger of max ||A + e E|| and max ||B + e'F||."""

    def largest(mean: Array, directions: Array) -> float:
        sizes = np.linalg.norm(combinations(mean, directions), 2, axis=(1, 2))
        exact_mean, exact_directions = exactly(mean), exactly(directions)
        return largest_of(sizes, lambda i: spectral_norm(with_signs(exact_mean, exact_directions, i)))

    return max(largest(A, E), largest(B, F))


def largest_on_ball(weights: Array, centre: Array, radius: float) -> float:
    """The maximum of sum_i w_i (c_i + z_i)^2 over ||z|| <= radius, w_i >= 0; inf where it exceeds all floats.

    With top = max w and t = nu - top >= 0 the dual value

        (top + t) radius^2 + sum_i w_i c_i^2 + sum_i q_i^2/(t + top - w_i),        q_i = w_i |c_i|,

    is an upper bound; the least one is the maximum (S-lemma), and there sum_i q_i^2/(t + top - w_i)^2 = radius^2
    or, in the hard case, t = 0. Solved for t and not for nu, which would lose a small t to rounding.
    """
    weights, radius = np.maximum(weights, 0.0), float(radius)
    top, pull = float(weights.max()), weights * np.abs(centre)
    moved = pull > 0
    q, gap = pull[moved], top - weights[moved]
    t = _multiplier(q / radius, gap) if moved.any() else 0.0
    still = float(np.sum(weights * centre**2))
    return (top + t) * radius * radius + still + float(np.sum(q * (q / (t + gap))))


def _multiplier(pull: Array, gap: Array) -> float:
    """The t >= 0 with sum_i (pull_i/(t + gap_i))^2 = 1, or 0 if the sum is smaller for all t > 0."""

    def excess(t: float) -> float:
        return float(np.sum((pull / (t + gap)) ** 2)) - 1.0

    # At `lowest` > 0 the largest term is 1; at 0, if no term reaches 1, none of them divides by zero.
    lowest = max(0.0, float(np.max(pull - gap)))
    if excess(lowest) <= 0:
        return lowest
    return float(scipy.optimize.brentq(excess, lowest, 2 * math.hypot(*pull), xtol=1e-300))
