"""Lists as text: tables for terminals, files and pages, and blocks for a terminal that is too narrow for a table.

A block stands for a row, and nothing is cut:

theorem-1.printed-G: proved false
  measured 16.37 <= 1
  measured/bound, f small, T = 2^20
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from textwrap import wrap

from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

from ratecert.base.terminal import style_of

BAR = r"(?<!\\)\|"


@dataclass(frozen=True)
class Grid:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_rich(self) -> Table:
        table = Table(*(Column(name, overflow="fold") for name in self.columns), title=self.title)
        for row in self.rows:
            table.add_row(*row)
        return table

    def as_markdown(self) -> str:
        """A bar inside a cell would end it, unless it is escaped: it becomes a slash."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return "".join(f"| {' | '.join(re.sub(BAR, '/', cell) for cell in line)} |\n" for line in lines)


INDENT = "  "


@dataclass(frozen=True)
class Block:
    """A name with its verdict, and what else there is to say, line by line."""

    name: str
    verdict: str
    lines: Sequence[str] = ()
    mark: str = ""  # after the verdict


def as_blocks(blocks: Iterable[Block], width: int) -> Text:
    """The blocks below one another, every line within the width."""
    shown = Text()
    for block in blocks:
        shown.append_text(_head(block, width))
        for line in filter(None, block.lines):
            shown.append("".join(f"{part}\n" for part in _folded(line, width)))
    shown.rstrip()
    return shown


def _head(block: Block, width: int) -> Text:
    """Name and verdict in one line where both fit, else below one another."""
    verdict = block.verdict + block.mark
    together = len(block.name) + len(": ") + len(verdict) <= width
    head = Text()
    if together:
        head.append(f"{block.name}: ", style="bold")
    else:
        head.append("".join(f"{part}\n" for part in wrap(block.name, width)), style="bold")
    for part in [verdict] if together else _folded(verdict, width):
        head.append(part, style=style_of(block.verdict)).append("\n")
    return head


def _folded(line: str, width: int) -> list[str]:
    return wrap(line, width, initial_indent=INDENT, subsequent_indent=2 * INDENT)


WIDTH = 80


def as_text(shown: RenderableType, width: int = WIDTH, *, colour: bool = False) -> str:
    """The table without blanks at the ends of lines, every line ends with a newline; without colours unless asked."""
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        color_system="standard" if colour else None,
        force_terminal=colour,
        force_jupyter=False,
        legacy_windows=False,
        no_color=not colour,
        highlight=False,
    )
    console.print(shown)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


BEYOND = 1e300  # a ratio that stands for a bound of zero


def as_ratio(value: float | None, digits: int = 5, *, attained: bool = True) -> str:
    """In some digits; where 1 is exceeded, or is not attained, no rounding says that it is 1.

    >>> as_ratio(0.999997), as_ratio(0.999997, attained=False), as_ratio(1.000003), as_ratio(0.5)
    ('1', '1 - 3e-06', '1 + 3e-06', '0.5')
    """
    if value is None:
        return ""
    if value >= BEYOND:
        return "∞"
    text = f"{value:.{digits}g}"
    if text == "1" and value > 1:
        return f"1 + {value - 1:.1g}"
    return f"1 - {1 - value:.1g}" if text == "1" and value < 1 and not attained else text
