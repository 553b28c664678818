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
from ratecert.catalogue.find import is_own, paper, split
from ratecert.report.library import smallest_witness
from ratecert.report.typeset import formulas_of, mathml
from ratecert.search.witness import Witness, named
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem
from ratecert.typeset.outline import AT_MOST
from ratecert.typeset.printed import as_formulas

MOST = 8  # changes on a card
THETA = r"\Theta"
Claim = Mapping[str, Any]  # an entry of results.json


@dataclass(frozen=True)
class Change:
    """A formula of the print, and the one that fits, if that is another."""

    label: str  # of what is no equation
    printed: Markup
    fits: Markup | None


@dataclass(frozen=True, kw_only=True)
class Card:
    because: str
    claims: Sequence[Claim]
    shown: Claim  # the claim whose numbers and figure are on the card
    measure: Markup | None = None
    terms: Sequence[tuple[str, Markup, bool]] = ()  # name, formula, whether it is wrong
    named: Collection[str] = ()  # the wrong terms, and those that the figure or the cause names
    changes: Sequence[Change] = ()
    witness: Witness | None = None
    file: str = ""  # of the witness
    text: str = ""  # of that file


def cards(claims: Sequence[Claim]) -> list[Card]:
    """Of the claims that are refuted, and were expected to be; of a paper of one's own nobody has expected anything."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        if claim["verdict"] == "refuted" and (is_own(claim["of"][0]) or claim["expected"] == "refuted"):
            unexpected = f"{claim['statement']} does not hold: {claim['reason']}"
            groups.setdefault(claim["because"] or unexpected, []).append(claim)
    causes = Counter(id for own in groups.values() for id in {claim["of"][0] for claim in own})
    made = [_card(because, own, causes) for because, own in groups.items()]
    return sorted(made, key=lambda card: (not card.terms, -len(card.claims)))


def _card(because: str, claims: Sequence[Claim], causes: Mapping[str, int]) -> Card:
    """Shows a claim with a witness, if there is one, and of these a theorem."""
    found = [(claim, _witness_of(claim), _papers_of(claim)) for claim in claims]
    shown, path, papers = min(found, key=lambda each: (each[1] is None, not _is_theorem(*each[::2])))
    witness = cases.read(path) if path else None
    panels = shown["chart"]["panels"] if shown["chart"] else []
    words = " ".join([because, *(series["label"] for panel in panels for series in panel["series"])]).split()
    place, alone = witness.place if witness else "", causes[shown["of"][0]] == 1
    parts = _formulas(*papers, split(shown["of"][0])[1], place, because, alone=alone) if papers else {}
    return Card(
        because=because if "_" in because.partition(" ")[0] else f"{because[:1].upper()}{because[1:]}",
        claims=claims,
        shown=shown,
        named={name for name, _, wrong in parts.get("terms", ()) if wrong or name in words},
        witness=witness,
        file=path.name if path else "",
        text=path.read_text(encoding="utf-8") if path else "",
        **parts | {"changes": parts.get("changes", [])[:MOST]},
    )


def _papers_of(claim: Claim) -> tuple[Paper, Paper] | None:
    """The print and its repair; None where the paper of the results is not at hand any more."""
    key, id = split(claim["of"][0])
    try:
        paper("printed", key)[id]
        return paper("printed", key), paper("repaired", key)
    except UserError:
        return None


def _is_theorem(claim: Claim, papers: tuple[Paper, Paper] | None) -> bool:
    return papers is not None and isinstance(papers[0][split(claim["of"][0])[1]], Theorem)


def _witness_of(claim: Claim) -> Path | None:
    """Of its statement, and of its mistake where the claim's id names one."""
    _, printed, mistake = claim["id"].partition(".printed-")
    return smallest_witness(named(claim["of"][0], "printed") + (f"-{mistake}." if printed else ""))


def _formulas(
    printed: Paper, repaired: Paper, id: str, place: str, because: str, *, alone: bool
) -> dict[str, Any]:
    """What is on the card of them; what errata change belongs to their reason, or to the only one there is."""
    statement, owner = printed[id], printed.owner(place) if place else id
    if not isinstance(statement, Theorem):
        known = place or alone or any(e.place == id and e.reason == because for e in repaired.errata)
        changes = _changes(printed, repaired, owner, "") if known else []
        as_printed = _latex(printed, id).items()
        return {
            "changes": changes
            or [Change(_label(*at, latex), mathml(latex), None) for at, latex in as_printed]
        }
    wrong = place.rpartition(".")[2] if owner == id else ""
    letter = owner.removeprefix("constant.") if owner != id else ""
    terms = [
        (name, mathml(latex), name == wrong or letter in map(str, statement.terms[name].free_symbols))
        for name, latex in dict(as_formulas(printed, statement))[AT_MOST]
    ]
    changes = _changes(printed, repaired, owner, wrong)
    return {"measure": mathml(statement.measure), "terms": terms, "changes": changes}


def _latex(source: Paper, id: str) -> dict[tuple[str, str], str]:
    """(heading, name) -> LaTeX, for every formula of a statement."""
    return {(heading, name): latex for heading, own in formulas_of(source, id) for name, latex in own}


def _label(heading: str, name: str, latex: str) -> str:
    """An equation says itself what it is of."""
    return "" if "=" in latex else name or heading.lower()


def _changes(printed: Paper, repaired: Paper, id: str, label: str) -> list[Change]:
    """Every formula of a statement that errata change, or the one with this label.

    Theta and O are the same: whoever chooses a step so large does so.
    """
    after = _latex(repaired, id)
    return [
        Change(_label(*at, latex), mathml(latex), mathml(after[at]) if at in after else None)
        for at, latex in _latex(printed, id).items()
        if latex.replace(THETA, "O") != after.get(at, "").replace(THETA, "O")
        and (not label or at[1] == label)
    ]
