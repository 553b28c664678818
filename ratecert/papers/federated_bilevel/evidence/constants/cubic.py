"""A cubic lower level on which every summand of L_Phi but the first two counts; x and y are numbers.

    f(x, y) = slope y        g(x, y) = y^2/2 - xy - M ((x + y)^3 - x^3)/6

grad_y g = 0 means w - 2x = M w^2/2 for w = x + y*(x), so Phi'(x) = slope (2/sqrt(1 - 4 M x) - 1). Near 0 g_yy = -g_xy =
1 and g_xxy = g_xyy = g_yyy = -M, hence Phi'' = 4 slope M there. For |x|, |y| <= r second derivatives of g change by at
most 2 M r. `joint`: Lipschitz in (x, y), as Assumption 2 prints it. `per variable`: Lipschitz in x alone and in y
alone, for all constants; then the repaired L_Phi is 4 + 4 slope M as r -> 0, the printed one 4 + (3 + slope) slope M.
"""

import math

from ratecert.claim.claim import Json
from ratecert.papers.federated_bilevel.evidence.constants.ratios import claimed


def gradient(x: float, *, M: float, slope: float) -> float:
    """Phi'(x)."""
    return slope * (2 / math.sqrt(1 - 4 * M * x) - 1)


def rise(*, M: float, slope: float, r: float) -> float:
    """The quotient of Phi' between -r/2 and r/2, where also |y*(x)| < r."""
    return (gradient(r / 2, M=M, slope=slope) - gradient(-r / 2, M=M, slope=slope)) / r


def constants(*, M: float, slope: float, r: float) -> dict[str, dict[str, float]]:
    """Those of the assumptions on |x|, |y| <= r."""
    common = {"mu": 1 - 2 * M * r, "L_0": slope}
    joint = {"L_1": (1 + math.sqrt(5)) / 2 + 4 * M * r, "L_21": math.sqrt(2) * M, "L_22": math.sqrt(2) * M}
    return {
        "joint": {**common, **joint},
        "per variable": {**common, "L_1": 1 + 2 * M * r, "L_21": M, "L_22": M},
    }


def measure_cubic(*, M: float, slope: float, r: float) -> list[Json]:
    """Rows as those of ratios.py, one per reading of all constants."""
    world = {"world": f"cubic, slope = {slope:g}", "measured": rise(M=M, slope=slope, r=r)}
    readings = constants(M=M, slope=slope, r=r)
    return [{**world, "reading": name, **claimed("L_Phi", values)} for name, values in readings.items()]
