"""The notation as SymPy symbols. Every letter is positive: constants, steps and counts all are."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import sympy

from ratecert.base.errors import UserTypeError
from ratecert.theory.language.symbols import Symbol

PLAIN = (sympy.Symbol, sympy.Rational, sympy.Float, sympy.Add, sympy.Mul, sympy.Pow, sympy.Tuple)
# What has a value (theory/numbers/expressions.py), by its name in SymPy.
FUNCTIONS = (
    "abs, acos, asin, atan, ceiling, cos, cosh, erf, exp, factorial, floor, gamma, harmonic, log, max, min, product, "
    "sign, sin, sinh, sum, tan, tanh"
)


def letter(name: str, *, matrix: bool = False) -> Any:
    """Make the SymPy symbol of a name; matrices do not commute, so that products keep their printed order."""
    if not isinstance(name, str) or not name:
        raise UserTypeError(f"the name of a letter must be a text such as 'eta', got {name!r:.60}.")
    if matrix:
        return sympy.Symbol(name, commutative=False)
    return sympy.Symbol(name, positive=True)


def letters(names: str) -> tuple[Any, ...]:
    """Make the SymPy symbols of several names, separated by blanks."""
    if not isinstance(names, str):
        raise UserTypeError(f"names must be a text such as 'K T eta', got {names!r:.60}.")
    return tuple(letter(name) for name in names.split())


def require_enclosable(what: str, expression: Any) -> None:
    """Refuse what has no value in balls: lists and relations, infinity, a function that nobody evaluates."""
    strange = [*_strange(expression)] if isinstance(expression, sympy.Expr) else [expression]
    if strange:
        raise UserTypeError(
            f"{what} must be a real number made of letters, numbers, +, -, *, /, powers and "
            f"{FUNCTIONS}, got {strange[0]!s:.60}."
        )


def _strange(expression: Any) -> Iterator[Any]:
    """The parts that have no value, the innermost first."""
    for each in expression.args:
        yield from _strange(each)
    plain = expression in (sympy.pi, sympy.E) or isinstance(expression, PLAIN)
    indices = len(getattr(expression, "limits", [0]))  # of a sum or a product
    if not plain and (type(expression).__name__.lower() not in FUNCTIONS.split(", ") or indices > 1):
        yield expression


def names_of(*expressions: Any) -> set[str]:
    """The names of the symbols that occur free."""
    return set().union(*(_names(sympy.sympify(expression)) for expression in expressions))


@cache
def _names(expression: Any) -> frozenset[str]:
    """SymPy walks the whole expression, and evaluations ask for the same ones again and again."""
    return frozenset(symbol.name for symbol in expression.free_symbols)


def latex_names(notation: Mapping[str, Symbol], expressions: Iterable[Any]) -> dict[Any, str]:
    """How SymPy's LaTeX printer is to write each symbol."""
    symbols = {symbol for e in expressions for symbol in sympy.sympify(e).free_symbols}
    return {s: notation[s.name].latex for s in symbols if s.name in notation}
