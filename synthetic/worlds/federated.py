"""Devices on one level: each has a quadratic of its own, and a weight.

    F(x) = sum_k p_k F_k(x),        sum_k p_k = 1

Every F_k is a `SingleLevel` or a `FiniteSum`. F has the Hessian H = sum_k p_k H_k and the minimiser x*, where the
devices' own gradients need not vanish: how far they are from it is what federated theorems pay for,

    Gamma          = F(x*) - sum_k p_k min F_k
    heterogeneity  = sqrt(sum_k p_k ||grad F_k(x*)||^2)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, number_like, require_memory, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.validation import (
    Array,
    ReadOnlyCopies,
    as_finite,
    as_level,
    as_point,
    frozen,
    require_whole,
    shown,
)
from ratecert.synthetic.algebra.spectra import symmetric
from ratecert.synthetic.constants.growth import deviation_at
from ratecert.synthetic.constants.promised import above, inner, minimiser_of, root_above, squares
from ratecert.synthetic.worlds.finite_sum import FiniteSum
from ratecert.synthetic.worlds.single_level import SingleLevel

ROUNDING = 1e-12  # of the sum of weights
Device = SingleLevel | FiniteSum


@dataclass(frozen=True, kw_only=True, eq=False)
class Federated(ReadOnlyCopies):
    """Devices with a quadratic each on one level, made of these; the solution of their mean is known exactly.

    >>> import ratecert as rc
    >>> line = rc.worlds.SingleLevel
    >>> world = rc.worlds.Federated(devices=[line(H=1.0, a=0.0), line(H=3.0, a=1.0)], weights=[0.25, 0.75])
    >>> print(world.x_star, round(world.constants()["Gamma"], 3))
    [0.9] 0.113
    """

    devices: tuple[Device, ...]
    weights: Array  # (K,), of sum 1

    def __init__(self, *, devices: Sequence[Device], weights: ArrayLike | None = None) -> None:
        """Without weights all devices count the same."""
        if not isinstance(devices, Sequence) or not all(
            isinstance(d, SingleLevel | FiniteSum) for d in devices
        ):
            raise UserError(f"devices must be a list of SingleLevel and FiniteSum, got {shown(devices)}.")
        if not devices or any(device.d_x != devices[0].d_x for device in devices):
            raise UserError(
                f"devices must be at least one, with one dimension, got {[device.d_x for device in devices]}."
            )
        K = len(devices)
        given = np.full(K, 1 / K) if weights is None else as_finite("weights", weights)
        if given.shape != (K,) or not (given > 0).all() or abs(given.sum() - 1) > ROUNDING:
            raise UserError(
                f"weights must be {K} numbers > 0 with sum 1, one for each device, got {shown(weights)} "
                f"with sum {given.sum():.12g}."
            )
        object.__setattr__(self, "devices", tuple(devices))
        object.__setattr__(self, "weights", frozen(given))

    @property
    def d_x(self) -> int:
        return self.devices[0].d_x

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The weights as fractions whose sum is 1 exactly."""
        parts = [Fraction(float(weight)) for weight in self.weights]
        total = sum(parts)
        return tuple(part / total for part in parts)

    @cached_property
    def H(self) -> Array:
        """The Hessian of F."""
        points = np.eye(self.d_x)
        return frozen(self.gradient(points) - self.gradient(0 * points))

    @cached_property
    def x_star(self) -> Array:
        """The minimiser of F."""
        return frozen(np.linalg.solve(self.H, -self.gradient(np.zeros(self.d_x))))

    @cached_property
    def exact_x_star(self) -> Rationals:
        """The minimiser of F in fractions."""
        return minimiser_of(self.gradient, self.d_x)

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        number = number_like(x)
        pairs = zip(self.shares, self.devices, strict=True)
        return summed(number(p) * device.gradient(x) for p, device in pairs)

    def objective(self, x: ArrayLike) -> Any:
        """F(x), at a point (d_x,) or at n columns (d_x, n)."""
        pairs = zip(self.weights, self.devices, strict=True)
        return sum(p * device.objective(x) for p, device in pairs)

    def constants(self) -> dict[str, float]:
        """Exact constants: L and mu of every F_k, noise at x*, and what the devices differ by.

        sigma_star_k is the standard deviation of device k's samples at x*, and sigma_k that at any point, infinite
        where its Hessian is random; sigma_star and sigma are the largest of them, and sigma_mean^2 =
        sum_k p_k^2 sigma_k^2 is the variance of the mean over devices.
        """
        each, x = [device.constants() for device in self.devices], self.exact_x_star
        slopes = [device.gradient(x) for device in self.devices]
        shares = [*map(rational, self.shares)]
        at_rest, sigmas = [deviation_at(device, x) for device in self.devices], [own["sigma"] for own in each]
        excess = [inner(g, x - own.exact_x_star) / 2 for g, own in zip(slopes, self.devices, strict=True)]
        return {
            "L": max(own["L"] for own in each),
            "mu": min(own["mu"] for own in each),
            **{f"sigma_star_{k}": sigma for k, sigma in enumerate(at_rest)},
            "sigma_star": max(at_rest),
            **{f"sigma_{k}": sigma for k, sigma in enumerate(sigmas)},
            "sigma": max(sigmas),
            "sigma_mean": math.inf
            if math.inf in sigmas
            else root_above(squares([p * rational(own) for p, own in zip(shares, sigmas, strict=True)])),
            "Gamma": above(sum((p * own for p, own in zip(shares, excess, strict=True)), fmpq(0))),
            "heterogeneity": root_above(
                sum((p * squares(g) for p, g in zip(shares, slopes, strict=True)), fmpq(0))
            ),
        }

    def sample_f(self, bits: Any) -> list[Any]:
        """A sample of every device."""
        return [device.sample_f(bits) for device in self.devices]

    def grad_f(self, xi: list[Any], x: Any) -> Any:
        """The mean over devices of their gradients, each with its own sample."""
        parts = [device.grad_f(own, x) for device, own in zip(self.devices, xi, strict=True)]
        return _weighted(self.shares, parts)

    def full_gradient(self, x: Any) -> Any:
        """grad F, at columns of points of any kind."""
        return _weighted(self.shares, [device.full_gradient(x) for device in self.devices])


