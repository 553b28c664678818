"""What the linter says of one statement: as rows, as a check, and as a claim where nothing else speaks of it.

Of some statements nothing can be measured, such as those on an adaptive method.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ratecert.base.own_code import undecided_by_mistakes
from ratecert.base.words import not_seen
from ratecert.catalogue import find
from ratecert.catalogue.version import require_version
from ratecert.claims.check import Check, at_most, equal
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.claims.rows import Row, Rows
from ratecert.theory.language.paper import Erratum
from ratecert.theory.language.statements import Corollary, Counts, Theorem
from ratecert.theory.lint import Finding, lint
from ratecert.theory.lint.derivable import NOT_DERIVED
from ratecert.theory.numbers.standing_in import with_constants_of

WHOLE = 0.5  # of a count: none is found, or one
NOT_KNOWN = "not known"  # what the linter can derive no order of
BESIDE = "beside"  # what disagrees with another statement, either of which may be wrong
LINTER = "Linter, "  # notes on its findings begin so


def findings(paper: str, statement: str, variant: str, code: str) -> list[Json]:
    """What the linter finds in one statement and in the constants of a theorem, notes aside; a row of none as well."""
    require_version(paper, code)
    with undecided_by_mistakes():
        source = find.paper(variant, paper)
        owners = with_constants_of(source, statement)
        own = [f for f in lint(source) if source.owner(f.place) in owners and f.severity != "note"]
    return [_as_row(f) for f in own] or [{"finding": "none", "place": statement}]


def _as_row(found: Finding) -> Json:
    if found.fits == NOT_DERIVED:
        return {"finding": NOT_KNOWN, "place": found.place, "says": found.because}
    if found.beside:
        says = f"{found.printed}, where {found.fits} would fit {found.beside}"
        return {"finding": BESIDE, "place": found.place, "says": says}
    says = f"{found.printed}; what fits: {found.fits}"
    return {"finding": found.kind, "place": found.place, "says": says}


def errata_of(key: str, statement: str) -> list[Erratum]:
    """The corrections to a statement, and of a theorem to the constants that stand in it."""
    repaired = find.paper("repaired", key)
    own = with_constants_of(repaired, statement)
    return [erratum for erratum in repaired.errata if repaired.owner(erratum.place) in own]


def sound(rows: Rows) -> Check:
    """The linter finds nothing; where it can derive nothing, and nothing is measured, that decides nothing."""
    found = float(len(unsound(rows)))
    if not found and underived(rows) and not rows.having("measure"):
        return equal("findings of the linter, which can derive no order", found, 0.0, 0.0, math.inf)
    return at_most(f"findings of the linter{_places(rows)}", found, 0.0, tolerance=WHOLE)


def _places(rows: Rows) -> str:
    """Where they are: the first of them."""
    first, *more = list(dict.fromkeys(row["place"] for row in unsound(rows))) or [""]
    return f" ({first}{', ...' if more else ''})" if first else ""


def underived(rows: Rows) -> list[str]:
    """Why no order can be derived, as notes."""
    return [
        f"No order can be derived: {row['says']}" for row in rows.having("finding").where(finding=NOT_KNOWN)
    ]


def disagreements(rows: Rows) -> list[str]:
    """What does not fit another statement, as notes: that refutes neither of the two."""
    found = rows.having("finding").where(finding=BESIDE)
    return [f"Two statements disagree, at {row['place']}: {row['says']}." for row in found]


def unsound(rows: Rows) -> list[Row]:
    return [row for row in rows.having("finding") if row["finding"] not in ("none", NOT_KNOWN, BESIDE)]


# Claims on statements of which nothing can be measured.

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
        tasks=partial(_tasks, key, statement.id, variant, code),
        checks=_checks,
        regime="the statement itself: units, symbols, orders",
        method="the linter",
        evidence=("linter",),
        settings={"variant": find.paper(variant, key).variant},
        notes=partial(_notes, [not_seen(blind), *([note] if note else [])]),
    )


def _tasks(key: str, statement: str, variant: str, code: str, _: Budget) -> list[Task]:
    return [Task(findings, {"paper": key, "statement": statement, "variant": variant, "code": code})]


def _checks(rows: Rows) -> Iterator[Check]:
    checked = sound(rows)
    yield replace(checked, name=f"{checked.name}, and nothing is measured")


def _notes(said: list[str], rows: Rows) -> list[str]:
    return [*said, *underived(rows), *disagreements(rows)]
