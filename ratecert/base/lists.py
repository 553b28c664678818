"""Lists as text: tables for terminals and files, and blocks for a terminal that is too narrow for a table.

A block stands for a row, and nothing is cut:

theorem-1.printed-G: proved false
  measured 16.37, more than 1 allowed
  measured/bound, f small, T = 2^20
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from textwrap import wrap
from typing import Literal

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ratecert.base.terminal import FOR_TABLES, coloured, columns, folded, style_of

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


def as_list(
    title: str,
    names: Sequence[str],
    rows: Sequence[tuple[Block, Sequence[str]]],
    *,
    right: Collection[str] = (),
    folds: Collection[str] = (),
    caption: str = "",
    legend: str = "",
) -> str:
    """A table as wide as the terminal or, where that is narrow, a block for each row; in colours where it has them.

    names    of the columns; those in `right` stand on the right, and the cells of those in `folds` may take more lines
    rows     a block, and the cells beside one another, one of which is its verdict
    caption  below a table
    legend   below either
    """
    width, colour = columns(), coloured()
    if width < FOR_TABLES:
        blocks = as_text(as_blocks((block for block, _ in rows), width), width, colour=colour)
        return f"{folded(title)}\n{blocks}\n" + (f"{legend}\n" if legend else "")
    table = Table(title=title, caption="\n".join(filter(None, (caption, legend))) or None)
    for name in names:
        side: Literal["left", "right"] = "right" if name in right else "left"
        table.add_column(name, justify=side, no_wrap=name not in folds, overflow="fold")
    for block, cells in rows:
        verdict = block.verdict + block.mark
        table.add_row(*(Text(cell, style=style_of(cell) if cell == verdict else "") for cell in cells))
    return as_text(table, width, colour=colour)


BEYOND = 1e300  # stands for infinity in data, since JSON has none: the ratio to a bound of zero


def as_number(value: float | None, digits: int = 6) -> str:
    """In some digits; nothing where there is none, and the sign of infinity for what stands for it.

    >>> as_number(0.12345678, 4), as_number(1e300), as_number(None)
    ('0.1235', '∞', '')
    """
    if value is None:
        return ""
    return "∞" if value >= BEYOND else f"{value:.{digits}g}"


def as_ratio(value: float | None, digits: int = 5, *, attained: bool = True) -> str:
    """In some digits; where 1 is exceeded, or is not attained, no rounding says that it is 1.

    >>> as_ratio(0.999997), as_ratio(0.999997, attained=False), as_ratio(1.000003), as_ratio(0.5)
    ('1', '1 - 3e-06', '1 + 3e-06', '0.5')
    """
    text = as_number(value, digits)
    if value is None:
        return text
    if text == "1" and value > 1:
        return f"1 + {value - 1:.1g}"
    return f"1 - {1 - value:.1g}" if text == "1" and value < 1 and not attained else text
