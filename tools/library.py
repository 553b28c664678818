"""The tables of docs/library.md: counts, an overview, numbers beside PEPit, and a section for each statement."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from ratecert.base.drawing import svgs
from ratecert.base.files import write_text
from ratecert.base.lists import Grid
from ratecert.catalogue.find import bindings, paper, split
from ratecert.claims.rows import Rows
from ratecert.papers.pep.table import Row
from ratecert.papers.pep.table import rows as beside_pepit
from ratecert.report.library import Record, in_letters, ratio_of, read, verdict_in_words
from ratecert.report.results import chart_from
from ratecert.theory.language.outline import method_of
from ratecert.theory.language.statements import Text, Theorem
from ratecert.theory.language.typeset import as_formulas
from ratecert.verdicts.statement import LINTER
from tools.errata import plain

LETTERS = "Letters"  # a block of the outline that a page need not repeat
ENDS = 0.1  # of the exponent of linear speedup: it has ended where more is missing


def tables(docs: Path) -> dict[str, str]:
    records = read()
    return {
        "counts": counts(records),
        "overview": overview(records),
        "speedup": speedup(Rows(json.loads((docs / "speedup.json").read_text(encoding="utf-8")))),
        "pepit": pepit(list(beside_pepit())),
        "statements": "\n".join("\n".join(_section(record)) for record in records),
    }


def counts(records: Sequence[Record]) -> str:
    """How many of each verdict."""
    words = [verdict_in_words(record) for record in records]
    sources = len({split(record["id"])[0] for record in records})
    each = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    return (
        f"{len(records)} entries from {sources} files, a statement and its repair counted as two: {each}.\n"
    )


def overview(records: Sequence[Record]) -> str:
    """One line for each statement."""
    tight = {True: "yes", False: "no", None: ""}
    rows = [
        (
            f"[`{record['id']}`](#{anchor(record)})"
            + ("" if record["variant"] == "printed" else " (repaired)"),
            *(record["certainty"], verdict_in_words(record), ratio_of(record), tight[record["tight"]]),
            str(len(record["findings"]) or ""),
        )
        for record in records
    ]
    return Grid(
        "", ("statement", "after", "verdict", "measured/bound", "tight", "findings"), rows
    ).as_markdown()


def speedup(found: Rows) -> str:
    """Along each corollary: the K from which a tenth of the exponent of linear speedup is missing."""
    rows = []
    for id, own in found.by("corollary"):
        ends = [row["K"] for row in own if abs(1 - row["exponent"] / row["linear"]) > ENDS]
        promised, last = own[0]["promised"], f"{own[-1]['K']:,}"
        rows.append((f"`{id}`", "yes" if promised else "no", f"{ends[0]:,}" if ends else "not seen", last))
    return Grid("", ("corollary", "promised", "ends at K", "largest K tried"), rows).as_markdown()


def pepit(found: Sequence[Row]) -> str:
    """The printed guarantee, PEPit's number and the worst quadratic, side by side."""
    rows = []
    for row in found:
        folder, _, name = row.function.rpartition(".")
        example = f"`{name.removeprefix('wc_')}`" if folder else f"ours, `{name}`"
        setting = ", ".join(f"{name} = {value:g}" for name, value in row.arguments.items())
        other = f"{row.pepit:.6g}" if math.isfinite(row.pepit) else "unbounded"
        numbers = (f"{row.printed:.6g}", other, f"{row.quadratic:.6g}")
        rows.append((f"`{row.statement}`", example, setting, *numbers, row.verdict))
    columns = ("statement", "problem of PEPit", "setting", "printed", "PEPit", "worst quadratic tried", "")
    return Grid("", columns, rows).as_markdown()


def anchor(record: Record) -> str:
    """A label of its own for each record."""
    return f"{record['id']}-{record['variant']}".replace(":", "-").replace(".", "-")


def _section(record: Record) -> Iterator[str]:
    """A statement: typeset, verdict, numbers, findings, what to run."""
    key, inside = split(record["id"])
    source = paper(record["variant"], key)
    statement = source[source.owner(inside)]
    run = bindings(key).get(statement.id)
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
        broken = record["ratio"] > 1
        what = "Measured/bound at the witness" if broken else "Largest measured/bound that was found"
        at = plain(in_letters(record["id"], record["witness"]))
        yield f"{what}: **{ratio_of(record, 6)}**{f', at {at}' if at else ''}.\n"
    yield from (f"- {plain(note)}" for note in record["notes"] if not note.startswith(LINTER))
    for found in record["findings"]:
        printed, fits = _code(found["printed"]), _code(found["fits"])
        yield f"- Linter, {found['rule']}, at `{found['place']}`: printed `{printed}`, fits `{fits}`"
    bound = isinstance(statement, Theorem) and inside in bindings(key)
    search = f"; `ratecert falsify {record['id']}` searches again" if bound else ""
    if record["verdict"] != "not applicable":
        yield f"\n`ratecert verify {record['id']}`{search}.\n"


def _named(label: str) -> str:
    return rf"\text{{{label}: }}\quad " if label else ""


def _code(text: str) -> str:
    return text.replace("`", "'").replace("|", "/")


def write_figures(folder: Path) -> None:
    """The figure of each statement, as the page names it, from the chart that is kept with its verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    for record in read():
        if record["chart"]:
            for name, svg in zip(_figures(record), svgs(chart_from(record["chart"])), strict=True):
                write_text(folder / name, svg)


def _figures(record: Record) -> list[str]:
    """A file for each panel."""
    panels = len(record["chart"]["panels"])
    return [f"{anchor(record)}{f'-{i + 1}' if panels > 1 else ''}.svg" for i in range(panels)]
