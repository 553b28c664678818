"""All that is kept of a few statements, for a terminal of any width."""

from collections.abc import Iterator, Sequence

from ratecert.base.lists import Block, as_blocks, as_text
from ratecert.base.terminal import coloured, columns
from ratecert.catalogue.find import paper, split
from ratecert.shelf.letters import in_letters
from ratecert.shelf.record import Record, ratio_of, verdict_in_words
from ratecert.shelf.table import name_of
from ratecert.theory.language.statements import Text
from ratecert.verdicts.statement import LINTER


def detailed(records: Sequence[Record]) -> str:
    """A block for each."""
    width = columns()
    blocks = (Block(name_of(record), verdict_in_words(record), list(_lines(record))) for record in records)
    return as_text(as_blocks(blocks, width), width, colour=coloured())


def _lines(record: Record) -> Iterator[str]:
    key, inside = split(record["id"])
    source = paper(record["variant"], key)
    statement = source[source.owner(inside)]
    yield f"{record['source']}; {source.entered(statement)}"
    yield f"{statement.title}{f': {statement.sentence}' if isinstance(statement, Text) else ''}"
    if record["ratio"] is not None:
        tight = ", which attains the bound" if record["tight"] else ""
        at = in_letters(record["id"], record["witness"])
        yield f"measured/bound {ratio_of(record)}{f' at {at}' if at else ''}{tight}"
    for found in record["findings"]:
        yield f"linter, {found['rule']}, at {found['place']}: printed {found['printed']}, fits {found['fits']}"
    yield from (note for note in record["notes"] if not note.startswith(LINTER))
    yield from (row["says"] for row in record["elsewhere"])
