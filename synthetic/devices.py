"""Devices that differ: each has a lower level of its own around a common mean, further away as a dial is turned.

    g_k(x, y; zeta) = 1/2 y'(A_k + e E)y - y'((B_k + e' F)x + c_k) + s_g n'y                k = 1, ..., K
    A_k = A + dial dA_k,    B_k = B + dial dB_k,    c_k = c + dial dc_k

where dA_k, dB_k and dc_k have sum 0 over the devices: the mean problem, with its y*(x), Phi and x*, does not depend on
the dial. f and the noise are common to all devices: the inverse in Lemma 1 is that of g, and with one f all that goes
wrong is due to it. Assumptions 1-3 speak of every device, so mu is the smallest over devices and the other constants
are the largest. The dial changes mu and L_1 alone.

The paper assumes devices that are alike, and this is what it buys. A device knows the inverse in Lemma 1 of its own g_k
only. With S = A^{-1}B, the slope of y*, the mean over devices of grad_x f - grad_xy g_k [grad_yy g_k]^{-1} grad_y f at
(x, y*(x)) is grad Phi(x) plus

    bias(x) = (Sbar - S)' D (y*(x) - b),        Sbar = (1/K) sum_k A_k^{-1} B_k
    Sbar - S = dial^2 (1/K) sum_k A_k^{-1} dA_k A^{-1} (dA_k S - dB_k),

because A_k^{-1}B_k - S = dial A_k^{-1}(dB_k - dA_k S), and what of it is linear in the dial has mean zero. The mean of
local inverses is not the inverse of the mean, by an amount of order dial^2; it is if all A_k are equal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ratecert.base.arrays import Rationals, doubles, number_like, require_memory, summed
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.promised import above, inner, root_above, squares
from ratecert.base.validation import (
    Array,
    as_finite,
    as_level,
    as_point,
    as_symmetric,
    form,
    frozen,
    require_whole,
    shown,
)
from ratecert.synthetic.algebra import combinations, symmetric
from ratecert.synthetic.constants import OfDevices
from ratecert.synthetic.made import random_quadratic
from ratecert.synthetic.one_level import OneLevel, Quadratics, SingleLevel, as_spectrum, deviation_at
from ratecert.synthetic.quadratic import Quadratic

ROUNDING = 1e-12  # of the largest entry: a sum below it is zero


@dataclass(frozen=True, kw_only=True, eq=False)
class Heterogeneous(OfDevices, Quadratic):
    """The mean problem as a quadratic world, with its devices, each a quadratic world of its own."""

    dA: Array  # (K, d_y, d_y) symmetric, of sum 0: how the curvatures differ
    dB: Array  # (K, d_y, d_x), of sum 0: how the couplings differ
    dc: Array  # (K, d_y), of sum 0: how the targets differ
    dial: float
    devices: tuple[Quadratic, ...] = field(init=False, repr=False)  # what this world is the mean of

    def __init__(self, *, dA: ArrayLike, dB: ArrayLike, dc: ArrayLike, dial: float, **mean: Any) -> None:
        super().__init__(**mean)
        K = max(1, len(np.atleast_1d(as_finite("dA", dA))))
        object.__setattr__(self, "dA", _as_spread("dA", dA, (K, self.d_y, self.d_y)))
        object.__setattr__(self, "dB", _as_spread("dB", dB, (K, self.d_y, self.d_x)))
        object.__setattr__(self, "dc", _as_spread("dc", dc, (K, self.d_y)))
        object.__setattr__(self, "dial", as_level("dial", dial))
        for k, direction in enumerate(self.dA):
            as_symmetric(f"dA[{k}]", direction)
        self._require_strong_convexity_of_devices()
        object.__setattr__(self, "devices", tuple(self._device(k) for k in range(K)))

    def _require_strong_convexity_of_devices(self) -> None:
        hessians = self.A + self.dial * self.dA
        lowest = [np.linalg.eigvalsh(combinations(A_k, self.E)).min() for A_k in hessians]
        k = int(np.argmin(lowest))
        if lowest[k] <= 0:
            raise UserError(
                f"dial must be < {self.largest_dial:.6g} for every device to be strongly convex, got dial = "
                f"{self.dial}, where the smallest eigenvalue of device {k}, of A + dial dA[{k}] + e E, is "
                f"{lowest[k]:.6g}; make dial smaller."
            )

    def _device(self, k: int) -> Quadratic:
        own = {
            name: getattr(self, name) + self.dial * getattr(self, f"d{name}")[k] for name in ("A", "B", "c")
        }
        try:
            return Quadratic(**{f.name: getattr(self, f.name) for f in fields(Quadratic)} | own)
        except ValueError as error:
            raise UserError(f"device {k} at dial = {self.dial}: {error}") from None

    @property
    def largest_dial(self) -> float:
        """The dial at which a device first loses its strong convexity; inf if none ever does.

        M + dial dA_k, M = A + e E, is singular first at dial = -1/lambda, lambda the least of dA_k v = lambda M v.
        """
        pairs = ((dA, M) for dA in self.dA for M in combinations(self.A, self.E))
        least = min(float(scipy.linalg.eigh(dA, M, eigvals_only=True)[0]) for dA, M in pairs)
        return -1 / least if least < 0 else np.inf

    def local_inverse_bias(self, x: ArrayLike) -> Array:
        """The mean over devices of Lemma 1 with their own inverses, minus grad Phi(x); x as in `hypergradient`."""
        away = (self.y_star(x).T - self.b).T  # from b, at one point or at columns
        bias: Array = self._slope_gap.T @ (self.D @ away)
        return bias

    @cached_property
    def x_local(self) -> Array:
        """Where grad Phi + local_inverse_bias is zero: the limit of methods whose devices take their own inverses."""
        derivative = self._hessian_Phi + self._slope_gap.T @ self.D @ self._slope
        step = np.linalg.lstsq(derivative, self.local_inverse_bias(self.x_star), rcond=None)[0]
        return frozen(self.x_star - step)

    @cached_property
    def _slope_gap(self) -> Array:
        """Sbar - S, as dial^2 times a mean: no difference of numbers that are nearly equal."""
        gaps = [
            np.linalg.solve(device.A, dA @ np.linalg.solve(self.A, dA @ self._slope - dB))
            for device, dA, dB in zip(self.devices, self.dA, self.dB, strict=True)
        ]
        return frozen(self.dial**2 * np.mean(gaps, axis=0))


def heterogeneous(
    *, d_x: int = 2, d_y: int = 2, K: int = 4, dial: float = 0.3, sigma_H: float = 0.0, sigma_J: float = 0.0,
    s_f: float = 0.0, s_g: float = 0.0, seed: int = 0,
) -> Heterogeneous:  # fmt: skip
    """Make devices whose matrices differ by `dial` times a random direction, around one random quadratic world.

    That world is `random_quadratic` with mu = 1 and L_1 = 4; the largest of the directions dA_k, of the dB_k and of the
    dc_k has norm 1.

    d_x, d_y          dimensions of x and y
    K                 devices, at least 2
    dial              how much they differ; 0: not at all
    sigma_H, sigma_J  noise of the Hessian and of the coupling
    s_f, s_g          additive noise of grad f and of grad_y g, per coordinate
    seed              of the bases and of the directions in which devices differ

    >>> import ratecert as rc
    >>> near, far = rc.worlds.heterogeneous(K=3, dial=0.1), rc.worlds.heterogeneous(K=3, dial=0.2)
    >>> print(bool(abs(near.y_star([1.0, 1.0]) - far.y_star([1.0, 1.0])).max() < 1e-12), len(far.devices))
    True 3
    """
    K, dial = require_whole("K", K, least=2), as_level("dial", dial)
    d = require_whole("d_x", d_x, least=1) + require_whole("d_y", d_y, least=1)
    require_memory("heterogeneous", d=d, K=K, names={"d": "d_x + d_y"})
    mean = random_quadratic(
        d_x=d_x, d_y=d_y, sigma_H=sigma_H, sigma_J=sigma_J, s_f=s_f, s_g=s_g, seed=seed
    )  # fmt: skip
    rng = np.random.default_rng([require_whole("seed", seed, least=0), 1])
    G = rng.standard_normal((K, d_y, d_y))
    return Heterogeneous(
        dA=_centred(G + np.swapaxes(G, 1, 2)),
        dB=_centred(rng.standard_normal((K, d_y, d_x))),
        dc=_centred(rng.standard_normal((K, d_y))),
        dial=dial,
        **{f.name: getattr(mean, f.name) for f in fields(Quadratic)},
    )


def _centred(directions: Array) -> Array:
    """Of sum 0, the largest of norm 1."""
    centred = directions - directions.mean(axis=0)
    largest = max(float(np.linalg.norm(direction, 2)) for direction in centred)
    return frozen(centred / largest)


def _as_spread(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """One array per device, of sum 0."""
    array = as_finite(name, value)
    if array.shape != shape:
        raise UserError(
            f"{name} must have shape {shape} (dA sets K, A sets d_y, P sets d_x), got {form(array)}."
        )
    excess = np.abs(array.sum(axis=0)).max()
    if excess > ROUNDING * len(array) * np.abs(array).max():
        raise UserError(
            f"{name} must have sum 0 over the devices, so that their mean does not depend on the dial, got a sum with "
            f"the entry {excess:.6g} (in modulus); subtract the mean."
        )
    return frozen(array)


ROUNDING = 1e-12  # of the sum of weights


@dataclass(frozen=True, kw_only=True, eq=False)
class Federated(OneLevel):
    """Devices with a quadratic F_k each on one level, made of these; the solution of their mean is known exactly.

    Every F_k is a `SingleLevel` or a `FiniteSum`. F = sum_k p_k F_k, sum_k p_k = 1, has the minimiser x*, where the
    devices' own gradients need not vanish: how far they are from it is what federated theorems pay for,

        Gamma          = F(x*) - sum_k p_k min F_k
        heterogeneity  = sqrt(sum_k p_k ||grad F_k(x*)||^2)

    >>> import ratecert as rc
    >>> line = rc.worlds.SingleLevel
    >>> world = rc.worlds.Federated(devices=[line(H=1.0, a=0.0), line(H=3.0, a=1.0)], weights=[0.25, 0.75])
    >>> print(world.x_star, round(world.constants()["Gamma"], 3))
    [0.9] 0.113
    """

    devices: tuple[Any, ...]  # every one a SingleLevel or a FiniteSum
    weights: Array  # (K,), of sum 1

    def __init__(self, *, devices: Sequence[Any], weights: ArrayLike | None = None) -> None:
        """Without weights all devices count the same."""
        if not isinstance(devices, Sequence) or not all(isinstance(d, Quadratics) for d in devices):
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
        return int(self.devices[0].d_x)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """The weights as fractions whose sum is 1 exactly."""
        parts = [Fraction(float(weight)) for weight in self.weights]
        total = sum(parts)
        return tuple(part / total for part in parts)

    @cached_property
    def H(self) -> Array:
        """The Hessian of F."""
        points = Rationals.identity(self.d_x)
        return frozen(doubles(self.gradient(points) - self.gradient(0 * points)))

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
        shares, slopes = [*map(rational, self.shares)], [device.gradient(x) for device in self.devices]
        at_rest, sigmas = [deviation_at(device, x) for device in self.devices], [own["sigma"] for own in each]
        excess = [inner(g, x - own.exact_x_star) / 2 for g, own in zip(slopes, self.devices, strict=True)]
        parts = [p * rational(s) for p, s in zip(shares, sigmas, strict=True) if s < math.inf]
        return {
            "L": max(own["L"] for own in each),
            "mu": min(own["mu"] for own in each),
            **{f"sigma_star_{k}": sigma for k, sigma in enumerate(at_rest)},
            "sigma_star": max(at_rest),
            **{f"sigma_{k}": sigma for k, sigma in enumerate(sigmas)},
            "sigma": max(sigmas),
            "sigma_mean": math.inf if math.inf in sigmas else root_above(squares(parts)),
            "Gamma": above(inner(shares, excess)),
            "heterogeneity": root_above(inner(shares, [*map(squares, slopes)])),
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
    spectrum: Sequence[float], *, K: int = 4, dial: float = 0.5, weights: ArrayLike | None = None,
    seed: int = 0, noise_H: float = 0.0, s: float = 0.0,
) -> Federated:  # fmt: skip
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
    values = as_spectrum(spectrum)
    require_memory("federated", d=len(values), K=K)
    noise = as_level("noise_H", noise_H)
    rng = np.random.default_rng(require_whole("seed", seed, least=0))
    hessians = [symmetric(rng, values) for _ in range(K)]
    centres = rng.standard_normal((K, len(values)))
    centres *= dial / np.linalg.norm(centres, axis=1).max()
    noises = [[noise * H] if noise else None for H in hessians]
    made = [SingleLevel(H=H, a=a, E=E, s=s) for H, a, E in zip(hessians, centres, noises, strict=True)]
    return Federated(devices=made, weights=weights)


def _weighted(shares: Sequence[Fraction], parts: Sequence[Any]) -> Any:
    """sum_k p_k part_k, for arrays of doubles or vectors of an engine's own kind."""
    number: Any = float if isinstance(parts[0], np.ndarray) else Fraction
    return summed(number(p) * part for p, part in zip(shares, parts, strict=True))
