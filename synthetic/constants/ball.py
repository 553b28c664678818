"""The maximum of a weighted square on a ball, max of sum_i w_i (c_i + z_i)^2 over ||z|| <= radius, w_i >= 0.

With top = max w and t = nu - top >= 0 the dual value

    (top + t) radius^2 + sum_i w_i c_i^2 + sum_i q_i^2/(t + top - w_i),        q_i = w_i |c_i|,

is an upper bound; the least one is the maximum (S-lemma), and there sum_i q_i^2/(t + top - w_i)^2 = radius^2
or, in the hard case, t = 0. Solved for t and not for nu, which would lose a small t to rounding.
"""

import math

import numpy as np
import scipy

from ratecert.base.validation import Array


def largest_on_ball(weights: Array, centre: Array, radius: float) -> float:
    """The maximum, inf where it exceeds all floats."""
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
