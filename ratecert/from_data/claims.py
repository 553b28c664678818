"""All claims of a paper: those that follow from its data, and those that a person wrote."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from ratecert import registry
from ratecert.claim.claim import Claim
from ratecert.errors import UserError
from ratecert.from_data import counts, rate, theorem, unbound
from ratecert.from_data.along import measurable
from ratecert.from_data.by_hand import bound
from ratecert.from_data.code import version_of
from ratecert.from_data.offered import offered_claims
from ratecert.outside import is_claims
from ratecert.theory.language.statements import Corollary, Counts, Theorem


@cache
def claims() -> dict[str, Claim]:
    """Every claim of every paper of the package, the library aside, by id."""
    return {id: claim for key in registry.KEYS for id, claim in claims_of(key).items()}


def claims_of(key: str) -> dict[str, Claim]:
    """Of its theorems that are bound to runs, of their corollaries and counts, and those it brings, by id."""
    if is_claims(key):
        return offered_claims(key)
    found = [*_derived(key), *_by_hand(key)]
    if not found:
        raise UserError(f"{key} has nothing to verify: no theorem in RUNS, and no CLAIMS.")
    return {claim.id: claim for bare in found for claim in [_in_full(key, bare)]}


def _derived(key: str) -> Iterator[Claim]:
    if registry.part(key, "runs") is None:
        return
    runs = registry.executables(key)
    printed, repaired = (registry.paper(variant, key) for variant in registry.VARIANTS)
    code = version_of(key)
    for variant, paper in (("printed", printed), ("repaired", repaired)):
        for statement in paper.of_kind(Theorem):
            if variant == "printed" or theorem.errata_of(key, statement.id):
                claim_of = theorem.claim_of if statement.id in runs else unbound.claim_of
                yield claim_of(key, statement, variant, code)
    for corollary in printed.of_kind(Corollary):
        bound_to_run = corollary.theorem in runs and measurable(corollary)
        claim_of_rate = rate.claim_of if bound_to_run else unbound.corollary_of
        yield claim_of_rate(key, corollary, code)
        if (bound_to_run or corollary.theorem not in runs) and theorem.errata_of(key, corollary.id):
            yield claim_of_rate(key, repaired.the(Corollary, corollary.id), code, "repaired")
    for costs in printed.of_kind(Counts):
        if any(printed.the(Corollary, c.corollary).theorem in runs for c in costs.costs if c.corollary):
            yield counts.claim_of(key, costs, code)
            if theorem.errata_of(key, costs.id):
                yield counts.claim_of(key, repaired.the(Counts, costs.id), code, "repaired")


def _by_hand(key: str) -> list[Claim]:
    """What is computed for those of a paper from outside belongs to a version of its files."""
    found = getattr(registry.part(key, "claims"), "CLAIMS", ())
    wrong = [each for each in found if not isinstance(each, Claim)]
    if wrong:
        raise UserError(f"CLAIMS of {key} must hold claims of ratecert.claim, got {wrong[0]!r:.60}.")
    return list(found) if key in registry.KEYS else [bound(claim, key, version_of(key)) for claim in found]


def _in_full(key: str, claim: Claim) -> Claim:
    """Inside a paper's files ids are bare."""
    of = tuple(registry.full_id(key, id) for id in claim.of)
    return replace(claim, id=registry.full_id(key, claim.id), of=of)
