"""The penalty of the ridge world and the constants of Assumptions 1-3 that follow from it.

A penalty is phi(s) = exp(m sin(s/m)), in [exp(-m), exp(m)]. With q = sin(s/m), and cos(s/m)^2 = 1 - q^2,

    phi = exp(mq),    |phi'| = exp(mq) sqrt(1 - q^2),    phi'' = exp(mq) (1 - q^2 - q/m).

Over an interval of q phi is largest at its upper end, |phi'| nearest to m q^2 + q = m, and |phi''| at an end or where
q^2 + 3q/m + 1/m^2 = 1. On ||(x, y - b)|| <= R every point (x_j, y_j) is in a disc, which is cut into cells of s = x_j.
In a cell with |s| >= s_0 let phi_0, phi_1, phi_2 be the largest phi, |phi'|, |phi''|; there |y_j| <= Y = max |b_j| +
sqrt(R^2 - s_0^2). From |s| = m pi/2 on the penalties repeat, and Y falls. Let M_i, c_i be the means of u u' and u t
over block i of the training rows, M, c those over all of them, N_i, e_i the same for validation. The joint Hessian of
g has the blocks diag(phi''_j y_j^2/2), diag(phi'_j y_j) and M_i + diag(phi_j), so

    mu      = min lambda_min(M_i) + min phi                                                       (Assumption 1)
    L_0     = max_i max_y ||N_i y - e_i||                                                         (Assumption 2)
    L_1     = max(max ||N_i||, max over cells of the norm of [[p, c], [c, h]]), p = phi_2 Y^2/2, c = phi_1 Y,
              h = max ||M_i|| + phi_0; under `block` the norm is max(p, c, h)
    L_21    = max over cells of sqrt((phi_2 Y)^2 + phi_1^2)            grad_xy g = diag(phi'(x_j) y_j)
    L_22    = max |phi'|                                               grad_yy g = M_i + diag phi(x_j)
    sigma^2 = max_y mean_i ||(M_i - M) y - (c_i - c)||^2                                          (Assumption 3)

and sigma_f is the same as sigma for f, sigma_H^2 = ||mean_i (M_i - M)^2||; the penalty has no noise. For infinite R
L_0, L_1, L_21 and, with noise, sigma and sigma_f are infinite. L_0, L_22, sigma, sigma_f and sigma_H are attained, L_21
up to the width of a cell. mu and L_1 are bounds: they take the worst penalty together with the worst row.
"""

import math

import numpy as np

from ratecert.base.validation import Array
from ratecert.synthetic.algebra import norm, unit_of
from ratecert.synthetic.constants import Reading, as_radius, largest_on_ball, require_reading
from ratecert.synthetic.ridge_rows import Rows

CELLS = 256


def penalty(x: Array, m: float) -> Array:
    """phi(x_j) for every entry."""
    phi: Array = np.exp(m * np.sin(x / m))
    return phi


def penalty_slope(x: Array, m: float) -> Array:
    """phi'(x_j) for every entry."""
    return penalty(x, m) * np.cos(x / m)


