"""Expressions in balls, at values that are rationals: the bound of a theorem, and whether a condition is met.

Letters are given as doubles, which are rationals, and stay rationals under +, -, * and /; what has no rational value,
a root or a power of many factors, is a ball around it, of as many bits as it takes.
"""

import math
import operator
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

import sympy
from flint import arb, fmpq
from sympy.printing.pycode import PythonCodePrinter

from ratecert.base.errors import UndecidedError
from ratecert.base.exact import around, ball, rational, working_precision
from ratecert.theory.language.letters import FUNCTIONS

BITS = 128  # to begin with, doubled up to MOST_BITS while a ball is too wide
MOST_BITS = 2048  # 600 digits: what cannot be told apart there is equal
NARROW = 2.0**-64  # relative width
MOST_TERMS = 10_000  # of a sum or a product
FEW_FACTORS = 64  # of a power that stays a rational
Exact = Any  # a rational, or a ball


def enclosed(expression: Any, values: Mapping[str, Any]) -> Exact:
    """Its value as a rational, or as a ball with the working precision; decimals in it are taken as doubles."""
    try:
        names, function = _compiled(sympy.sympify(expression))
        found = function(*(_exact(values[name]) for name in names))
    except (ArithmeticError, AttributeError, NameError, TypeError, ValueError) as error:
        raise UndecidedError(f"{expression} cannot be evaluated: {error}.") from error
    return found


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


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Python in which every number and every power is one of FLINT's."""

    def _print_Rational(self, expr: Any) -> str:
        return f"fmpq({expr.p}, {expr.q})"

    def _print_Float(self, expr: Any) -> str:
        return f"rational({float(expr)!r})"

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

    def _print_Pi(self, _: Any) -> str:
        return "arb.pi()"

    def _print_Exp1(self, _: Any) -> str:
        return "arb(1).exp()"

    _print_Integer = _print_One = _print_Zero = _print_NegativeOne = _print_Half = _print_Rational
    _print_exp = _print_log = _print_sin = _print_cos = _print_tan = _print_Function
    _print_sinh = _print_cosh = _print_tanh = _print_asin = _print_acos = _print_atan = _print_Function
    _print_erf = _print_gamma = _print_factorial = _print_Function


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


def _over(combine: Callable[[Exact, Exact], Exact], nothing: int) -> Callable[..., Exact]:
    """A sum or a product over an index, term by term."""

    def of(term: Callable[[Exact], Exact], first: Exact, last: Exact) -> Exact:
        if last - first > MOST_TERMS:
            raise ValueError(f"it has more than {MOST_TERMS} terms")
        return reduce(combine, (term(fmpq(i)) for i in range(int(first.p), int(last.p) + 1)), fmpq(nothing))

    return of


_NAMED: dict[str, Callable[..., Exact]] = {
    **{name: (lambda x, f=name: getattr(ball(x), f)()) for name in FUNCTIONS.split(", ")},  # or below
    "ceiling": lambda x: ball(x).ceil(),
    "sign": lambda x: ball(x).sgn(),
    "harmonic": lambda n: ball(n + 1).digamma() + arb.const_euler(),
    "factorial": lambda n: ball(n + 1).gamma(),
    "min": _extreme("min"),
    "max": _extreme("max"),
    "abs": abs,
    "sum": _over(operator.add, 0),
    "product": _over(operator.mul, 1),
}
_FUNCTIONS = {"fmpq": fmpq, "rational": rational, "arb": arb, "power": _power, **_NAMED}


@cache
def _compiled(expression: Any) -> tuple[list[str], Callable[..., Any]]:
    symbols = sorted(expression.free_symbols, key=str)
    function: Callable[..., Any] = sympy.lambdify(symbols, expression, [_FUNCTIONS], printer=_Printer)
    return [str(symbol) for symbol in symbols], function
