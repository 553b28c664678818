"""Lines of a proof, run as they are written: what a line says is known before the next one is."""

import re
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ratecert.base.errors import NotExactError
from ratecert.proofs.writing import fraction

WIDTH = 118
MOST_BITS = 14000
NUMBER, LITERAL = re.compile(r"\b\d"), re.compile(r"Fraction\([^()]*\)")
KEPT = "\0"  # a blank at which no line ends


class Script:
    """The names so far, and the lines of the part that is being written; `many`: of several devices."""

    def __init__(self, *, many: bool) -> None:
        self.names: dict[str, Any] = {"Fraction": Fraction}
        self.lines: list[str] = []
        self.said: set[str] = set()
        usual = dict.fromkeys(("roots", "outward", "forms"), True) | dict.fromkeys(
            ("several", "changing"), False
        )
        exec(page("kit.py.jinja", many=many, **usual), self.names)

    def follow(self, **how: bool) -> None:
        """Let moments start with several fields, or go through steps that change."""
        exec(page("moments.py.jinja", **how), self.names)

    def line(self, text: str) -> None:
        """Run it, and keep it; what it refuses is a reason not to have this proof."""
        try:
            exec(text, self.names)
        except (AssertionError, ArithmeticError, TypeError, ValueError) as error:
            raise NotExactError(f"{error}") from error
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
            raise NotExactError(f"{text} has no exact value there: {error}") from error

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
    """A long line of code: blanks behind its first bracket are where it may be broken."""
    start = line.find("(")
    if "  # " in line or start < 0:
        return line
    whole = line[:start].replace(" ", KEPT) + line[start:]
    return fill(
        whole, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ).replace(KEPT, " ")
