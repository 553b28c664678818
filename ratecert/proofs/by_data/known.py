"""Numbers that are followed in letters: a formula, and what it comes to in the proof so far.

A paper's own functions and the recursions of methods are run on them. Sums and products make longer formulas, a root
becomes a letter of its own, and comparisons are decided by the values. No double is ever made of one.
"""

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from ratecert.base.errors import NotExactError
from ratecert.binding.setting import Setting
from ratecert.proofs.by_data.formulas import Formulas
from ratecert.proofs.by_data.measured import number
from ratecert.theory.language.letters import letter

LONG = 7  # operations in a formula that gets a name before it is used in another


class Known:
    """A formula in letters of the proof, or in others that it does not have, such as the fields of a state."""

    in_letters = True

    def __init__(self, formulas: Formulas, expression: Any) -> None:
        self.formulas, self.expression = formulas, sympy.sympify(expression)

    @classmethod
    def letter(cls, formulas: Formulas, name: str) -> "Known":
        """One that the proof has."""
        return cls(formulas, letter(name))

    def _sympy_(self) -> Any:
        return self.expression

    def __int__(self) -> int:
        """Of a whole number; math.exp and the like, which take doubles, do not ask for it."""
        if not self.expression.is_Integer:
            raise NotExactError(f"{self.expression} is no whole number as it is written")
        return int(self.expression)

    def sqrt(self) -> "Known":
        """A fraction where there is one, else a letter."""
        plain = sympy.sqrt(self.expression) if self.expression.is_Rational else sympy.nan
        found = plain if plain.is_Rational else self.formulas.root(self.expression, 2)
        return Known(self.formulas, found)

    def _short(self) -> Any:
        """Its formula, or the letter that stands for it."""
        expression = self.expression
        if expression in self.formulas.named:
            return self.formulas.named[expression]
        own = self.formulas.is_known(expression)
        return self.formulas.name(expression) if own and expression.count_ops() > LONG else expression

    def _with(self, operation: Callable[[Any, Any], Any], other: Any, *, swapped: bool = False) -> Any:
        if isinstance(other, float) and math.isinf(other):
            return self._beside(operation, other, swapped=swapped)
        if (right := _part(other)) is None:
            return NotImplemented
        left = self._short()
        return Known(self.formulas, operation(right, left) if swapped else operation(left, right))

    def _beside(self, operation: Callable[[Any, Any], Any], infinite: float, *, swapped: bool) -> Any:
        """A recursion may start at infinity: of a number its sign counts."""
        sign = math.copysign(1.0, 1.0 if self > 0 else -1.0)
        found = operation(infinite, sign) if swapped else operation(sign, infinite)
        return found if math.isinf(found) else Known(self.formulas, sympy.Integer(0))

    def __add__(self, other: Any) -> Any:
        return self._with(operator.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._with(operator.add, other, swapped=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with(operator.sub, other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(operator.mul, other)

    def __rmul__(self, other: Any) -> Any:
        return self._with(operator.mul, other, swapped=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(operator.truediv, other, swapped=True)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int):
            raise NotExactError(f"a power of {self.expression} is no whole one")
        return Known(self.formulas, self._short() ** exponent)

    def __neg__(self) -> "Known":
        return Known(self.formulas, -self._short())

    def _sign_of_difference(self, other: Any) -> int:
        """-1, 0 or 1; NotExactError where what is known does not decide it."""
        if isinstance(other, float) and math.isinf(other):
            return -1 if other > 0 else 1
        low, high = self.formulas.ends(self.expression - _part(other))
        if low <= 0 <= high and low != high:
            raise NotExactError(f"it is not known well enough whether {self.expression} is above {other}")
        return (low > 0) - (low < 0)

    def __lt__(self, other: Any) -> bool:
        return self._sign_of_difference(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._sign_of_difference(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._sign_of_difference(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._sign_of_difference(other) >= 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Known | sympy.Expr | int | float | Fraction):
            return NotImplemented
        return self._sign_of_difference(other) == 0

    def __hash__(self) -> int:
        return hash(self.expression)


def expression_of(value: Any) -> Any:
    """The formula of a number; NotExactError for what is none."""
    found = value.expression if isinstance(value, Known) else _part(value)
    if found is None:
        raise NotExactError(f"{value!r:.60} is no number")
    return found


def _part(value: Any) -> Any:
    """Of another number, in a longer formula; None for what is none."""
    if isinstance(value, Known):
        return value._short()
    if isinstance(value, sympy.Expr):
        return value
    if isinstance(value, int | float | Fraction):
        return sympy.Rational(number("a number of a formula", value))
    return None


class InLetters:
    """A setting whose constants are letters, for functions of a paper that make a constant of others."""

    def __init__(self, formulas: Formulas, sources: Mapping[str, Any], setting: Setting) -> None:
        self.K, self.T = setting.K, setting.T
        self.constants = _Constants(formulas, {s: name for name, s in sources.items() if isinstance(s, str)})


class _Constants(dict[str, Known]):
    """Each is written down when it is asked for."""

    def __init__(self, formulas: Formulas, names: Mapping[str, str]) -> None:
        super().__init__()
        self.formulas, self.names = formulas, names

    def __missing__(self, source: str) -> Known:
        if source not in self.names:
            raise NotExactError(f"the constant {source} has no letter in the statement")
        self.formulas.require(self.names[source])
        return Known.letter(self.formulas, self.names[source])
