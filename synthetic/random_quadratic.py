"""Random worlds that attain what was asked for: mu, L_1, the noise levels and the dimensions.

Spectra are prescribed, bases are random. Two numbers are then solved for instead of being hoped for:
the shift of A that makes mu = min lambda_min(A + e E) exact, and the scale of B that makes L_1 exact.
"""

import numpy as np
from scipy.optimize import brentq

from synthetic.arrays import Array
from synthetic.constants import Reading, block_norm, joint_norm
from synthetic.quadratic import Quadratic
from synthetic.signs import combinations
from synthetic.spectra import rectangular, symmetric


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
    """A random world with one direction of Hessian noise (norm sigma_H) and one of coupling noise (sigma_J)."""
    if min(d_x, d_y) < 1:
        raise ValueError(f"d_x and d_y must be >= 1, got d_x = {d_x}, d_y = {d_y}.")
    if not (mu > 0 and sigma_H >= 0 and sigma_J >= 0 and mu + 2 * sigma_H < L_1):
        raise ValueError(
            f"random_quadratic needs mu > 0, sigma_H >= 0, sigma_J >= 0 and mu + 2 sigma_H < L_1, "
            f"got mu = {mu}, sigma_H = {sigma_H}, sigma_J = {sigma_J}, L_1 = {L_1}."
        )
    rng = np.random.default_rng(seed)
    middle = 0.5 * (mu + 2 * sigma_H + L_1)
    E = symmetric(rng, np.linspace(-1.0, 1.0, d_y) * sigma_H if d_y > 1 else np.array([sigma_H]))[None]
    A = symmetric(rng, np.linspace(mu + sigma_H, middle - sigma_H, d_y))
    A += (mu - np.linalg.eigvalsh(combinations(A, E)).min()) * np.eye(d_y)
    singular = np.linspace(1.0, 0.5, min(d_x, d_y))
    F = rectangular(rng, d_y, d_x, singular)[None] * sigma_J
    B = _coupling(A, E, rectangular(rng, d_y, d_x, singular), F, L_1, reading)
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


def _coupling(A: Array, E: Array, B: Array, F: Array, L_1: float, reading: Reading) -> Array:
    """B times the scale at which the Hessian of g has the norm L_1."""
    g_norm = joint_norm if reading == "joint" else block_norm

    def excess(scale: float) -> float:
        return g_norm(A, E, scale * B, F) - L_1

    if excess(0.0) > 0:
        raise ValueError(
            f"sigma_J is too large for L_1 = {L_1}: without any mean coupling the Hessian of g "
            f"already has the norm {excess(0.0) + L_1:.6g}; make sigma_J smaller."
        )
    highest = 2 * L_1 + float(np.linalg.norm(F[0], 2))
    return B * brentq(excess, 0.0, highest, xtol=1e-300, rtol=4 * np.finfo(float).eps)  # type: ignore[no-any-return]
