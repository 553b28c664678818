"""Formulas of letters as a user writes them: sums stay in their order, and comparisons are recorded, not decided.

SymPy's own symbols decide: of positive ones `gamma == 1/L` is False, `beta >= 0` is True and vanishes, and of
`0 < gamma <= 1/L` Python keeps the second half alone. So letters are no symbols of SymPy; what is built of them is.
"""

import linecache
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, NoReturn

import sympy

from ratecert.base.errors import UserError, UserTypeError
from ratecert.solvers.contract.measures import Measure

# Modules whose lines are not the user's.
OURS = ("ratecert.short", "ratecert.api", "ratecert.base", "sympy", "functools")


@dataclass(frozen=True)
class Place:
    """A line of a user's file, or of a notebook's cell."""

    file: str
    line: int
    module: str

    @property
    def where(self) -> str:
        """The file and the number of the line."""
        return (
            f"{Path(self.file).name}, line {self.line}" if self.file.endswith(".py") else f"line {self.line}"
        )

    @property
    def variable(self) -> str:
        """What the line assigns to; empty where it assigns nothing."""
        name, equals, _ = linecache.getline(self.file, self.line).partition(" = ")
        return name if equals and name.isidentifier() else ""

    def __str__(self) -> str:
        text = linecache.getline(self.file, self.line).strip()
        return f"{self.where}: {text}" if text else self.where


def _frame() -> Any:
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__", "")).startswith(OURS):
        frame = frame.f_back
    return frame


def place() -> Place:
    """The line of the user's that called."""
    frame = _frame()
    return Place(frame.f_code.co_filename, frame.f_lineno, str(frame.f_globals.get("__name__", "")))


def scope() -> dict[str, Any]:
    """What the user's calling line has by name."""
    frame = _frame()
    return {**frame.f_globals, **frame.f_locals}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two formulas and the sign between them: a condition, if it is given to a theorem."""

    left: "Formula"
    relation: str
    right: "Formula"
    place: Place

    def __repr__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"

    def __bool__(self) -> NoReturn:
        raise UserError(
            f"{self.place}: Python asks whether {self} is true, and comparisons of letters are recorded, not decided; "
            f"of a chain such as 0 < gamma <= 1/L, and of `and`, it would keep one half: write several conditions, "
            f"where=[0 < gamma, gamma <= 1/L]; for min and max write rc.Min and rc.Max."
        )


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The letters of two formulas, each with one meaning."""
    for name, each in other.items():
        if (old := one.get(name, each)).symbol != each.symbol:
            raise UserError(
                f"{each.place}: {name} means {each.symbol.meaning!r} here, and {old.symbol.meaning!r} in "
                f"{old.place}; give one of them another name."
            )
    return {**one, **other}


def _compared(relation: str) -> Callable[["Formula", Any], Any]:
    return _with_formula(lambda a, b: Comparison(a, relation, b, place()))


def _combined(operation: Callable[[Any, Any], Any], *, swapped: bool = False) -> Callable[[Any, Any], Any]:
    return _with_formula(
        lambda a, b: Formula(operation(a.value, b.value), merged(a.letters, b.letters)), swapped=swapped
    )


def _added(sign: int, *, swapped: bool = False) -> Callable[[Any, Any], Any]:
    """Summands stay in the order in which they were written, each a term of a bound."""

    def add(a: "Formula", b: "Formula") -> "Formula":
        terms = (*a.terms, *(sign * term for term in b.terms))
        return Formula(a.value + sign * b.value, merged(a.letters, b.letters), terms)

    return _with_formula(add, swapped=swapped)


def _with_formula(
    operation: Callable[["Formula", "Formula"], Any], *, swapped: bool = False
) -> Callable[[Any, Any], Any]:
    """An operator of a formula and of whatever is one, too."""

    def operator(self: "Formula", given: Any) -> Any:
        other = formula(given)
        if other is None:
            return NotImplemented
        return operation(other, self) if swapped else operation(self, other)

    return operator