def ridge_constants(
    *, training: Rows, validation: Rows, m: float, b: Array, radius: float, reading: Reading
) -> dict[str, float]:
    """Compute the constants above from the rows of a ridge world."""
    require_reading(reading)
    R = as_radius(radius, b)
    end = math.sin(min(R / m, math.pi / 2))
    s = np.linspace(0.0, min(R, m * math.pi / 2), CELLS + 1)
    q, s_0 = np.sin(np.concatenate([-s[:0:-1], s]) / m), np.concatenate([s[-2::-1], s[:-1]])
    phi_0, phi_1, phi_2 = np.exp(m * q[1:]), _largest_slope(m, q[:-1], q[1:]), _largest_bend(m, q[:-1], q[1:])
    lowest, highest = spectrum(training)
    with np.errstate(over="ignore"):  # too large for a float is infinite
        Y = np.abs(b).max() + R * np.sqrt((1 - s_0 / R) * (1 + s_0 / R))
        p, c, h = phi_2 * Y / 2 * Y, phi_1 * Y, highest + phi_0
        norms = (
            p / 2 + h / 2 + np.hypot(p / 2 - h / 2, c) if reading == "joint" else np.max([p, c, h], axis=0)
        )
        L_21 = np.hypot(phi_2 * Y, phi_1).max()
    return {
        "mu": lowest + math.exp(-m * end),
        "L_0": _largest_gradient(validation, b, R),
        "L_1": max(spectrum(validation)[1], float(norms.max())),
        "L_21": float(L_21),
        "L_22": float(_largest_slope(m, -end, end)),
        "sigma": _largest_noise(training, b, R),
        "sigma_f": _largest_noise(validation, b, R),
        "sigma_H": math.sqrt(norm(_mean_square(training.means - training.mean))),
    }


def _largest_slope(m: float, low: Array | float, high: Array | float) -> Array:
    """The largest |phi'| over low <= q <= high."""
    q = np.clip(2 * m / (1 + math.hypot(1, 2 * m)), low, high)
    slope: Array = np.exp(m * q) * np.sqrt(1 - q * q)
    return slope


def _largest_bend(m: float, low: Array, high: Array) -> Array:
    """The largest |phi''| over low <= q <= high."""
    root = math.sqrt(4 + 5 / m**2)
    critical = (np.clip((sign * root - 3 / m) / 2, low, high) for sign in (1, -1))
    bends = [np.abs(np.exp(m * q) * (1 - q * q - q / m)) for q in (low, high, *critical)]
    largest: Array = np.max(bends, axis=0)
    return largest


def spectrum(rows: Rows) -> tuple[float, float]:
    """The smallest and the largest eigenvalue of the M_i; the smallest is not below 0, whatever the rounding."""
    eigenvalues = np.linalg.eigvalsh(rows.means)
    return max(0.0, float(eigenvalues[:, 0].min())), float(eigenvalues[:, -1].max())


def _largest_gradient(rows: Rows, b: Array, R: float) -> float:
    blocks = zip(rows.means, rows.pulls, strict=True)
    return max(_largest_size(N @ N, N @ e, float(e @ e), b, R) for N, e in blocks)


def _largest_noise(rows: Rows, b: Array, R: float) -> float:
    M, c = rows.means - rows.mean, rows.pulls - rows.pull
    linear = np.einsum("nij,nj->i", M, c) / len(M)
    return _largest_size(_mean_square(M), linear, float((c**2).sum(axis=1).mean()), b, R)


def _mean_square(stack: Array) -> Array:
    square: Array = (stack @ stack).mean(axis=0)
    return square


def _largest_size(S: Array, q: Array, r: float, b: Array, R: float) -> float:
    """The root of max y'Sy - 2q'y + r over ||y - b|| <= R, for a mean of squares ||M y - c||^2.

    There q is in the range of S, which completes the square. Along eigenvectors with no weight to rounding q is zero
    to rounding, and its largest effect is added. y is measured in a unit in which no square is too large for a float.
    """
    weights, basis = np.linalg.eigh(S)
    if not weights[-1] > 0:
        return math.sqrt(r)
    if math.isinf(R):
        return math.inf
    unit = unit_of(1.0, R)
    q, r, b, R = basis.T @ q / unit, r / unit / unit, basis.T @ b / unit, R / unit
    seen = weights > weights[-1] * len(weights) * np.finfo(float).eps
    shift = np.divide(q, weights, out=np.zeros_like(q), where=seen)
    unseen = 2 * float(np.sum(np.abs(q) * (np.abs(b) + R), where=~seen))
    square = max(0.0, largest_on_ball(weights, b - shift, R) + r - float(q @ shift)) + unseen
    return unit * math.sqrt(square)
