"""Lines of a proof, run as they are written: what a line says is known before the next one is.

Every letter holds a Fraction, so that no division of two whole numbers is ever rounded. The power of a letter that
happens to be 1 is written as a product: an exponent there could be edited without a difference, and a proof is to fail
when any number in it is edited.
"""

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from ratecert.base.errors import NotExactError, RatecertError
from ratecert.base.exact import is_exact
from ratecert.base.own_code import own_lines

WIDTH = 118
MOST_BITS = 14000
SMALL_PRIMES = (2, 3, 5, 7, 29)
SHORT = 8  # digits that are easily read
NUMBER, LITERAL = re.compile(r"\b\d"), re.compile(r"Fraction\([^()]*\)")
TEXT, BLANK = re.compile(r'"[^"]*"'), "\0"  # a blank at which no line ends


WHY = {  # what exceptions of Python and of the libraries of numbers say where no fraction can be had
    r"unsupported operand|cannot create|can't convert": "it mixes fractions with doubles",
    r"[Cc]annot convert expression to (float|int)|must be real number": "it asks for the double of a letter",
    r"truth value of Relational": "it decides by the size of a letter",
    r"not a square|not a perfect|(attribute '|callable )(sqrt|cbrt)": "it takes a root that is no fraction there",
    r"not supported between instances": "it compares a root that is no fraction, and is known between two alone",
    r"has no attribute '\w+'": "it uses what such a proof does not have",
}


def not_written(what: str, error: Exception) -> NotExactError:
    """Says what cannot be written in fractions, in which line of the user's, and why: in no words of Python."""
    if isinstance(error, RatecertError | AssertionError):
        why = str(error).rstrip(".")
    else:
        found = (sentence for pattern, sentence in WHY.items() if re.search(pattern, str(error)))
        why = next(found, "it leaves the numbers that such a proof has")
    lines = own_lines(error)
    return NotExactError(f"{what} cannot be written in fractions{f' ({lines[-1]})' if lines else ''}: {why}")


class Script:
    """The names so far, and the lines of the part that is being written; `many`: of several devices."""

    def __init__(self, *, many: bool) -> None:
        self.names: dict[str, Any] = {"Fraction": Fraction}
        self.lines: list[str] = []
        self.said: set[str] = set()
        every = {"roots": True, "outward": True, "several": False, "changing": False}
        exec(page("kit.py.jinja", many=many, **every), self.names)

    def follow(self, **how: bool) -> None:
        """Let moments start with several fields, or go through steps that change."""
        exec(page("moments.py.jinja", **how), self.names)

    def line(self, text: str) -> None:
        """Run it, and keep it; what it refuses is a reason not to have this proof."""
        try:
            exec(text, self.names)
        except AssertionError as error:
            raise NotExactError(f"{error}") from error
        except (ArithmeticError, TypeError, ValueError) as error:
            raise not_written(f"the line {text!r:.80}", error) from error
        self.lines.append(folded(text) if "\n" not in text else text)

    def once(self, text: str) -> None:
        """A line, unless the proof has it."""
        if text not in self.said:
            self.line(text)
            self.said.add(text)

    def value(self, text: str) -> Any:
        try:
            return eval(text, self.names)
        except (AssertionError, ArithmeticError, TypeError, ValueError) as error:
            raise not_written(text, error) from error

    def set(self, name: str, value: Fraction, why: str = "") -> None:
        self.line(f"{name} = {_written(value)}" + (f"  # {why}" if why else ""))

    def assign(self, name: str, text: str) -> None:
        """What a formula with numbers in it comes to is said, too, where it is a fraction."""
        self.line(f"{name} = {text}")
        value = self.names[name]
        if isinstance(value, int | Fraction) and NUMBER.search(text) and not LITERAL.fullmatch(text):
            self.line(f'require({name} == {_written(Fraction(value))}, "{name}")')

    def compared(self, how: str, sentence: str, left: str, right: str) -> None:
        """at_most or below, with the room that there is."""
        room = self.value(f"low({right} - ({left}))")
        self.line(f'{how}("{sentence}", {left}, {right}, {_written(Fraction(room))})')

    def drop(self, name: str) -> bool:
        """Leave the lines out that give this name, where no other line of the part has it; whether there were such."""
        own = [line for line in self.lines if line.startswith(f"{name} = ") or line.endswith(f', "{name}")')]
        others = [line for line in self.lines if line not in own]
        if any(re.search(rf"\b{name}\b", line) for line in others):
            return False
        self.lines = others
        del self.names[name]
        return True

    def part(self) -> list[str]:
        """The lines since the last part."""
        lines, self.lines = self.lines, []
        return lines


