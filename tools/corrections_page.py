"""docs/corrections.md: its prose is written by hand, its lists are made of the errata (tools/markdown.py).

    python -m tools.corrections_page witnesses docs/corrections.md

Errata with one reason stand together. Where a whole statement is replaced, the list has the parts that differ. A
witness names the place of the mistake that it shows.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

import sympy

from ratecert.outside import library
from ratecert.registry import executables, paper
from ratecert.theory.language.paper import Erratum, Paper
from ratecert.theory.language.statements import Cost, Line, Scaling, Statement
from tools.markdown import replace_tables

NOTHING = "nothing"
HEAD = "| place | for | read |\n|---|---|---|\n"
_POWERS = str.maketrans("23", "²³")


def listed(repaired: Paper, witnesses: Path) -> str:
    """Every erratum: its reason and evidence, then place, print and reading."""
    groups = groupby(repaired.errata, key=lambda erratum: (erratum.reason, erratum.evidence))
    return "\n".join(
        f"### {number}. {_title(together, repaired)}\n\n{plain(reason)}\n\n*Evidence:* {plain(evidence)}\n\n"
        + _counterexamples(together, witnesses)
        + HEAD
        + "".join(
            f"| `{place}` | {_code(old)} | {_code(new)} |\n"
            for e in together
            for place, old, new in changes(e)
        )
        for number, ((reason, evidence), errata) in enumerate(groups, start=1)
        for together in [list(errata)]
    )


def library_errata(witnesses: Path) -> str:
    """The same for every book of the library that has any."""
    repaired = {key: paper("repaired", key) for key in library()}
    each = {
        key: "\n".join(filter(None, (listed(found, witnesses), _without_repair(found, witnesses))))
        for key, found in repaired.items()
    }
    return "\n".join(
        f"## {plain(found.title)} (`{key}`)\n\nEntered {found.entered()}.\n\n{each[key]}"
        for key, found in repaired.items()
        if each[key]
    )


def _without_repair(found: Paper, witnesses: Path) -> str:
    """Statements that are false and have no erratum: why, and the variant beside them that fits."""
    return "\n".join(
        f"### `{id}`\n\n{plain(run.because)}\n\n"
        f"*What fits:* `{found.key}:{_code_beside(found, id)}`, entered after the code beneath it.\n\n"
        f"*Counterexamples:* {', '.join(f'`{file.name}`' for file in _of_statement(found.key, id, witnesses))}\n"
        for id, run in executables(found.key).items()
        if run.because
    )


def _code_beside(found: Paper, id: str) -> str:
    """The statement that was entered after a program's code, beside one that was entered after its documentation."""
    (beside,) = (other for other in found.statements if other.endswith("-code") and id.startswith(other[:-5]))
    return beside


def _of_statement(key: str, id: str, witnesses: Path) -> list[Path]:
    return sorted(witnesses.glob(f"{key}.{id}.*.toml"))


def _title(errata: list[Erratum], repaired: Paper) -> str:
    """The statements that are changed."""
    first, *others = dict.fromkeys(repaired.owner(erratum.place) for erratum in errata)
    return f"`{first}`" + (f" and {len(others)} others" if others else "")


def _counterexamples(errata: list[Erratum], witnesses: Path) -> str:
    """The kept worlds in which the print is false there."""
    places = {erratum.place for erratum in errata}
    files = [file.name for file in sorted(witnesses.glob("*.toml")) if place_of(file) in places]
    return f"*Counterexamples:* {', '.join(f'`{name}`' for name in files)}\n\n" if files else ""


def place_of(witness: Path) -> str:
    return str(tomllib.loads(witness.read_text(encoding="utf-8"))["place"])


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


if __name__ == "__main__":
    kept = Path(sys.argv[1])
    replace_tables(
        Path(sys.argv[2]), {"errata": listed(paper("repaired"), kept), "library": library_errata(kept)}
    )
