"""docs/for_maintainers.md: what was found in each source, ready to be sent to those who keep it (tools/markdown.py).

python -m tools.maintainers_page docs/for_maintainers.md
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from ratecert.base.lists import as_ratio
from ratecert.counterexamples import witness
from ratecert.outside import library
from ratecert.papers.pep.table import EXCEEDED_BEYOND, Row
from ratecert.papers.pep.table import rows as beside_pepit
from ratecert.registry import executables, paper, split
from ratecert.shelf.letters import in_letters
from ratecert.shelf.record import Record, read
from ratecert.theory.language.paper import Erratum
from ratecert.theory.numbers.standing_in import with_constants_of
from tools.corrections_page import changes, plain
from tools.markdown import replace_tables

WRONG = ("proved false", "refuted")
WITNESSES = Path("witnesses")


def beyond(found: Sequence[Row]) -> str:
    """What PEPit's own numbers exceed, where quadratics do not."""
    rows = [row for row in found if row.verdict == EXCEEDED_BEYOND]
    by_id = groupby(rows, key=lambda row: row.statement)
    return "\n".join("\n".join(_exceeded(id, list(own))) for id, own in by_id)


def _exceeded(id: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"`{id}`: {plain(_instead(id))}\n"
    for row in rows:
        at = ", ".join(f"{name} = {value:g}" for name, value in row.arguments.items())
        yield f"- At {at}: printed {row.printed:.6g}, PEPit {row.pepit:.6g}."
    yield f"- To reproduce: `ratecert library {id}` shows the numbers, `python -m tools.pep_numbers` computes them "
    yield "(with `pip install .[pep]`).\n"


def _instead(id: str) -> str:
    """What the file of a statement says of it."""
    key, inside = split(id)
    return str(executables(key)[inside].blind)


def letters(records: Sequence[Record]) -> str:
    """One part for each source in which something is wrong."""
    wrong = sorted((r for r in records if r["verdict"] in WRONG), key=lambda r: str(r["id"]))
    by_source = {key: list(found) for key, found in groupby(wrong, key=lambda r: split(r["id"])[0])}
    parts = [_letter(key, by_source.get(key, [])) for key in sorted(library())]
    return "\n".join("\n".join(lines) for lines in map(list, parts) if lines)


def _letter(key: str, found: Sequence[Record]) -> Iterator[str]:
    source = paper(key=key)
    told = [erratum for record in found for erratum in errata(key, split(record["id"])[1])]
    others = [erratum for erratum in paper("repaired", key).errata if erratum not in told]
    if not found and not others:
        return
    yield f"## {plain(source.title)}\n"
    yield f"Entered {source.entered()}, in `ratecert/papers/library/{key.replace('-', '_')}.py`.\n"
    for record in found:
        yield from _finding(record)
    for erratum in others:
        yield f"### {plain(source[source.owner(erratum.place)].title)}\n"
        yield f"Where: {plain(source[source.owner(erratum.place)].source)}. Found in reading; no run depends on it.\n"
        yield from _corrected(erratum)
        yield ""


def _corrected(erratum: Erratum) -> Iterator[str]:
    for place, printed, fits in changes(erratum):
        yield f"- `{place}`: printed `{printed}`, what fits is `{fits}`; {plain(erratum.reason)}."


def _finding(record: Record) -> Iterator[str]:
    key, inside = split(record["id"])
    statement = paper(key=key)[paper(key=key).owner(inside)]
    yield f"### {plain(statement.title)}\n"
    yield f"Where: {plain(statement.source)}.\n"
    corrected = errata(key, inside)
    for found in () if corrected else record["findings"]:
        yield f"- At `{found['place']}`, by its {found['rule']}: `{found['printed']}`; what fits is `{found['fits']}`."
    for erratum in corrected:
        yield from _corrected(erratum)
    run = executables(key).get(inside)
    if run and run.because:
        yield f"- {plain(run.because)}."
    if record["ratio"] is not None and record["ratio"] > 1:
        (file,) = WITNESSES.glob(f"{key}.{inside}.printed*.simple.toml")
        simple = witness.read(file)
        at = f"{plain(in_letters(record['id'], simple.instance))}. There measured/bound is {as_ratio(simple.ratio)}"
        yield f"- A small witness, in the letters of our file: {at}."
        yield f"- To reproduce: `ratecert check {file}`; `ratecert falsify {record['id']}` searches anew."
    elif "derivation" in record["evidence"]:
        yield "- Found by derivation, from the statements that it follows from; in fractions, no run depends on it."
        yield f"- To reproduce: `ratecert verify {record['id']}`."
    else:
        yield "- Found by units alone: no world that can be tried here shows it."
        yield f"- To reproduce: `ratecert lint {key}`."
    yield ""


def errata(key: str, inside: str) -> list[Erratum]:
    repaired = paper("repaired", key)
    own = with_constants_of(repaired, repaired.owner(inside))
    return [erratum for erratum in repaired.errata if repaired.owner(erratum.place) in own]


if __name__ == "__main__":
    tables = {"letters": letters(read()), "beyond": beyond(list(beside_pepit()))}
    replace_tables(Path(sys.argv[1]), tables)
