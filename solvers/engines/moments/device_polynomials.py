"""A step of devices that differ as a function of t, for all of them at once: a polynomial in the step sizes.

Coefficients are put into the devices' frames and rounded once, so that a step at t costs a few sums of stacks. Only
where the noise is the same everywhere: then all that is asked of it is what a step injects,

    N_k(t) = sum over samples of E(t) C_k E(t)' / batch,

with the covariance C_k of a sample on device k, and E(t) by which it enters.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, summed
from ratecert.base.errors import NotPolynomialError
from ratecert.base.exact import ball
from ratecert.solvers.engines.moments.apart import AdditiveSteps
from ratecert.solvers.engines.moments.frame import Frame
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.step_map import rounded_matrix
from ratecert.solvers.engines.moments.step_sizes import Etas, Monomial, product_of, value_of

Array = NDArray[Any]
Coefficients = Mapping[Monomial, Array]  # of balls


@dataclass(frozen=True)
class Polynomial:
    """sum over monomials of their values times an array."""

    monomials: tuple[Monomial, ...]
    arrays: Array  # (monomials, ...), of doubles

    @staticmethod
    def of(rounded: Mapping[Monomial, Array]) -> "Polynomial":
        return Polynomial(tuple(rounded), np.stack(list(rounded.values())))

    def at(self, etas: Etas) -> Array:
        values: Any = [float(ball(value_of(monomial, etas))) for monomial in self.monomials]
        return np.tensordot(values, self.arrays, axes=1)


@dataclass(frozen=True)
class DevicePolynomials:
    """One move."""

    common: Polynomial  # (n, n)
    beyond: Polynomial  # (K, n, n)
    noise: Polynomial  # (K, n, n)

    def at(self, etas: Etas) -> AdditiveSteps:
        return AdditiveSteps(self.common.at(etas), self.beyond.at(etas), self.noise.at(etas))


def polynomials_of(
    devices: Sequence[Interpreter], frames: Sequence[Frame], move: int, *, otherwise: bool
) -> DevicePolynomials | None:
    """None where the step is drawn or no polynomial, or where its noise depends on the point.

    With `otherwise` diagonals are rounded to the other side (see step_map.rounded_matrix).
    """
    devices[0].step(move, 1)  # refuses a step that depends on t otherwise
    if devices[0].has_choice(move):
        return None
    try:
        found = [device.polynomial_step(move) for device in devices]
    except (NotPolynomialError, TypeError, AttributeError):
        return None
    if not all(moments.additive for _, samples in found for moments, *_ in samples):
        return None
    framed = [
        {monomial: frame.increment(D) for monomial, D in mean.parts.items()}
        for frame, (mean, _) in zip(frames, found, strict=True)
    ]
    injected = [_injected(frame, samples) for frame, (_, samples) in zip(frames, found, strict=True)]
    together = {m: summed(D) / len(D) for m, D in _by_monomial(framed).items()}
    beyond = {m: np.stack([D - together[m] for D in each]) for m, each in _by_monomial(framed).items()}
    return DevicePolynomials(
        Polynomial.of({m: rounded_matrix(D, otherwise) for m, D in together.items()}),
        Polynomial.of({m: doubles(D) for m, D in beyond.items()}),
        Polynomial.of({m: doubles(np.stack(N)) for m, N in _by_monomial(injected).items()}),
    )


def _injected(frame: Frame, samples: Iterable[tuple[Any, Any, int]]) -> Coefficients:
    """What one device injects."""
    size = len(frame.units)
    total: dict[Monomial, Array] = {(): Balls.zeros(size, size)}
    for moments, entering, batch in samples:
        d = moments.mean.shape[1]
        origin = Balls.zeros(d, d)
        origin[-1, -1] = ball(1)
        covariance = moments.covariance(origin) / batch
        parts = {m: E / frame.units[:, None] for m, E in entering.parts.items()}
        for m_1, E_1 in parts.items():
            for m_2, E_2 in parts.items():
                both = product_of(m_1, m_2)
                total[both] = total.get(both, total[()] * 0) + E_1 @ covariance @ E_2.T
    return total


def _by_monomial(each: Sequence[Coefficients]) -> dict[Monomial, list[Array]]:
    """The coefficients of all devices, nothing where one has none."""
    monomials = dict.fromkeys(m for coefficients in each for m in coefficients)
    return {m: [own.get(m, 0 * next(iter(own.values()))) for own in each] for m in monomials}
