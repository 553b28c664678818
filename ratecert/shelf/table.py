"""Records for a terminal: what is wrong first."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from ratecert.base.lists import Block, as_blocks, as_text
from ratecert.base.terminal import FOR_TABLES, coloured, columns, folded, style_of
from ratecert.base.words import CERTAINTY
from ratecert.shelf.record import Record, ratio_of, verdict_in_words

TITLE = "The library: published statements on trial"
CAPTION = (
    "measured/bound: at the witness of what is refuted, else the largest that was found\n"
    "on quadratics: something of it they cannot show; `ratecert library ID` says what"
)
TIGHT = {True: "yes", False: "no", None: ""}


def listed(records: Sequence[Record]) -> str:
    """As wide as the terminal, in colours where it has them."""
    width = columns()
    if width >= FOR_TABLES:
        return as_text(_table(records), width, colour=coloured())
    blocks = as_text(as_blocks(map(_block, records), width), width, colour=coloured())
    return f"{folded(TITLE)}\n{blocks}\n"


def _table(records: Sequence[Record]) -> Table:
    """One line for each statement and variant."""
    result = Table(title=TITLE, caption=CAPTION)
    for name in ("statement", "after", "verdict", "measured/bound", "tight", "findings"):
        right = name in ("measured/bound", "findings")
        result.add_column(name, justify="right" if right else "left", no_wrap=name != "verdict")
    for record in records:
        verdict = verdict_in_words(record)
        result.add_row(
            Text(name_of(record)),
            record["certainty"],
            Text(verdict, style=style_of(verdict)),
            ratio_of(record),
            TIGHT[record["tight"]],
            str(len(record["findings"]) or ""),
        )
    return result


def _block(record: Record) -> Block:
    findings = len(record["findings"])
    where = "measured/bound at the nearest world" if record["verdict"] == "not refuted" else "measured/bound"
    parts = (
        f"{where} {ratio_of(record)}" if record["ratio"] is not None else "",
        "tight" if record["tight"] else "",
        f"{findings} finding{'' if findings == 1 else 's'} of the linter" if findings else "",
    )
    lines = (CERTAINTY[record["certainty"]], ", ".join(filter(None, parts)))
    return Block(name_of(record), verdict_in_words(record), lines)


def name_of(record: Record) -> str:
    """Its id, and that it is a repair."""
    variant = "" if record["variant"] == "printed" else f" ({record['variant']})"
    return f"{record['id']}{variant}"
