"""Claims that an installed package offers on papers of others: a module with CLAIMS, under a key of its own."""

from dataclasses import replace

from ratecert import registry
from ratecert.base.errors import UserError
from ratecert.claim.claim import Claim
from ratecert.from_data.by_hand import bound
from ratecert.from_data.code import version_of
from ratecert.outside import module_of


def offered_claims(key: str) -> dict[str, Claim]:
    """By id, which begins with the key; statements are named in full, `parallel-sgd:sgd-descent`."""
    found = getattr(module_of(key), "CLAIMS", ())
    if not found:
        raise UserError(f"{key}: {module_of(key).__file__} has no CLAIMS, so there is nothing to verify.")
    for claim in found:
        for id in claim.of:
            registry.statement(id)
    code = version_of(key)
    full = [replace(bound(claim, key, code), id=registry.full_id(key, claim.id)) for claim in found]
    return {claim.id: claim for claim in full}
