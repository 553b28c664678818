"""The claims of the paper, one file each. A new claim is one file and one line here."""

from ratecert.claims import (
    algorithm_1,
    algorithm_2,
    assumptions,
    constant_G,
    constant_L_hat,
    constant_L_Phi,
    constant_L_tilde,
    delta_q,
    delta_q_floor,
    delta_q_terms,
    delta_q_unbiased,
    delta_q_unit_1,
    lemma_1,
    nonconvex,
    readings,
    ridge,
    statements,
    theorem_1,
    theorem_2,
    theorem_3,
)
from ratecert.verify.claim import Claim

MODULES = (
    assumptions,
    lemma_1,
    algorithm_1,
    algorithm_2,
    readings,
    statements,
    constant_L_Phi,
    constant_L_hat,
    constant_L_tilde,
    constant_G,
    delta_q,
    delta_q_unbiased,
    delta_q_floor,
    delta_q_terms,
    delta_q_unit_1,
    theorem_1,
    theorem_2,
    theorem_3,
    nonconvex,
    ridge,
)

CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
