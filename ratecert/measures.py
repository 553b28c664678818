"""What is measured of a run: forms of the state, and when they are read.

    gradient, gap, distance     ||grad F||^2, F - F* and ||x - x*||^2 at the mean over devices
    tracking                    ||y - y*(x)||^2, on two levels
    drift                       how far devices are from their mean
    sampled_gradient            the second moment of sampled gradients at the devices' own iterates
    control                     how far control variates are from the devices' gradients at the solution
    form                        any quadratic form of the state
    Measure                     what these functions make

Sums with factors are measures too. All are averages over the iterations t < T; `.last()` reads one at the last iterate,
`.at_mean()` at the mean of the iterates, `.drawn(likely)` at one that is drawn; `.largest()` and `.smallest()` are over
the expectations at all t < T.
"""

from typing import TYPE_CHECKING

from ratecert.base.gone import face as _face
from ratecert.solvers.contract.measures import (
    Measure,
    control,
    distance,
    drift,
    form,
    gap,
    gradient,
    sampled_gradient,
    tracking,
)

__all__ = [
    "Measure", "control", "distance", "drift", "form", "gap", "gradient", "sampled_gradient", "tracking",
]  # fmt: skip

if not TYPE_CHECKING:  # or every name would be one to a type checker
    __getattr__ = _face(__name__, __all__)
