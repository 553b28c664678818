"""Where a method rests if it averages after every step: it depends on what the devices share, and on nothing else.

On quadratic devices (synthetic/worlds/heterogeneous.py) with an average after every step a method rests where

    P(x - a) + (1/K) sum_k M_k' D (y_k(x) - b) = 0

    M_k     what the method makes of A_k^{-1}B_k   `mean` inverse: Hhat(A) B, with the mean A and B
                                                   `own` inverse: Hhat(A_k) B_k, with those of the device
    y_k     the lower level that it solves         `mean`: y*(x) = A^{-1}(Bx + c), one y for all devices
                                                   `own`: y_k*(x) = A_k^{-1}(B_k x + c_k)

and Hhat(A) = theta sum_{q < terms} (I - theta A)^q, or A^{-1} where no series is cut. Why: a shared y rests where the
mean over devices of grad_y g_k is zero, and a device's own y where grad_y g_k is; x rests where the mean of the
hypergradient estimates is zero, because momenta that rest equal the estimates. Step sizes and momenta play no part.
The products of Hessians with a vector that is shared, and averaged after every product, are products with the mean
Hessian: that is the mean inverse. Without a cut series there are three places:

    x_star      mean inverse, mean lower level    grad Phi = 0
    x_local     own inverse, mean lower level     grad Phi + local_inverse_bias = 0
    x_own       own inverse, own lower level      (1/K) sum_k grad Phi_k = 0, Phi_k(x) = f(x, y_k*(x))

With S_k = A_k^{-1}B_k, bars for means over devices and ybar* = (1/K) sum_k y_k*, the mean of grad Phi_k is grad Phi and

    (Sbar - S)' D (y* - b)  +  Sbar' D (ybar* - y*)  +  (1/K) sum_k (S_k - Sbar)' D (y_k* - ybar*)

the local-inverse bias, what the mean of the solutions is off the solution of the mean, and a covariance. All are of
order dial^2. The first two are zero if all A_k are equal. The third is not: it takes equal B_k as well.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whose = Literal["mean", "own"]


@dataclass(frozen=True)
class Place:
    name: str
    inverse: Whose
    lower: Whose

    def at(self, world: Any, *, theta: float = 1.0, terms: int | None = None) -> Array:
        """x, for a series of so many terms with the step theta; None: the inverse itself."""
        mean = [world] * len(world.devices)
        inverses = world.devices if self.inverse == "own" else mean
        lowers = world.devices if self.lower == "own" else mean
        slope, constant = world.P, world.P @ world.a
        for device, level in zip(inverses, lowers, strict=True):
            back = (_inverse(device.A, theta, terms) @ device.B).T @ world.D / len(mean)
            slope = slope + back @ np.linalg.solve(level.A, level.B)
            constant = constant - back @ (np.linalg.solve(level.A, level.c) - world.b)
        return np.asarray(np.linalg.solve(slope, constant))


X_STAR = Place("x_star", inverse="mean", lower="mean")
X_LOCAL = Place("x_local", inverse="own", lower="mean")
X_OWN = Place("x_own", inverse="own", lower="own")
PLACES = (X_STAR, X_LOCAL, X_OWN)


def _inverse(A: Array, theta: float, terms: int | None) -> Array:
    """A^{-1} or, with (I - theta A)^terms as what is left out, its series."""
    inverse: Array = np.asarray(np.linalg.inv(A), dtype=np.float64)
    if terms is None:
        return inverse
    cut: Array = inverse - np.linalg.matrix_power(np.eye(len(A)) - theta * A, terms) @ inverse
    return cut
