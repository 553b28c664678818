"""The points at which a world is asked for its truth: one point (d_x,), or n points as columns (d_x, n).

The engines ask at arrays of columns, at every step, and find a divergence themselves: for these only the shape
is checked, and entries that are not finite pass through. So do balls and rationals, at which the truth is computed in
these numbers. All other points have to be finite.
"""

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import Numbers, like
from ratecert.base.errors import UserError
from ratecert.synthetic.validation.arrays import Array, as_finite, form


def as_point(x: ArrayLike, d_x: int) -> Array:
    """A number stands for the point of that number where d_x = 1."""
    if isinstance(x, Numbers) or (isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind == "f"):
        point = x
    elif not isinstance(x, np.ndarray) and hasattr(type(x), "__array_ufunc__"):
        return cast(Array, x)  # an engine's own kind of vector
    else:
        point = as_finite("x", x)
        if point.ndim == 0 and d_x == 1:
            point = point[None]
    if point.ndim not in (1, 2) or len(point) != d_x:
        number = "be a number or " if d_x == 1 else ""
        raise UserError(f"x must {number}have shape ({d_x},) or ({d_x}, n), got {form(point)}.")
    return point


def beside(v: Array, x: Array) -> Array:
    """The vector v in the kind of numbers of x, shaped for addition to it: a point, or a row of columns."""
    same: Array = like(v, x)
    return same if np.ndim(x) == 1 else same[:, None]
