"""From which p on the drift terms make up most of a theorem's bound, against the corollaries' p.

Theorem 1 (repaired) along Corollary 1, with every step the largest that is admitted and Q fixed, so that no constant
moves with T and K. The start and noise terms are of order eta/K ~ (KT)^{-1/2}, the drift terms of order p^2 eta^2,
and of order p^4 eta^4, which is smaller. So the smallest p at which the drift terms are half of the bound, p_half, is
of order

    p_half ~ (1/(eta K))^{1/2} ~ T^{1/4}/K^{3/4}

which is the p of Corollary 1: that p is where the bound, not the algorithm, begins to suffer.

Theorem 2 has the drift term over the noise terms of order p^2 eta^2, but admits p eta <= 1/(200 Lhat) only. Up to
there the drift term stays a small part of the bound on every world below: the condition, not the drift, sets
Corollary 3's p.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Row, Rows
from ratecert.claims.checks import at_least, at_most, exponent
from ratecert.claims.claim import build
from ratecert.claims.lines import corner, figure, line
from ratecert.papers.federated_bilevel.evidence.experiment import orders
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import printed_period
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.numbers.admissible import Admissible, admissible
from ratecert.theory.numbers.evaluation import evaluate

WORLDS: dict[str, dict[str, Any]] = {
    "well conditioned": {"world": "scalar", "mu": 1.0, "L_1": 1.25, "s_f": 0.5, "s_g": 0.5},
    "ill conditioned": {"world": "scalar", "mu": 0.05, "L_1": 2.0, "s_f": 0.5, "s_g": 0.5},
    "noisy g": {"world": "scalar", "mu": 0.5, "L_1": 1.0, "s_g": 1.0},
    "noisy Hessian": {"world": "scalar", "mu": 1.0, "L_1": 4.0, "sigma_H": 0.3, "sigma_J": 0.2, "s_f": 0.1},
}
BOUNDED = "well conditioned"  # the world of Theorem 1's part; the others have the same exponents
RADIUS = 10.0
Q = 40  # on this world (1 - theta mu)^(2Q + 2) = 1e-57
HALF = 0.5
TOLERANCE = 1e-3
SETTINGS = [(8, 60), (8, 48), (64, 60), (8, 40), (1, 60)]  # K and log2 T; the first three are compared


def half(world: str, K: int, log_T: int) -> list[Json]:
    """Find the smallest p at which Theorem 1's drift terms exceed half of the bound, along Corollary 1; and p - 1."""
    T = 2**log_T
    steps = inside("theorem-1", world, K, 1, T).values
    values = {**steps, "eta": orders("corollary-1", K=K, T=T)["eta"]}
    parts = split(evaluate(paper("repaired"), "theorem-1", values).terms)
    p_half = smallest(**parts)
    return [
        {
            "theorem": "theorem-1",
            "T": T,
            "at": at,
            "p": p,
            "share": share(evaluate(paper("repaired"), "theorem-1", {**values, "p": p}).terms),
            "precision": 0.5 / p,  # a whole number, known up to 1
            **parts,
        }
        for at, p in (("p_half", p_half), ("p_half - 1", p_half - 1))
    ]


def inside(theorem: str, world: str, K: int, p: int, T: int, **fixed: float) -> Admissible:
    """Take the largest steps that the repaired theorem admits, with Q fixed."""
    given: dict[str, Any] = {"Q": Q, "radius": RADIUS, "paper": paper("repaired"), "fixed": fixed}
    return admissible(theorem, build(WORLDS[world]), K, p, T, **given)


def split(terms: Mapping[str, float]) -> dict[str, float]:
    """Split a bound at p = 1 into the drift terms that grow as p^4, those that grow as p^2, and the rest."""
    drift = {n: v for n, v in terms.items() if n.startswith("drift")}
    p4, p2 = (math.fsum(v for n, v in drift.items() if power in n) for power in ("p4", "p2"))
    return {"p4": p4, "p2": p2, "rest": math.fsum(terms.values()) - math.fsum(drift.values())}


def smallest(p4: float, p2: float, rest: float) -> int:
    """Solve p4 p^4 + p2 p^2 = rest for p, and take the next whole number."""
    square = 2 * rest / (p2 + math.sqrt(p2 * p2 + 4 * p4 * rest))
    return math.ceil(math.sqrt(square))


def share(terms: Mapping[str, float]) -> float:
    """Divide the drift terms by the bound."""
    return math.fsum(v for n, v in terms.items() if n.startswith("drift")) / math.fsum(terms.values())


