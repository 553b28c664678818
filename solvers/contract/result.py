"""What a run returns: its measures by name, as time averages and as curves, and what they cost.

On two levels, unless other measures are asked for, they are those of the theorems:

gradient = E||grad Phi(xbar_t)||^2               drift_x = mean over devices of E||x_k - xbar||^2
tracking = E||ybar_t - y*(xbar_t)||^2            drift_y = the same of y
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.chart import Drawable

MEASURES = ("gradient", "tracking", "drift_x", "drift_y")
Number = int | Fraction


@dataclass(frozen=True)
class Counts:
    """Per device over the whole run."""

    samples_f: Number = 0
    samples_g: Number = 0
    hessian_products: Number = 0
    jacobian_products: Number = 0
    rounds: Number = 0
    floats_sent: Number = 0

    def __post_init__(self) -> None:
        """A fraction that is a whole number becomes one."""
        for name, value in vars(self).items():
            if isinstance(value, Fraction) and value.denominator == 1:
                object.__setattr__(self, name, value.numerator)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def __mul__(self, times: Number) -> "Counts":
        return Counts(*(own * times for own in vars(self).values()))


@dataclass(frozen=True)
class Measures:
    """One number or one array for each measure, by its name: as an attribute, or in `values`."""

    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"{type(self).__name__} has no {name!r}; its measures are {', '.join(values)}.")


def measures_of(names: Iterable[str], values: Iterable[Any]) -> Measures:
    """Values in the order of the names, by name."""
    return Measures(dict(zip(names, values, strict=True)))


def as_times(times: tuple[int, ...]) -> NDArray[Any]:
    """Whole numbers, as signed ones where they fit."""
    return np.array(times, dtype=np.int64 if max(times, default=0) < 2**63 else np.uint64)


@dataclass(frozen=True, repr=False)
class Curves(Measures, Drawable):
    """The measures at the times t, with their standard errors."""

    t: NDArray[Any]
    standard_error: Measures

    def __repr__(self) -> str:
        between = f", t from {min(self.t)} to {max(self.t)}" if len(self.t) else ""
        return f"<{type(self).__name__} at {len(self.t)} times{between}>"


def shown_measures(measures: Measures, errors: Measures | None = None) -> str:
    """The numbers in one line, with standard errors where they are not zero."""
    rows = ((name, value, errors.values[name] if errors else 0.0) for name, value in measures.values.items())
    return ", ".join(
        f"{name} {value:.6g}" + (f" ± {error:.1g}" if error else "") for name, value, error in rows
    )


@dataclass(frozen=True, repr=False)
class Result(Measures, Drawable):
    """Averages over t < T, with standard errors over replicates (zero where nothing was sampled)."""

    standard_error: Measures
    covariance: NDArray[np.float64]  # of the averages, in the order of `values`
    curves: Curves
    counts: Counts

    def measure(self, L_tilde: float) -> tuple[float, float]:
        """The left side of every theorem, gradient + L_tilde^2 tracking, and its standard error."""
        read = [list(self.values).index(name) for name in ("gradient", "tracking")]
        weights = np.array([1.0, L_tilde**2])
        value = self.gradient + L_tilde**2 * self.tracking
        return float(value), float(np.sqrt(weights @ self.covariance[np.ix_(read, read)] @ weights))

    def __repr__(self) -> str:
        shown = shown_measures(self, self.standard_error)
        return f"<{type(self).__name__}: {shown}; curves at {len(self.curves.t)} times>"


@dataclass(frozen=True, repr=False)
class ExactResult(Result):
    """Nothing was sampled; what remains is rounding. It is enclosed where the result is certified, else estimated.

    Errors are relative to the value, or to a part of the largest measure (1e-14, or less) where that is more: of a
    measure that is smaller, and may be zero, digits are not promised. A warning comes where more than that is lost.
    """

    running: Measures  # the averages that a run has which ends at each t of the curves
    precision: float  # the largest relative error of the averages
    curve_precision: float  # and of the curves, at each t beside the largest measure then
    relative_error: Measures  # of each average
    absolute_error: Measures
    enclosure: Measures | None  # certified: (low, high) of each average, with the truth between
    method: str

    @property
    def certified(self) -> bool:
        """Whether the errors are proved, not estimated."""
        return self.enclosure is not None
