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
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check, Relation
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.periods.communication import exponent
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import printed_period
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.theory.numbers.admissible import admissible
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
SIDES: tuple[tuple[int, str, Relation], ...] = ((0, "= p_half", ">="), (1, "= p_half - 1", "<="))
TOLERANCE = 1e-3
SETTINGS = [(8, 60), (8, 48), (64, 60), (8, 40), (1, 60)]  # K and log2 T; the first three are compared


def half(world: str, K: int, log_T: int) -> Json:
    """The smallest p at which the drift terms of Theorem 1 exceed half of the bound, along Corollary 1."""
    T = 2**log_T
    inside = admissible(
        "theorem-1", build(WORLDS[world]), K, 1, T, Q=Q, radius=RADIUS, paper=paper("repaired")
    )
    values = {**inside.values, "eta": math.sqrt(K / T)}
    terms = evaluate(paper("repaired"), "theorem-1", values).terms
    p = smallest(terms)
    shares = [share(evaluate(paper("repaired"), "theorem-1", {**values, "p": q}).terms) for q in (p, p - 1)]
    return {"world": world, "K": K, "T": T, "p": p, "shares": shares, "terms": dict(terms)}


def smallest(terms: Mapping[str, float]) -> int:
    """From the terms at p = 1: a p^4 + b p^2 = rest, the next whole number."""
    drift = {n: v for n, v in terms.items() if n.startswith("drift")}
    a, b = (math.fsum(v for n, v in drift.items() if f"p{power}" in n) for power in (4, 2))
    rest = math.fsum(terms.values()) - math.fsum(drift.values())
    square = 2 * rest / (b + math.sqrt(b * b + 4 * a * rest))
    return math.ceil(math.sqrt(square))


def share(terms: Mapping[str, float]) -> float:
    """What the drift terms are of the bound."""
    return math.fsum(v for n, v in terms.items() if n.startswith("drift")) / math.fsum(terms.values())


def largest_share(world: str, K: int, log_T: int) -> Json:
    """The share of Theorem 2's drift term at the largest p that its condition on eta admits, along Corollary 3."""
    T = 2**log_T
    constants = build(WORLDS[world])
    eta = K ** (2 / 3) / T ** (1 / 3)
    L_hat = admissible(
        "theorem-2", constants, K, 1, T, Q=Q, radius=RADIUS, paper=paper("repaired")
    ).bound.values["L_hat"]
    p = math.floor(1 / (200 * L_hat * eta))
    inside = admissible(
        "theorem-2", constants, K, p, T, Q=Q, radius=RADIUS, paper=paper("repaired"), fixed={"eta": eta}
    )
    return {"world": world, "K": K, "T": T, "p": p, "share": share(inside.bound.terms)}


def pieces(budget: Budget) -> list[Piece]:
    settings = SETTINGS[:3] if budget.quick else SETTINGS
    first = [Piece(half, {"world": BOUNDED, "K": K, "log_T": t}, 0.2) for K, t in settings]
    return first + [Piece(largest_share, {"world": w, "K": 8, "log_T": 60}, 0.2) for w in WORLDS]


def judge(values: Sequence[Json]) -> Judgement:
    halves, shares = ([v for v in values if ("shares" in v) == one] for one in (True, False))
    in_T, in_K = printed_period("corollary-1")
    first, later, wider = halves[:3]
    checks = [
        _exponent("T", first, later, in_T),
        _exponent("K", first, wider, in_K),
        *(
            Check(
                name=f"share of the drift terms at p {offset}, K = {v['K']}, T = {v['T']:.0e}",
                measured=v["shares"][i],
                predicted=HALF,
                relation=relation,
            )
            for v in halves
            for i, offset, relation in SIDES
        ),
        *(
            Check(
                name=f"largest share of Theorem 2's drift term, {v['world']}",
                measured=v["share"],
                predicted=HALF,
                relation="<=",
            )
            for v in shares
        ),
    ]
    unit = first["p"] / (first["T"] ** 0.25 / first["K"] ** 0.75)
    return Judgement(
        checks=checks,
        regime=f"devices that are alike, inside the conditions of the repaired theorems; eta = (K/T)^{1 / 2} and "
        f"K^{2 / 3}/T^{1 / 3}, the other steps the largest admitted, Q fixed",
        settings={"worlds": WORLDS, "radius": RADIUS, "Q": Q, "x0": "0", "y0": "y*(x0)"},
        method="the theorems' terms in numbers",
        chart=_chart(first),
        notes=[
            f"Corollary 1: p_half = {unit:.3g} T^(1/4)/K^(3/4), the corollary's own order; the bound balances "
            "there, while on devices that are alike the measure does not feel p at all "
            "(communication-period.invariance).",
            "Theorem 2: the drift term never dominates inside the conditions; Corollary 3's p is the condition "
            "p eta <= 1/(200 Lhat).",
        ],
        table=[{name: v.get(name) for name in ("world", "K", "T", "p", "shares", "share")} for v in values],
    )


def _exponent(name: str, one: Json, other: Json, value: Fraction) -> Check:
    """p_half is a whole number, known up to 1."""
    found = exponent([one[name], other[name]], [one["p"], other["p"]], 0.5 / min(one["p"], other["p"]))
    return Check(
        name=f"exponent of p_half in {name}, Theorem 1",
        measured=found.value,
        predicted=float(value),
        tolerance=TOLERANCE,
        uncertainty=found.uncertainty,
    )


def _chart(v: Json) -> Chart:
    """Theorem 1's bound against p at one K and T."""
    periods = [float(2**i) for i in range(math.ceil(math.log2(v["p"])) + 4)]
    drift = {n: t for n, t in v["terms"].items() if n.startswith("drift")}
    a, b = (math.fsum(t for n, t in drift.items() if f"p{power}" in n) for power in (4, 2))
    rest = math.fsum(v["terms"].values()) - a - b
    corollary = v["T"] ** 0.25 / v["K"] ** 0.75
    total = [rest + b * p**2 + a * p**4 for p in periods]
    return Chart(
        caption=f"Theorem 1 at K = {v['K']}, T = {v['T']:.0e}: the drift terms overtake the others at p = {v['p']}, "
        f"{v['p'] / corollary:.2g} times T^(1/4)/K^(3/4).",
        panels=[
            Panel(
                x_label="communication period $p$",
                y_label="bound on the measure",
                series=[
                    Series(label="the bound", x=periods, y=total, kind="bound"),
                    Series(
                        label="start and noise",
                        x=periods,
                        y=[rest] * len(periods),
                        kind="predicted",
                        colour=1,
                    ),
                    Series(
                        label="drift terms",
                        x=periods,
                        y=[b * p**2 + a * p**4 for p in periods],
                        kind="predicted",
                        colour=2,
                    ),
                ],
                triangles=[Triangle(x=8.0, y=b * 8.0**2 / 8, slope=2.0, label="2", colour=2)],
                window=(1.0, corollary),
                window_label=r"$p \leq T^{1/4}/K^{3/4}$",
            )
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.bound",
        of=("theorem-1", "theorem-2", "corollary-1", "corollary-3"),
        sentence="Theorem 1's drift terms make up half of its bound from a p of Corollary 1's order "
        "T^(1/4)/K^(3/4) on; Theorem 2's do nowhere inside its conditions, on the worlds that were tried.",
        pieces=pieces,
        judge=judge,
    ),
)
