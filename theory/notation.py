"""Notation: one symbol, one name, everywhere. The table of a paper, and its letters as SymPy symbols.

A paper has its own tables, because papers reuse letters. Units are written in the units of the problem: `x` is a
length, `f` a value of the objective, so that a gradient has the units `f x^-1`. A symbol without units has none given:
they follow from its definition or from the updates in which it occurs. Every letter is positive: constants, steps and
counts all are.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy

from ratecert.base.errors import UserTypeError
from ratecert.base.validation import require_type


@dataclass(frozen=True)
class Symbol:
    """A symbol of a paper: its name in code, its look, its meaning and its units."""

    name: str  # as it is written in code
    latex: str  # as it is printed
    meaning: str
    units: str | None = None  # "1", "f", "f x^-1", ...; None: to be derived
    least: int | None = None  # a whole number, at least this
    ours: bool = False  # not a symbol of the paper: repaired statements need it
    text: str | None = None  # in a terminal, where the name would read badly


def table(*rows: Symbol) -> dict[str, Symbol]:
    """List symbols by their names, as the notation of a Paper."""
    for row in rows:
        require_type("every argument of table", row, Symbol, "a Symbol")
    return {row.name: row for row in rows}


def read_units(text: str) -> dict[str, Fraction]:
    """The exponents in a product such as "f x^-1"; "1" has none."""
    powers = (factor.partition("^") for factor in text.split() if factor != "1")
    return {base: Fraction(exponent or 1) for base, _, exponent in powers}


PLAIN = (sympy.Symbol, sympy.Rational, sympy.Float, sympy.Add, sympy.Mul, sympy.Pow, sympy.Tuple)
# What has a value (theory/numbers/expressions.py), by its name in SymPy.
FUNCTIONS = (
    "abs, acos, asin, atan, ceiling, cos, cosh, erf, exp, factorial, floor, gamma, harmonic, log, max, min, product, "
    "sign, sin, sinh, sum, tan, tanh"
)


def letter(name: str, *, matrix: bool = False) -> Any:
    """Make the SymPy symbol of a name; matrices do not commute, so that products keep their printed order."""
    require_type("the name of a letter", name, str, "a text such as 'eta'")
    return sympy.Symbol(name, commutative=False) if matrix else sympy.Symbol(name, positive=True)


def letters(names: str) -> tuple[Any, ...]:
    """Make the SymPy symbols of several names, separated by blanks."""
    require_type("names", names, str, "a text such as 'K T eta'")
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
