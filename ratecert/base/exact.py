"""Single numbers: a double as the rational that it is, roots as balls, and a ball as two doubles around it."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from ratecert.base.polynomials import RING, Polynomial

Number = Any  # a float, an int, a rational, a ball or a polynomial


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Within it, balls are computed with so many bits."""
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
