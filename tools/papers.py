"""The tables of docs/verified.md and library.md, and a page of docs/library for each source, made of the papers, their
errata, the stored witnesses, and the verdicts on the library.

Errata with one reason stand together. Where a whole statement is replaced, the list has the parts that differ. A
witness names the place of the mistake that it shows.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from ratecert.base.drawing import svgs
from ratecert.base.files import write_text
from ratecert.base.lists import as_ratio
from ratecert.base.words import REFUTED
from ratecert.catalogue import cases
from ratecert.catalogue.find import bindings, paper, split
from ratecert.catalogue.load import library
from ratecert.claims.rows import Rows
from ratecert.papers.pep.table import EXCEEDED_BEYOND, Row
from ratecert.papers.pep.table import rows as beside_pepit
from ratecert.report.library import Record, code_of, in_letters, ratio_of, read, row_of, verdict_in_words
from ratecert.report.results import chart_from
from ratecert.theory.numbers.evaluation import with_constants_of
from ratecert.theory.paper import Erratum, Paper
from ratecert.theory.statements import Text, Theorem
from ratecert.typeset.errata import NOTHING, changes
from ratecert.typeset.outline import method_of
from ratecert.typeset.printed import as_formulas
from ratecert.verdicts.statement import LINTER
from tools.markdown import plain, tabulated

LETTERS = "Letters"  # a block of the outline that a page need not repeat
ENDS = 0.1  # of the exponent of linear speedup: it has ended where more is missing


# What is printed and wrong.


def corrections() -> str:
    """Of the first paper."""
    return "\n".join(listed(paper("repaired")))


def listed(repaired: Paper) -> Iterator[str]:
    """Every erratum: the statements that it changes, its reason and evidence, then place, print and reading."""
    groups = groupby(repaired.errata, key=lambda erratum: (erratum.reason, erratum.evidence))
    for number, ((reason, evidence), together) in enumerate(groups, start=1):
        errata = list(together)
        first, *others = dict.fromkeys(repaired.owner(erratum.place) for erratum in errata)
        more = f" and {len(others)} others" if others else ""
        yield f"### {number}. `{first}`{more}: {plain(repaired[first].title)}\n\n{plain(reason)}\n"
        if repaired[first].source:
            yield f"*Where:* {plain(repaired[first].source)}\n"
        yield f"*Evidence:* {plain(evidence)}\n"
        places = {erratum.place for erratum in errata}
        shown = [path for path in cases.stored(repaired.key) if cases.read(path).place in places]
        yield from _counterexamples(repaired.key, shown)
        yield _changed(errata)


@tabulated("place", "for", "read")
def _changed(errata: Sequence[Erratum]) -> Iterator[tuple[str, ...]]:
    for place, *texts in (change for erratum in errata for change in changes(erratum)):
        yield f"`{place}`", *(text if text == NOTHING else f"`{text}`" for text in texts)


def _without_erratum(repaired: Paper) -> Iterator[str]:
    """Statements that are refuted and have no erratum: why, and what fits, or what the linter finds."""
    for record in read():
        key, inside = split(record["id"])
        if key != repaired.key or record["verdict"] not in REFUTED:
            continue
        statement = repaired[repaired.owner(inside)]
        own = with_constants_of(repaired, statement.id)  # the statement, and the constants that it is made of
        if any(repaired.owner(erratum.place) in own for erratum in repaired.errata):
            continue
        yield f"### `{inside}`: {plain(statement.title)}\n\n*Where:* {plain(statement.source)}\n"
        run = bindings(key).get(inside)
        if run and run.because:
            yield f"{plain(run.because)}\n"
        if code := code_of(record["id"]):
            yield f"*What fits:* `{code}`, entered after the code beneath it.\n"
        for found in record["findings"]:
            place, rule, printed, fits = (found[name] for name in ("place", "rule", "printed", "fits"))
            yield f"At `{place}`, by its {rule}: `{printed}`; what fits is `{fits}`.\n"
        yield from _counterexamples(key, cases.stored(f"{key}.{inside}"))


def _counterexamples(key: str, files: Sequence[Path]) -> Iterator[str]:
    """Worlds in which the print is false there: their names, and what a simplified one of the library is."""
    if files:
        yield f"*Counterexamples* (`ratecert check NAME`): {', '.join(f'`{file.stem}`' for file in files)}\n"
    for simple in (cases.read(file) for file in files if file.stem.endswith(".simple") and key in library()):
        at = plain(in_letters(simple.statement, simple.instance))
        yield f"At {at}: measured/bound is {as_ratio(simple.ratio)}.\n"


def _beyond() -> Iterator[str]:
    """What PEPit's own numbers exceed, where quadratics do not."""
    for record in read():
        if rows := [row for row in record["elsewhere"] if row["what"] == EXCEEDED_BEYOND]:
            yield f"`{record['id']}`: {plain(record['blind'])}\n"
            yield "".join(f"- {row['says']}.\n" for row in rows)


def _numbers(named: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in named.items())


# The library.


