"""Power series in the step size eta, cut off after a few terms, whose coefficients are polynomials in k = 1/K.

A quotient has to be of the same kind, as those of an elimination without fractions are: the divisor begins with a term
that is not zero, and that term divides without remainder whatever it has to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_poly

from ratecert.base.exact import Polynomial

NOTHING = fmpq_poly([0])


@dataclass(frozen=True, eq=False)
class Series:
    """terms[0] + terms[1] eta + ...; those that are computed with one another have equally many terms."""

    terms: tuple[fmpq_poly, ...]

    def __add__(self, other: "Series") -> "Series":
        return Series(tuple(a + b for a, b in zip(self.terms, other.terms, strict=True)))

    def __sub__(self, other: "Series") -> "Series":
        return Series(tuple(a - b for a, b in zip(self.terms, other.terms, strict=True)))

    def __neg__(self) -> "Series":
        return Series(tuple(-a for a in self.terms))

    def __mul__(self, other: "Series") -> "Series":
        orders = range(len(self.terms))
        return Series(tuple(_convolved(self.terms[: n + 1], other.terms[: n + 1]) for n in orders))

    def __truediv__(self, other: "Series") -> "Series":
        first, *later = other.terms
        found: list[fmpq_poly] = []
        for n, term in enumerate(self.terms):
            found.append((term - _convolved(found, later[:n])) / first)
        return Series(tuple(found))

    def __eq__(self, other: object) -> bool:
        """Whether all terms are equal; the whole number 0 stands for a series of zeros."""
        return self.terms == other.terms if isinstance(other, Series) else other == 0 and not any(self.terms)

    __hash__ = None  # type: ignore[assignment]

    def coefficients(self) -> dict[tuple[int, int], fmpq]:
        """By the powers of eta and k."""
        return {(n, i): c for n, term in enumerate(self.terms) for i, c in enumerate(term.coeffs()) if c}


def series(value: Polynomial, length: int) -> Series:
    """The first terms of a polynomial."""
    parts: list[dict[int, fmpq]] = [{} for _ in range(length)]
    for (power, in_k), c in value.coefficients().items():
        if power < length:
            parts[power][in_k] = c
    return Series(
        tuple(fmpq_poly([part.get(i, 0) for i in range(max(part, default=0) + 1)]) for part in parts)
    )


def _convolved(a: Sequence[fmpq_poly], b: Sequence[fmpq_poly]) -> fmpq_poly:
    """a[0] b[-1] + a[1] b[-2] + ..."""
    pairs = zip(a, reversed(b), strict=True)
    return sum((left * right for left, right in pairs if left and right), NOTHING)
