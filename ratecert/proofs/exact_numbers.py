"""Numbers that are exactly what is written: a double counts as the decimal that it is printed as."""

import math
from fractions import Fraction
from typing import Any

from ratecert.base.errors import NotExactError


def exact(name: str, value: Any) -> Fraction:
    """The fraction that is written; inf and lists of numbers are none."""
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(repr(value))
    raise NotExactError(f"{name} has to be a fraction, got {value!r}")


def exact_root(value: Fraction, q: int) -> Fraction | None:
    """The q-th root of a positive fraction, where that is a fraction."""
    roots = [_whole_root(n, q) for n in (value.numerator, value.denominator)]
    return None if None in roots else Fraction(*roots)  # type: ignore[arg-type]


def root_from_above(value: Fraction, digits: int) -> Fraction:
    """A decimal of that many digits whose square is at least the value, and hardly more."""
    scale = Fraction(10) ** (digits - 1 - _magnitude(value) // 2)
    return (math.isqrt(math.ceil(value * scale**2) - 1) + 1) / scale


def _magnitude(value: Fraction) -> int:
    """n with 10^n <= value < 10^(n+1)."""
    n = len(str(value.numerator)) - len(str(value.denominator))
    return n if Fraction(10) ** n <= value else n - 1


def _whole_root(n: int, q: int) -> int | None:
    low, high = 0, 1 << (n.bit_length() // q + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**q < n else (low, middle)
    return low if low**q == n else None
