"""Expressions in balls, at values that are rationals: the bound of a theorem, and whether a condition is met.

Letters are given as doubles, which are rationals, and stay rationals under +, -, * and /; what has no rational value,
a root or a power of many factors, is a ball around it, of as many bits as it takes.
"""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, fmpq

from ratecert.base.errors import UndecidedError
from ratecert.base.exact import around, ball, rational, working_precision
from ratecert.theory.notation import FUNCTIONS
from ratecert.theory.numbers.expressions import Arithmetic, evaluated, over

BITS = 128  # to begin with, doubled up to MOST_BITS while a ball is too wide
MOST_BITS = 2048  # 600 digits: what cannot be told apart there is equal
NARROW = 2.0**-64  # relative width
FEW_FACTORS = 64  # of a power that stays a rational
Exact = Any  # a rational, or a ball


def enclosed(expression: Any, values: Mapping[str, Any]) -> Exact:
    """Its value as a rational, or as a ball with the working precision; decimals in it are taken as doubles."""
    try:
        return evaluated(expression, values, BALLS)
    except (ArithmeticError, AttributeError, NameError, TypeError, ValueError) as error:
        raise UndecidedError(f"{expression} cannot be evaluated: {error}.") from error


def refined(compute: Callable[[], Exact]) -> Exact:
    """What is computed with as many bits as make it narrow, or with the most."""
    bits = BITS
    while True:
        with working_precision(bits):
            found = compute()
        if not isinstance(found, arb) or bits >= MOST_BITS or found.rad() <= NARROW * abs(found.mid()):
            return found
        bits *= 2


def in_full(expression: Any, values: Mapping[str, Any]) -> float:
    """The nearest double, also near the edge of the conditions, where a factor such as 2 - L gamma cancels."""
    found = refined(lambda: enclosed(expression, values))
    low, high = ends(found)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise UndecidedError(f"{expression} cannot be evaluated in floating point: it is {high}.")
    with working_precision(BITS):
        middle = ball(found).mid()
        return high if middle - low > high - middle else low


def ends(value: Exact) -> tuple[float, float]:
    """Two doubles with the value between them."""
    with working_precision(BITS):
        return around(ball(value))


def upper_end(expression: Any, values: Mapping[str, Any]) -> float:
    """A double that the expression is at most."""
    return ends(refined(lambda: enclosed(expression, values)))[1]


def holds(relation: str, left: Callable[[], Exact], right: Callable[[], Exact]) -> bool:
    """Whether left `relation` right, decided in balls of more and more bits; what overlaps in the end is equal."""
    bits = BITS
    while True:
        with working_precision(bits):
            a, b = left(), right()
            if a < b or a > b:
                return bool({"<": a < b, "<=": a < b, ">": a > b, ">=": a > b, "=": False}[relation])
            if bits >= MOST_BITS or (a <= b and a >= b):
                return relation in ("<=", ">=", "=")
        bits *= 2


def _exact(value: Any) -> Exact:
    return value if isinstance(value, arb | fmpq) else rational(value)


def _power(base: Exact, exponent: Exact) -> Exact:
    whole = isinstance(exponent, fmpq) and exponent.q == 1
    if whole and abs(exponent) <= FEW_FACTORS:
        return base ** int(exponent.p)
    if isinstance(exponent, fmpq) and exponent == fmpq(1, 2):
        return _root(base)
    return ball(base) ** ball(exponent)


def _root(value: Exact) -> Exact:
    if isinstance(value, fmpq) and value > 0:
        p, q = math.isqrt(int(value.p)), math.isqrt(int(value.q))
        if p * p == value.p and q * q == value.q:
            return fmpq(p, q)
    return ball(value).sqrt() if value != 0 else fmpq(0)


def _extreme(choose: str) -> Callable[..., Exact]:
    """Min or Max: of rationals one of them, else a ball around it."""

    def of(first: Exact, *others: Exact) -> Exact:
        for other in others:
            if isinstance(first, fmpq) and isinstance(other, fmpq):
                first = min(first, other) if choose == "min" else max(first, other)
            else:
                first = getattr(ball(first), choose)(ball(other))
        return first

    return of


BALLS = Arithmetic(
    {
        **{name: (lambda x, f=name: getattr(ball(x), f)()) for name in FUNCTIONS.split(", ")},  # or below
        "ceiling": lambda x: ball(x).ceil(),
        "sign": lambda x: ball(x).sgn(),
        "harmonic": lambda n: ball(n + 1).digamma() + arb.const_euler(),
        "factorial": lambda n: ball(n + 1).gamma(),
        "min": _extreme("min"),
        "max": _extreme("max"),
        "abs": abs,
        "value": _exact,
        "ratio": fmpq,
        "decimal": rational,
        "power": _power,
        "pi": arb.pi,
        "e": lambda: arb(1).exp(),
        "sum": over(operator.add, fmpq, 0),
        "product": over(operator.mul, fmpq, 1),
    }
)
