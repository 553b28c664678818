"""Expressions in fifty digits, at values that are doubles: where 1 - alpha mu cancels, where a condition
ends, and the upper end of a bound, in intervals."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import mpmath
import sympy

DIGITS = 50


def in_fifty_digits(expression: Any, values: Mapping[str, float]) -> Any:
    """A number of mpmath."""
    names, function = _compiled(sympy.sympify(expression))
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(function(*(mpmath.mpf(values[name]) for name in names)))


def rounded_down(expression: Any, values: Mapping[str, float]) -> float:
    """The largest double that is not above the expression: 1/L as a step may be above 1/L."""
    exact = in_fifty_digits(expression, values)
    near = float(exact)
    return math.nextafter(near, -math.inf) if mpmath.mpf(near) > exact else near


@cache
def _compiled(expression: Any) -> tuple[list[str], Callable[..., Any]]:
    symbols = sorted(expression.free_symbols, key=str)
    function: Callable[..., Any] = sympy.lambdify(symbols, expression, "mpmath")
    return [str(symbol) for symbol in symbols], function


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
