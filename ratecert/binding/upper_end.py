"""The upper end of a bound: interval arithmetic at the doubles that the values are, rounded up."""

import math
from collections.abc import Mapping
from typing import Any

import mpmath
import sympy

DIGITS = 50


def upper_end(expression: Any, values: Mapping[str, float]) -> float:
    """A double that the expression is at most; decimals in it are taken as doubles."""
    expression = expression.xreplace({each: sympy.Rational(each) for each in expression.atoms(sympy.Float)})
    symbols = sorted(expression.free_symbols, key=str)
    functions = {name: getattr(mpmath.iv, name) for name in ("mpf", "sqrt", "exp", "log", "pi")}
    extremes = {"Min": _smallest, "Max": _largest}
    function = sympy.lambdify(symbols, expression, [functions | extremes, "mpmath"])
    with mpmath.workdps(DIGITS):
        mpmath.iv.dps = DIGITS
        found = mpmath.iv.mpf(function(*(mpmath.iv.mpf(values[str(symbol)]) for symbol in symbols)))
        top = mpmath.mpf(found.b)
        return math.nextafter(float(top), math.inf) if top else 0.0


def _smallest(*intervals: Any) -> Any:
    return mpmath.iv.mpf([min(i.a for i in intervals), min(i.b for i in intervals)])


def _largest(*intervals: Any) -> Any:
    return mpmath.iv.mpf([max(i.a for i in intervals), max(i.b for i in intervals)])
