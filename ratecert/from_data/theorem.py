"""A theorem that is bound to a run, on trial: the search inside its conditions, and what the linter says of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from ratecert import registry
from ratecert.claim.check import Check
from ratecert.claim.checks import at_most, equal
from ratecert.claim.claim import Budget, Claim, Json, Piece
from ratecert.claim.rows import Rows
from ratecert.counterexamples.finding import falsify
from ratecert.counterexamples.theorem_case import ROUNDING, TheoremCase
from ratecert.errors import RatecertError, UndecidedError
from ratecert.from_data.code import require_version
from ratecert.theory.language.statements import Theorem
from ratecert.theory.lint import lint

WORLDS, QUICK_WORLDS = 2000, 200


def searched(
    paper: str,
    theorem: str,
    variant: str,
    budget: int,
    seed: int,
    code: str,
) -> list[Json]:
    """Search for a counterexample; `code` is the version of the paper's file."""
    require_version(paper, code)
    with undecided_by_mistakes():
        case = TheoremCase(paper, theorem, variant)
        outcome = falsify(case, budget=budget, seed=seed, jobs=1, advance=lambda _: None)
    if outcome.unconfirmed:
        raise UndecidedError(
            f"of {outcome.inside} worlds one has measured/bound {outcome.largest:.6g}, which no second way confirms."
        )
    simple = outcome.findings[0].simple.witness.instance if outcome.findings else {}
    world = {f"{table}.{name}": value for table, entries in simple.items() for name, value in entries.items()}
    return [
        {
            "largest": outcome.largest,
            "tried": outcome.tried,
            "inside": outcome.inside,
            "broken after": outcome.broken_after or 0,
            **world,
        }
    ]


@contextmanager
def undecided_by_mistakes() -> Iterator[None]:
    """What is refused, or is a mistake in the paper's own code, leaves its claim undecided, with the sentence."""
    try:
        yield
    except UndecidedError:
        raise
    except RatecertError as error:
        raise UndecidedError(str(error)) from error


def findings(paper: str, statement: str, variant: str, code: str) -> list[Json]:
    """What the linter finds in one statement; a row of none as well."""
    require_version(paper, code)
    source = registry.paper(variant, paper)
    own = [found for found in lint(source) if source.owner(found.place) == statement]
    return [{"finding": found.kind, "place": found.place} for found in own] or [
        {"finding": "none", "place": statement}
    ]


def claim_of(key: str, theorem: Theorem, variant: str, code: str) -> Claim:
    """No world that is tried breaks the theorem, and its statement is sound."""
    errata = [e for e in registry.paper("repaired", key).errata if e.place.startswith(f"{theorem.id}.")]
    because = "; ".join(e.reason for e in errata) if variant == "printed" else ""
    return Claim(
        id=f"{theorem.id}.{variant}",
        of=(theorem.id,),
        sentence=f"{theorem.title}: the bound holds wherever it was tried, and its statement is sound.",
        pieces=partial(_pieces, key, theorem.id, variant, code),
        checks=_checks,
        regime="inside the theorem's own conditions, on worlds of the families that it is bound to",
        method="exact moments, both sides; a counterexample is confirmed in intervals",
        evidence=("exact moments", "search"),
        settings={"worlds": [each.name for each in registry.executables(key)[theorem.id].families]},
        notes=["Not refuted is not proved: the worlds are quadratic, and finitely many."],
        table=lambda rows: rows.having("largest"),
        because=because,
    )


def _pieces(key: str, theorem: str, variant: str, code: str, budget: Budget) -> list[Piece]:
    same = {"paper": key, "variant": variant, "code": code}
    worlds = QUICK_WORLDS if budget.quick else WORLDS
    return [
        Piece(searched, {**same, "theorem": theorem, "budget": worlds, "seed": budget.seed}, 0.05 * worlds),
        Piece(findings, {**same, "statement": theorem}),
    ]


def _checks(rows: Rows) -> Iterator[Check]:
    search = rows.having("largest").only()
    name = f"largest measured/bound of {search['inside']} worlds inside the conditions"
    yield at_most(name, search["largest"], 1.0, tolerance=ROUNDING)
    unsound = [row for row in rows.having("finding") if row["finding"] != "none"]
    yield equal("findings of the linter", float(len(unsound)), 0.0, 0.0)
