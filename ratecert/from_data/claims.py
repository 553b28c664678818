"""All claims that follow from the data of one paper."""

from dataclasses import replace

from ratecert import registry
from ratecert.claim.claim import Claim
from ratecert.errors import UserError
from ratecert.from_data import rate, theorem
from ratecert.from_data.by_hand import bound
from ratecert.from_data.code import version_of
from ratecert.theory.language.statements import Corollary, Theorem


def claims_of(key: str) -> dict[str, Claim]:
    """Of a paper from outside: of its theorems that are bound to runs, of their corollaries, and those it brings."""
    printed, repaired = (registry.paper(variant, key) for variant in registry.VARIANTS)
    runs, code = registry.executables(key), version_of(key)
    found: list[Claim] = []
    for id in runs:
        statement = printed.the(Theorem, id)
        found.append(theorem.claim_of(key, statement, "printed", code))
        if repaired[id] != statement:
            found.append(theorem.claim_of(key, repaired.the(Theorem, id), "repaired", code))
    for corollary in printed.of_kind(Corollary):
        in_T = not {"eps"} & {str(letter) for letter in corollary.claim.order.free_symbols}
        if corollary.theorem in runs and in_T:
            found.append(rate.claim_of(key, corollary, code))
    found += [bound(claim, key, code) for claim in getattr(registry.part(key, "claims"), "CLAIMS", ())]
    if not found:
        raise UserError(f"{key} has nothing to verify: no theorem in RUNS, and no CLAIMS.")
    full = [
        replace(c, id=registry.full_id(key, c.id), of=tuple(registry.full_id(key, i) for i in c.of))
        for c in found
    ]
    return {claim.id: claim for claim in full}