def largest_share(world: str, K: int, log_T: int) -> list[Json]:
    """Compute the share of Theorem 2's drift term at the largest p that it admits, with Corollary 3's eta."""
    T = 2**log_T
    eta = orders("corollary-3", K=K, T=T)["eta"]
    L_hat = inside("theorem-2", world, K, 1, T).bound.values["L_hat"]
    p = math.floor(1 / (200 * L_hat * eta))
    terms = inside("theorem-2", world, K, p, T, eta=eta).bound.terms
    return [{"theorem": "theorem-2", "T": T, "p": p, "share": share(terms)}]


def pieces(budget: Budget) -> list[Piece]:
    settings = SETTINGS[:3] if budget.quick else SETTINGS
    first = [Piece(half, {"world": BOUNDED, "K": K, "log_T": t}, 0.2) for K, t in settings]
    return first + [Piece(largest_share, {"world": w, "K": 8, "log_T": 60}, 0.2) for w in WORLDS]


def checks(rows: Rows) -> Iterator[Check]:
    halves, (in_T, in_K) = rows.where(at="p_half"), printed_period("corollary-1")
    yield exponent("exponent of p_half in T, Theorem 1", halves[:2], "p", "T", in_T, TOLERANCE)
    yield exponent("exponent of p_half in K, Theorem 1", halves[:3:2], "p", "K", in_K, TOLERANCE)
    for row in rows.where(theorem="theorem-1"):
        name = f"share of the drift terms at p = {row.get('at')}, K = {row.get('K')}, T = {row.get('T'):.0e}"
        yield (at_least if row.get("at") == "p_half" else at_most)(name, row["share"], HALF)
    for row in rows.where(theorem="theorem-2"):
        name = f"largest share of Theorem 2's drift term, {row.get('world')}"
        yield at_most(name, row["share"], HALF)


def unit(row: Row) -> float:
    """Divide p_half by Corollary 1's order of p."""
    return float(row["p"] / orders("corollary-1", K=row["K"], T=row["T"])["p"])


def chart(rows: Rows) -> Chart:
    """Draw Theorem 1's bound against p at one K and T."""
    first = rows[0]
    K, T, p_half = first["K"], first["T"], first["p"]
    p4, p2, rest = first["p4"], first["p2"], first["rest"]
    curve = Rows(
        {"p": p, "drift": p2 * p**2 + p4 * p**4, "p2": p2 * p**2}
        for p in (2.0**i for i in range(math.ceil(math.log2(p_half)) + 4))
    )
    return figure(
        f"Theorem 1 at K = {K}, T = {T:.0e}: the drift terms overtake the others at p = {p_half}, "
        f"{unit(first):.2g} times T^(1/4)/K^(3/4).",
        "communication period $p$",
        "bound on the measure",
        [
            line("the bound", curve, "p", lambda row: rest + row["drift"], kind="bound"),
            line("start and noise", curve, "p", lambda _: rest, kind="predicted", colour=1),
            line("drift terms", curve, "p", "drift", kind="predicted", colour=2),
        ],
        [corner(curve[3], "p", "p2", 2, above=1 / 8, colour=2)],
        window=(1.0, p_half / unit(first)),
        window_label=r"$p \leq T^{1/4}/K^{3/4}$",
    )


def notes(rows: Rows) -> list[str]:
    return [
        f"Corollary 1: p_half = {unit(rows[0]):.3g} T^(1/4)/K^(3/4), the corollary's own order; the bound balances "
        "there, while on devices that are alike the measure does not feel p at all "
        "(communication-period.invariance).",
        "Theorem 2: the drift term never dominates inside the conditions; Corollary 3's p is the condition "
        "p eta <= 1/(200 Lhat).",
    ]


CLAIMS = (
    Claim(
        id="communication-period.bound",
        of=("theorem-1", "theorem-2", "corollary-1", "corollary-3"),
        sentence="Theorem 1's drift terms make up half of its bound from a p of Corollary 1's order "
        "T^(1/4)/K^(3/4) on; Theorem 2's do nowhere inside its conditions, on the worlds that were tried.",
        pieces=pieces,
        checks=checks,
        regime="devices that are alike, inside the conditions of the repaired theorems; eta = (K/T)^(1/2) and "
        "K^(2/3)/T^(1/3), the other steps the largest admitted, Q fixed",
        method="the theorems' terms in numbers",
        evidence=("bound in numbers",),
        settings={"worlds": WORLDS, "radius": RADIUS, "Q": Q, "x0": "0", "y0": "y*(x0)"},
        chart=chart,
        notes=notes,
        table=("theorem", "world", "K", "T", "p", "share"),
    ),
)
