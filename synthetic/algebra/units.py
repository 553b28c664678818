"""A unit in which numbers of any size can be squared: in it the largest lies in [1, 2).

The unit is a power of two, so that to change to it and back is exact.
"""

import math

import numpy as np

from ratecert.base.validation import Array


def unit_of(*arrays: Array | float) -> float:
    """The largest power of two that is at most the largest entry; 1 if all are zero."""
    largest = max((float(np.abs(array).max()) for array in arrays if np.size(array)), default=0.0)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0 else 1.0


def norm(array: Array) -> float:
    """The Euclidean norm of a vector, the spectral norm of a matrix."""
    unit = unit_of(array)
    return unit * float(np.linalg.norm(array / unit, 2))
