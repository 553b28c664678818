"""Measures of devices that differ: of their mean, of deviations from it, and of single devices."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, doubles
from ratecert.solvers.engines.moments.apart import Paths
from ratecert.solvers.engines.moments.common_space import CommonSpace
from ratecert.solvers.engines.moments.doubling import ROUNDING
from ratecert.solvers.engines.moments.measures import MeasureMap

Array = NDArray[Any]  # of doubles or balls


@dataclass(frozen=True, kw_only=True)
class DeviceMeasures(MeasureMap):
    """`own`: (measures, K, n, n), forms of device k in its frame; None where no measure reads single devices."""

    own: Array | None = None

    def rounded(self) -> "DeviceMeasures":
        rounded = super().rounded()
        assert isinstance(rounded, DeviceMeasures)
        return rounded if self.own is None else replace(rounded, own=doubles(self.own))

    def read(self, moments: Any, t: int) -> Array:
        common = super().read(moments, t)
        return common if self.own is None else common + self._paired(self.own, self._at(moments.devices, t))

    def summed(self, moments: Any) -> Array:
        common = super().summed(moments)
        return (
            common if self._summed_own is None else common + self._paired(self._summed_own, moments.devices)
        )

    def grain(self, moments: Any, t: int) -> Array:
        common = super().grain(moments, t)
        if self.own is None or isinstance(moments.mean, Numbers) or moments.before is not None:
            return common
        return common + ROUNDING * self._paired(np.abs(self.own), np.abs(self._at(moments.devices, t)))

    @cached_property
    def _summed_own(self) -> Array | None:
        return None if self.own is None else self._averaged(self.own)

    @staticmethod
    def _paired(forms: Array, X: Array) -> Array:
        return (forms * X).sum(axis=(1, 2, 3))  # type: ignore[no-any-return]

    def on_common(self, paths: Paths) -> Array:
        """(measures, m, m): what is summed over t, as a form of z, where devices have no noise of their own."""
        mean, apart, devices = paths.of_mean, paths.of_deviations, paths.of_devices
        p = paths.space.weights[:, None, None]
        forms = []
        for i in range(len(self.measures)):
            form = mean.T @ self.summed_mean[i] @ mean + _flat(p * apart).T @ _flat(
                self.summed_within[i] @ apart
            )
            if self._summed_own is not None:
                form = form + _flat(devices).T @ _flat(self._summed_own[i] @ devices)
            forms.append(form)
        return np.stack(forms)

    def on_noise(self, space: CommonSpace) -> Array:
        """(K, measures, n, n): the same as forms of the noise of each device."""
        p, shares = (each[:, None, None, None] for each in (space.weights, space.shares))
        forms = p * p * self.summed_mean + shares * self.summed_within
        own: Any = 0 if self._summed_own is None else np.swapaxes(self._summed_own, 0, 1)
        total: Array = forms + own
        return total


def _flat(X: Array) -> Array:
    """(K, n, m) as (K n, m)."""
    return X.reshape(-1, X.shape[-1])
