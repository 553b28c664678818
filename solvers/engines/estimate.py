"""Numbers with what they may be off by: enclosed by balls, or estimated from two computations in doubles."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.exact import around

Array = NDArray[np.float64]
GRAINS = 16  # roundings of a term and of its factors
NOTHING = 1e-20  # of the largest measure of a run
COMPARABLE = 1e-6  # of the largest measure: what is smaller says nothing about the digits of the others
ROUNDINGS = 256 * float(np.finfo(float).eps)  # what doubles are off by at least, relative


@dataclass(frozen=True)
class Estimate:
    """Measures (..., m), each with a bound on its error, which is rigorous where there are `low` and `high`."""

    values: Array
    errors: Array
    scale: Array  # what an error is relative to: the value, or a part of the largest measure where it may be zero
    low: Array | None = None
    high: Array | None = None

    @property
    def precision(self) -> float:
        """The largest relative error."""
        return float(np.max(self.relative, initial=0.0))

    @property
    def relative(self) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):
            return np.nan_to_num(self.errors / self.scale, nan=np.inf, posinf=np.inf)

    def doubt(self, smallest: float, beside: float = 0.0) -> float:
        """The largest relative error, where less than `smallest` of the largest measure counts as zero.

        So does what has fallen to NOTHING of the largest at any time, or of what is beside: of a curve that ends at
        1e-200 nobody asks for digits.
        """
        nothing = NOTHING * np.max(self.values, initial=beside)
        with np.errstate(invalid="ignore", over="ignore"):
            scale = np.maximum(_scale(self.values, smallest), nothing)
            relative = np.nan_to_num(self.errors / scale, nan=np.inf, posinf=np.inf)
        return float(np.max(relative, initial=0.0))

    @property
    def overflows(self) -> bool:
        """Whether a measure is certainly beyond all doubles."""
        return self.low is not None and bool((self.low >= np.finfo(float).max).any())

    @property
    def enclosure(self) -> list[tuple[Any, Any]] | None:
        """The pairs (low, high) of each measure."""
        if self.low is None or self.high is None:
            return None
        pairs = zip(np.moveaxis(self.low, -1, 0), np.moveaxis(self.high, -1, 0), strict=True)
        return [(_plain(low), _plain(high)) for low, high in pairs]


def enclosed(balls: NDArray[Any], width: float) -> Estimate:
    """From balls. What is smaller than `width` of the largest measure counts as zero."""
    pairs = np.array([around(value) for value in balls.ravel()]).reshape(*balls.shape, 2)
    low, high = np.maximum(pairs[..., 0], 0.0), np.maximum(pairs[..., 1], 0.0)  # measures are squares
    with np.errstate(invalid="ignore", over="ignore"):
        middle = np.array([float(value) for value in balls.ravel()]).reshape(balls.shape)
        values = np.clip(np.where(np.isnan(middle), high, middle), low, high)
        errors = np.maximum(high - values, values - low)
    return Estimate(values, errors, _scale(values, width), low, high)


def estimated(
    first: Array, second: Array, rounding: float, alike: NDArray[np.bool_], grain: Array | float = 0.0
) -> Estimate:
    """From two computations in doubles: 64 times their difference, and not less than a few roundings.

    Two roundings may agree by chance in one measure. Measures that are `alike` are read off the same moments, so that
    the largest relative difference counts for each of them. And both runs round to one grain where terms cancel.
    """
    values = np.maximum(first, 0.0)  # a zero may come out as -1e-30
    scale = _scale(values, rounding)
    with np.errstate(invalid="ignore", over="ignore"):
        differences = np.abs(first - second)
        relative = np.where(alike, differences / _scale(values, COMPARABLE), 0.0)
        common = np.where(alike, np.max(relative, axis=-1, keepdims=True, initial=0.0), 0.0)
        errors = 64 * np.maximum(differences, common * values) + ROUNDINGS * scale + GRAINS * grain
    return Estimate(values, errors, scale)


def _scale(values: Array, smallest: float) -> Array:
    """The values themselves, or a part of the largest measure where that is more."""
    largest = np.max(values, axis=-1, keepdims=True, initial=0.0)
    scale: Array = np.maximum(values, smallest * largest + np.finfo(float).tiny)
    return scale


def _plain(value: Array) -> float | Array:
    return float(value) if np.ndim(value) == 0 else value
