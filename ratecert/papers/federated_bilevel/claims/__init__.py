"""What is special to the paper, in the order of the report: theorems, corollaries and costs follow from runs.py.

A new claim is one file and one line here.
"""

from importlib import import_module

from ratecert.claims import Claim

FILES = (
    "second_moment", "delta_q",
    "nonconvex", "linear_speedup", "communication_period", "complexity_table",
)  # fmt: skip

CLAIMS: tuple[Claim, ...] = tuple(
    claim for file in FILES for claim in import_module(f"{__name__}.{file}").CLAIMS
)
