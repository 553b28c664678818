"""How many replicates a verdict on a slope needs, planned before the run.

If every mean has the relative standard error r and means are independent, the slope over x has the standard error
r/sqrt(sum_i (l_i - mean l)^2), l_i = log x_i, and its interval the half-width q times that. So a half-width asks for

    r = half_width/q sqrt(sum_i (l_i - mean l)^2),      replicates = (s/r)^2,

where s is the standard deviation of one replicate in units of its mean. A pilot estimates s; `ROOM` is for its error.
The pilot's own replicates are not used again: then, given the plan, the run is an ordinary sample of fixed size and its
interval means what it says. If the pilot was unlucky the interval comes out wider, and the verdict may be undecided,
but never wrong. A measure whose spread asks for more than `MOST` is not run: where tails are heavy, no number would do.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.errors import UndecidedError
from ratecert.claims.slope import quantile
from ratecert.solvers.contract.validation import require_positive

PILOT = 128  # replicates: their estimate of s is good to about 1/sqrt(2 PILOT) = 6 %
ROOM = 1.2  # on the number of replicates
LEAST = 512  # replicates, so that skewness is averaged out
MOST = 2**15  # replicates: minutes, at the longest T of a claim


def relative_error_for(x: ArrayLike, *, half_width: float, confidence: float) -> float:
    """r: the relative standard error of every mean with which the slope over x has this half-width."""
    require_positive("half_width", half_width)
    log_x = np.log(np.asarray(x, dtype=np.float64))
    spread = math.sqrt(((log_x - log_x.mean()) ** 2).sum())
    return half_width * spread / quantile(confidence, LEAST)


def replicates_for(relative_spread: float, relative_error: float) -> int:
    """(s/r)^2 with room for the pilot's error, at least LEAST."""
    require_positive("relative_error", relative_error)
    return max(LEAST, math.ceil(ROOM * (relative_spread / relative_error) ** 2))


def replicates_within(value: float, error: float, relative_error: float) -> int:
    """Plan from a pilot's mean and its standard error; refuse, before the work is done, a plan of more than MOST."""
    if not (value > 0 and math.isfinite(error)):
        raise UndecidedError(
            f"the pilot of {PILOT} runs has the mean {value:.4g} and the standard error {error:.4g}, from which no "
            f"number of runs follows."
        )
    planned = replicates_for(error / value * math.sqrt(PILOT), relative_error)
    if planned > MOST:
        raise UndecidedError(
            f"{planned} runs are planned for a relative error of {relative_error:.3g}, at most {MOST} are allowed: one "
            f"run spreads by {error / value * math.sqrt(PILOT):.3g} times the mean of the {PILOT} of the pilot."
        )
    return planned
