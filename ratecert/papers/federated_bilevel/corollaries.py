"""Corollaries 1-6, Remarks 1-4 and Table 1, as printed: hyperparameters scaled in T and in eps, and what they cost."""

from typing import Any

from sympy import Integer, Rational, log

from ratecert.papers.federated_bilevel.notation import K, T, eps
from ratecert.theory.language.statements import Corollary, Cost, Counts, Factor, Scaling

O_TILDE = "O~"
_FREE = {"rho_1": Scaling(Integer(1)), "rho_2": Scaling(Integer(1))}
_FREE_MOMENTA = {"alpha": Scaling(Integer(1)), "beta": Scaling(Integer(1))}
_PER_DEVICE = {"alpha": Scaling(1 / K), "beta": Scaling(1 / K)}


def power(base: Any, numerator: int, denominator: int) -> Any:
    return base ** Rational(numerator, denominator)


THIRD = power(T, 1, 3) / power(K, 2, 3)
_REDUCED = {
    **_PER_DEVICE,
    "eta": Scaling(power(K, 2, 3) / power(T, 1, 3)),
    "B": Scaling(THIRD),
    "p": Scaling(THIRD),
    "Q": Scaling(log(power(K * T, 2, 3))),
    **_FREE,
}

COROLLARIES = (
    Corollary(
        id="corollary-1",
        title="LocalBSGM after T iterations",
        source="Section 4.1, first corollary of Theorem 1",
        theorem="theorem-1",
        scalings={
            "p": Scaling(power(T, 1, 4) / power(K, 3, 4)),
            "eta": Scaling(power(K, 1, 2) / power(T, 1, 2)),
            "Q": Scaling(log(power(K, 1, 2) * power(T, 1, 2))),
            **_FREE_MOMENTA,
            **_FREE,
        },
        claim=Scaling(1 / power(K * T, 1, 2)),
    ),
    Corollary(
        id="corollary-2",
        title="LocalBSGM to accuracy eps",
        source="Section 4.1, second corollary of Theorem 1",
        theorem="theorem-1",
        scalings={
            "T": Scaling(1 / (K * eps**2)),
            "p": Scaling(1 / (K * power(eps, 1, 2))),
            "eta": Scaling(K * eps),
            "Q": Scaling(log(1 / eps)),
            **_FREE_MOMENTA,
            **_FREE,
        },
        claim=Scaling(eps),
        same_as="corollary-1",
    ),
    Corollary(
        id="corollary-3",
        title="LocalBSGVRM after T iterations, constant step",
        source="Section 4.2, first corollary of Theorem 2",
        theorem="theorem-2",
        scalings=_REDUCED,
        claim=Scaling(1 / power(K * T, 2, 3)),
    ),
    Corollary(
        id="corollary-4",
        title="LocalBSGVRM to accuracy eps, constant step",
        source="Section 4.2, second corollary of Theorem 2",
        theorem="theorem-2",
        scalings={
            **_PER_DEVICE,
            "T": Scaling(1 / (K * power(eps, 3, 2))),
            "p": Scaling(1 / (K * power(eps, 1, 2))),
            "eta": Scaling(K * power(eps, 1, 2)),
            "B": Scaling(1 / (K * power(eps, 1, 2))),
            "Q": Scaling(log(1 / eps)),
            **_FREE,
        },
        claim=Scaling(eps),
        same_as="corollary-3",
    ),
    Corollary(
        id="corollary-5",
        title="LocalBSGVRM after T iterations, decaying step",
        source="Section 4.2, first corollary of Theorem 3",
        theorem="theorem-3",
        scalings=_REDUCED,
        claim=Scaling(log(T + 1) / power(K * T, 2, 3)),
    ),
    Corollary(
        id="corollary-6",
        title="LocalBSGVRM to accuracy eps, decaying step",
        source="Section 4.2, second corollary of Theorem 3",
        theorem="theorem-3",
        scalings={
            **_PER_DEVICE,
            "T": Scaling(1 / (K * power(eps, 3, 2)), O_TILDE),
            "p": Scaling(1 / (K * power(eps, 1, 2)), O_TILDE),
            "B": Scaling(1 / power(eps, 1, 2), O_TILDE),
            "Q": Scaling(log(1 / eps), O_TILDE),
            **_FREE,
        },
        claim=Scaling(eps),
        same_as="corollary-5",
    ),
)

_ALONG = {  # samples of a device, which are its iterations in order, and rounds
    "corollary-2": (1 / (K * eps**2), 1 / power(eps, 3, 2), "O"),
    "corollary-4": (1 / (K * power(eps, 3, 2)), 1 / eps, "O"),
    "corollary-6": (1 / (K * power(eps, 3, 2)), 1 / eps, O_TILDE),
}


def _cost(method: str, corollary: str, *counted: str) -> Cost:
    samples, rounds, kind = _ALONG[corollary]
    orders = {name: Scaling(rounds if name == "rounds" else samples, kind) for name in counted}
    return Cost(method, corollary, orders, linear_speedup=True)


def _of_rival(method: str, samples: Any, rounds: Any) -> Cost:
    return Cost(method, None, {"samples": Scaling(samples), "rounds": Scaling(rounds)}, linear_speedup=False)


REMARKS = (
    Counts(
        id="remark-1",
        title="Complexities of LocalBSGM",
        source="Section 4.1, remark after Corollary 2",
        sentence="The iteration complexity is called the sample complexity.",
        costs=(_cost("LocalBSGM", "corollary-2", "iterations", "samples", "rounds"),),
    ),
    Counts(
        id="remark-2",
        title="Complexities of LocalBSGVRM, constant step",
        source="Section 4.2, remark after Corollary 4",
        costs=(_cost("LocalBSGVRM", "corollary-4", "iterations", "rounds"),),
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
        costs=(_cost("LocalBSGVRM", "corollary-6", "iterations", "rounds"),),
    ),
)

TABLE_1 = Counts(
    id="table-1",
    title="Complexities of the method and of its rivals",
    source="Section 1, Table 1",
    costs=(
        _of_rival("FEDNEST", 1 / eps**2, 1 / eps**2),
        _of_rival("FedBiOAcc", 1 / power(eps, 3, 2), 1 / eps),
        _cost("LocalBSGM", "corollary-2", "samples", "rounds"),
        _cost("LocalBSGVR-constant", "corollary-4", "samples", "rounds"),
        _cost("LocalBSGVR-decaying", "corollary-6", "samples", "rounds"),
    ),
)
