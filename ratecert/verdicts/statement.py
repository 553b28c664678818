"""A statement on trial: what all claims on it share, what the linter says of it, and a claim where that is all.

Of some statements nothing can be measured, such as those on an adaptive method.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from ratecert.base.lists import BEYOND
from ratecert.base.own_code import undecided_by_mistakes
from ratecert.base.words import Evidence, not_seen
from ratecert.catalogue import cases, find
from ratecert.catalogue.load import require_version
from ratecert.claims.check import Check, at_most, equal
from ratecert.claims.claim import Claim, Json, Task
from ratecert.claims.rows import Row, Rows
from ratecert.proofs import prove
from ratecert.theory.lint import Finding, lint
from ratecert.theory.lint.corollaries import NOT_DERIVED
from ratecert.theory.numbers.evaluation import with_constants_of
from ratecert.theory.paper import Erratum, Paper
from ratecert.theory.statements import Corollary, Statement

WHOLE = 0.5  # of a count: none is found, or one
NOT_KNOWN = "not known"  # what the linter can derive no order of
BESIDE = "beside"  # what disagrees with another statement, either of which may be wrong
LINTER = "Linter, "  # notes on its findings begin so
METHOD = "nothing is measured: no run is bound to the statement as it stands"


def of_paper(compute: Callable[..., Iterable[Json]]) -> Callable[..., list[Json]]:
    """A computation with this version of a paper's files; mistakes in their lines leave its claims undecided."""

    @wraps(compute)
    def computed(paper: str, *given: Json, code: str, **named: Json) -> list[Json]:
        require_version(paper, code)
        with undecided_by_mistakes():
            return list(compute(paper, *given, **named))

    return computed


@dataclass(frozen=True)
class Variant:
    """A paper, printed or repaired, and the version of its files."""

    key: str
    name: str
    code: str

    @property
    def paper(self) -> Paper:
        return find.paper(self.name, self.key)

    def task(self, compute: Callable[..., Json], seconds: float = 1.0, **given: Json) -> Task:
        """A computation on it."""
        return Task(compute, {"paper": self.key, "variant": self.name, "code": self.code, **given}, seconds)

    def claim(self, statement: Statement, sentence: str, **rest: Any) -> Claim:
        """Named by its variant where there are two; a print with errata is expected to be refuted by their reasons."""
        errata = errata_of(self.key, statement.id)
        given = {
            "id": f"{statement.id}.{self.name}" if errata else statement.id,
            "of": (statement.id,),
            "sentence": f"{statement.title}{sentence}",
            "because": reasons(errata) if self.name == "printed" else "",
        }
        return Claim(**{**given, **rest})


def errata_of(key: str, statement: str) -> list[Erratum]:
    """The corrections to a statement, and of a theorem to the constants that stand in it."""
    repaired = find.paper("repaired", key)
    own = with_constants_of(repaired, statement)
    return [erratum for erratum in repaired.errata if repaired.owner(erratum.place) in own]


def reasons(errata: Iterable[Erratum]) -> str:
    return "; ".join(erratum.reason for erratum in errata)


