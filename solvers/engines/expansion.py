"""The first terms at eta = 0 of a quotient of two polynomials in eta and k = 1/K, exact."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
from flint import fmpq_poly

from ratecert.base.errors import NoLimitError

K = sympy.Symbol("K", positive=True)
NOTHING = fmpq_poly([0])
Coefficients = dict[int, fmpq_poly]  # by powers of eta
Quotient = tuple[fmpq_poly, fmpq_poly]


@dataclass(frozen=True)
class Expansion:
    """floor + terms[0] eta^power + terms[1] eta^(power + 1) + ..., exact; all may depend on K.

    power is None where nothing is above the floor. A transient has no floor, and powers below zero.
    """

    floor: sympy.Expr
    power: int | None
    terms: tuple[sympy.Expr, ...]

    @property
    def constant(self) -> sympy.Expr:
        """The coefficient of eta^power."""
        return self.terms[0] if self.terms else sympy.Integer(0)

    def __call__(self, eta: float, devices: int, terms: int = 1) -> float:
        """The floor and so many terms at a step size and a number of devices."""
        step, total = sympy.Rational(Fraction(eta)), self.floor
        for i, term in enumerate(self.terms[:terms]):
            total += term * step ** ((self.power or 0) + i)
        return float(total.subs(K, devices))

    def __str__(self) -> str:
        if self.power is None:
            return str(self.floor)
        return f"{self.floor} + ({self.constant}) eta^{self.power}"


def limit_of(numerator: Any, denominator: Any, *, orders: int, terms: int) -> Expansion:
    """The expansion of a limit, known through so many powers of eta: its floor, and terms from the first above it."""
    above, below = _in_eta(numerator), _in_eta(denominator)
    if above and min(above) < min(below):
        raise NoLimitError("leading: a measure grows without bound as eta tends to zero.")
    floor, *later = _divided(above, below, min(below), orders)
    power = next((n for n, (value, _) in enumerate(later, 1) if value), None)
    found = () if power is None else tuple(_in_K(*each) for each in later[power - 1 : power - 1 + terms])
    return Expansion(_in_K(*floor), power, found)


def transient_of(numerator: Any, denominator: Any, *, pole: int, orders: int, terms: int) -> Expansion:
    """The expansion of numerator/denominator/eta^pole, known through so many powers of eta: terms from the first on."""
    above, below = _in_eta(numerator), _in_eta(denominator)
    if not above:
        return Expansion(sympy.Integer(0), None, ())
    begins = min(above) - min(below)
    found = _divided(above, below, min(above), min(terms, orders - begins))
    return Expansion(sympy.Integer(0), begins - pole, tuple(_in_K(*each) for each in found))


def _divided(above: Coefficients, below: Coefficients, first: int, orders: int) -> list[Quotient]:
    """So many coefficients of above/below from the power `first` of above on, as quotients of polynomials in k.

    The one of order n is a_n/b^(n+1), with b the first coefficient below.
    """
    lowest, found = min(below), list[fmpq_poly]()
    b = below[lowest]
    for n in range(orders):
        known = (
            a * below[lowest + n - i] * b ** (n - i - 1)
            for i, a in enumerate(found)
            if lowest + n - i in below
        )
        found.append(above.get(first + n, NOTHING) * b**n - sum(known, NOTHING))
    return [(a, b ** (n + 1)) for n, a in enumerate(found)]


def _in_eta(value: Any) -> Coefficients:
    """The coefficients of the powers of eta, as polynomials in k; those that are not zero."""
    parts: dict[int, dict[int, Any]] = {}
    for (power, in_k), c in value.coefficients().items():
        parts.setdefault(int(power), {})[int(in_k)] = c
    return {power: fmpq_poly([part.get(i, 0) for i in range(max(part) + 1)]) for power, part in parts.items()}


def _in_K(above: fmpq_poly, below: fmpq_poly) -> sympy.Expr:
    """A quotient of polynomials in k as one in K."""
    common = above.gcd(below) * below.leading_coefficient()
    above, below = above / common, below / common
    degree = max(above.degree(), below.degree())
    if degree == 0:
        return _rational(above[0]) / _rational(below[0])
    ends = [
        sum(_rational(c) * K ** (degree - i) for i, c in enumerate(part.coeffs())) for part in (above, below)
    ]
    return sympy.cancel(ends[0] / ends[1])


def _rational(value: Any) -> sympy.Rational:
    return sympy.Rational(int(value.p), int(value.q))
