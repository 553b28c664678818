"""Slopes and bounds as assertions, for a test suite: they pass where a Check holds, and say all its numbers where not.

A check that is *violated* fails, and so does one that is *inconclusive*: the interval reaches beyond the tolerance, so
the numbers confirm nothing. The message tells the two apart.
"""

import numpy as np
from numpy.typing import ArrayLike

from ratecert.rates.slope_fit import Slope, fit_slope
from ratecert.verify.check import Check, decisive
from solvers.refuse import shown

ADVICE = {
    "violated": "every value in the interval is outside.",
    "inconclusive": "the interval reaches outside: take more replicates, or more and larger x.",
}


def assert_slope(
    slope: Slope | tuple[ArrayLike, ArrayLike], expected: float, tolerance: float, *, name: str = "slope"
) -> Check:
    """Pass if the whole interval of the slope lies within `tolerance` of `expected`.

    `slope` is what `fit_slope` returns, or the data (x, y) for it.
    """
    if not isinstance(slope, Slope):
        if not (isinstance(slope, tuple) and len(slope) == 2):
            raise TypeError(f"slope must be a Slope or a pair (x, y), got {shown(slope)}.")
        slope = fit_slope(*slope)
    check = slope.check(expected, tolerance, name=name)
    if check.verdict != "holds":
        raise AssertionError(
            f"{name} {slope} is expected within {tolerance:g} of {expected:g}, in [{expected - tolerance:g}, "
            f"{expected + tolerance:g}]: {check.verdict}; {ADVICE[check.verdict]}"
        )
    return check


def assert_bound(
    measured: ArrayLike,
    bound: ArrayLike,
    *,
    uncertainty: ArrayLike = 0.0,
    tolerance: ArrayLike = 0.0,
    at: ArrayLike | None = None,
    name: str = "measured",
) -> Check:
    """Pass if measured <= bound + tolerance at every point, for every value within the uncertainty.

    Arrays are compared entry by entry; a single number stands for all of them. `at` names the points, such as the T
    at which they were measured. The check of the point nearest to its bound, or farthest above it, is returned.
    """
    columns = _as_columns(measured=measured, bound=bound, uncertainty=uncertainty, tolerance=tolerance)
    labels = _labels(at, len(columns[0]))
    checks = [
        Check(name=f"{name}{label}", measured=m, predicted=b, relation="<=", uncertainty=u, tolerance=t)
        for label, m, b, u, t in zip(labels, *columns, strict=True)
    ]
    worst = decisive(checks)
    if worst.verdict != "holds":
        wrong = sum(check.verdict != "holds" for check in checks)
        raise AssertionError(
            f"{worst.name} = {worst.measured:.6g} +- {worst.uncertainty:.2g} is expected to be at most "
            f"{worst.predicted:.6g}{f' + {worst.tolerance:.2g}' if worst.tolerance else ''}, ratio "
            f"{worst.measured / worst.predicted if worst.predicted else np.inf:.6g}: {worst.verdict}; the worst of "
            f"{wrong} such points among {len(checks)}."
        )
    return worst


def _as_columns(**values: ArrayLike) -> list[list[float]]:
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    try:
        together = np.broadcast_arrays(*arrays.values())
    except ValueError as error:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must agree or be those of one number, got {shapes}.") from error
    if not together[0].size:
        raise ValueError("measured must have at least one value, got none.")
    return [array.ravel().tolist() for array in together]


def _labels(at: ArrayLike | None, n: int) -> list[str]:
    if at is None:
        return [f"[{i}]" for i in range(n)] if n > 1 else [""]
    points = np.ravel(np.asarray(at)).tolist()
    if len(points) != n:
        raise ValueError(f"at must name each of the {n} points, got {len(points)} names.")
    return [f" at {point}" for point in points]
