"""The claims of the paper, one file each. A new claim is one file and one line here."""

from ratecert.claims import (
    constant_G,
    constant_L_hat,
    constant_L_Phi,
    constant_L_tilde,
    statements,
    theorem_1,
    theorem_2,
    theorem_3,
)
from ratecert.verify.claim import Claim

MODULES = (
    statements,
    constant_L_Phi,
    constant_L_hat,
    constant_L_tilde,
    constant_G,
    theorem_1,
    theorem_2,
    theorem_3,
)

CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
