"""Where Phi(x) = 1/2 x'Hx + g'x + constant is least, or why it is least nowhere.

Phi has a minimum if and only if no curvature is negative and no flat direction has a slope. H and g are sums
and known up to rounding, relative to the sizes of what was summed: a curvature below rounding * size_H counts
as zero, and a slope that errors of that relative size in H and g can make, as none.
"""

import numpy as np

from ratecert.base.errors import UserError
from ratecert.base.validation import Array, shown


def least_minimiser(H: Array, g: Array, *, size_H: float, size_g: float, rounding: float) -> Array:
    """The minimiser of least norm."""
    curvatures, directions = np.linalg.eigh(H)
    slopes = directions.T @ g
    if curvatures[0] < -rounding * size_H:
        raise UserError(
            f"Phi must have a minimum: the smallest eigenvalue of its Hessian P + B'A^-1 D A^-1 B is "
            f"{curvatures[0]:.6g}, allowed is >= 0; choose P and D positive semidefinite."
        )
    curved = curvatures > rounding * size_H
    x: Array = -directions[:, curved] @ (slopes[curved] / curvatures[curved])
    slope = float(np.linalg.norm(slopes[~curved]))
    if slope > rounding * (size_H * float(np.linalg.norm(x)) + size_g):
        downhill = -directions[:, ~curved] @ (slopes[~curved] / slope)
        raise UserError(
            f"Phi must have a minimum: along {shown(downhill.round(4))} its Hessian P + B'A^-1 D A^-1 B is "
            f"zero to rounding, but its linear term has the slope {-slope:.6g}, so that to rounding Phi is "
            f"unbounded below; make P larger there, or choose a, b and c for which that slope is 0."
        )
    return x
