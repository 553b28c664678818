"""The slope of log y against log x, signed, by least squares over all points, with an interval.

    slope = sum_i c_i log y_i,      c_i = (l_i - mean l)/sum_j (l_j - mean l)^2,      l_i = log x_i

What the interval means depends on the data.

*Exact values*, one y for each x. Nothing is random, but the points may not lie on a line. The least-squares slope is a
mean, with positive weights, of the slopes between neighbours, and the interval is their range: wherever the curve still
bends, it is wide. Two points cannot show a bend, so their interval is infinite, unless the caller says that the curve
is straight: then the precision of the values is all that is left.

*Replicates*, an array [replicates, points] whose rows are independent. The slope is that of the mean curve, and its
standard error is the jackknife's: every row is left out once, and from the slopes theta_r of the other n - 1

    error^2 = (n - 1)/n sum_r (theta_r - mean theta)^2.

*Means with standard errors*, independent from point to point, as `simulate` returns them. Then

    error^2 = sum_i c_i^2 (error_i/y_i)^2,

the infinitesimal jackknife, in which a replicate loses not all but a little of its weight: for a function of means
this needs nothing else.

The interval of sampled data is slope +- q error with Student's quantile q for n - 1 degrees of freedom. Why not the
percentiles of a bootstrap: at a confidence of 1 - 1e-5 they would take millions of resamples, of which the outermost
come from a handful of rows; and the jackknife has no random numbers of its own. Squares of norms are skewed to the
right. On the two sides together a skewness s changes the error probability of a mean by a relative s^2 q^6/(18 n) or so
(the next term of Edgeworth's series): twenty replicates average out s = 1 at 95 %, a thousand at 1 - 1e-5. A slope, in
which logarithms of means have weights of both signs, feels less of it. A sampled interval tells where the slope of the
expected curve lies, not whether that curve bends; look at the points for that.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student

from ratecert.base.chart import Drawable, Panel, Series
from ratecert.base.errors import UserError
from ratecert.base.validation import real, require_choice, require_number, require_whole, shown
from ratecert.claims.check import Check, Error, equal, error_of
from ratecert.claims.rows import Rows, drawable

Array = NDArray[np.float64]
Numbers = tuple[float, ...]

CONFIDENCE = 1 - 1e-5
LEAST_REPLICATES = 16


@dataclass(frozen=True, kw_only=True, repr=False)
class Slope(Drawable):
    """A slope in log-log axes and its interval; `data` are the points that it was fitted to."""

    value: float
    low: float
    high: float
    points: int
    replicates: int = 0  # 0: nothing was sampled
    confidence: float | None = None  # of the interval; None: it is the range of the slopes between neighbours
    data: tuple[Numbers, Numbers] = field(default=((), ()), compare=False)  # x ascending, and y

    @property
    def uncertainty(self) -> float:
        """The distance from the value to the farther end of the interval."""
        return max(self.high - self.value, self.value - self.low)

    def check(self, expected: float, tolerance: float, *, name: str = "slope") -> Check:
        """Compare the slope with an expected one: within `tolerance`, its uncertainty included."""
        require_number("expected", expected)
        return Check(
            name=name,
            measured=self.value,
            predicted=expected,
            tolerance=tolerance,
            uncertainty=self.uncertainty,
        )

    def __repr__(self) -> str:
        return f"<Slope {self}>"

    def __str__(self) -> str:
        how = "slopes between neighbours"
        if self.confidence is not None:
            how = f"error probability {1 - self.confidence:.2g}, {self.replicates} replicates"
        elif self.points == 2:
            how = "two points cannot show a bend"
        return f"{self.value:.6g} in [{self.low:.6g}, {self.high:.6g}] ({how})"


def fit_slope(
    x: ArrayLike,
    y: ArrayLike,
    *,
    standard_error: ArrayLike | None = None,
    replicates: int | None = None,
    precision: ArrayLike = 0.0,
    confidence: float = CONFIDENCE,
    straight: bool = False,
) -> Slope:
    """Fit the slope of log y against log x, with an interval.

    x               at least two different positive numbers
    y               one exact value for each x, or an array [replicates, points]
    standard_error  of every y, where y are means over independent samples of `replicates` each (the smallest number)
    precision       relative error of exact values, one for all or one for each; it widens the interval
    confidence      of the interval, where something was sampled
    straight        exact values are known to lie on a line: the interval is what their precision leaves, and two
                    points are enough

    >>> import ratecert as rc
    >>> rc.fit_slope([1, 2, 4], [3.0, 1.5, 0.75]).value
    -1.0
    """
    require_choice("straight", straight, (False, True))
    _require_confidence(confidence)
    x, y = _as_positive("x", x), _as_positive("y", y)
    _require_points(x, y)
    order = np.argsort(x)
    x, y = x[order], y[..., order]
    means = y if y.ndim == 1 else y.mean(axis=0)
    weights = slope_weights(np.log(x))
    value, n = float(weights @ np.log(means)), 0
    if standard_error is not None:
        if y.ndim != 1 or replicates is None:
            raise UserError("standard_error goes with one mean for each x and with replicates, their number.")
        n = require_whole("replicates", replicates, least=LEAST_REPLICATES)
        error = _as_errors("standard_error", standard_error, y)[order]
        half = quantile(confidence, n) * float(np.hypot.reduce(weights * error / y))
    elif replicates is not None:
        raise UserError(f"replicates goes with standard_error, got replicates = {shown(replicates)} alone.")
    elif y.ndim == 2:
        n = require_whole("the number of replicates, rows of y,", len(y), least=LEAST_REPLICATES)
        half = quantile(confidence, n) * _jackknife(weights, y)
    else:
        error = _as_errors("precision", precision, y)[order]
        half = float(np.abs(weights) @ error)
    low, high = value - half, value + half
    if not n and not straight:
        low, high = _range_between_neighbours(value, np.log(x), np.log(y), error)
    return Slope(
        value=value,
        low=low,
        high=high,
        points=len(x),
        replicates=n,
        confidence=confidence if n else None,
        data=(tuple(x.tolist()), tuple(means.tolist())),
    )


def exponent(
    name: str,
    rows: Rows,
    y: str,
    x: str,
    predicted: float | Fraction,
    tolerance: float,
    *,
    error: Error = None,
    straight: bool = True,
) -> Check:
    """The slope of log y against log x over these rows, which are taken to lie on a power law if `straight`.

    Where a number is not positive there is no slope: nan, which confirms nothing.
    """
    value, uncertainty = slope(rows, y, x, error=error, straight=straight)
    return equal(name, value, float(predicted), tolerance, uncertainty)


def slope(rows: Rows, y: str, x: str, *, error: Error = None, straight: bool = True) -> tuple[float, float]:
    """The slope of log y against log x and its uncertainty; nan where a number is not positive.

    If the rows need not lie on a power law, not `straight`, the range of the slopes between neighbours is uncertain.
    """
    values = [*rows.column(x), *rows.column(y)]
    if not all(0 < value < math.inf for value in values):
        return math.nan, math.inf
    errors = [error_of(row, error) for row in rows]
    fit = fit_slope(rows.column(x), rows.column(y), precision=errors, straight=straight)
    return fit.value, fit.uncertainty


def slope_weights(log_x: Array) -> Array:
    """The c_i."""
    off: Array = log_x - log_x.mean()
    return off / (off @ off)


def with_slope(points: tuple[Numbers, Numbers], slope: float) -> list[float]:
    """The line of this slope through the middle of the points, at their x."""
    log_x, log_y = np.log(points)
    with np.errstate(over="ignore", invalid="ignore"):
        line: list[float] = np.exp(log_y.mean() + slope * (log_x - log_x.mean())).tolist()
    return line


def panel_of_slope(
    slope: Slope, others: Mapping[str, float], error: Sequence[float] = (), **look: Any
) -> Panel:
    """The points, the line of the slope through their middle, and lines of other slopes, by their labels."""
    x, y = slope.data
    if not x:
        raise UserError("this slope came without its points; fit_slope keeps them.")
    shown = [Series(label="measured", x=x, y=y, kind="sampled" if error else "points", error=error)]
    for i, (label, value) in enumerate({f"fitted, {slope.value:.6g}": slope.value, **others}.items()):
        line = drawable(with_slope(slope.data, value))
        shown.append(Series(label=label, x=x, y=line, kind="predicted", colour=i))
    return Panel(**{"x_label": "x", "y_label": "y", "series": shown, **look})


def quantile(confidence: float, replicates: int) -> float:
    """Half the width of the interval in standard errors."""
    return float(student.isf((1 - confidence) / 2, replicates - 1))


def _range_between_neighbours(
    value: float, log_x: Array, log_y: Array, precision: Array
) -> tuple[float, float]:
    """That of the slopes, widened by the errors of both ends and, against rounding, by the fitted slope itself."""
    if len(log_x) == 2:
        return -np.inf, np.inf
    steps = np.diff(log_x)
    local, error = np.diff(log_y) / steps, (precision[1:] + precision[:-1]) / steps
    return min(float((local - error).min()), value), max(float((local + error).max()), value)


def _jackknife(weights: Array, rows: Array) -> float:
    n = len(rows)
    slopes = np.log((rows.sum(axis=0) - rows) / (n - 1)) @ weights
    return float(np.sqrt((n - 1) / n * ((slopes - slopes.mean()) ** 2).sum()))


def as_numbers(name: str, value: Any) -> Array:
    """A new array of real numbers; text is not read as one."""
    try:
        return real(value)
    except (OverflowError, TypeError, ValueError) as error:
        raise UserError(f"{name} must be numbers in rows of one length, got {shown(value)}.") from error


def _as_positive(name: str, value: Any) -> Array:
    array = as_numbers(name, value)
    wrong = array[~((array > 0) & np.isfinite(array))]
    if wrong.size:
        raise UserError(
            f"every {name} must be a finite number > 0, because its logarithm is taken, got {wrong.flat[0]:g}."
        )
    return array


def _as_errors(name: str, value: Any, y: Array) -> Array:
    array = as_numbers(name, value)
    if array.shape not in ((), y.shape) or not (array >= 0).all():
        raise UserError(
            f"{name} must be numbers >= 0, one for all or one for each of the {len(y)} points, got {shown(value)}."
        )
    return np.broadcast_to(array, y.shape)


def _require_points(x: Array, y: Array) -> None:
    if x.ndim != 1 or len(x) < 2 or len(np.unique(x)) < len(x):
        raise UserError(
            f"x must be at least 2 different numbers, got {shown(x.tolist())}; measure at more points."
        )
    if y.ndim not in (1, 2) or y.shape[-1] != len(x):
        raise UserError(
            f"y must have shape ({len(x)},), one value for each x, or (replicates, {len(x)}), got {y.shape}."
        )


def _require_confidence(confidence: float) -> None:
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise UserError(f"confidence must lie in (0, 1), such as {CONFIDENCE}, got {shown(confidence)}.")