def _written(value: Fraction) -> str:
    """Python reads no number of more than 4300 digits."""
    if max(abs(value.numerator), value.denominator).bit_length() > MOST_BITS:
        raise NotExactError("a number of the proof has thousands of digits")
    return fraction(value)


def page(name: str, **context: Any) -> str:
    """A page of this folder, filled in."""
    folder = FileSystemLoader(Path(__file__).parent / "pages")
    environment = Environment(
        loader=folder, undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True
    )
    return environment.get_template(name).render(context)


def folded(line: str, indent: str = "    ") -> str:
    """A long line of code: blanks behind its first bracket, but in texts, are where it may be broken."""
    start = line.find("(")
    if "  # " in line or start < 0:
        return line
    whole = line[:start].replace(" ", BLANK) + TEXT.sub(
        lambda each: each[0].replace(" ", BLANK), line[start:]
    )
    return fill(
        whole, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ).replace(BLANK, " ")


def exact(name: str, value: Any) -> Fraction:
    """The fraction that is written: of a double, the decimal that it is printed as; inf and lists are none."""
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(repr(value))
    raise NotExactError(f"{name} has to be a fraction, got {value!r}")


def number(what: str, value: Any) -> Fraction:
    """A number that functions of a paper have made: exact, or a double that is written with few digits."""
    if is_exact(value):
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, float) and float(f"{value:.{SHORT}g}") != value:
        raise NotExactError(f"{what} = {value} is computed in doubles")
    return exact(what, value)


class PythonWriter(StrPrinter):  # type: ignore[misc]
    """SymPy to Python in fractions."""

    def __init__(self, values: Mapping[str, Fraction]) -> None:
        super().__init__({"order": "none"})
        self.values = values

    def _print_Rational(self, value: Any) -> str:
        return f"Fraction({value.p}, {value.q})"

    def _print_Max(self, value: Any) -> str:
        return f"max({', '.join(self._print(a) for a in value.args)})"

    def _print_Pow(self, value: Any, rational: bool = False) -> str:
        base, exponent = value.base, value.exp
        if exponent.is_Integer and exponent < 0:
            return f"1/{self.parenthesize(base**-exponent, PRECEDENCE['Pow'])}"
        written = self.parenthesize(base, PRECEDENCE["Pow"])
        if exponent.is_Integer and base.is_Symbol and self.values.get(base.name) == 1:
            return f"({'*'.join([written] * int(exponent))})"
        return f"{written}**{self.parenthesize(exponent, PRECEDENCE['Pow'])}"


def fraction(value: Fraction) -> str:
    """A fraction as Python."""
    if value.denominator == 1:
        return f"Fraction({_whole(value.numerator)})"
    return f"Fraction({_whole(value.numerator)}, {_whole(value.denominator)})"


def _whole(n: int) -> str:
    """A long whole number, with its small factors as powers where that makes it shorter."""
    plain, rest, factors = str(n), abs(n), []
    for base in (10, *SMALL_PRIMES):
        power = 0
        while rest % base == 0 and n:
            rest, power = rest // base, power + 1
        factors += [f"{base}**{power}" if power > 1 else str(base)] if power else []
    product = ("-" if n < 0 else "") + "*".join(([str(rest)] if rest != 1 or not factors else []) + factors)
    return product if len(plain) > SHORT and len(product) < len(plain) else plain
