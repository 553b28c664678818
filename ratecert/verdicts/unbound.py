"""Statements of which nothing can be measured, such as those on an adaptive method: only the linter speaks of them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ratecert.base.words import not_seen
from ratecert.catalogue import find
from ratecert.claims.check import Check
from ratecert.claims.claim import Budget, Claim, Piece
from ratecert.claims.rows import Rows
from ratecert.theory.language.statements import Corollary, Counts, Theorem
from ratecert.verdicts.linted import disagreements, errata_of, findings, sound, underived

METHOD = "nothing is measured: no run is bound to the statement as it stands"


def claim_of(key: str, theorem: Theorem, variant: str, code: str) -> Claim:
    """The statement of a theorem that nothing binds to a run is sound."""
    return _named(key, _claim(key, theorem, variant, code, METHOD), variant)


def _named(key: str, claim: Claim, variant: str) -> Claim:
    """By its variant where there are two, and with what is wrong with the print."""
    errata = errata_of(key, claim.id)
    named = replace(claim, id=f"{claim.id}.{variant}") if errata else claim
    return replace(named, because="; ".join(e.reason for e in errata) if variant == "printed" else "")


def corollary_of(key: str, corollary: Corollary, code: str, variant: str = "printed") -> Claim:
    """A corollary follows of a theorem that nothing binds to a run, or whose T is a logarithm of eps.

    There an order leaves the rate itself open.
    """
    if corollary.theorem in find.bindings(key):
        order = (corollary.scalings.get("T") or corollary.claim).order
        blind = f"T is of the order {order}, and the constant, which is left open, decides the rate"
        if "T" not in corollary.scalings:
            blind = f"{order} is no product of powers, so that there is no exponent to measure"
        return _claim(key, corollary, variant, code, blind)
    return _named(key, _claim(key, corollary, variant, code, METHOD, corollary.note), variant)


def counts_of(key: str, counts: Counts, code: str) -> Claim:
    """What is counted along corollaries that nothing can be run along is sound."""
    return _named(key, _claim(key, counts, "printed", code, METHOD), "printed")


def _claim(
    key: str, statement: Theorem | Corollary | Counts, variant: str, code: str, blind: str, note: str = ""
) -> Claim:
    return Claim(
        id=statement.id,
        of=(statement.id,),
        sentence=f"{statement.title}: the statement is sound. Nothing is measured.",
        pieces=partial(_pieces, key, statement.id, variant, code),
        checks=_checks,
        regime="the statement itself: units, symbols, orders",
        method="the linter",
        evidence=("linter",),
        settings={"variant": find.paper(variant, key).variant},
        notes=partial(_notes, [not_seen(blind), *([note] if note else [])]),
    )


def _pieces(key: str, statement: str, variant: str, code: str, _: Budget) -> list[Piece]:
    return [Piece(findings, {"paper": key, "statement": statement, "variant": variant, "code": code})]


def _checks(rows: Rows) -> Iterator[Check]:
    checked = sound(rows)
    yield replace(checked, name=f"{checked.name}, and nothing is measured")


def _notes(said: list[str], rows: Rows) -> list[str]:
    return [*said, *underived(rows), *disagreements(rows)]
