"""A wrong statement on trial, four ways.

    letter       the claim `statements`, which compares with a transcription
    derivation   whether the theorem's two corollaries follow, in orders of growth; as printed without logarithms
    units        the linter's rule on units: does it find something that it did not find before?
    measured     the claims that hold the theorem's bound against exact moments: `theorem-N.repaired`, or the claims
                 that refute the print

What is measured does not depend on the bound. So the runs are computed once for each theorem, with all wrong terms
evaluated beside the right ones, and are judged again for each slip by the claim's own judge. A bound that is nowhere
smaller than before is a weaker statement, true where the right one is: no measurement can refute it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

from ratecert.base.errors import UndecidedError, UserError
from ratecert.claim.check import Check
from ratecert.claim.checks import equal
from ratecert.claim.claim import Budget, Claim, Json, Piece
from ratecert.claim.rows import Row, Rows
from ratecert.from_data.code import version_of
from ratecert.from_data.derived import checks_of_conditions, checks_of_logs, checks_of_powers, derived
from ratecert.from_data.rate import exponents_of
from ratecert.papers.federated_bilevel import claims
from ratecert.papers.federated_bilevel.evidence.theorems.both_sides import both_sides, with_bound
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.wrong.substituted_paper import substituted
from ratecert.papers.federated_bilevel.wrong.wrong_statements import Slip, slips, with_slip, with_terms
from ratecert.power.detections import caught_by, failed
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Corollary, Theorem
from ratecert.theory.lint.finding import Finding
from ratecert.theory.lint.units import lint_units

_CLAIMS = {claim.id: claim for claim in claims.CLAIMS}

CANNOT_JUDGE = (
    UndecidedError,
    UserError,
)  # a bound that vanishes, an order that is not known; all else is a bug


# Letter, derivation, units.


def read(theorem: str, variant: str, slip: str) -> Json:
    """What the letter, the derivations and the units say of the slip of this name."""
    (found,) = [each for each in slips(theorem, variant) if each.name == slip]
    return seen(found)


def seen(slip: Slip) -> Json:
    source = with_slip(paper(slip.variant), slip)
    deriving = [follows(c, source) for c in source.of_kind(Corollary) if c.theorem == slip.theorem]
    statements, values = _CLAIMS["statements"], _values("statements")
    with substituted(source):
        caught = [_again(claim, [[]], lambda _: True) for claim in deriving]
        letter = _again(statements, values, lambda p: p.arguments.get("statement") == slip.theorem)
    units = set(lint_units(source)) != _units(slip.variant)
    return {"letter": letter, "derivation": [catch for catch in caught if catch], "units": units}


def follows(corollary: Corollary, source: Paper) -> Claim:
    """The claim that the theorem gives exactly what the corollary claims; as printed, logarithms aside."""
    given = {"paper": source.key, "corollary": corollary.id, "variant": source.variant}

    def checks(rows: Rows) -> Iterator[Check]:
        yield from checks_of_powers(rows, "N", equal)
        yield from checks_of_conditions(rows)
        if source.variant == "repaired":
            yield from checks_of_logs(rows, equal)

    claim = exponents_of(source.key, corollary, version_of(source.key))
    pieces = [Piece(derived, {**given, "code": version_of(source.key)})]
    return replace(claim, pieces=lambda _: pieces, checks=checks)


def _again(claim: Claim, values: Sequence[Json], depends: Callable[[Piece], bool]) -> Json | None:
    """The claim judged again, with those of its pieces that depend on the slip computed again."""
    try:
        pieces = claim.pieces(Budget())
        again = [
            p.function(**p.arguments) if depends(p) else value
            for p, value in zip(pieces, values, strict=True)
        ]
        return caught_by(claim, claim.judged(pieces, again))
    except CANNOT_JUDGE as error:
        return failed(claim, error)


@cache
def _values(id: str) -> list[Json]:
    """The values of a claim's pieces without any slip."""
    return [piece.function(**piece.arguments) for piece in _CLAIMS[id].pieces(Budget())]


@cache
def _units(variant: str) -> set[Finding]:
    return set(lint_units(paper(variant)))


# Measured.

Runs = Mapping[str, tuple[Sequence[Piece], Sequence[Sequence[Row]]]]
"""claim -> its pieces, as `pieces_on` has them, and the rows of each."""


def claims_on(theorem: str, variant: str) -> list[Claim]:
    return [claim for id, claim in _CLAIMS.items() if id.startswith(f"{theorem}.{variant}")]


def pieces_on(theorem: str, variant: str) -> dict[str, list[Piece]]:
    """claim -> its runs, with the wrong terms beside the right ones."""
    return {
        claim.id: [Piece(sides_and_slips, p.arguments, p.seconds) for p in claim.pieces(Budget())]
        for claim in claims_on(theorem, variant)
    }


def sides_and_slips(theorem: str, variant: str, **more: Any) -> list[Json]:
    """Both sides of the theorem's inequality, in which the terms are followed by all wrong ones."""
    source = paper(variant)
    wrong = {slip.name: slip.instead for slip in slips(theorem, variant) if slip.instead is not None}
    with substituted(with_terms(source, theorem, {**source.the(Theorem, theorem).terms, **wrong})):
        return both_sides(theorem=theorem, variant=variant, **more)


def measured(slip: Slip, runs: Runs) -> Json:
    """What the runs of each claim say, and whether the wrong bound is larger or smaller than the right one there."""
    detections, differences = [], []
    for claim in claims_on(slip.theorem, slip.variant):
        pieces, right = runs[claim.id]
        wrong = [[_with_slip(slip, run) for run in rows] for rows in right]
        differences += [
            bad.get(f"terms.{slip.term}", 0.0) - good[f"terms.{slip.term}"]
            for bad, good in zip(chain(*wrong), chain(*right), strict=True)
        ]
        try:
            detections.append(caught_by(claim, claim.judged(pieces, wrong)))
        except CANNOT_JUDGE as error:
            detections.append(failed(claim, error))
    return {"measured": [found for found in detections if found], "bound": _compared(differences)}


def _with_slip(slip: Slip, run: Row) -> Row:
    """The run beside the bound with this slip and without all others."""
    terms = {name: run[f"terms.{name}"] for name in paper(slip.variant).the(Theorem, slip.theorem).terms}
    if slip.instead is None:
        del terms[slip.term]
    else:
        terms[slip.term] = run[f"terms.{slip.name}"]
    return with_bound(run, terms)


def _compared(differences: Sequence[float]) -> str:
    larger, smaller = any(d > 0 for d in differences), any(d < 0 for d in differences)
    return {
        (True, True): "mixed",
        (True, False): "weaker",
        (False, True): "smaller",
        (False, False): "equal",
    }[larger, smaller]
