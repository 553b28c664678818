"""The smallest world: x and y are numbers, and everything can be checked by hand.

With A = mu + sigma_H, E = sigma_H the curvature A + e E runs from mu to h = mu + 2 sigma_H. The joint
Hessian [[0, -N], [-N, M]] has the norm (M + sqrt(M^2 + 4 N^2))/2, which equals L_1 at M = h for the
coupling N = sqrt(L_1 (L_1 - h)); under `block` N = L_1. B = N - sigma_J, F = sigma_J.
"""

import numpy as np

from ratecert.base.errors import UserError
from ratecert.base.validation import as_level, as_number
from ratecert.synthetic.algebra.units import unit_of
from ratecert.synthetic.constants.norm_readings import Reading, require_reading
from ratecert.synthetic.worlds.quadratic import Quadratic


def scalar(
    *,
    mu: float = 1.0,
    L_1: float = 4.0,
    sigma_H: float = 0.0,
    sigma_J: float = 0.0,
    s_f: float = 0.0,
    s_g: float = 0.0,
    P: float = 1.0,
    D: float = 1.0,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
    reading: Reading = "joint",
) -> Quadratic:
    """Make a scalar world with exactly this mu, this L_1 and these noise levels.

    mu, L_1           strong convexity and smoothness of g, mu + 2 sigma_H < L_1
    sigma_H, sigma_J  noise of the Hessian and of the coupling
    s_f, s_g          additive noise of grad f and of grad_y g
    P, D              curvature of f in x and in y, in [0, L_1]
    a, b, c           centre of f, and the target of the lower level
    reading           of L_1: `joint` or `block` (synthetic/constants/norm_readings.py)

    >>> import ratecert as rc
    >>> print(f"{rc.worlds.scalar(mu=1.0, L_1=4.0).constants()['L_1']:.6f}")
    4.000000
    """
    require_reading(reading)
    mu, L_1, P, D = as_number("mu", mu), as_number("L_1", L_1), as_number("P", P), as_number("D", D)
    sigma_H, sigma_J = as_level("sigma_H", sigma_H), as_level("sigma_J", sigma_J)
    h = mu + 2 * sigma_H
    if not (mu > 0 and h < L_1):
        raise UserError(
            f"mu and L_1 must satisfy mu > 0 and mu + 2 sigma_H = {h:.6g} < L_1, got mu = {mu}, L_1 = {L_1}."
        )
    if not (0 <= P <= L_1 and 0 <= D <= L_1):
        raise UserError(f"P and D must lie in [0, L_1] = [0, {L_1}], got P = {P}, D = {D}.")
    unit = unit_of(L_1)
    N = unit * float(np.sqrt(L_1 / unit * ((L_1 - h) / unit))) if reading == "joint" else L_1
    if sigma_J > N:
        raise UserError(f"sigma_J must lie in [0, {N:.6g}], the coupling that attains L_1, got {sigma_J}.")
    return Quadratic(
        A=mu + sigma_H, E=sigma_H, B=N - sigma_J, F=sigma_J, c=c, P=P, D=D, a=a, b=b, s_f=s_f, s_g=s_g
    )  # fmt: skip
