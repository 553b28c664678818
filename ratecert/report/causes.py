"""What is wrong in a paper, one card for each cause: refuted claims that are refuted for the same reason.

A card shows the statement of the claim with the smallest witness: its bound with the wrong terms marked, what was
printed and what fits, the witness, and what was measured against what is allowed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ratecert.counterexamples import witness as witness_file
from ratecert.counterexamples.witness import Witness
from ratecert.counterexamples.witness_files import kept
from ratecert.errors import UserError
from ratecert.registry import paper, split
from ratecert.report.mathml import mathml
from ratecert.theory.language.outline import AT_MOST
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.language.typeset import as_formulas

MOST = 8  # changes on a card
THETA = r"\Theta"


@dataclass(frozen=True)
class Change:
    """A formula of the print, and the one that fits."""

    label: str
    printed: Markup
    fits: Markup | None


@dataclass(frozen=True)
class Card:
    because: str
    claims: Sequence[Mapping[str, Any]]
    shown: Mapping[str, Any]  # the claim whose numbers and figure are on the card
    measure: Markup | None
    terms: Sequence[tuple[str, Markup, bool]]  # name, formula, whether it is wrong
    changes: Sequence[Change]
    witness: Witness | None
    file: str  # of the witness
    text: str  # of that file


def cards(claims: Sequence[Mapping[str, Any]]) -> list[Card]:
    """Of the claims that are refuted, and were expected to be."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        if claim["verdict"] == claim["expected"] == "refuted":
            groups.setdefault(claim["because"] or claim["id"], []).append(claim)
    made = [_card(because, own) for because, own in groups.items()]
    return sorted(made, key=lambda card: (not card.terms, -len(card.claims)))


def _card(because: str, claims: Sequence[Mapping[str, Any]]) -> Card:
    files = {claim["id"]: path for claim in claims if (path := _witness_of(claim))}
    shown = min(claims, key=lambda claim: (claim["id"] not in files, not _is_theorem(claim)))
    path = files.get(shown["id"])
    found = witness_file.read(path) if path else None
    key, id = split(shown["of"][0])
    measure, terms, changes = _formulas(key, id, found.place if found else "", because)
    return Card(
        because=_sentence(because),
        claims=claims,
        shown=shown,
        measure=measure,
        terms=terms,
        changes=changes[:MOST],
        witness=found,
        file=path.name if path else "",
        text=path.read_text(encoding="utf-8") if path else "",
    )


def _is_theorem(claim: Mapping[str, Any]) -> bool:
    try:
        key, id = split(claim["of"][0])
        return isinstance(paper("printed", key)[id], Theorem)
    except UserError:  # results of a paper that is not at hand any more
        return False


def _sentence(text: str) -> str:
    """With a capital, unless it begins with the name of a term."""
    return text if "_" in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"


def _witness_of(claim: Mapping[str, Any]) -> Path | None:
    """The simple one that is kept of the claim's statement, and of its mistake where the claim's id names one."""
    key, statement = split(claim["of"][0])
    _, named, mistake = claim["id"].partition(".printed-")
    begin = f"{key}.{statement}.printed" + (f"-{mistake}." if named else "")
    return next((p for p in kept(key) if p.name.startswith(begin) and p.name.endswith(".simple.toml")), None)


def _formulas(
    key: str, id: str, place: str, because: str
) -> tuple[Markup | None, list[tuple[str, Markup, bool]], list[Change]]:
    try:
        printed, repaired = paper("printed", key), paper("repaired", key)
        statement = printed[id]
    except UserError:  # results of a paper that is not at hand any more
        return None, [], []
    owner = printed.owner(place) if place else id
    if not isinstance(statement, Theorem):
        known = place or any(e.place == id and e.reason == because for e in repaired.errata)
        return None, [], _changes(printed, repaired, owner, "") if known else []
    wrong = place.rpartition(".")[2] if owner == id else ""
    letter = owner.removeprefix("constant.") if owner != id else ""
    terms = [
        (name, mathml(latex), name == wrong or letter in map(str, statement.terms[name].free_symbols))
        for name, latex in dict(as_formulas(printed, statement))[AT_MOST]
    ]
    return mathml(statement.measure), terms, _changes(printed, repaired, owner, wrong)


def _changes(printed: Paper, repaired: Paper, id: str, label: str) -> list[Change]:
    """Every formula of a statement that errata change, or the one with this label."""
    before, after = (
        {
            (heading, name): latex
            for heading, formulas in as_formulas(source, source[id])
            for name, latex in formulas
        }
        for source in (printed, repaired)
    )
    return [
        Change(name, mathml(latex), mathml(after[heading, name]) if (heading, name) in after else None)
        for (heading, name), latex in before.items()
        if not _same(latex, after.get((heading, name), "")) and (not label or name == label)
    ]


def _same(printed: str, fits: str) -> bool:
    """Also where O stands for Theta: whoever chooses a step so large does so."""
    return printed.replace(THETA, "O") == fits.replace(THETA, "O")
