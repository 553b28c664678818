"""A theorem that is bound to no run, such as one on an adaptive method: only the linter can speak of it."""

from collections.abc import Iterator
from functools import partial

from ratecert import registry
from ratecert.claim.check import Check
from ratecert.claim.checks import equal
from ratecert.claim.claim import Budget, Claim, Piece
from ratecert.claim.rows import Rows
from ratecert.from_data.theorem import errata_of, findings
from ratecert.theory.language.statements import Theorem


def claim_of(key: str, theorem: Theorem, variant: str, code: str) -> Claim:
    """Its statement is sound."""
    errata = errata_of(key, theorem.id)
    because = "; ".join(e.reason for e in errata)
    return Claim(
        id=f"{theorem.id}.{variant}" if errata else theorem.id,
        of=(theorem.id,),
        sentence=f"{theorem.title}: its statement is sound. Nothing binds it to a run, so nothing is measured.",
        pieces=partial(_pieces, key, theorem.id, variant, code),
        checks=_checks,
        regime="the statement itself: units, symbols, orders",
        method="the linter",
        evidence=("linter",),
        settings={"variant": registry.paper(variant, key).variant},
        notes=["The tool is blind to the method: what it does is not affine, or not known."],
        because=because if variant == "printed" else "",
    )


def _pieces(key: str, theorem: str, variant: str, code: str, _: Budget) -> list[Piece]:
    return [Piece(findings, {"paper": key, "statement": theorem, "variant": variant, "code": code})]


def _checks(rows: Rows) -> Iterator[Check]:
    unsound = [row for row in rows.having("finding") if row["finding"] != "none"]
    yield equal("findings of the linter", float(len(unsound)), 0.0, 0.0)
