"""Corollaries, remarks and table as they follow from the repaired theorems.

Q = Theta(log) makes L_hat = Theta(log^2) and G^2 = Theta(log^3); the conditions then ask for smaller rho, or for larger
alpha and beta, and the rates have logarithms. Where L_22 = 0, L_hat = Theta(log) and they have fewer. The exponents of
T, K and eps are those of the print. Scalings are Theta, because a smaller eta, B, Q or T breaks the rate, and each
statement says where it holds. In Corollaries 5 and 6 the period is shorter by a logarithm, so that the step does decay.
"""

from dataclasses import replace
from typing import Any

from sympy import Ge, Integer, log

from ratecert.papers.federated_bilevel.statements.corollaries import COROLLARIES, THIRD, power
from ratecert.papers.federated_bilevel.statements.letters import K, T, eps
from ratecert.papers.federated_bilevel.statements.remarks import REMARKS, TABLE_1
from ratecert.theory.language.statements import Corollary, Cost, Counts, Factor, Scaling

_in_T = log(K * T)
_in_eps = log(1 / eps)
_PRINTED = {c.id: c for c in COROLLARIES}
_ENOUGH = {"corollary-1": "log(KT)/4", "corollary-3": "log(KT)/3", "corollary-5": "log(KT)/3"}
_ENOUGH |= dict.fromkeys(("corollary-2", "corollary-4", "corollary-6"), "log(1/eps)/2")


def _corollary(id: str, claim: Any, window: Any, **scalings: Any) -> Corollary:
    return replace(
        _PRINTED[id],
        scalings={name: Scaling(order, "Theta") for name, order in scalings.items()},
        claim=Scaling(claim),
        window=(window,),
        note=f"The bias needs Q >= {_ENOUGH[id]}/log(1/(1 - theta mu)), not only the order.",
    )


_K_EPS = 1 / (K * power(eps, 1, 2))


def _reduced_in_T(id: str, window: Any, p: Any) -> Corollary:
    return _corollary(
        id,
        _in_T**4 / power(K * T, 2, 3),
        window,
        alpha=_in_T**4 / K,
        beta=_in_T**4 / K,
        eta=1 / (THIRD * _in_T**2),
        B=THIRD,
        p=p,
        Q=_in_T,
        rho_1=_in_T**-2,
        rho_2=_in_T**-2,
    )


def _reduced_in_eps(id: str, p: Any) -> Corollary:
    return _corollary(
        id,
        eps,
        Ge(1 / K**2, eps),
        alpha=_in_eps**4 / K,
        beta=_in_eps**4 / K,
        T=_in_eps**6 / (K * power(eps, 3, 2)),
        p=p,
        eta=1 / (_K_EPS * _in_eps**4),
        B=_in_eps**2 * _K_EPS,
        Q=_in_eps,
        rho_1=_in_eps**-2,
        rho_2=_in_eps**-2,
    )


REPAIRED_COROLLARIES = (
    _corollary(
        "corollary-1",
        _in_T**4 / power(K * T, 1, 2),
        Ge(T, K**3),
        p=power(T, 1, 4) / power(K, 3, 4),
        eta=power(K, 1, 2) / power(T, 1, 2),
        Q=_in_T,
        alpha=Integer(1),
        beta=Integer(1),
        rho_1=_in_T**-4,
        rho_2=_in_T**-4,
    ),
    _corollary(
        "corollary-2",
        eps,
        Ge(1 / K**2, eps),
        T=_in_eps**8 / (K * eps**2),
        p=_in_eps**2 * _K_EPS,
        eta=K * eps / _in_eps**4,
        Q=_in_eps,
        alpha=Integer(1),
        beta=Integer(1),
        rho_1=_in_eps**-4,
        rho_2=_in_eps**-4,
    ),
    _reduced_in_T("corollary-3", Ge(T, K**2), THIRD),
    _reduced_in_eps("corollary-4", _in_eps**2 * _K_EPS),
    _reduced_in_T("corollary-5", Ge(T, K**2 * _in_T**3), THIRD / _in_T),
    _reduced_in_eps("corollary-6", _in_eps * _K_EPS),
)


def _costs(log_samples: int, log_rounds: int, method: Cost) -> Cost:
    """The printed orders with the logarithms of T, of the Q + 3 samples a step draws, and of T/p."""
    logs = {"iterations": log_samples - 1, "samples": log_samples, "rounds": log_rounds}
    counts = {name: Scaling(s.order * _in_eps ** logs[name]) for name, s in method.counts.items()}
    return replace(method, counts=counts)


_LOGS = {"corollary-2": (9, 6), "corollary-4": (7, 4), "corollary-6": (7, 5)}


def _counts(printed: Counts) -> Counts:
    costs = tuple(_costs(*_LOGS[c.corollary], c) if c.corollary else c for c in printed.costs)
    return replace(printed, costs=costs, sentence="")


_CONSTANT = "The logarithms that Q brings in outweigh the one of the decaying step: the factor is constant."
REPAIRED_REMARKS = (
    *(_counts(remark) for remark in REMARKS if isinstance(remark, Counts)),
    *(replace(r, factor=Scaling(Integer(1)), sentence=_CONSTANT) for r in REMARKS if isinstance(r, Factor)),
    _counts(TABLE_1),
)
