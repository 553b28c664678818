"""docs/library.md: its prose is written by hand, its lists are made of the kept verdicts (tools/markdown.py).

python -m tools.library_page docs/library.md
"""

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ratecert.base.drawing import svgs
from ratecert.base.files import write_text
from ratecert.from_data.linted import LINTER
from ratecert.papers.pep.table import Row
from ratecert.papers.pep.table import rows as beside_pepit
from ratecert.registry import executables, paper, split
from ratecert.report.results import chart_from
from ratecert.shelf.letters import in_letters
from ratecert.shelf.record import Record, ratio_of, read, verdict_in_words
from ratecert.theory.language.outline import method_of
from ratecert.theory.language.statements import Text, Theorem
from ratecert.theory.language.typeset import as_formulas
from tools.corrections_page import plain
from tools.markdown import replace_tables

LETTERS = "Letters"  # a block of the outline that a page need not repeat


def overview(records: Sequence[Record]) -> str:
    """One line for each statement."""
    head = "| statement | after | verdict | measured/bound | tight | findings |\n|---|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(_cells(record))} |\n" for record in records)


def _cells(record: Record) -> Iterator[str]:
    variant = "" if record["variant"] == "printed" else f" ({record['variant']})"
    yield f"[`{record['id']}`](#{anchor(record)}){variant}"
    yield record["certainty"]
    yield verdict_in_words(record)
    yield ratio_of(record)
    yield {True: "yes", False: "no", None: ""}[record["tight"]]
    yield str(len(record["findings"]) or "")


def anchor(record: Record) -> str:
    """A label of its own for each record."""
    return f"{record['id']}-{record['variant']}".replace(":", "-").replace(".", "-")


def sections(records: Sequence[Record]) -> str:
    """One section for each statement: typeset, verdict, numbers, findings, what to run."""
    return "\n".join("\n".join(_section(record)) for record in records)


def _section(record: Record) -> Iterator[str]:
    key, inside = split(record["id"])
    source = paper(record["variant"], key)
    statement = source[source.owner(inside)]
    run = executables(key).get(statement.id)
    variant = "" if record["variant"] == "printed" else f", {record['variant']}"
    yield f"({anchor(record)})=\n\n### `{record['id']}`{variant}: {verdict_in_words(record)}\n"
    yield f"{plain(statement.title)}. *{plain(record['source'])}*; {source.entered(statement)}.\n"
    if isinstance(statement, Text):
        yield f"> {plain(statement.sentence)}\n"
    if method := method_of(source, statement):
        yield f"Method: {plain(method)}.\n"
    for heading, formulas in as_formulas(source, statement, run.settings if run else {}):
        if heading != LETTERS:
            yield f"{heading}:\n"
            yield from (f"$$\n{_named(label)}{latex}\n$$\n" for label, latex in formulas)
    if record["chart"]:
        caption = plain(record["chart"]["caption"])
        yield from (f"![{caption}](figures/library/{name})\n" for name in _figures(record))
    if record["ratio"] is not None:
        what = (
            "Measured/bound at the witness"
            if record["ratio"] > 1
            else "Largest measured/bound that was found"
        )
        at = plain(in_letters(record["id"], record["witness"]))
        yield f"{what}: **{ratio_of(record, 6)}**{f', at {at}' if at else ''}.\n"
    yield from (f"- {plain(note)}" for note in record["notes"] if not note.startswith(LINTER))
    for found in record["findings"]:
        printed, fits = _code(found["printed"]), _code(found["fits"])
        yield f"- Linter, {found['rule']}, at `{found['place']}`: printed `{printed}`, fits `{fits}`"
    bound = isinstance(statement, Theorem) and inside in executables(key)
    search = f"; `ratecert falsify {record['id']}` searches again" if bound else ""
    if record["verdict"] != "not applicable":
        yield f"\n`ratecert verify {record['id']}`{search}.\n"


def _named(label: str) -> str:
    return rf"\text{{{label}: }}\quad " if label else ""


def _code(text: str) -> str:
    return text.replace("`", "'").replace("|", "/")


def write_figures(records: Sequence[Record], folder: Path) -> None:
    """The figure of each statement, as the page names it."""
    folder.mkdir(parents=True, exist_ok=True)
    for record in records:
        if record["chart"]:
            for name, svg in zip(_figures(record), svgs(chart_from(record["chart"])), strict=True):
                write_text(folder / name, svg)


def _figures(record: Record) -> list[str]:
    """A file for each panel."""
    panels = len(record["chart"]["panels"])
    return [f"{anchor(record)}{f'-{i + 1}' if panels > 1 else ''}.svg" for i in range(panels)]


def counts(records: Sequence[Record]) -> str:
    """How many of each verdict."""
    words = [verdict_in_words(record) for record in records]
    sources = len({split(record["id"])[0] for record in records})
    each = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    return f"{len(records)} entries from {sources} files, a statement and its repair apart: {each}.\n"


def pepit(found: Sequence[Row]) -> str:
    """The printed guarantee, PEPit's number and the worst quadratic, side by side."""
    head = (
        "| statement | problem of PEPit | setting | printed | PEPit | worst quadratic tried | |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    lines = []
    for row in found:
        setting = ", ".join(f"{name} = {value:g}" for name, value in row.arguments.items())
        other = f"{row.pepit:.6g}" if math.isfinite(row.pepit) else "unbounded"
        numbers = f"{row.printed:.6g} | {other} | {row.quadratic:.6g}"
        folder, _, name = row.function.rpartition(".")
        example = f"`{name.removeprefix('wc_')}`" if folder else f"ours, `{name}`"
        lines.append(f"| `{row.statement}` | {example} | {setting} | {numbers} | {row.verdict} |\n")
    return head + "".join(lines)


def all_tables(records: Sequence[Record]) -> dict[str, str]:
    """What the page has between its lines of prose."""
    return {
        "counts": counts(records),
        "overview": overview(records),
        "pepit": pepit(list(beside_pepit())),
        "statements": sections(records),
    }


if __name__ == "__main__":
    replace_tables(Path(sys.argv[1]), all_tables(read()))
