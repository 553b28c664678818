"""A list for a terminal that is too narrow for a table: one block for each row, and nothing is cut.

theorem-1.printed-G: proved false
  measured 16.37 <= 1
  measured/bound, f small, T = 2^20
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.text import Text

from ratecert.output.screen import style_of

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
