"""Remarks 1-4 and Table 1: what the corollaries are said to cost."""

from sympy import Rational, log

from ratecert.papers.federated_bilevel.statements.corollaries import O_TILDE
from ratecert.papers.federated_bilevel.statements.letters import K, T, eps
from ratecert.theory.language.statements import Cost, Counts, Factor, Scaling

_MOMENTUM = Scaling(1 / (K * eps**2))
_REDUCED = Scaling(1 / (K * eps ** Rational(3, 2)))
_REDUCED_UP_TO_LOGS = Scaling(1 / (K * eps ** Rational(3, 2)), O_TILDE)
_ROUNDS_MOMENTUM = Scaling(1 / eps ** Rational(3, 2))
_ROUNDS_REDUCED = Scaling(1 / eps)
_ROUNDS_UP_TO_LOGS = Scaling(1 / eps, O_TILDE)
_FEDNEST = Scaling(1 / eps**2)
_FEDBIOACC = Scaling(1 / eps ** Rational(3, 2))

REMARKS = (
    Counts(
        id="remark-1",
        title="Complexities of LocalBSGM",
        source="Section 4.1, remark after Corollary 2",
        sentence="The iteration complexity is called the sample complexity.",
        costs=(
            Cost(
                "LocalBSGM",
                "corollary-2",
                {"iterations": _MOMENTUM, "samples": _MOMENTUM, "rounds": _ROUNDS_MOMENTUM},
                linear_speedup=True,
            ),
        ),
    ),
    Counts(
        id="remark-2",
        title="Complexities of LocalBSGVRM, constant step",
        source="Section 4.2, remark after Corollary 4",
        costs=(
            Cost("LocalBSGVRM", "corollary-4", {"iterations": _REDUCED, "rounds": _ROUNDS_REDUCED}, True),
        ),
    ),
    Factor(
        id="remark-3",
        title="What the decaying step costs",
        source="Section 4.2, remark after Corollary 5",
        sentence="Compared with the constant step of Theorem 2 the rate has one more factor log(T + 1).",
        first="corollary-5",
        second="corollary-3",
        factor=Scaling(log(T + 1)),
    ),
    Counts(
        id="remark-4",
        title="Complexities of LocalBSGVRM, decaying step",
        source="Section 4.2, remark after Corollary 6",
        costs=(
            Cost(
                "LocalBSGVRM",
                "corollary-6",
                {"iterations": _REDUCED_UP_TO_LOGS, "rounds": _ROUNDS_UP_TO_LOGS},
                linear_speedup=True,
            ),
        ),
    ),
)

TABLE_1 = Counts(
    id="table-1",
    title="Complexities of the method and of its rivals",
    source="Section 1, Table 1",
    costs=(
        Cost("FEDNEST", None, {"samples": _FEDNEST, "rounds": _FEDNEST}, linear_speedup=False),
        Cost("FedBiOAcc", None, {"samples": _FEDBIOACC, "rounds": _ROUNDS_REDUCED}, linear_speedup=False),
        Cost("LocalBSGM", "corollary-2", {"samples": _MOMENTUM, "rounds": _ROUNDS_MOMENTUM}, True),
        Cost("LocalBSGVR-constant", "corollary-4", {"samples": _REDUCED, "rounds": _ROUNDS_REDUCED}, True),
        Cost(
            "LocalBSGVR-decaying",
            "corollary-6",
            {"samples": _REDUCED_UP_TO_LOGS, "rounds": _ROUNDS_UP_TO_LOGS},
            linear_speedup=True,
        ),
    ),
)
