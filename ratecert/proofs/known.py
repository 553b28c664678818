"""Numbers that are followed in letters, and a paper's own functions run on them.

Such a number is a formula, and what it comes to in the proof so far. Sums and products make longer formulas, a root
becomes a letter of its own, and comparisons are decided by the values. No double is ever made of one.
"""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partialmethod, total_ordering
from types import SimpleNamespace
from typing import Any

import sympy

from ratecert.base.errors import NotExactError, PaperError
from ratecert.base.exact import is_exact, rational
from ratecert.base.own_code import called
from ratecert.binding.binding import Asked, Binding
from ratecert.binding.setting import Setting
from ratecert.proofs.formulas import Formulas
from ratecert.proofs.script import not_written, number
from ratecert.solvers.contract.measures import Measure
from ratecert.theory.notation import letter, names_of

LONG = 7  # operations in a formula that gets a name before it is used in another


@total_ordering
class Known:
    """A formula in letters of the proof, or in others that it does not have, such as the fields of a state."""

    in_letters = True

    def __init__(self, formulas: Formulas, expression: Any) -> None:
        self.formulas, self.expression = formulas, sympy.sympify(expression)

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
        own = names_of(expression) <= self.formulas.script.names.keys()
        return self.formulas.name(expression) if own and expression.count_ops() > LONG else expression

    def _with(self, operation: Callable[[Any, Any], Any], other: Any) -> Any:
        if isinstance(other, float) and math.isinf(
            other
        ):  # a recursion may start at infinity: the sign counts
            found = operation(1.0 if self > 0 else -1.0, other)
            return found if math.isinf(found) else Known(self.formulas, 0)
        if (right := _part(other)) is None:
            return NotImplemented
        return Known(self.formulas, operation(self._short(), right))

    __add__ = partialmethod(_with, operator.add)
    __radd__ = partialmethod(_with, lambda own, left: left + own)
    __sub__ = partialmethod(_with, operator.sub)
    __rsub__ = partialmethod(_with, lambda own, left: left - own)
    __mul__ = partialmethod(_with, operator.mul)
    __rmul__ = partialmethod(_with, lambda own, left: left * own)
    __truediv__ = partialmethod(_with, operator.truediv)
    __rtruediv__ = partialmethod(_with, lambda own, left: left / own)

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
    if isinstance(value, int | float | Fraction) or is_exact(value):
        return sympy.Rational(number("a number of a formula", value))
    return None


class OwnFunctions:
    """A paper's own functions, called with letters or rationals; those that they ask for are written down."""

    def __init__(self, formulas: Formulas, binding: Binding) -> None:
        self.formulas, self.binding = formulas, binding

    def made(self, what: str, function: Any) -> Any:
        """What it makes of all letters; where that is no formula, of the values of those that are fractions."""
        known = self._before_the_run()
        return self._first(what, function, Asked(known, self._letter), Asked(known, self._fraction))

    def constant(self, name: str, function: Any, setting: Setting) -> Any:
        """The same of a function of the setting, whose constants are letters."""
        letters = {source: name for name, source in self.binding.constants.items() if isinstance(source, str)}
        shown = Asked(letters, lambda source: self._letter(letters[source]))
        lettered = SimpleNamespace(K=setting.K, T=setting.T, constants=shown)
        return self._first(f"constants[{name!r}]", function, lettered, setting)

    def _first(self, what: str, function: Any, lettered: Any, otherwise: Any) -> Any:
        """An expression in letters, or a measure; of the second argument whatever there is."""
        try:
            with self.formulas.trying():
                found = self._called(what, function, lettered)
                found = found if isinstance(found, Measure) else expression_of(found)
                if isinstance(found, sympy.Basic) and not names_of(found):
                    raise NotExactError(f"{what} is a number")
                return found
        except NotExactError:
            return self._called(what, function, otherwise)

    @staticmethod
    def _called(what: str, function: Any, argument: Any) -> Any:
        try:
            return called(what, function, argument)
        except PaperError as error:
            raise not_written(
                what, error.__cause__ if isinstance(error.__cause__, Exception) else error
            ) from error

    def _letter(self, name: str) -> Known:
        self.formulas.require(name)
        return Known(self.formulas, letter(name))

    def _fraction(self, name: str) -> Any:
        self.formulas.require(name)
        value = self.formulas.values[name]
        if not isinstance(value, int | Fraction):
            raise KeyError(name)
        return rational(value)

    def _before_the_run(self) -> list[str]:
        """The letters that are known then."""
        formulas = self.formulas
        fixed = (condition.name for condition in formulas.theorem.conditions.values())
        return list(
            filter(self._is_known, dict.fromkeys((*formulas.given, *formulas.paper.constants, *fixed)))
        )

    def _is_known(self, name: str) -> bool:
        formulas = self.formulas
        if name in formulas.given:
            return name not in self.binding.measured
        if name in formulas.paper.constants:
            return all(map(self._is_known, names_of(formulas.paper.constants[name])))
        return formulas.fixed(name) is not None
