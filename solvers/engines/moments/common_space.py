"""Devices that differ, right after an average: what they have in common, and what each has kept of its own.

The fields that are averaged are the same on all devices, then. So with weights p_k of sum 1, the mean wbar, and a basis
b of what averages leave of a deviation (left b = I), K devices are

    z = (wbar, c_1, ..., c_{K-1}, 1)
    w_k = wbar + b sum_i H_ik / sqrt(p_k) c_i,        c_i = left sum_k H_ik sqrt(p_k) w_k

with an orthogonal matrix H whose first row is sqrt(p_k). Where everything is averaged there is no c: z is (wbar, 1),
however many devices there are.
"""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ratecert.base.arrays import doubles

Array = NDArray[Any]  # of doubles or balls


@dataclass(frozen=True)
class CommonSpace:
    """n = coordinates of a device and 1, m = those of z and 1; z and every device are seen from their own origins."""

    weights: Array  # (K,)
    shares: Array  # (K,): p_k (1 - p_k), which would lose its digits where a weight is nearly 1
    mean: Array  # (n, m): (wbar, 1) from z
    apart: Array  # (K, n, m): w_k - wbar from z
    rest: Array  # (K, n): the same between the origins
    lift: Array  # (m, n): wbar's place in z

    def rounded(self) -> "CommonSpace":
        """The same in doubles, every number rounded once."""
        parts = (self.weights, self.shares, self.mean, self.apart, self.rest, self.lift)
        return CommonSpace(*(doubles(part) for part in parts))


@dataclass(frozen=True)
class Collapse:
    """An average: z <- z + lift A + sum_k share_k B_k + fixed z, with what the devices have moved by (apart.py).

    Where devices are drawn, c taken X taken' is added to the moments of z, with those of deviations for X.
    """

    share: Array  # (K, m, n)
    fixed: Array  # (m, m): of what z holds, minus what this average takes away
    drawn: tuple[Any, Array] | None = None  # c and taken (m, n)
