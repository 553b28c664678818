"""Formulas and fractions as Python that computes in fractions.

Every letter holds a Fraction, so that no division of two whole numbers is ever rounded. The power of a letter that
happens to be 1 is written as a product: an exponent there could be edited without a difference, and a proof is to fail
when any number in it is edited.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

SMALL_PRIMES = (2, 3, 5, 7, 29)
SHORT = 8  # digits that are easily read


class PythonWriter(StrPrinter):  # type: ignore[misc]
    """SymPy to Python in fractions."""

    def __init__(self, values: Mapping[str, Fraction]) -> None:
        super().__init__({"order": "none"})
        self.values = values

    def _print_Rational(self, value: Any) -> str:
        return f"Fraction({value.p}, {value.q})"

    def _print_Max(self, value: Any) -> str:
        return f"max({', '.join(self._print(a) for a in value.args)})"

    def _print_Pow(self, value: Any, rational: bool = False) -> str:
        base, exponent = value.base, value.exp
        if exponent.is_Integer and exponent < 0:
            return f"1/{self.parenthesize(base**-exponent, PRECEDENCE['Pow'])}"
        written = self.parenthesize(base, PRECEDENCE["Pow"])
        if exponent.is_Integer and base.is_Symbol and self.values.get(base.name) == 1:
            return f"({'*'.join([written] * int(exponent))})"
        return f"{written}**{self.parenthesize(exponent, PRECEDENCE['Pow'])}"


def fraction(value: Fraction) -> str:
    """A fraction as Python."""
    if value.denominator == 1:
        return f"Fraction({_whole(value.numerator)})"
    return f"Fraction({_whole(value.numerator)}, {_whole(value.denominator)})"


def _whole(n: int) -> str:
    """A long whole number, with its small factors as powers where that makes it shorter."""
    plain, rest, factors = str(n), abs(n), []
    for base in (10, *SMALL_PRIMES):
        power = 0
        while rest % base == 0 and n:
            rest, power = rest // base, power + 1
        factors += [f"{base}**{power}" if power > 1 else str(base)] if power else []
    product = ("-" if n < 0 else "") + "*".join(([str(rest)] if rest != 1 or not factors else []) + factors)
    return product if len(plain) > SHORT and len(product) < len(plain) else plain
