"""Polynomials in the step size eta and in k = 1/K with rational coefficients.

A thin wrapper around FLINT's, which are sequences of their terms: numpy would take one for an array.
"""

from dataclasses import dataclass
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

RING = fmpq_mpoly_ctx.get(["eta", "k"], Ordering.lex)


@dataclass(frozen=True, eq=False)
class Polynomial:
    """Closed under +, -, * and whole powers; / where it leaves no remainder."""

    value: fmpq_mpoly

    def __add__(self, other: Any) -> "Polynomial":
        return Polynomial(self.value + _plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Polynomial":
        return Polynomial(self.value - _plain(other))

    def __rsub__(self, other: Any) -> "Polynomial":
        return Polynomial(_plain(other) - self.value)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Polynomial | fmpq | int):
            return NotImplemented
        return Polynomial(self.value * _plain(other))

    __rmul__ = __mul__

    def __neg__(self) -> "Polynomial":
        return Polynomial(-self.value)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Polynomial | fmpq | int):
            return NotImplemented
        return Polynomial(self.value / _plain(other))

    def __pow__(self, n: int) -> "Polynomial":
        return Polynomial(self.value**n)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == _plain(other))

    __hash__ = None  # type: ignore[assignment]

    @property
    def constant(self) -> fmpq:
        """Its value, if it has no variable; else TypeError."""
        if not self.value.is_constant():
            raise TypeError(f"{self.value} is not a number")
        return fmpq(self.value.leading_coefficient()) if self.value else fmpq(0)

    def __float__(self) -> float:
        return float(self.constant)

    def coefficients(self) -> dict[tuple[int, int], fmpq]:
        """By the powers of eta and k."""
        return {(eta, k): c for (eta, k), c in self.value.to_dict().items()}


ETA, ONE_OVER_K = (Polynomial(generator) for generator in RING.gens())


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Polynomial) else value
