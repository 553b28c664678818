"""What is special to the paper, in the order of the report: theorems, corollaries and costs follow from runs.py.

A new claim is one file and one line here.
"""

from importlib import import_module

from ratecert.claim import Claim

FILES = (
    "assumptions",
    "constant_L_Phi", "constant_L_hat", "constant_L_tilde", "constant_G",
    "delta_q", "delta_q_unbiased", "delta_q_floor", "delta_q_terms",
    "estimators_bias", "estimators_variance",
    "theorem_1", "theorem_2", "theorem_3", "counterexamples",
    "nonconvex", "ridge", "remark_3", "complexity_table",
    "at_rest", "at_rest_rounds", "linear_speedup",
    "communication_fixed_T", "communication_invariance", "communication_drift",
    "communication_hessian_noise", "communication_excess", "communication_largest_p", "communication_many",
    "communication_alike", "communication_bound", "communication_to_eps", "communication_front",
)  # fmt: skip

CLAIMS: tuple[Claim, ...] = tuple(
    claim for file in FILES for claim in import_module(f"{__name__}.{file}").CLAIMS
)
