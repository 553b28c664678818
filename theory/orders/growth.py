"""The order of growth of a SymPy expression, its symbols scaled, on a cone.

Sums are kept as their largest monomials. A sum of which no summand dominates on the whole cone is fine above the
line; below it the cone has to be cut where two of them tie, and `Tie` says where. On the cut itself they may still
differ by a logarithm; there 1/sum is bounded by one over the summand that dominates beside the cut.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import UndecidedError, UnderivableError, VanishingDivisorError
from ratecert.theory.orders.monomials import LOG, ONE, Cone, Monomial, as_fraction


class TieError(UndecidedError):
    """Neither of two summands of a divisor dominates on the whole cone."""

    def __init__(self, first: Monomial, second: Monomial) -> None:
        super().__init__(f"neither {first} nor {second} dominates on the whole cone.")
        self.ratio = (first / second).without_log()


@dataclass(frozen=True)
class Growth:
    """The order of a sum of positive monomials; without any it is smaller than every power (`negligible`)."""

    cone: Cone
    monomials: tuple[Monomial, ...]

    @staticmethod
    def of(cone: Cone, *monomials: Monomial) -> "Growth":
        kept: list[Monomial] = []
        for m in dict.fromkeys(monomials):
            if any(cone.bounded(m / other) for other in kept):
                continue
            kept = [*(other for other in kept if not cone.bounded(other / m)), m]
        return Growth(cone, tuple(kept))

    @property
    def negligible(self) -> bool:
        return not self.monomials

    def __add__(self, other: "Growth") -> "Growth":
        return Growth.of(self.cone, *self.monomials, *other.monomials)

    def __mul__(self, other: "Growth") -> "Growth":
        return Growth.of(self.cone, *(m * n for m in self.monomials for n in other.monomials))

    def __pow__(self, power: Fraction) -> "Growth":
        if power < 0:
            return Growth(self.cone, (self.dominating() ** power,))
        return Growth.of(self.cone, *(m**power for m in self.monomials))

    def dominating(self) -> Monomial:
        """The one monomial that is the order of the sum, logarithms on the border of the cone aside."""
        if self.negligible:
            raise VanishingDivisorError("a divisor is smaller than every power.")
        for candidate in self.monomials:
            if all(self.cone.bounded((m / candidate).without_log()) for m in self.monomials):
                return candidate
        raise TieError(*self.monomials[:2])

    def excess(self, claim: "Growth") -> tuple[Monomial, ...]:
        """The ratios to the claim that are not bounded; none means growth = O(claim)."""
        if claim.negligible:
            return self.monomials
        over = (m for m in self.monomials if not any(self.cone.bounded(m / c) for c in claim.monomials))
        return tuple(m / claim.dominating() for m in over)

    def __str__(self) -> str:
        return " + ".join(map(str, self.monomials)) or "0"


@dataclass(frozen=True)
class Scaled:
    """Symbols with a growth; all others are constants. `fractions` are expressions known to lie in (0, 1)."""

    cone: Cone
    symbols: Mapping[str, Growth]
    fractions: tuple[Any, ...] = ()

    def growth(self, expression: Any) -> Growth:
        expression = sympy.sympify(expression)
        one = Growth(self.cone, (ONE,))
        match expression:
            case sympy.Number() | sympy.NumberSymbol():
                return Growth(self.cone, ()) if expression == 0 else one
            case sympy.Symbol():
                return self.symbols.get(expression.name, one)
            case sympy.Add() | sympy.Max():
                return self._folded(expression.args, Growth.__add__)
            case sympy.Mul():
                return self._folded(expression.args, Growth.__mul__)
            case sympy.Min():
                smallest = self._folded([1 / a for a in expression.args], Growth.__add__)
                return smallest ** Fraction(-1)
            case sympy.Pow():
                return self._power(*expression.args)
            case sympy.log():
                return self._log(expression.args[0])
        raise UnderivableError(f"the order of {type(expression).__name__} is not known here: {expression}.")

    def _folded(self, arguments: Any, combine: Callable[[Growth, Growth], Growth]) -> Growth:
        first, *rest = (self.growth(a) for a in arguments)
        for other in rest:
            first = combine(first, other)
        return first

    def _power(self, base: Any, exponent: Any) -> Growth:
        if exponent.is_Rational:
            return self.growth(base) ** as_fraction(exponent)
        constant = self.growth(base).monomials == (ONE,)
        one = Growth(self.cone, (ONE,))
        grows = self.growth(exponent)
        if constant and not grows.excess(one):
            return one
        if base in self.fractions and not exponent.could_extract_minus_sign():
            # A fraction to the power c log N is N^-c', below any power of N once the constant c is large enough.
            as_log = all(self.cone.bounded(LOG / m) for m in grows.monomials)
            return Growth(self.cone, ()) if as_log else one
        raise UnderivableError(
            f"({base})**({exponent}) has an order only if {base} is known to lie in (0, 1) and the exponent grows."
        )

    def _log(self, argument: Any) -> Growth:
        inner = self.growth(argument)
        if inner.monomials == (ONE,):
            return inner
        (m, *more) = inner.monomials or (ONE,)
        slopes = self.cone.slopes(m)
        if more or not (all(s > 0 for s in slopes) or all(s < 0 for s in slopes)):
            raise UnderivableError(f"log({argument}) has no single order on {self.cone}.")
        return Growth(self.cone, (LOG,))
