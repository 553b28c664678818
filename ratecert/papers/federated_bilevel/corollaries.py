"""Corollaries 1-6, Remarks 1-4 and Table 1: hyperparameters scaled in T and in eps, and what they cost.

Those that are read instead (errata.py) follow from the repaired theorems. Q = Theta(log) makes L_hat =
Theta(log^2) and G^2 = Theta(log^3); the conditions then ask for smaller rho, or for larger alpha and beta, and the
rates have logarithms. Where L_22 = 0, L_hat = Theta(log) and they have fewer. The exponents of T, K and eps are those
of the print. Scalings are Theta, because a smaller eta, B, Q or T breaks the rate, and each statement says where it
holds. In Corollaries 5 and 6 the period is shorter by a logarithm, so that the step does decay.
"""

from dataclasses import replace
from typing import Any

from sympy import Ge, Integer, Rational, log, sqrt

from ratecert.theory.notation import letters
from ratecert.theory.paper import by_id
from ratecert.theory.statements import Corollary, Cost, Counts, Factor, Scaling

K, T, eps = letters("K T eps")
FOURTH = T ** Rational(1, 4) / K ** Rational(3, 4)
THIRD = T ** Rational(1, 3) / K ** Rational(2, 3)
K_EPS = 1 / (K * sqrt(eps))
SLOW, FAST = 1 / (K * eps**2), 1 / (K * eps ** Rational(3, 2))  # the iterations in eps
O_TILDE = "O~"


def _corollary(
    id: str, title: str, source: str, theorem: str, claim: Any, *, same_as: str | None = None, **orders: Any
) -> Corollary:
    """An order is O, or a pair with its kind."""
    pairs = {name: each if isinstance(each, tuple) else (each, "O") for name, each in orders.items()}
    scalings = {name: Scaling(*pair) for name, pair in pairs.items()}
    of: dict[str, Any] = {"theorem": theorem, "same_as": same_as, "claim": Scaling(claim)}
    return Corollary(id=id, title=title, source=source, scalings=scalings, **of)


_STEPS: dict[str, Any] = {"rho_1": Integer(1), "rho_2": Integer(1)}
_FIXED: dict[str, Any] = {"alpha": Integer(1), "beta": Integer(1), **_STEPS}
_PER_DEVICE: dict[str, Any] = {"alpha": 1 / K, "beta": 1 / K}
_REDUCED = _PER_DEVICE | {
    "eta": 1 / THIRD,
    "B": THIRD,
    "p": THIRD,
    "Q": log((K * T) ** Rational(2, 3)),
    **_STEPS,
}

COROLLARIES = (
    _corollary(
        "corollary-1", "LocalBSGM after T iterations", "Section 4.1, first corollary of Theorem 1", "theorem-1",
        1 / sqrt(K * T),
        p=FOURTH, eta=sqrt(K / T), Q=log(sqrt(K * T)), **_FIXED,
    ),
    _corollary(
        "corollary-2", "LocalBSGM to accuracy eps", "Section 4.1, second corollary of Theorem 1", "theorem-1",
        eps, same_as="corollary-1",
        T=SLOW, p=K_EPS, eta=K * eps, Q=log(1 / eps), **_FIXED,
    ),
    _corollary(
        "corollary-3", "LocalBSGVRM after T iterations, constant step", "Section 4.2, first corollary of Theorem 2",
        "theorem-2", (K * T) ** Rational(-2, 3), **_REDUCED,
    ),
    _corollary(
        "corollary-4", "LocalBSGVRM to accuracy eps, constant step", "Section 4.2, second corollary of Theorem 2",
        "theorem-2", eps, same_as="corollary-3",
        **_PER_DEVICE, T=FAST, p=K_EPS, eta=K * sqrt(eps), B=K_EPS, Q=log(1 / eps), **_STEPS,
    ),
    _corollary(
        "corollary-5", "LocalBSGVRM after T iterations, decaying step", "Section 4.2, first corollary of Theorem 3",
        "theorem-3", log(T + 1) / (K * T) ** Rational(2, 3), **_REDUCED,
    ),
    _corollary(
        "corollary-6", "LocalBSGVRM to accuracy eps, decaying step", "Section 4.2, second corollary of Theorem 3",
        "theorem-3", eps, same_as="corollary-5",
        **_PER_DEVICE, T=(FAST, O_TILDE), p=(K_EPS, O_TILDE), B=(1 / sqrt(eps), O_TILDE),
        Q=(log(1 / eps), O_TILDE), **_STEPS,
    ),
)  # fmt: skip

