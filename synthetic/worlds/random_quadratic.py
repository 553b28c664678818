"""Random worlds that attain what was asked for: mu, L_1, the noise levels and the dimensions.

Spectra are prescribed, bases are random. Two numbers are then solved for instead of being hoped for:
the shift of A that makes mu = min lambda_min(A + e E) exact, and the scale of B that makes L_1 exact.
"""

import numpy as np
import scipy

from ratecert.base.arrays import require_memory
from ratecert.base.errors import UserError
from ratecert.base.validation import Array, as_level, as_number, require_whole
from ratecert.synthetic.algebra.signs import combinations
from ratecert.synthetic.algebra.spectra import rectangular, symmetric
from ratecert.synthetic.algebra.units import unit_of
from ratecert.synthetic.constants.norm_readings import Reading, norm_of_g, require_reading
from ratecert.synthetic.worlds.quadratic import Quadratic


def random_quadratic(
    *,
    d_x: int,
    d_y: int,
    mu: float = 1.0,
    L_1: float = 4.0,
    sigma_H: float = 0.0,
    sigma_J: float = 0.0,
    s_f: float = 0.0,
    s_g: float = 0.0,
    seed: int,
    reading: Reading = "joint",
) -> Quadratic:
    """Make a random world with one direction of Hessian noise (norm sigma_H) and one of the coupling (sigma_J).

    d_x, d_y          dimensions of x and y
    mu, L_1           strong convexity and smoothness of g, mu + 2 sigma_H < L_1
    sigma_H, sigma_J  noise of the Hessian and of the coupling
    s_f, s_g          additive noise of grad f and of grad_y g, per coordinate
    seed              of the random bases; the same seed makes the same world
    reading           of L_1: `joint` or `block` (synthetic/constants/norm_readings.py)

    >>> import ratecert as rc
    >>> world = rc.worlds.random_quadratic(d_x=2, d_y=3, mu=1.0, L_1=4.0, seed=1)
    >>> print(f"{world.constants()['mu']:.6f} {world.constants()['L_1']:.6f}")
    1.000000 4.000000
    """
    require_reading(reading)
    d_x, d_y = require_whole("d_x", d_x, least=1), require_whole("d_y", d_y, least=1)
    require_memory("random_quadratic", d=d_x + d_y, names={"d": "d_x + d_y"})
    mu, L_1 = as_number("mu", mu), as_number("L_1", L_1)
    sigma_H, sigma_J = as_level("sigma_H", sigma_H), as_level("sigma_J", sigma_J)
    if not (mu > 0 and mu + 2 * sigma_H < L_1):
        raise UserError(
            f"random_quadratic needs mu > 0 and mu + 2 sigma_H < L_1, got mu = {mu}, sigma_H = {sigma_H}, "
            f"L_1 = {L_1}."
        )
    rng = np.random.default_rng(require_whole("seed", seed, least=0))
    middle = 0.5 * (mu + 2 * sigma_H + L_1)
    E = symmetric(rng, np.linspace(-1.0, 1.0, d_y) * sigma_H if d_y > 1 else np.array([sigma_H]))[None]
    A = symmetric(rng, np.linspace(mu + sigma_H, middle - sigma_H, d_y))
    A += (mu - np.linalg.eigvalsh(combinations(A, E)).min()) * np.eye(d_y)
    singular = np.linspace(1.0, 0.5, min(d_x, d_y))
    F = rectangular(rng, d_y, d_x, singular)[None] * sigma_J
    B = _coupling(A, E, rectangular(rng, d_y, d_x, singular), F, L_1=L_1, reading=reading)
    return Quadratic(
        A=A,
        E=E,
        B=B,
        F=F,
        c=rng.uniform(-1.0, 1.0, d_y),
        P=symmetric(rng, np.linspace(mu, L_1, d_x)),
        D=symmetric(rng, np.linspace(mu, L_1, d_y)),
        a=rng.uniform(-1.0, 1.0, d_x),
        b=rng.uniform(-1.0, 1.0, d_y),
        s_f=s_f,
        s_g=s_g,
    )


def _coupling(A: Array, E: Array, B: Array, F: Array, *, L_1: float, reading: Reading) -> Array:
    """B times the scale at which the Hessian of g has the norm L_1; sigma_J = ||F||."""
    g_norm, unit = norm_of_g(reading), unit_of(L_1)

    def excess(scale: float) -> float:
        """In the unit of L_1, like the scale: brentq stops at a step of 1e-300, which may not be small."""
        return g_norm(A / unit, E / unit, scale * B, F / unit) - L_1 / unit

    sigma_J = float(np.linalg.norm(F[0], 2))
    if excess(0.0) > 0:
        raise UserError(
            f"sigma_J must leave room for L_1 = {L_1}, got sigma_J = {sigma_J:.6g}, with which the Hessian "
            f"of g has the norm {unit * excess(0.0) + L_1:.6g} without any mean coupling; make sigma_J smaller."
        )
    most = 2 * (L_1 / unit) + sigma_J / unit
    return (
        unit * float(scipy.optimize.brentq(excess, 0.0, most, xtol=1e-300, rtol=4 * np.finfo(float).eps)) * B
    )
