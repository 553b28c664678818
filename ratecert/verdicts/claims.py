"""All claims of a paper: those that follow from its data, and those that a person wrote."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from ratecert.base.errors import UserError
from ratecert.catalogue import find
from ratecert.catalogue.version import version_of
from ratecert.claims.claim import Claim
from ratecert.theory.language.statements import Corollary, Counts, Theorem
from ratecert.verdicts import counts, mistakes, rate, theorem, unbound
from ratecert.verdicts.along import measurable
from ratecert.verdicts.by_hand import bound
from ratecert.verdicts.exponents import same_powers
from ratecert.verdicts.linted import errata_of


@cache
def claims() -> dict[str, Claim]:
    """Every claim of every paper of the package, the library aside, by id."""
    return {id: claim for key in find.KEYS for id, claim in of_package(key).items()}


@cache
def of_package(key: str) -> dict[str, Claim]:
    """Those of one paper of the package, made once."""
    return claims_of(key)


def claims_of(key: str) -> dict[str, Claim]:
    """Of its theorems that are bound to runs, of their corollaries and counts, and those it brings, by id.

    Those that a person wrote stand in the place of the one that follows, if they have the same id.
    """
    by_hand = _by_hand(key)
    written = {claim.id for claim in by_hand}
    found = [*(claim for claim in _derived(key) if claim.id not in written), *by_hand]
    if not found:
        raise UserError(f"{key} has nothing to verify: no theorem in RUNS, and no CLAIMS.")
    return {claim.id: claim for bare in found for claim in [_in_full(key, bare)]}


def _derived(key: str) -> Iterator[Claim]:
    if find.part(key, "runs") is None:
        return
    runs = find.bindings(key)
    printed, repaired = (find.paper(variant, key) for variant in find.VARIANTS)
    code = version_of(key)
    for variant, paper in (("printed", printed), ("repaired", repaired)):
        for statement in paper.of_kind(Theorem):
            shown = _mistakes(key, statement, code) if variant == "printed" else []
            yield from shown
            if errata_of(key, statement.id) if variant == "repaired" else not shown:
                claim_of = theorem.claim_of if statement.id in runs else unbound.claim_of
                yield claim_of(key, statement, variant, code)
    for corollary in printed.of_kind(Corollary):
        bound_to_run = corollary.theorem in runs and measurable(corollary)
        claim_of_rate = rate.claim_of if bound_to_run else unbound.corollary_of
        yield claim_of_rate(key, corollary, code)
        if (bound_to_run or corollary.theorem not in runs) and errata_of(key, corollary.id):
            cured = repaired.the(Corollary, corollary.id)
            if bound_to_run and same_powers(corollary.claim.order, cured.claim.order):
                yield rate.exponents_of(key, corollary, code)
            yield claim_of_rate(key, cured, code, "repaired")
    for costs in printed.of_kind(Counts):
        if counts.bound_costs(key, costs):
            yield counts.claim_of(key, costs, code)
            if errata_of(key, costs.id):
                cured_costs = repaired.the(Counts, costs.id)
                if counts.lacks_logs(key, costs, cured_costs):
                    yield counts.exponents_of(key, costs, code)
                yield counts.claim_of(key, cured_costs, code, "repaired")
        elif any(cost.corollary for cost in costs.costs):
            yield unbound.counts_of(key, costs, code)


def _mistakes(key: str, statement: Theorem, code: str) -> list[Claim]:
    """One for each, which says more than that the print is wrong; the library's record has witnesses of its own."""
    return list(mistakes.claims_of(key, statement, code)) if key in find.KEYS else []


def _by_hand(key: str) -> list[Claim]:
    """What is computed for those of a paper from outside belongs to a version of its files."""
    found = getattr(find.part(key, "claims"), "CLAIMS", ())
    if not isinstance(found, tuple | list):
        raise UserError(f"CLAIMS of {key} must be a tuple of claims, got {found!r:.60}.")
    wrong = [each for each in found if not isinstance(each, Claim)]
    if wrong:
        raise UserError(f"CLAIMS of {key} must hold claims of ratecert.claims, got {wrong[0]!r:.60}.")
    ids = [claim.id for claim in found]
    twice = next((id for id in ids if ids.count(id) > 1), None)
    if twice:
        raise UserError(f"CLAIMS of {key} has two claims with the id {twice!r}.")
    if key in find.KEYS:
        return list(found)
    for id in (find.full_id(key, id) for claim in found for id in claim.of):
        find.statement(id)
    return [bound(claim, key, version_of(key)) for claim in found]


def _in_full(key: str, claim: Claim) -> Claim:
    """Inside a paper's files ids are bare."""
    of = tuple(find.full_id(key, id) for id in claim.of)
    return replace(claim, id=find.full_id(key, claim.id), of=of)