_ALONG = {  # samples of a device, which are its iterations in order, and rounds
    "corollary-2": (SLOW, eps ** Rational(-3, 2), "O"),
    "corollary-4": (FAST, 1 / eps, "O"),
    "corollary-6": (FAST, 1 / eps, O_TILDE),
}


def _cost(method: str, corollary: str, *counted: str) -> Cost:
    samples, rounds, kind = _ALONG[corollary]
    orders = {name: Scaling(rounds if name == "rounds" else samples, kind) for name in counted}
    return Cost(method, corollary, orders, linear_speedup=True)


def _of_rival(method: str, samples: Any, rounds: Any) -> Cost:
    return Cost(method, None, {"samples": Scaling(samples), "rounds": Scaling(rounds)}, linear_speedup=False)


PRINTED: dict[str, Any] = by_id(
    *COROLLARIES,
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
    Counts(
        id="table-1",
        title="Complexities of the method and of its rivals",
        source="Section 1, Table 1",
        costs=(
            _of_rival("FEDNEST", 1 / eps**2, 1 / eps**2),
            _of_rival("FedBiOAcc", eps ** Rational(-3, 2), 1 / eps),
            _cost("LocalBSGM", "corollary-2", "samples", "rounds"),
            _cost("LocalBSGVR-constant", "corollary-4", "samples", "rounds"),
            _cost("LocalBSGVR-decaying", "corollary-6", "samples", "rounds"),
        ),
    ),
)

# What is read instead: the printed orders times these powers of log(KT) or log(1/eps), of which Q is the first
_IN_T, _IN_EPS = log(K * T), log(1 / eps)
_REDUCED_IN_T = {"alpha": 4, "beta": 4, "eta": -2, "rho_1": -2, "rho_2": -2, "rate": 4}
_REDUCED_IN_EPS = {"alpha": 4, "beta": 4, "T": 6, "eta": -4, "B": 2, "rho_1": -2, "rho_2": -2}
_LOGARITHMS = {
    "corollary-1": {"rho_1": -4, "rho_2": -4, "rate": 4},
    "corollary-2": {"T": 8, "p": 2, "eta": -4, "rho_1": -4, "rho_2": -4},
    "corollary-3": _REDUCED_IN_T,
    "corollary-4": {**_REDUCED_IN_EPS, "p": 2},
    "corollary-5": {**_REDUCED_IN_T, "p": -1},
    "corollary-6": {**_REDUCED_IN_EPS, "p": 1},
}
_WINDOW_IN_EPS = Ge(1 / K**2, eps)


def _read(id: str, window: Any = _WINDOW_IN_EPS, enough: str = "log(1/eps)/2", like: str = "") -> Any:
    """Where the print has one order too few, or another one, it is `like` another corollary's."""
    printed, powers = PRINTED[like or id], _LOGARITHMS[id]
    Q = _IN_EPS if "T" in powers else _IN_T
    orders = {name: each.order * Q ** powers.get(name, 0) for name, each in printed.scalings.items()}
    scalings = {name: Scaling(order, "Theta") for name, order in {**orders, "Q": Q}.items()}
    claim = Scaling(printed.claim.order * Q ** powers.get("rate", 0))
    note = f"The bias needs Q >= {enough}/log(1/(1 - theta mu)), not only the order."
    return replace(PRINTED[id], scalings=scalings, claim=claim, window=(window,), note=note)


def _with_logarithms(cost: Cost) -> Cost:
    """Those of T, of T and the Q + 3 samples that a step draws, and of T/p."""
    if cost.corollary is None:
        return cost
    T, p = (_LOGARITHMS[cost.corollary][name] for name in ("T", "p"))
    powers = {"iterations": T, "samples": T + 1, "rounds": T - p}
    counts = {name: Scaling(each.order * _IN_EPS ** powers[name]) for name, each in cost.counts.items()}
    return replace(cost, counts=counts)


def _counts(id: str) -> Any:
    return replace(PRINTED[id], costs=tuple(map(_with_logarithms, PRINTED[id].costs)), sentence="")


_CONSTANT = "The logarithms that Q brings in outweigh the one of the decaying step: the factor is constant."
READ = (
    _read("corollary-1", Ge(T, K**3), "log(KT)/4"),
    _read("corollary-2"),
    _read("corollary-3", Ge(T, K**2), "log(KT)/3"),
    _read("corollary-4"),
    _read("corollary-5", Ge(T, K**2 * _IN_T**3), "log(KT)/3", like="corollary-3"),
    _read("corollary-6", like="corollary-4"),
    *map(_counts, ("remark-1", "remark-2", "remark-4")),
    replace(PRINTED["remark-3"], factor=Scaling(Integer(1)), sentence=_CONSTANT),
    _counts("table-1"),
)
