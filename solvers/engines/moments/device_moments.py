"""Two matrices that describe any number of exchangeable devices, and what a step and an average do to them.

With w_k = (coordinates of device k, 1), wbar their mean, v_k = w_k - wbar:

    mean     = E[wbar wbar']
    within   = E[w_k w_k'] - E[w_k w_l']        (k != l),     so   E[v_k v_k'] = (1 - 1/K) within

    step     mean <- M mean M' + Inj(S)/K       within <- M within M' + Inj(S),     S = mean + (1 - 1/K) within
    average  mean stays                         within <- (I - Pi) within (I - Pi)'
             mean + c Pi within Pi'             where m devices are drawn, c = 1/m - 1/K or (1 - 1/K)/m

Nothing is ever subtracted, so a drift that is tiny beside the iterates keeps its digits. K enters as 1/K only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ratecert.base.arrays import doubles, summed
from ratecert.solvers.engines.moments.doubling import scale
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.step_map import StepMap

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Drawing:
    """What the mean over drawn devices has of `within`, beside the mean over all: c Pi within Pi'."""

    c: Any
    taken: Array  # Pi

    def added(self, within: Array) -> Array:
        """For `within`, or for a stack of them."""
        added: Array = self.c * (self.taken @ within @ self.taken.T)
        return added


@dataclass(frozen=True)
class DeviceMoments:
    mean: Array
    within: Array
    before: "DeviceMoments | None" = (
        None  # what a long map has made them of, of which they are a rounding off
    )

    def __post_init__(self) -> None:
        """Both are symmetric; rounding must not open the antisymmetric part, which a step need not damp."""
        for name in ("mean", "within"):
            X = getattr(self, name)
            object.__setattr__(self, name, (X + X.T) / 2)

    def step(self, step: StepMap, K: int) -> "DeviceMoments":
        injected = step.injection(self.mean + (self.within - self.within / K))
        mean, within = step.mean_change(self.mean), step.mean_change(self.within)
        if step.keeps_layout:
            mean, within = self.mean + mean, self.within + within
        return DeviceMoments(mean + injected / K, within + injected)

    def average(self, kept: Array, drawn: "Drawing | None" = None) -> "DeviceMoments":
        mean = self.mean
        if drawn is not None:
            mean = mean + drawn.added(self.within)
        return DeviceMoments(mean, kept @ self.within @ kept.T)

    @staticmethod
    def mixture(each: "Sequence[tuple[Any, DeviceMoments]]") -> "DeviceMoments":
        """The moments of a state that is one of these, with these probabilities, by a draw that all devices share."""
        mean, within = summed(p * m.mean for p, m in each), summed(p * m.within for p, m in each)
        return DeviceMoments(mean, within)

    def scale(self, before: "DeviceMoments") -> "DeviceMoments":
        """What moments are a rounding off that a long map makes of these."""
        return DeviceMoments(scale(self.mean, before.mean), scale(self.within, before.within))

    def rounded(self) -> "DeviceMoments":
        """The same in doubles."""
        return DeviceMoments(doubles(self.mean), doubles(self.within))


def after_first(step: StepMap, w: Array, frame: Frame | None, K: int, t: int = 1) -> DeviceMoments:
    """At iteration t, after the first step from the point w = (x, y, 1), in the coordinates of the frame, if any.

    The point is moved to the frame before it is squared: where it begins near the frame's origin, its square is not the
    difference of large squares.
    """
    mean, injected = step.matrix @ w, step.injection(_square(w))
    if frame is not None:
        mean, injected = frame.entered(mean, t), injected / _square(frame.units)
    return DeviceMoments(_square(mean) + injected / K, injected)


def _square(w: Array) -> Array:
    square: Array = w[:, None] * w
    return square
