"""What is printed and wrong: the tables of docs/corrections.md and docs/for_maintainers.md.

Errata with one reason stand together. Where a whole statement is replaced, the list has the parts that differ. A
witness names the place of the mistake that it shows.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

import sympy

from ratecert.base.lists import as_ratio
from ratecert.catalogue.find import bindings, paper, split
from ratecert.catalogue.load import library
from ratecert.papers.pep.table import EXCEEDED_BEYOND
from ratecert.papers.pep.table import rows as beside_pepit
from ratecert.report.library import in_letters, read
from ratecert.search import witness
from ratecert.theory.language.paper import Erratum, Paper
from ratecert.theory.language.statements import Cost, Line, Scaling, Statement
from ratecert.theory.numbers.standing_in import with_constants_of

WITNESSES = Path(__file__).resolve().parent.parent / "witnesses"
WRONG = ("proved false", "refuted")
NOTHING = "nothing"
HEAD = "| place | for | read |\n|---|---|---|\n"
_POWERS = str.maketrans("23", "²³")


def of_first() -> dict[str, str]:
    return {"errata": "\n".join(listed(paper("repaired")))}


def of_library() -> dict[str, str]:
    """A section for each source in which something is wrong, and what PEPit's own numbers exceed."""
    sections = (list(_of_source(paper("repaired", key))) for key in sorted(library()))
    return {"sources": "\n".join("\n".join(lines) for lines in sections if lines), "beyond": _beyond()}


def listed(repaired: Paper) -> Iterator[str]:
    """Every erratum: the statements that it changes, its reason and evidence, then place, print and reading."""
    groups = groupby(repaired.errata, key=lambda erratum: (erratum.reason, erratum.evidence))
    for number, ((reason, evidence), together) in enumerate(groups, start=1):
        errata = list(together)
        first, *others = dict.fromkeys(repaired.owner(erratum.place) for erratum in errata)
        more = f" and {len(others)} others" if others else ""
        yield f"### {number}. `{first}`{more}: {plain(repaired[first].title)}\n"
        yield f"{plain(reason)}\n"
        if repaired[first].source:
            yield f"*Where:* {plain(repaired[first].source)}\n"
        yield f"*Evidence:* {plain(evidence)}\n"
        places = {erratum.place for erratum in errata}
        yield from _counterexamples(
            [file for file in sorted(WITNESSES.glob("*.toml")) if place_of(file) in places]
        )
        yield HEAD + "".join(
            f"| `{place}` | {_code(old)} | {_code(new)} |\n"
            for erratum in errata
            for place, old, new in changes(erratum)
        )


def _of_source(repaired: Paper) -> Iterator[str]:
    """A source of the library: its errata, then what is wrong there and has none."""
    alone = list(_without_erratum(repaired))
    if repaired.errata or alone:
        yield f"## {plain(repaired.title)} (`{repaired.key}`)\n"
        yield f"Entered {repaired.entered()}, in `ratecert/papers/library/{repaired.key.replace('-', '_')}.py`.\n"
        yield from listed(repaired)
        yield from alone


def _without_erratum(repaired: Paper) -> Iterator[str]:
    """Statements that are refuted and have no erratum: why, and what fits, or what the linter finds."""
    for record in read():
        key, inside = split(record["id"])
        if key != repaired.key or record["verdict"] not in WRONG or corrections(repaired, inside):
            continue
        statement = repaired[repaired.owner(inside)]
        yield f"### `{inside}`: {plain(statement.title)}\n"
        yield f"*Where:* {plain(statement.source)}\n"
        run = bindings(key).get(inside)
        if run and run.because:
            yield f"{plain(run.because)}\n"
        if beside := _code_beside(repaired, inside):
            yield f"*What fits:* `{key}:{beside}`, entered after the code beneath it.\n"
        yield from (
            f"At `{found['place']}`, by its {found['rule']}: `{found['printed']}`; what fits is `{found['fits']}`.\n"
            for found in record["findings"]
        )
        yield from _counterexamples(sorted(WITNESSES.glob(f"{key}.{inside}.*.toml")))


