"""An exact algebra of orders of growth: monomials K^a T^b eps^c log^d with rational exponents, on a cone.

A cone is the set of parameters in which given monomials are at least 1: K >= 1, T/K^3 >= 1, ... In logarithms it is
a convex cone, so a monomial is bounded on it exactly if it is bounded along each of its extreme rays, and there the
exponents decide: negative, or zero without a growing logarithm. `log` is the logarithm of the size of the parameters;
on a cone in which all of them are powers of one another up to constants (K <= T^a), log T, log(KT) and log(1/eps) have
the same order. SymPy's Order treats one variable at a time and has no such cones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import sympy

from ratecert.base.errors import EmptyConeError, UserError

Exponent = Any  # an int, a Fraction or a SymPy rational


def as_fraction(power: Exponent) -> Fraction:
    if type(power) is Fraction:
        return power
    return Fraction(int(power.p), int(power.q)) if isinstance(power, sympy.Rational) else Fraction(power)


@dataclass(frozen=True)
class Monomial:
    powers: tuple[tuple[str, Fraction], ...] = ()  # sorted by name, no zero exponents
    log: Fraction = Fraction(0)

    @staticmethod
    def of(log: Exponent = 0, **powers: Exponent) -> "Monomial":
        kept = sorted((name, as_fraction(power)) for name, power in powers.items() if power != 0)
        return Monomial(tuple(kept), as_fraction(log))

    def exponent(self, name: str) -> Fraction:
        return dict(self.powers).get(name, Fraction(0))

    def __mul__(self, other: "Monomial") -> "Monomial":
        powers = dict(self.powers)
        for name, power in other.powers:
            powers[name] = powers[name] + power if name in powers else power
        return Monomial(tuple(sorted(item for item in powers.items() if item[1])), self.log + other.log)

    def __pow__(self, power: Exponent) -> "Monomial":
        power = as_fraction(power)
        if power == 0:
            return Monomial()
        return Monomial(tuple((name, a * power) for name, a in self.powers), self.log * power)

    def __truediv__(self, other: "Monomial") -> "Monomial":
        return self * other**-1

    def without_log(self) -> "Monomial":
        return Monomial(self.powers)

    def at(self, **values: "Monomial") -> "Monomial":
        """With monomials put in for some of the names; their logarithms are of the same order as log."""
        result = Monomial.of(self.log)
        for name, power in self.powers:
            result = result * values.get(name, Monomial.of(**{name: 1})) ** power
        return result

    def __str__(self) -> str:
        factors = [*self.powers, ("log", self.log)]
        above = [_factor(name, power) for name, power in factors if power > 0]
        below = [_factor(name, -power) for name, power in factors if power < 0]
        if not below:
            return "*".join(above) or "1"
        divisor = below[0] if len(below) == 1 else f"({'*'.join(below)})"
        return f"{'*'.join(above) or '1'}/{divisor}"


ONE = Monomial()
LOG = Monomial(log=Fraction(1))


def _factor(name: str, power: Fraction) -> str:
    if power == 1:
        return name
    return f"{name}^{power}" if power.denominator == 1 else f"{name}^({power})"


LARGE = ("T", "eps")  # of which the logarithms are


@dataclass(frozen=True)
class Cone:
    """Where each of `at_least_one` is >= 1; all parameters that occur in them may go to their limits."""

    at_least_one: tuple[Monomial, ...]

    @staticmethod
    def where(*at_least_one: Monomial) -> "Cone":
        return _cone(tuple(dict.fromkeys(m.without_log() for m in at_least_one if m.powers)))

    def require_sense(self) -> None:
        if not self.names:
            raise UserError("a cone needs a monomial that is at least 1, such as K or T/K.")
        if self.rank < len(self.names):
            raise UserError(
                f"{self} leaves a direction free in both ways; say also which of {', '.join(self.names)} are >= 1."
            )
        if not self.rays:
            raise EmptyConeError("no parameters satisfy " + ", ".join(f"{m} >= 1" for m in self.at_least_one))

    def within(self, *more: Monomial) -> "Cone":
        return Cone.where(*self.at_least_one, *more)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted({name for m in self.at_least_one for name, _ in m.powers}))

    @cached_property
    def rows(self) -> list[list[Fraction]]:
        """The constraints, as half-spaces in the logarithms of the parameters."""
        return [[m.exponent(name) for name in self.names] for m in self.at_least_one]

    @property
    def rank(self) -> int:
        return int(_matrix(self.rows, len(self.names)).rank())

    @cached_property
    def rays(self) -> tuple[tuple[Fraction, ...], ...]:
        """The extreme rays: directions in the logarithms of the parameters, where all but one dimension is tight."""
        found: dict[tuple[Fraction, ...], None] = {}
        for tight in combinations(self.rows, len(self.names) - 1):
            null = _matrix(tight, len(self.names)).nullspace()
            if len(null) != 1:
                continue
            for sign in (1, -1):
                ray = _primitive(sign * as_fraction(c) for c in null[0])
                if all(_dot(row, ray) >= 0 for row in self.rows):
                    found[ray] = None
        return tuple(found)

    def slopes(self, m: Monomial) -> list[Fraction]:
        """The growth of m along each ray, logarithms aside."""
        return [_dot([m.exponent(name) for name in self.names], ray) for ray in self.rays]

    def bounded(self, m: Monomial) -> bool:
        """m = O(1) on the cone."""
        if m not in self._bounded:
            self._knows(m)
            slopes = zip(self.slopes(m), self._logs_grow, strict=True)
            self._bounded[m] = all(s < 0 or (s == 0 and (m.log <= 0 or not grow)) for s, grow in slopes)
        return self._bounded[m]

    @cached_property
    def _logs_grow(self) -> list[bool]:
        """Along each ray: not where K grows alone, since logarithms are those of T or 1/eps."""
        large = [i for i, name in enumerate(self.names) if name in LARGE]
        return [not large or any(ray[i] != 0 for i in large) for ray in self.rays]

    @cached_property
    def _bounded(self) -> dict[Monomial, bool]:
        """What is known so far: a derivation asks about the same ratios again and again."""
        return {}

    def vanishes(self, m: Monomial) -> bool:
        """m = o(1) along every ray."""
        self._knows(m)
        slopes = zip(self.slopes(m), self._logs_grow, strict=True)
        return all(s < 0 or (s == 0 and m.log < 0 and grow) for s, grow in slopes)

    def equal(self, m: Monomial, n: Monomial) -> bool:
        return self.bounded(m / n) and self.bounded(n / m)

    def _knows(self, m: Monomial) -> None:
        unknown = {name for name, _ in m.powers} - set(self.names)
        if unknown:
            raise UserError(
                f"{', '.join(sorted(unknown))} has no place in a cone of {', '.join(self.names)}."
            )

    def __str__(self) -> str:
        return ", ".join(f"{m} >= 1" for m in self.at_least_one)


@lru_cache(maxsize=256)
def _cone(at_least_one: tuple[Monomial, ...]) -> Cone:
    """One object for one cone, so that what is found out about it is found out once."""
    cone = Cone(at_least_one)
    cone.require_sense()
    return cone


def _matrix(rows: Iterable[Iterable[Fraction]], columns: int) -> Any:
    listed = [list(row) for row in rows]
    return sympy.Matrix(len(listed), columns, [entry for row in listed for entry in row])


def _dot(row: Iterable[Fraction], ray: Iterable[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(row, ray, strict=True)), Fraction(0))


def _primitive(ray: Iterable[Fraction]) -> tuple[Fraction, ...]:
    entries = tuple(ray)
    scale = max(abs(e) for e in entries)
    return tuple(e / scale for e in entries)
