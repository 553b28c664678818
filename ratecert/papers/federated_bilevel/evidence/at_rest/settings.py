"""The worlds of the claims, how much their devices differ, and where their numbers are measured."""

from typing import Any

THREE: dict[str, Any] = {"d_x": 1, "d_y": 1, "K": 3, "seed": 3, "theta": 0.95, "terms": 26}
TWO: dict[str, Any] = {"d_x": 1, "d_y": 2, "K": 2, "seed": 3, "theta": 0.6, "terms": 48}
SAME_A, SAME_A_B = ({**THREE, "alike": letters} for letters in (["A"], ["A", "B"]))

SMALL = [1e-4, 2e-4]  # dials of the exponents
LARGE = 0.2
DRAWN = [0.01, 0.02, 0.05, 0.1]
FEW = 2  # terms of a series whose bias is to be seen
LONG = 8  # p and tau in the figure
STEP = 0.1

OUTSIDE = "devices that differ, outside the paper's homogeneity; no noise, at rest"
TWO_WAYS = "fixed points of noise-free rounds in 50 digits, against closed forms"
AT_P_1: dict[str, Any] = {
    "regime": f"{OUTSIDE}; p = tau = 1, and so many terms that the series leaves out less than 1e-13, unless a check "
    "says otherwise",
    "settings": {
        "worlds": [THREE, TWO],
        "dials": [*SMALL, *DRAWN, LARGE],
        "step": STEP,
        "few terms": FEW,
    },
    "method": TWO_WAYS,
}
"""What the judgements with an average after every step have in common."""
