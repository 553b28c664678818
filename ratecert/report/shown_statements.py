"""The statements that claims are of, each once, typeset for a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ratecert.base.errors import UserError
from ratecert.catalogue.find import paper, split
from ratecert.report.mathml import mathml
from ratecert.theory.language.typeset import as_formulas

Formulas = Sequence[tuple[str, Sequence[tuple[str, Markup]]]]  # heading, [(label, formula)]
SKIPPED = ("Letters",)  # they are in the notation's own words, and long


def variant_of(claim: Mapping[str, Any]) -> str:
    return "repaired" if claim["id"].endswith(".repaired") else "printed"


def statements(claims: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, Formulas]]:
    """Anchor -> title and formulas; nothing where a paper is not at hand, as a file that has gone."""
    found: dict[str, tuple[str, Formulas]] = {}
    for claim in claims:
        for id in claim["of"]:
            try:
                found.setdefault(anchor(id, variant_of(claim)), _typeset(id, variant_of(claim)))
            except UserError:
                continue
    return found


def anchor(id: str, variant: str) -> str:
    return f"statement-{id.replace(':', '-').replace('/', '-')}-{variant}"


def _typeset(id: str, variant: str) -> tuple[str, Formulas]:
    key, inside = split(id)
    source = paper(variant, key)
    statement = source[inside]
    formulas = [
        (heading, [(label, mathml(latex)) for label, latex in own])
        for heading, own in as_formulas(source, statement)
        if heading not in SKIPPED
    ]
    where = f", {statement.source}" if statement.source else ""
    return f"{statement.title} ({id}, {variant}{where})", formulas
