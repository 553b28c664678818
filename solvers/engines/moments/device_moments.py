"""Two matrices that describe any number of exchangeable devices, and what a step and an average do to them.

With w_k = (coordinates of device k, 1), wbar their mean, v_k = w_k - wbar:

    mean     = E[wbar wbar']
    within   = E[w_k w_k'] - E[w_k w_l']        (k != l),     so   E[v_k v_k'] = (1 - 1/K) within

    step     mean <- M mean M' + Inj(S)/K       within <- M within M' + Inj(S),     S = mean + (1 - 1/K) within
    average  mean stays                         within <- (I - Pi) within (I - Pi)'

Nothing is ever subtracted, so a drift that is tiny beside the iterates keeps its digits. K enters as 1/K only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.engines.moments.step_map import Frame, StepMap

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DeviceMoments:
    mean: Array
    within: Array

    def __post_init__(self) -> None:
        """Both are symmetric; rounding must not open the antisymmetric part, which a step need not damp."""
        for name in ("mean", "within"):
            X = getattr(self, name)
            object.__setattr__(self, name, 0.5 * (X + X.T))

    def step(self, step: StepMap, K: int) -> "DeviceMoments":
        injected = step.injection(self.mean + (1 - 1 / K) * self.within)
        mean, within = step.mean_change(self.mean), step.mean_change(self.within)
        if step.keeps_layout:
            mean, within = self.mean + mean, self.within + within
        return DeviceMoments(mean + injected / K, within + injected)

    def average(self, kept: Array) -> "DeviceMoments":
        return DeviceMoments(self.mean, kept @ self.within @ kept.T)

    @staticmethod
    def mixture(each: "Sequence[DeviceMoments]") -> "DeviceMoments":
        """The moments of a state that is one of these, each as likely, by a draw that all devices share."""
        return DeviceMoments(
            np.mean([p.mean for p in each], axis=0), np.mean([p.within for p in each], axis=0)
        )


def after_first(step: StepMap, w: Array, frame: Frame, K: int) -> DeviceMoments:
    """After the first step from the point w = (x, y, 1), for w' with M w + noise = shift diag(units) w'.

    The point is moved to the frame before it is squared: where it begins near the frame's origin, its square is not the
    difference of large squares.
    """
    mean = np.linalg.inv(frame.shift) @ (step.matrix @ w) / frame.units
    injected = step.injection(np.outer(w, w)) / np.outer(frame.units, frame.units)
    return DeviceMoments(np.outer(mean, mean) + injected / K, injected)
