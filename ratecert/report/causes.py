"""What is wrong in a paper, one card for each cause: refuted claims that are refuted for the same reason.

A card shows the statement of the claim with the smallest witness: its bound with the wrong terms marked, or its
formulas as they are printed, what fits in their place, the witness, and what was measured against what is allowed.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ratecert.base.errors import UserError
from ratecert.catalogue import cases
from ratecert.catalogue.find import KEYS, paper, split
from ratecert.catalogue.load import library
from ratecert.report.typeset import SKIPPED, mathml
from ratecert.search.witness import Witness
from ratecert.theory.language.outline import AT_MOST
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.language.typeset import as_formulas

MOST = 8  # changes on a card
THETA = r"\Theta"


@dataclass(frozen=True)
class Change:
    """A formula of the print, and the one that fits, if that is another."""

    label: str  # of what is no equation
    printed: Markup
    fits: Markup | None


@dataclass(frozen=True)
class Card:
    because: str
    claims: Sequence[Mapping[str, Any]]
    shown: Mapping[str, Any]  # the claim whose numbers and figure are on the card
    measure: Markup | None
    terms: Sequence[tuple[str, Markup, bool]]  # name, formula, whether it is wrong
    named: Collection[str]  # the wrong terms, and those that the figure or the cause names
    changes: Sequence[Change]
    witness: Witness | None
    file: str  # of the witness
    text: str  # of that file


def cards(claims: Sequence[Mapping[str, Any]]) -> list[Card]:
    """Of the claims that are refuted, and were expected to be; of a paper of one's own nobody has expected anything."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for claim in claims:
        if claim["verdict"] == "refuted" and (claim["expected"] == "refuted" or _is_own(claim)):
            groups.setdefault(claim["because"] or _what_failed(claim), []).append(claim)
    causes = Counter(id for own in groups.values() for id in {claim["of"][0] for claim in own})
    made = [_card(because, own, causes) for because, own in groups.items()]
    return sorted(made, key=lambda card: (not card.terms, -len(card.claims)))


def _card(because: str, claims: Sequence[Mapping[str, Any]], causes: Mapping[str, int]) -> Card:
    files = {claim["id"]: path for claim in claims if (path := _witness_of(claim))}
    shown = min(claims, key=lambda claim: (claim["id"] not in files, not _is_theorem(claim)))
    path = files.get(shown["id"])
    found = cases.read(path) if path else None
    key, id = split(shown["of"][0])
    words = _words(because, shown)
    alone = causes[shown["of"][0]] == 1
    measure, terms, changes = _formulas(key, id, found.place if found else "", because, alone=alone)
    return Card(
        because=_sentence(because),
        claims=claims,
        shown=shown,
        measure=measure,
        terms=terms,
        named={name for name, _, wrong in terms if wrong or name in words},
        changes=changes[:MOST],
        witness=found,
        file=path.name if path else "",
        text=path.read_text(encoding="utf-8") if path else "",
    )


def _is_own(claim: Mapping[str, Any]) -> bool:
    """Whether the paper is the user's, not one that comes with ratecert."""
    return bool(claim["of"]) and split(claim["of"][0])[0] not in (*KEYS, *library())


def _what_failed(claim: Mapping[str, Any]) -> str:
    """The cause that is known of a claim for which nobody has given one."""
    return f"{claim['statement']} does not hold: {claim['reason']}"


def _words(because: str, claim: Mapping[str, Any]) -> set[str]:
    """Of the cause, and of the legends of the figure."""
    panels = claim["chart"]["panels"] if claim["chart"] else []
    labels = [series["label"] for panel in panels for series in panel["series"]]
    return set(" ".join([because, *labels]).split())


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
    """The simple one that is stored of the claim's statement, and of its mistake where the claim's id names one."""
    key, statement = split(claim["of"][0])
    _, named, mistake = claim["id"].partition(".printed-")
    begin = f"{key}.{statement}.printed" + (f"-{mistake}." if named else "")
    return next(
        (p for p in cases.stored(key) if p.name.startswith(begin) and p.name.endswith(".simple.toml")), None
    )


def _formulas(
    key: str, id: str, place: str, because: str, *, alone: bool
) -> tuple[Markup | None, list[tuple[str, Markup, bool]], list[Change]]:
    """What errata change belongs to their reason, or to the only one for which the statement is refuted."""
    try:
        printed, repaired = paper("printed", key), paper("repaired", key)
        statement = printed[id]
    except UserError:  # results of a paper that is not at hand any more
        return None, [], []
    owner = printed.owner(place) if place else id
    if not isinstance(statement, Theorem):
        known = place or alone or any(e.place == id and e.reason == because for e in repaired.errata)
        changes = _changes(printed, repaired, owner, "") if known else []
        unchanged = [
            Change(_label(*p, latex), mathml(latex), None) for p, latex in _shown(printed, id).items()
        ]
        return None, [], changes or unchanged
    wrong = place.rpartition(".")[2] if owner == id else ""
    letter = owner.removeprefix("constant.") if owner != id else ""
    terms = [
        (name, mathml(latex), name == wrong or letter in map(str, statement.terms[name].free_symbols))
        for name, latex in dict(as_formulas(printed, statement))[AT_MOST]
    ]
    return mathml(statement.measure), terms, _changes(printed, repaired, owner, wrong)


def _shown(source: Paper, id: str) -> dict[tuple[str, str], str]:
    """(heading, name) -> LaTeX, for every formula of a statement."""
    return {
        (heading, name): latex
        for heading, formulas in as_formulas(source, source[id])
        for name, latex in formulas
        if heading not in SKIPPED
    }


def _label(heading: str, name: str, latex: str) -> str:
    """An equation says itself what it is of."""
    return "" if "=" in latex else name or heading.lower()


def _changes(printed: Paper, repaired: Paper, id: str, label: str) -> list[Change]:
    """Every formula of a statement that errata change, or the one with this label."""
    before, after = _shown(printed, id), _shown(repaired, id)
    return [
        Change(_label(*place, latex), mathml(latex), mathml(after[place]) if place in after else None)
        for place, latex in before.items()
        if not _same(latex, after.get(place, "")) and (not label or place[1] == label)
    ]


def _same(printed: str, fits: str) -> bool:
    """Also where O stands for Theta: whoever chooses a step so large does so."""
    return printed.replace(THETA, "O") == fits.replace(THETA, "O")
