"""What the linter says of one statement, as rows, and as the check that a verdict rests on."""

import math

from ratecert.base.own_code import undecided_by_mistakes
from ratecert.catalogue import find
from ratecert.catalogue.version import require_version
from ratecert.claims.check import Check
from ratecert.claims.checks import at_most, equal
from ratecert.claims.claim import Json
from ratecert.claims.rows import Row, Rows
from ratecert.theory.language.paper import Erratum
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
