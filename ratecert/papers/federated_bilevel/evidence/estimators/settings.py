"""What the claims on the estimators share: worlds, numbers of terms, what counts as rounding, and names in figures."""

from typing import Any

import numpy as np

from ratecert.claim import Budget, Check, Rows
from ratecert.claim.checks import difference

NOISE: dict[str, Any] = {"sigma_H": 0.6, "sigma_J": 0.3}
ALL: dict[str, Any] = {**NOISE, "s_f": 0.5}
WORLDS: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "a": 0.5, "b": -0.2, **ALL},
    "1 x 2": {"world": "random_quadratic", "d_x": 1, "d_y": 2, "seed": 2, **ALL},
    "3 x 3": {"world": "random_quadratic", "d_x": 3, "d_y": 3, "seed": 0, **NOISE},
}
ENUMERATED = {"scalar": 4, "1 x 2": 3, "3 x 3": 8, "scalar, g noisy": 6}  # terms; up to 65536 outcomes
DRAWN = "3 x 3"  # the world of the charts
POINT = "x = a + 1, y = b - 1/2"

EXACT = 1e-12
ROUNDING = 64 * float(np.finfo(float).eps)  # of sums over terms and outcomes, relative to what is summed

LABELS = {"E1": "E1, cut at random", "E2": "E2, full sum", "E3": "E3, auxiliary variable"}
LAW: dict[str, Any] = {"kind": "predicted", "colour": 6}  # how a law is drawn


def terms_of(budget: Budget) -> list[int]:
    """The numbers of terms n."""
    return list(range(1, 7 if budget.quick else 21))


def to_rounding(name: str, entries: Rows) -> Check:
    """Compare what was measured with what was predicted, entry by entry."""
    return difference(name, entries, "measured", "predicted", EXACT, error=ROUNDING)
