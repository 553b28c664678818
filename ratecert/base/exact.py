"""Single numbers: a double as the rational that it is, roots as balls, a ball as two doubles around it; polynomials."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

RING = fmpq_mpoly_ctx.get(["eta", "k"], Ordering.lex)
Number = Any  # a float, an int, a rational, a ball or a polynomial


@dataclass(frozen=True, eq=False)
class Polynomial:
    """In the step size eta and in k = 1/K, with rational coefficients; / where it leaves no remainder.

    A thin wrapper around FLINT's, which are sequences of their terms: numpy would take one for an array.
    """

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


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Within it, balls are computed with so many bits, in all threads: FLINT has one precision for a process."""
    with ctx.workprec(bits):
        yield


def bits_at_work() -> int:
    """With how many bits balls are computed here."""
    return int(ctx.prec)


def is_exact(value: object) -> bool:
    """Whether a number is a rational, a ball or a polynomial."""
    return isinstance(value, fmpq | arb | Polynomial)


def is_zero(value: Any) -> bool:
    """Whether a number is certainly zero; a ball that merely may be is not."""
    return bool(value == 0)


def rational(value: Any) -> fmpq:
    """A double, a whole number, a fraction or a number of mpmath as the rational that it is."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, Polynomial):
        return value.constant
    if hasattr(value, "man_exp"):
        digits, exponent = value.man_exp  # without the sign
        return fmpq(int(digits) * (-1 if value < 0 else 1)) * fmpq(2) ** int(exponent)
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    whole, below = value.as_integer_ratio()
    return fmpq(int(whole), int(below))


def polynomial(value: Any) -> Polynomial:
    """A number as a polynomial of degree 0."""
    return value if isinstance(value, Polynomial) else Polynomial(RING.constant(rational(value)))


def ball(value: Any) -> arb:
    """A number as a ball: exact for a double, rounded to the working precision for a rational."""
    if isinstance(value, arb):
        return value
    return arb(value if isinstance(value, float | int | fmpq) else rational(value))


def cube_root(value: Number) -> Number:
    """The cube root of a float as a float, of an exact number as a ball."""
    return ball(value).root(3) if is_exact(value) else math.cbrt(value)


def power(base: Number, exponent: Number) -> Number:
    """base^exponent: of floats as a float, else as a ball."""
    if is_exact(base) or is_exact(exponent):
        return ball(base) ** ball(exponent)
    return base**exponent


def is_formula(value: object) -> bool:
    """Whether a number is followed in letters, as in proofs: it has a formula, and no double stands for it."""
    return bool(getattr(value, "in_letters", False))


def double(value: Any) -> Any:
    """A number as a double; a formula stays one."""
    return value if is_formula(value) else float(value)


def root(value: Any) -> Any:
    """The square root of a double, or of a formula."""
    return value.sqrt() if is_formula(value) else math.sqrt(value)


def around(value: arb) -> tuple[float, float]:
    """Two doubles with the ball between them, rounded outwards."""
    low, high = float(value.lower()), float(value.upper())
    if math.isnan(low) or math.isnan(high):
        return -math.inf, math.inf
    if not arb(low) <= value.lower():
        low = math.nextafter(low, -math.inf)
    if not arb(high) >= value.upper():
        high = math.nextafter(high, math.inf)
    return low, high
