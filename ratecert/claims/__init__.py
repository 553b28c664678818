"""The claims of the paper, one file each. A new claim is one file and one line here."""

from ratecert.claims import lemma_1
from ratecert.verify.claim import Claim

MODULES = (lemma_1,)

CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
