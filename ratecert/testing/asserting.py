"""Slopes and bounds as assertions, for a test suite: they pass where a Check does, and say all its numbers where not.

A check that *fails* fails them, and so does one that is *undecided*: the interval reaches beyond the tolerance, so
the numbers confirm nothing. The message tells the two apart.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import shown
from ratecert.claims.check import Check, decisive
from ratecert.claims.slope import Slope, as_numbers, fit_slope
from ratecert.testing.evidence import failure, of_bound, of_slope

ADVICE = {
    "fails": "every value in the interval is outside.",
    "undecided": "the interval reaches outside: take more replicates, or more and larger x.",
}

SAME = 1e-9  # two fits of the same points differ by rounding alone

Data = tuple[ArrayLike, ArrayLike]


def assert_slope(
    slope: Slope | Data,
    expected: float,
    tolerance: float,
    *,
    name: str = "slope",
    points: Data | None = None,
) -> Check:
    """Assert that the whole interval of a slope lies within a tolerance of the expected one, and return the check.

    slope       what `fit_slope` returns, or the data (x, y) for it
    expected    the slope, signed
    tolerance   how far the farthest value of the interval may be from it
    name        what the message calls it
    points      the data of a fitted slope, to be shown where it fails

    >>> import ratecert as rc
    >>> rc.assert_slope(([1, 2, 4], [4.0, 2.0, 1.0]), -1.0, 1e-3).measured
    -1.0
    """
    __tracebackhide__ = True
    fitted = as_slope(slope, points)
    check = fitted.check(expected, tolerance, name=name)
    if check.verdict != "passes":
        raise failure(
            f"{name} {fitted} is expected within {tolerance:g} of {expected:g}, in [{expected - tolerance:g}, "
            f"{expected + tolerance:g}]: {check.verdict}; {ADVICE[check.verdict]}",
            of_slope(fitted, expected, "expected"),
        )
    return check


def as_slope(slope: Slope | Data, points: Data | None = None) -> Slope:
    """The slope, fitted if it is given as data (x, y), with its points as far as they are known."""
    if isinstance(slope, Slope):
        if points is None:
            return slope
        again = fit_slope(*points)
        if abs(again.value - slope.value) > SAME * max(1.0, abs(slope.value)):
            raise UserError(
                f"points must be those of the slope {slope.value:.6g}, got points of slope {again.value:.6g}."
            )
        return replace(slope, data=again.data)
    if not (isinstance(slope, tuple) and len(slope) == 2):
        raise UserTypeError(f"slope must be a Slope or a pair (x, y), got {shown(slope)}.")
    if points is not None:
        raise UserTypeError("points goes with a fitted Slope; a pair (x, y) has its points.")
    return fit_slope(*slope)


def assert_bound(
    measured: ArrayLike,
    bound: ArrayLike,
    *,
    uncertainty: ArrayLike = 0.0,
    tolerance: ArrayLike = 0.0,
    at: ArrayLike | None = None,
    name: str = "measured",
) -> Check:
    """Assert measured <= bound + tolerance at every point, for every value within the uncertainty.

    measured, bound         arrays, compared entry by entry; a single number stands for all of them
    uncertainty, tolerance  the same
    at                      names of the points, such as the T at which they were measured
    name                    what the message calls the measured values

    The check of the point nearest to its bound is returned.

    >>> import ratecert as rc
    >>> rc.assert_bound([0.3, 0.1], [0.4, 0.2], at=[100, 1000]).name
    'measured at 100'
    """
    __tracebackhide__ = True
    columns = _as_columns(measured=measured, bound=bound, uncertainty=uncertainty, tolerance=tolerance)
    points = _points(at, len(columns[0]))
    checks = [
        Check(name=f"{name}{label}", measured=m, predicted=b, relation="<=", uncertainty=u, tolerance=t)
        for (_, label), m, b, u, t in zip(points, *columns, strict=True)
    ]
    worst = decisive(checks)
    if worst.verdict != "passes":
        wrong = sum(check.verdict != "passes" for check in checks)
        values, bounds, uncertainties, tolerances = columns
        most = [b + t for b, t in zip(bounds, tolerances, strict=True)]
        raise failure(
            f"{worst.name} = {worst.measured:.6g} +- {worst.uncertainty:.2g} is expected to be at most "
            f"{worst.predicted:.6g}{f' + {worst.tolerance:.2g}' if worst.tolerance else ''}, ratio "
            f"{worst.measured / worst.predicted if worst.predicted else np.inf:.6g}: {worst.verdict}; the worst of "
            f"{wrong} such points among {len(checks)}.",
            of_bound([point for point, _ in points], values, uncertainties, most),
        )
    return worst


def _as_columns(**values: ArrayLike) -> list[list[float]]:
    arrays = {name: as_numbers(name, value) for name, value in values.items()}
    for name, array in arrays.items():
        if np.isnan(array).any():
            raise UserError(f"{name} must be numbers, got {shown(array.tolist())}, in which there is a nan.")
    try:
        together = np.broadcast_arrays(*arrays.values())
    except ValueError as error:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise UserError(f"shapes must agree or be those of one number, got {shapes}.") from error
    if not together[0].size:
        raise UserError("measured must have at least one value, got none.")
    return [array.ravel().tolist() for array in together]


def _points(at: ArrayLike | None, n: int) -> list[tuple[Any, str]]:
    """What each point is called in the table, and what the name of its check ends with."""
    if at is None:
        return [(i, f"[{i}]" if n > 1 else "") for i in range(n)]
    points = np.ravel(np.asarray(at)).tolist()
    if len(points) != n:
        raise UserError(f"at must name each of the {n} points, got {len(points)} names.")
    return [(point, f" at {point}") for point in points]
