"""How large sampled gradients become along local SGD, whatever its steps up to 1/L and whenever devices average.

Where the Hessians are diagonal and noise is added, a step moves every coordinate of the mean iterate a part of the way
to the device's own minimiser, and an average stays between what is averaged: in each coordinate nothing leaves the
interval of the start and all minimisers. The variance of device k obeys v+ = (1 - eta h_k)^2 v + eta^2 s_k^2, which
keeps it below the largest s_k^2/(L h_k), and averages do not raise it. G is a promise, and so rounded up.
"""

from typing import Any

import numpy as np

from ratecert.base.arrays import Rationals
from ratecert.base.promised import root_above
from ratecert.base.validation import Array
from ratecert.synthetic.one_level import SingleLevel


def largest_gradient(world: Any, x0: Array) -> float | None:
    """G with E||grad F_k(x; xi)||^2 <= G^2 for every device at all times; None where this is not known.

    >>> import ratecert as rc
    >>> largest_gradient(rc.worlds.SingleLevel(H=2.0, a=1.0), np.array([4.0]))
    6.0
    """
    devices = getattr(world, "devices", (world,))
    if not all(isinstance(device, SingleLevel) and _is_plain(device) for device in devices):
        return None
    h, a, s = (
        Rationals.of(each)
        for each in (
            [np.diag(device.H) for device in devices],
            [device.a for device in devices],
            [[device.s] for device in devices],
        )
    )
    points = np.vstack([a, Rationals.of(x0)])
    away = np.maximum(points.max(axis=0) - a, a - points.min(axis=0))
    variance = (s * s / (h.max() * h)).max(axis=0)
    second = h * h * (away * away + variance) + s * s
    return root_above(max(second.sum(axis=1).tolist()))


def _is_plain(device: SingleLevel) -> bool:
    return not len(device.E) and not len(device.c) and not (device.H - np.diag(np.diag(device.H))).any()