def without_infinity(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of long runs, T = inf, as a text: JSON has no infinity."""
    return {name: str(value) if value == math.inf else value for name, value in numbers.items()}


# What the linter says, as rows, as a check and as notes.


@of_paper
def findings(paper: str, statement: str, variant: str) -> list[Json]:
    """What the linter finds in one statement and in the constants of a theorem, notes aside; a row of none as well."""
    source = find.paper(variant, paper)
    owners = with_constants_of(source, statement)
    own = [f for f in lint(source) if source.owner(f.place) in owners and f.severity != "note"]
    return [_as_row(f) for f in own] or [{"finding": "none", "place": statement}]


def _as_row(found: Finding) -> Json:
    kind, says = found.kind, f"{found.printed}; what fits: {found.fits}"
    if found.fits == NOT_DERIVED:
        kind, says = NOT_KNOWN, found.because
    elif found.beside:
        kind, says = BESIDE, f"{found.printed}, where {found.fits} would fit {found.beside}"
    return {"finding": kind, "place": found.place, "says": says}


def unsound(rows: Rows) -> list[Row]:
    """The findings that refute."""
    return [row for row in rows.having("finding") if row["finding"] not in ("none", NOT_KNOWN, BESIDE)]


def sound(rows: Rows) -> Check:
    """The linter finds nothing; where it can derive nothing, and nothing is measured, that decides nothing."""
    wrong = unsound(rows)
    if not wrong and rows.where(finding=NOT_KNOWN) and not rows.having("measure"):
        return equal("findings of the linter, which can derive no order", 0.0, 0.0, 0.0, math.inf)
    first, *more = dict.fromkeys(row["place"] for row in wrong) or [""]
    where = f" ({first}{', ...' if more else ''})" if first else ""
    return at_most(f"findings of the linter{where}", float(len(wrong)), 0.0, tolerance=WHOLE)


def left_open(rows: Rows) -> list[str]:
    """As notes: why no order can be derived, and what disagrees with another statement, which refutes neither."""
    unknown, beside = (rows.where(finding=kind) for kind in (NOT_KNOWN, BESIDE))
    return [
        *(f"No order can be derived: {row['says']}" for row in unknown),
        *(f"Two statements disagree, at {row['place']}: {row['says']}." for row in beside),
    ]


# A claim where that is all.


def claim_of(variant: Variant, statement: Statement, unseen: str = METHOD, note: str = "") -> Claim:
    """The statement is sound: of a theorem, a corollary or costs that no run is bound to."""
    said = [not_seen(unseen), *([note] if note else [])]
    return variant.claim(
        statement,
        ": the statement is sound. Nothing is measured.",
        tasks=lambda _: [variant.task(findings, statement=statement.id)],
        checks=_checks,
        regime="the statement itself: units, symbols, orders",
        method="the linter",
        evidence=("linter",),
        settings={"variant": variant.paper.variant},
        notes=lambda rows: [*said, *left_open(rows)],
    )


def _checks(rows: Rows) -> Iterator[Check]:
    checked = sound(rows)
    yield replace(checked, name=f"{checked.name}, and nothing is measured")


def corollary_of(variant: Variant, corollary: Corollary) -> Claim:
    """A corollary follows of a theorem that nothing binds to a run, or whose T is a logarithm of eps.

    There an order leaves the rate itself open, and errata to it say nothing of that.
    """
    if corollary.theorem not in find.bindings(variant.key):
        return claim_of(variant, corollary, note=corollary.note)
    order = (corollary.scalings.get("T") or corollary.claim).order
    unseen = f"T is of the order {order}, and the constant, which is left open, decides the rate"
    if "T" not in corollary.scalings:
        unseen = f"{order} is no product of powers, so that there is no exponent to measure"
    return replace(claim_of(variant, corollary, unseen), id=corollary.id, because="")


# Stored proofs, which are run again.

IN_FRACTIONS: tuple[Evidence, ...] = ("proof in fractions",)


def proofs_of(key: str, statement: str, mistake: str = "") -> list[Task]:
    """Runs of the proofs that a packaged statement is false, or of the one for a mistake."""
    own = cases.proofs_of(key, statement, mistake)
    return [Task(proved, {"proof": path.stem, "text": path.read_text(encoding="utf-8")}) for path in own]


def proved(proof: str, text: str) -> list[Json]:
    """Run a stored proof; the ratio that it prints is the last word."""
    return [{"proved": min(prove.run_again(proof, text), BEYOND)}]


def in_fractions(rows: Rows) -> Iterator[Check]:
    """What the proofs have found."""
    for row in rows.having("proved"):
        yield at_most(f"measured/bound in fractions, {row['proof']}", row["proved"], 1.0)
