"""An expression as code on array functions: printed once, and run in any arithmetic that has these functions.

The letters' values may be doubles, numpy's arrays of them, or fractions and balls (enclosed.py): +, -, * and / are
their own, and every constant, power and function is a call of one of the functions that an arithmetic is made of.
"""

import operator
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

import numpy as np
import sympy
from scipy import special
from sympy.printing.pycode import PythonCodePrinter

MOST_TERMS = 10_000  # of a sum or a product
CONSTANTS = {"Pi": "pi", "Exp1": "e"}


class Arithmetic(dict[str, Callable[..., Any]]):
    """Functions by name: value (of a letter), ratio, decimal, power, pi, e, and those of theory/notation.py."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def evaluated(expression: Any, values: Mapping[str, Any], arithmetic: Arithmetic) -> Any:
    """The value of the expression at those of its letters."""
    names, function = _compiled(sympy.sympify(expression), arithmetic)
    return function(*(arithmetic["value"](values[name]) for name in names))


@cache
def _compiled(expression: Any, arithmetic: Arithmetic) -> tuple[list[str], Callable[..., Any]]:
    symbols = sorted(expression.free_symbols, key=str)
    function: Callable[..., Any] = sympy.lambdify(symbols, expression, [dict(arithmetic)], printer=_Printer)
    return [str(symbol) for symbol in symbols], function


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Python in which every number, power and function is one of the arithmetic's."""

    def _print_Rational(self, expr: Any) -> str:
        return f"ratio({expr.p}, {expr.q})"

    def _print_Float(self, expr: Any) -> str:
        return f"decimal({float(expr)!r})"

    def _print_Pow(self, expr: Any, **_: Any) -> str:
        return f"power({self._print(expr.base)}, {self._print(expr.exp)})"

    def _print_Function(self, expr: Any) -> str:
        return f"{type(expr).__name__.lower()}({', '.join(map(self._print, expr.args))})"

    _print_Abs = _print_Min = _print_Max = _print_ceiling = _print_floor = _print_sign = _print_Function

    def _print_Sum(self, expr: Any) -> str:
        ((index, first, last),) = expr.limits
        limits = ", ".join(map(self._print, (first, last)))
        return f"{type(expr).__name__.lower()}(lambda {index}: {self._print(expr.function)}, {limits})"

    _print_Product = _print_Sum

    def _print_Pi(self, expr: Any) -> str:
        return f"{CONSTANTS[type(expr).__name__]}()"

    _print_Exp1 = _print_Pi
    _print_Integer = _print_One = _print_Zero = _print_NegativeOne = _print_Half = _print_Rational
    _print_exp = _print_log = _print_sin = _print_cos = _print_tan = _print_Function
    _print_sinh = _print_cosh = _print_tanh = _print_asin = _print_acos = _print_atan = _print_Function
    _print_erf = _print_gamma = _print_factorial = _print_Function


def over(
    combine: Callable[[Any, Any], Any], number: Callable[[int], Any], nothing: int
) -> Callable[..., Any]:
    """A sum or a product over an index, term by term, of this kind of numbers."""

    def of(term: Callable[[Any], Any], first: Any, last: Any) -> Any:
        if last - first > MOST_TERMS:
            raise ValueError(f"it has more than {MOST_TERMS} terms")
        return reduce(combine, map(term, map(number, range(int(first), int(last) + 1))), number(nothing))

    return of


def _power(base: Any, exponent: Any) -> Any:
    return np.sqrt(base) if np.ndim(exponent) == 0 and exponent == 0.5 else base**exponent


DOUBLES = Arithmetic(
    {
        "cos": np.cos,
        "cosh": np.cosh,
        "exp": np.exp,
        "floor": np.floor,
        "log": np.log,
        "sign": np.sign,
        "sin": np.sin,
        "sinh": np.sinh,
        "tan": np.tan,
        "tanh": np.tanh,
        "abs": np.abs,
        "acos": np.arccos,
        "asin": np.arcsin,
        "atan": np.arctan,
        "ceiling": np.ceil,
        "erf": special.erf,
        "gamma": special.gamma,
        "factorial": lambda n: special.gamma(n + 1),
        "harmonic": lambda n: special.digamma(n + 1) + np.euler_gamma,
        "value": lambda value: value if isinstance(value, np.ndarray) else float(value),
        "ratio": operator.truediv,
        "decimal": float,
        "power": _power,
        "pi": lambda: np.pi,
        "e": lambda: np.e,
        "min": lambda *each: reduce(np.minimum, each),
        "max": lambda *each: reduce(np.maximum, each),
        "sum": over(operator.add, float, 0),
        "product": over(operator.mul, float, 1),
    }
)
