"""The constants of Assumptions 1-3, computed from the matrices of a quadratic world.

On the set ||(x - a, y - b)|| <= radius, with maxima over all samples:

    mu      = min lambda_min(A + e E)                                                (Assumption 1)
    L_0     = radius max(||P||, ||D||) + s_f sqrt(d_x + d_y)   >= ||grad f(.; xi)||   (Assumption 2)
    L_1     >= Lipschitz constant of grad f(.; xi) and grad g(.; zeta), see synthetic/constants/norm_readings.py
    L_21    = L_22 = 0                                         second derivatives are constant
    sigma^2 = max E||grad g(.; zeta) - grad g||^2
            = max ||E y||^2 + ||F x||^2 + ||F'y||^2 + s_g^2 d_y                      (Assumption 3)

and two that the paper does not name but needs: sigma_f, the same as sigma for f, and sigma_H with
sigma_H^2 = max_r E||(grad_yy g(.; zeta) - grad_yy g) r||^2 / ||r||^2.

L_0 is attained where s_f = 0; with noise it is attained up to the alignment of a sign vector with the
top eigenvector. All others are attained. With radius = inf a quantity that grows is inf, not omitted.

Cost: mu takes an eigenvalue problem of size d_y for each of the 2^(directions of E) outcomes; L_1 under `joint`
takes one of size d_x + d_y for each of the 2^(directions of E and F) outcomes, under `block` only
2^(directions of E) + 2^(directions of F) small ones. Nothing but mu is kept between calls.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ratecert.base.arrays import summed
from ratecert.base.exact import rational
from ratecert.base.validation import Array, as_positive
from ratecert.synthetic.algebra.units import norm, unit_of
from ratecert.synthetic.constants.ball import largest_on_ball
from ratecert.synthetic.constants.norm_readings import Reading, norm_of_g
from ratecert.synthetic.constants.promised import (
    above,
    exactly,
    outward,
    root_above,
    root_of_largest_eigenvalue,
    spectral_norm,
)

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


def worst_constants(each: Sequence[dict[str, float]]) -> dict[str, float]:
    """Take the constants that hold on every device: the smallest mu, and the largest of the others."""
    return {name: (min if name == "mu" else max)(own[name] for own in each) for name in each[0]}


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