def of_library(docs: Path) -> dict[str, str]:
    records = read()
    return {
        "counts": counts(records),
        "overview": overview(records),
        "sources": sources(records),
        "speedup": speedup(Rows(json.loads((docs / "speedup.json").read_text(encoding="utf-8")))),
        "pepit": pepit(beside_pepit()),
        "beyond": "\n".join(_beyond()),
    }


def source_pages() -> dict[str, str]:
    """Key of a source -> its page: what is wrong in it and what fits, then every statement."""
    records, found = read(), {}
    for key in dict.fromkeys(split(record["id"])[0] for record in records):
        repaired = paper("repaired", key)
        wrong = [*listed(repaired), *_without_erratum(repaired)]
        file = f"ratecert/papers/library/{key.replace('-', '_')}.py"
        lines = [f"# {plain(repaired.title)}\n\nEntered {repaired.entered()}, in `{file}`.\n"]
        lines += ["## What is printed, and what fits\n", *wrong] if wrong else []
        lines.append("## Every statement\n")
        lines += (part for each in records if split(each["id"])[0] == key for part in _section(each))
        found[key] = "\n".join(lines)
    return found


@tabulated("source", "statements", "refuted, or unlike its code")
def sources(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """A line for each page, those with most that is wrong first."""
    pages = dict[str, list[Record]]()
    for record in records:
        pages.setdefault(split(record["id"])[0], []).append(record)
    for key, own in sorted(pages.items(), key=lambda item: (-_wrong(item[1]), item[0])):
        yield f"[{plain(paper(key=key).title)}](library/{key}.md)", str(len(own)), str(_wrong(own))


def _wrong(records: Sequence[Record]) -> int:
    return sum(record["verdict"] in REFUTED for record in records)


def counts(records: Sequence[Record]) -> str:
    """How many of each verdict."""
    words = [verdict_in_words(record) for record in records]
    sources = len({split(record["id"])[0] for record in records})
    each = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    return (
        f"{len(records)} entries from {sources} files, a statement and its repair counted as two: {each}.\n"
    )


@tabulated("statement", "after", "verdict", "measured/bound", "tight", "findings")
def overview(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """One line for each statement."""
    for record in records:
        name, *cells = row_of(record)[1]
        yield name.replace(record["id"], f"[`{record['id']}`](#{anchor(record)})"), *cells


@tabulated("corollary", "promised", "ends at K", "largest K tried")
def speedup(found: Rows) -> Iterator[tuple[str, ...]]:
    """Along each corollary: the K from which a tenth of the exponent of linear speedup is missing."""
    for id, own in found.by("corollary"):
        ends = [f"{row['K']:,}" for row in own if abs(1 - row["exponent"] / row["linear"]) > ENDS]
        yield f"`{id}`", "yes" if own[0]["promised"] else "no", [*ends, "not seen"][0], f"{own[-1]['K']:,}"


@tabulated("statement", "problem of PEPit", "setting", "printed", "PEPit", "worst quadratic tried", "")
def pepit(found: Iterable[Row]) -> Iterator[tuple[str, ...]]:
    """The printed guarantee, PEPit's number and the worst quadratic, side by side."""
    for row in found:
        folder, _, name = row.function.rpartition(".")
        example = f"`{name.removeprefix('wc_')}`" if folder else f"ours, `{name}`"
        other = f"{row.pepit:.6g}" if math.isfinite(row.pepit) else "unbounded"
        numbers = (f"{row.printed:.6g}", other, f"{row.quadratic:.6g}")
        yield f"`{row.statement}`", example, _numbers(row.arguments), *numbers, row.verdict


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
            labels = (rf"\text{{{label}: }}\quad " if label else "" for label, _ in formulas)
            shown = zip(labels, (latex for _, latex in formulas), strict=True)
            yield "\n".join([f"{heading}:\n", *(f"$$\n{label}{latex}\n$$\n" for label, latex in shown)])
    for name in _figures(record):
        yield f"![{plain(record['chart']['caption'])}](../figures/library/{name})\n"
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
        printed, fits = (found[name].replace("`", "'").replace("|", "/") for name in ("printed", "fits"))
        yield f"- Linter, {found['rule']}, at `{found['place']}`: printed `{printed}`, fits `{fits}`"
    bound = isinstance(statement, Theorem) and inside in bindings(key)
    search = f"; `ratecert falsify {record['id']}` searches again" if bound else ""
    if record["verdict"] != "not applicable":
        yield f"\n`ratecert verify {record['id']}`{search}.\n"


def _figures(record: Record) -> list[str]:
    """A file for each panel of the chart that is stored with a verdict."""
    panels = record["chart"]["panels"] if record["chart"] else []
    return [
        f"{anchor(record)}{f'-{i}' if len(panels) > 1 else ''}.svg" for i, _ in enumerate(panels, start=1)
    ]


def write_figures(folder: Path) -> None:
    """The figure of each statement, as its page names it."""
    folder.mkdir(parents=True, exist_ok=True)
    for record in (each for each in read() if each["chart"]):
        for name, svg in zip(_figures(record), svgs(chart_from(record["chart"])), strict=True):
            write_text(folder / name, svg)