def corrections(repaired: Paper, inside: str) -> list[Erratum]:
    """The errata to a statement and to the constants that it is made of."""
    own = with_constants_of(repaired, repaired.owner(inside))
    return [erratum for erratum in repaired.errata if repaired.owner(erratum.place) in own]


def _code_beside(found: Paper, id: str) -> str | None:
    """The statement that was entered after a program's code, beside one that was entered after its documentation."""
    return next(
        (other for other in found.statements if other.endswith("-code") and id.startswith(other[:-5])), None
    )


def _counterexamples(files: Sequence[Path]) -> Iterator[str]:
    """Worlds in which the print is false there: their names, and what a simplified one of the library is."""
    if files:
        yield f"*Counterexamples* (`ratecert check NAME`): {', '.join(f'`{file.stem}`' for file in files)}\n"
    for simple in (witness.read(file) for file in files if file.stem.endswith(".simple")):
        if split(simple.statement)[0] in library():
            at = plain(in_letters(simple.statement, simple.instance))
            yield f"At {at}: measured/bound is {as_ratio(simple.ratio)}.\n"


def place_of(witness: Path) -> str:
    return str(tomllib.loads(witness.read_text(encoding="utf-8"))["place"])


def _beyond() -> str:
    """What PEPit's own numbers exceed, where quadratics do not."""
    rows = [row for row in beside_pepit() if row.verdict == EXCEEDED_BEYOND]
    lines = []
    for id, own in groupby(rows, key=lambda row: row.statement):
        key, inside = split(id)
        lines.append(f"`{id}`: {plain(str(bindings(key)[inside].blind))}\n")
        for row in own:
            at = ", ".join(f"{name} = {value:g}" for name, value in row.arguments.items())
            lines.append(f"- At {at}: printed {row.printed:.6g}, PEPit {row.pepit:.6g}.")
    return "\n".join(lines) + "\n"


def changes(erratum: Erratum) -> Iterator[tuple[str, str, str]]:
    """(place, printed, read); of a whole statement every part that differs."""
    if not isinstance(erratum.printed, Statement):
        yield erratum.place, formula(erratum.printed), formula(erratum.read)
        return
    printed, read = (dict(_leaves(statement, erratum.place)) for statement in (erratum.printed, erratum.read))
    for place in dict.fromkeys([*printed, *read]):
        old, new = printed.get(place, NOTHING), read.get(place, NOTHING)
        if old != new:
            yield place, old, new


def _leaves(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """The parts of a statement as text, by their place."""
    match value:
        case Statement() | Cost():
            for f in fields(value):
                yield from _leaves(getattr(value, f.name), f"{place}.{f.name}")
        case Line(text=text, when=when):
            yield place, text if when == "always" else f"{when}: {text}"
        case Scaling(order=order, kind=kind):
            yield place, f"{kind}({formula(order)})"
        case Mapping():
            for name, part in value.items():
                yield from _leaves(part, f"{place}.{name}")
        case tuple() if any(isinstance(part, Line | Cost) for part in value):
            for i, part in enumerate(value, start=1):
                yield from _leaves(part, f"{place}.{getattr(part, 'method', i)}")
        case (str(name), int(index)):
            yield place, f"{name}_{index}"
        case tuple() if all(isinstance(part, tuple) for part in value):
            yield place, ", ".join(text for part in value for _, text in _leaves(part, place)) or NOTHING
        case tuple():
            yield place, ", ".join(formula(part) for part in value) or NOTHING
        case _:
            yield place, formula(value) or NOTHING


def formula(expression: Any) -> str:
    """In the names of the code on one line, with blanks for products: 6 L_tilde²/(mu (4 L_hat²/alpha² + ...))."""
    if not isinstance(expression, sympy.Basic):
        return str(expression)
    text = re.sub(r"\*\*([23])\b", lambda power: power.group(1).translate(_POWERS), str(expression))
    return text.replace("**", "^").replace("*", " ")


def plain(text: str) -> str:
    """Prose in Markdown, in which no character means anything else than itself."""
    return re.sub(r"([\\`*_\[\]<>|$~])", r"\\\1", text)


def _code(text: str) -> str:
    return text if text == NOTHING else f"`{text.replace('|', '/')}`"
