"""What `ratecert verify` found, for a terminal: a table, or one block for each claim where it is narrow."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from ratecert.base.lists import Block, as_blocks, as_text
from ratecert.base.terminal import FOR_TABLES, coloured, columns, style_of
from ratecert.claims.check import in_words
from ratecert.report.results import decided_by

TITLE = "Claims and what was found"
LEGEND = "* not what was expected"
Entry = Mapping[str, Any]


def shown(entries: Sequence[Entry]) -> str:
    """As wide as the terminal, in colours where it has them; the legend only where there is a star."""
    width = columns()
    if width >= FOR_TABLES:
        return as_text(_table(entries), width, colour=coloured())
    listed = as_blocks(map(_block, entries), width).append("\n")
    if any(map(_mark, entries)):
        listed.append(f"{LEGEND}\n")
    return f"{TITLE}\n\n{as_text(listed, width, colour=coloured())}"


def _table(entries: Sequence[Entry]) -> Table:
    result = Table(title=TITLE, caption=LEGEND if any(map(_mark, entries)) else None)
    for name in ("claim", "verdict", "measured", "", "predicted", "±", "decided by"):
        right = name in ("measured", "predicted", "±")
        long = name in ("claim", "decided by")
        result.add_column(name, justify="right" if right else "left", no_wrap=not long, overflow="fold")
    for e in entries:
        verdict = Text(in_words(e) + _mark(e), style=style_of(in_words(e)))
        numbers = (_number(e["measured"]), e["relation"] or "", _number(e["predicted"]))
        result.add_row(Text(e["id"]), verdict, *numbers, _number(e["uncertainty"]), Text(decided_by(e)))
    return result


def _block(entry: Entry) -> Block:
    measured = _number(entry["measured"])
    width = f" ± {_number(entry['uncertainty'])}" if entry["uncertainty"] else ""
    numbers = f"measured {measured}{width}, predicted {entry['relation']} {_number(entry['predicted'])}"
    lines = (decided_by(entry), numbers if measured else "")
    return Block(entry["id"], in_words(entry), lines, _mark(entry))


def _mark(entry: Entry) -> str:
    return "" if entry["verdict"] == entry["expected"] else " *"


def _number(value: float | None, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}g}"
