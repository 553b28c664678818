"""`ratecert explain`: a statement of a paper, typeset in the terminal or as LaTeX; without an id, the list of ids."""

import shutil
import sys

from ratecert.base.errors import UserError
from ratecert.base.terminal import echo
from ratecert.catalogue.find import FIRST, KEYS, executables, full_id, split, statement
from ratecert.catalogue.find import paper as find
from ratecert.catalogue.load import library
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.typeset import WIDTH, as_latex, for_terminal

NARROWEST = 60


def explain(*, id: str | None, key: str | None, variant: str, latex: bool, diff: bool = False) -> int:
    """Without an id, list the statements of the paper; with `diff`, what errata change."""
    if id == "":
        raise UserError("the name of a statement is missing; `ratecert explain` alone lists the statements.")
    id = f"{id}:" if id and (id.endswith(".py") or id in (*KEYS, *library())) else id
    named, place = split(id) if id else (FIRST, "")
    key = key or named
    paper = find(variant, key)
    if diff:
        echo(_changes(find("printed", key), find("repaired", key), place))
        return 0
    if not place:
        echo(_contents(paper))
        return 0
    owner = paper.owner(place)  # a place, as the linter gives it, shows its whole statement
    found = statement(full_id(key, owner), variant)
    run = executables(key).get(owner)
    settings = run.settings if run else {}
    if latex:
        echo(as_latex(paper, found, settings))
    else:
        echo(for_terminal(paper, found, settings, width=terminal_width(), unicode=_has_unicode()))
        if key in library():
            echo(_verdict(full_id(key, owner), variant))
    return 0


def _verdict(id: str, variant: str) -> str:
    """What is kept of the verdicts on a statement of the library; nothing on what is no claim."""
    from ratecert.shelf.record import ratio_of, read, verdict_in_words

    for record in read():
        if (record["id"], record["variant"]) == (id, variant):
            ratio = "" if record["ratio"] is None else f", measured/bound {ratio_of(record)}"
            return f"Verdict: {verdict_in_words(record)}{ratio}; `ratecert library {id}` tells all.\n"
    return ""


def _changes(printed: Paper, repaired: Paper, place: str) -> str:
    """Printed against repaired, part by part, of one statement or of all."""
    wanted = printed.owner(place) if place else ""
    if place:
        printed[wanted]  # refuses what is no statement, and names those that come near it
    lines = []
    for id, own in printed.statements.items():
        if wanted in ("", id):
            before, after = dict(own.parts()), dict(repaired[id].parts())
            for part in dict.fromkeys((*before, *after)):
                if before.get(part) != after.get(part):
                    lines += [
                        part,
                        f"  printed   {before.get(part, '-')}",
                        f"  repaired  {after.get(part, '-')}",
                    ]
                    lines += [f"  because   {e.reason}" for e in repaired.errata if part.startswith(e.place)]
    return "\n".join(lines or ["Printed and repaired are the same."]) + "\n"


def _contents(paper: Paper) -> str:
    rows = (f"{id:<21} {statement.title}\n" for id, statement in paper.statements.items())
    return "".join(rows)


def terminal_width() -> int:
    return max(NARROWEST, min(WIDTH, shutil.get_terminal_size(fallback=(WIDTH, 24)).columns))


def _has_unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
