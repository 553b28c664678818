"""The claims of the paper, one file each. A new claim is one file and one line here."""

from collections.abc import Callable

from ratecert.claims import (
    algorithm_1,
    algorithm_2,
    assumptions,
    baselines_at_rest,
    communication_period,
    complexity_table,
    constant_G,
    constant_L_hat,
    constant_L_Phi,
    constant_L_tilde,
    corollaries_derived,
    corollaries_measured,
    counterexamples,
    delta_q,
    delta_q_floor,
    delta_q_terms,
    delta_q_unbiased,
    delta_q_unit_1,
    estimators,
    lemma_1,
    linear_speedup,
    nonconvex,
    parallel_sgd,
    readings,
    remark_3,
    remarks,
    ridge,
    statements,
    table_1,
    theorem_1,
    theorem_2,
    theorem_3,
)
from ratecert.falsify.case import Case
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
    estimators,
    theorem_1,
    theorem_2,
    theorem_3,
    counterexamples,
    corollaries_derived,
    corollaries_measured,
    nonconvex,
    ridge,
    remarks,
    remark_3,
    table_1,
    complexity_table,
    baselines_at_rest,
    linear_speedup,
    communication_period,
    parallel_sgd,
)

CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}
FALSIFIABLE: dict[str, Callable[[str], Case]] = {
    statement: case for module in MODULES for statement, case in getattr(module, "FALSIFIABLE", {}).items()
}  # of the statements that a module of claims makes falsifiable: variant -> ratecert.falsify.case.Case
