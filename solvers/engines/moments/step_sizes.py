"""Step sizes as symbols, so that a step is interpreted once for all t.

A schedule is replaced by one that returns the symbol eta_{t+j}; the coefficients of the step become polynomials
in these symbols with rational coefficients. What cancels does so here, as algebra: (1 - alpha eta^2) - 1 is the
monomial -alpha eta^2, which double precision then evaluates without loss at any t.
"""

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratecert.base.errors import NotPolynomialError
from ratecert.base.exact import is_exact, is_zero, rational

Variable = tuple[str, int]  # (the solver's field, offset j in eta_{t+j})
Monomial = tuple[tuple[Variable, int], ...]  # sorted (variable, power)
Etas = Callable[[str, int], Any]  # the step size of a variable


@dataclass(frozen=True, eq=False)
class InSteps:
    """A polynomial in step sizes."""

    terms: Mapping[Monomial, Any]

    def __add__(self, other: Any) -> "InSteps":
        total = dict(self.terms)
        for monomial, c in in_steps(other).terms.items():
            total[monomial] = total.get(monomial, 0) + c
        return InSteps({m: c for m, c in total.items() if not is_zero(c)})

    __radd__ = __add__

    def __mul__(self, other: Any) -> "InSteps":
        if not isinstance(other, InSteps | numbers.Real) and not is_exact(other):
            return NotImplemented
        total = InSteps({})
        for m_1, c_1 in self.terms.items():
            for m_2, c_2 in in_steps(other).terms.items():
                total = total + InSteps({product_of(m_1, m_2): c_1 * c_2})
        return total

    __rmul__ = __mul__

    def __neg__(self) -> "InSteps":
        return self * -1

    def __sub__(self, other: Any) -> "InSteps":
        return self + -1 * in_steps(other)

    def __rsub__(self, other: Any) -> "InSteps":
        return in_steps(other) - self

    def __pow__(self, n: int) -> "InSteps":
        if not isinstance(n, int) or n < 0:
            raise NotPolynomialError(f"eta**{n}")
        power = in_steps(1)
        for _ in range(n):
            power = power * self
        return power

    @property
    def degree(self) -> int:
        """The largest number of factors in a monomial."""
        return max((sum(power for _, power in monomial) for monomial in self.terms), default=0)

    @property
    def variables(self) -> set[str]:
        """The solver's fields that occur in it."""
        return {name for monomial in self.terms for (name, _), _ in monomial}

    def at(self, etas: Etas) -> Any:
        """Its value at these step sizes."""
        return sum(c * value_of(monomial, etas) for monomial, c in self.terms.items())

    def __truediv__(self, n: Any) -> "InSteps":
        """By a whole number; by anything else it is no polynomial."""
        return self * rational(Fraction(1, n)) if isinstance(n, int) else self._refuse()

    def _refuse(self, *_: Any) -> Any:
        raise NotPolynomialError("only +, -, * and whole powers of a step size are polynomials.")

    __rtruediv__ = __float__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __bool__ = __index__ = _refuse

    def same(self, other: Any) -> bool:
        """Whether two are one polynomial."""
        return dict(self.terms) == dict(in_steps(other).terms)

    __hash__ = None  # type: ignore[assignment]
    is_letter = True  # what checks the range of a number lets it pass


def in_steps(value: Any) -> InSteps:
    if isinstance(value, InSteps):
        return value
    return InSteps({} if is_zero(value) else {(): value})


def value_of(monomial: Monomial, etas: Etas) -> Any:
    """The product of the powers of step sizes."""
    value = 1
    for (name, offset), power in monomial:
        value = value * etas(name, offset) ** power
    return value


@dataclass(frozen=True)
class SymbolicSchedule:
    """eta as a symbol, for a step that is run at t = origin."""

    name: str
    origin: int
    largest: Any

    constant_until = 0.0

    def __call__(self, t: int) -> InSteps:
        return InSteps({(((self.name, t - self.origin), 1),): 1})


def product_of(a: Monomial, b: Monomial) -> Monomial:
    """Their powers, added."""
    powers = dict(a)
    for variable, power in b:
        powers[variable] = powers.get(variable, 0) + power
    return tuple(sorted(powers.items()))