def federated(
    spectrum: Sequence[float],
    *,
    K: int = 4,
    dial: float = 0.5,
    weights: ArrayLike | None = None,
    seed: int = 0,
    noise_H: float = 0.0,
    s: float = 0.0,
) -> Federated:
    """Make K devices whose Hessians have one spectrum, in bases of their own, with minimisers at random around 0.

    spectrum  the eigenvalues of every H_k, all positive
    K         devices
    dial      how far apart their minimisers are: the largest is so far from 0
    weights   of the devices; without them all the same
    seed      of the bases and the minimisers
    noise_H   samples of a Hessian are (1 +- noise_H) H_k
    s         independent noise of the gradient, in every coordinate

    >>> import ratecert as rc
    >>> world = rc.worlds.federated([1.0, 2.0], K=3, dial=1.0)
    >>> len(world.devices), world.constants()["L"]
    (3, 2.0)
    """
    K, dial = require_whole("K", K, least=1), as_level("dial", dial)
    values = np.atleast_1d(as_finite("spectrum", spectrum))
    if values.ndim != 1 or not len(values) or not (np.isfinite(values) & (values > 0)).all():
        raise UserError(f"spectrum must be a list of numbers > 0, got {spectrum!r}.")
    require_memory("federated", d=len(values), K=K)
    noise = as_level("noise_H", noise_H)
    rng = np.random.default_rng(require_whole("seed", seed, least=0))
    hessians = [symmetric(rng, values) for _ in range(K)]
    centres = rng.standard_normal((K, len(values)))
    centres *= dial / np.linalg.norm(centres, axis=1).max()
    return Federated(
        devices=[
            SingleLevel(H=H, a=a, E=[noise * H] if noise else None, s=s)
            for H, a in zip(hessians, centres, strict=True)
        ],
        weights=weights,
    )


def _weighted(shares: Sequence[Fraction], parts: Sequence[Any]) -> Any:
    """sum_k p_k part_k, for arrays of doubles or vectors of an engine's own kind."""
    plain = isinstance(parts[0], np.ndarray)
    first, *others = ((float(p) if plain else p) * part for p, part in zip(shares, parts, strict=True))
    return sum(others, first)
