"""Notation: one symbol, one name, everywhere.

A paper has its own tables, because papers reuse letters. Units are written in the units of the problem: `x` is a
length, `f` a value of the objective, so that a gradient has the units `f x^-1`. A symbol without units has none given:
they follow from its definition or from the updates in which it occurs.
"""

from dataclasses import dataclass
from fractions import Fraction

from ratecert.base.errors import UserTypeError


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
        if not isinstance(row, Symbol):
            raise UserTypeError(f"a table takes Symbols, one after the other, got {row!r:.60}.")
    return {row.name: row for row in rows}


def read_units(text: str) -> dict[str, Fraction]:
    """The exponents in a product such as "f x^-1"; "1" has none."""
    powers = (factor.partition("^") for factor in text.split() if factor != "1")
    return {base: Fraction(exponent or 1) for base, _, exponent in powers}
