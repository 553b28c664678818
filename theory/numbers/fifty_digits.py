"""Expressions in fifty digits, at values that are doubles: where 1 - alpha mu cancels, and where a condition ends."""

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
