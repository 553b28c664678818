"""Checks of numbers that are exact but for rounding."""

import numpy as np

from ratecert.claim.check import Check, Relation

EXACT = 1e-12
ROUNDING = 64 * float(np.finfo(float).eps)  # of sums over terms and outcomes, relative to what is summed


def to_rounding(
    name: str, measured: float, predicted: float = 0.0, *, relation: Relation = "=", size: float = 1.0
) -> Check:
    """`size`: of what is summed."""
    return Check(
        name=name,
        measured=measured,
        predicted=predicted,
        relation=relation,
        tolerance=EXACT * size,
        uncertainty=ROUNDING * size,
    )