@dataclass(eq=False, repr=False)
class Formula:
    """A formula of letters, with what the letters mean; functions of SymPy take it, and so do measures as a factor."""

    value: Any  # SymPy's
    letters: Mapping[str, Any]  # name -> Letter, as far as they are known
    terms: tuple[Any, ...] = ()  # a sum's summands, as they were written
    of: Any = None  # Min or Max
    clauses: tuple[Any, ...] = ()  # theirs

    _op_priority = 1e9  # SymPy leaves arithmetic with it to it
    in_letters = True  # for measures, of which it may be a factor

    def __post_init__(self) -> None:
        if self.value in (sympy.zoo, sympy.nan):
            raise UserError(f"{place()}: a formula divides by zero.")
        self.terms, self.clauses = self.terms or (self.value,), self.clauses or (self.value,)

    def __repr__(self) -> str:
        return str(self.value)

    def _sympy_(self) -> Any:
        return self.value

    __le__, __lt__, __ge__, __gt__ = map(_compared, ("<=", "<", ">=", ">"))
    __add__, __radd__ = _added(1), _added(1, swapped=True)
    __sub__, __rsub__ = _added(-1), _added(-1, swapped=True)
    __rmul__ = _combined(lambda a, b: a * b, swapped=True)
    __truediv__ = _combined(lambda a, b: a / b)
    __rtruediv__ = _combined(lambda a, b: a / b, swapped=True)
    __pow__ = _combined(lambda a, b: a**b)
    __rpow__ = _combined(lambda a, b: a**b, swapped=True)

    def __mul__(self, other: Any) -> Any:
        return other * self if isinstance(other, Measure) else _TIMES(self, other)

    def __abs__(self) -> "Formula":
        return Formula(abs(self.value), self.letters)

    def _no_number(self, *_: Any) -> NoReturn:
        raise UserTypeError(
            f"{place()}: functions of math and numpy want numbers, and {self} is a formula; take SymPy's, such as "
            f"`from sympy import sqrt`."
        )

    __float__ = __ceil__ = __floor__ = sqrt = log = exp = _no_number

    def __neg__(self) -> "Formula":
        return Formula(-self.value, self.letters, tuple(-term for term in self.terms))

    def __eq__(self, other: object) -> Any:
        raise UserError(
            f"{place()}: == asks whether two formulas are the same, and letters are recorded, not decided; write "
            f"rc.equal({self}, {other})."
        )

    __ne__ = __eq__
    __hash__ = object.__hash__


_TIMES = _combined(lambda a, b: a * b)


def formula(given: Any) -> Formula | None:
    """A number or an expression of SymPy as a formula; 0.1 is a tenth. None where it is neither."""
    match given:
        case Formula():
            return given
        case bool():
            return None
        case float() if not math.isfinite(given):
            raise UserError(f"{place()}: a formula has no {given}; leave out what says nothing.")
        case float():
            return Formula(sympy.Rational(str(given)), {})
        case sympy.Min() | sympy.Max():
            return Formula(given, {}, of=given.func, clauses=given.args)
        case int() | sympy.Expr():
            return Formula(sympy.sympify(given), {})
    return None


def require(what: str, given: Any, fits: Any, wanted: str) -> None:
    """Refuse what does not fit, in one sentence with the user's line."""
    if not fits:
        raise UserTypeError(f"{place()}: {what} must be {wanted}, got {given!r:.60}.")


def require_formula(what: str, given: Any) -> Formula:
    """A formula, or the refusal of what is none."""
    found = formula(given)
    require(what, given, found is not None, "a formula of letters, such as 2 * L * gamma")
    assert found is not None
    return found


def equal(left: Any, right: Any) -> Comparison:
    """Record that two formulas are equal, as a condition: Python's own == would compare them as they are written.

    >>> import ratecert as rc
    >>> gamma, L, mu = rc.letters("gamma L mu")
    >>> rc.equal(gamma, 2 / (L + mu))
    gamma = 2/(L + mu)
    """
    return Comparison(require_formula("left", left), "=", require_formula("right", right), place())


def _extreme(of: type, given: tuple[Any, ...]) -> Formula:
    parts = [require_formula(f"an argument of {of.__name__}", each) for each in given]
    letters: Mapping[str, Any] = reduce(merged, (part.letters for part in parts))
    values = tuple(part.value for part in parts)
    return Formula(of(*values, evaluate=False), letters, of=of, clauses=values)


def Min(*formulas: Any) -> Formula:
    """Make the smallest of several formulas, which stay in their order; SymPy's own Min sorts them.

    >>> import ratecert as rc
    >>> gamma, L, mu = rc.letters("gamma L mu")
    >>> gamma <= rc.Min(1 / (2 * L), 1 / mu)
    gamma <= Min(1/(2*L), 1/mu)
    """
    return _extreme(sympy.Min, formulas)


def Max(*formulas: Any) -> Formula:
    """Make the largest of several formulas, which stay in their order; SymPy's own Max sorts them.

    >>> import ratecert as rc
    >>> p, L, mu = rc.letters("p L mu")
    >>> p >= rc.Max(L / mu, 2)
    p >= Max(2, L/mu)
    """
    return _extreme(sympy.Max, formulas)
