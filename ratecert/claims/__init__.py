"""The claims of the paper, one file each. A new claim is one file and one line here."""

from typing import Any

from ratecert.verify.claim import Claim

MODULES: tuple[Any, ...] = ()

CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
