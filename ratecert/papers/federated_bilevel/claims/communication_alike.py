"""The largest p that raises the measure by at most 1 % at its T, on devices that are alike, against the corollaries' p.

This is the paper's own setting. With additive noise p does nothing (communication_invariance.py), so the worlds here
have Hessian noise (communication_hessian_noise.py). There

    LocalBSGM                       the rise is a multiple of the drift, which is at most what devices scatter that
                                    never meet, of order eta: for small eta every p will do, even one round, p = T
    LocalBSGVRM, fresh or averaged  likewise
    LocalBSGVRM as printed          the relative rise depends on p eta alone: p_max ~ 1/eta ~ T^{1/3}/K^{2/3}, the
                                    order of Corollary 3

The last is a matter of stability: a device that keeps its own previous point keeps its deviation from the mean, and a
round multiplies that by I - exp(-p eta R J), which exceeds 1 in long rounds if R J has complex eigenvalues
(fixed_point.py).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Row, Rows
from ratecert.claims.checks import at_most, exponent
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel.evidence.periods import largest_period as p_max
from ratecert.papers.federated_bilevel.evidence.periods.communication import HESSIAN_NOISE, relative, run_near
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import printed_period
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.theory.numbers.evaluation import with_constants

UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3}
FIXED: dict[str, Any] = {"theta": 0.4, "Q": 40}
ONE_ROUND: dict[str, tuple[str, dict[str, Any]]] = {
    "LocalBSGM": ("corollary-1", {}),
    "LocalBSGVRM, fresh": ("corollary-3", {"momenta": "fresh"}),
    "LocalBSGVRM, averaged": ("corollary-3", {"previous": "averaged"}),
}
# (K, log2 T, where to look first); the first two are compared in T, the first and the last in K
PRINTED = ((512, 54, 16_565), (512, 57, 33_131), (512, 51, 8_283), (4096, 54, 4_138))


def one_round(method: str, K: int, log_T: int) -> list[Json]:
    """Measure the relative rise at p = T, the longest round there is."""
    world, T = build(HESSIAN_NOISE), 2**log_T
    corollary, variant = ONE_ROUND[method]
    solver = along(corollary, K=K, T=T, units=UNITS, **FIXED, **variant).solver
    base, longest = (run_near(world, replace(solver, p=p), K=K, T=T) for p in (1, T))
    rise = longest["measure"] / base["measure"] - 1
    error = base["precision"] + longest["precision"]
    found = {"rise": rise, "error": error, "precision": relative(error, rise)}
    return [{"T": T, "eta": base["eta"], "corollary": solver.p, **found}]


def largest(K: int, log_T: int, near: int) -> list[Json]:
    """Find p_max of LocalBSGVRM as printed."""
    T = 2**log_T
    solver = along("corollary-3", K=K, T=T, units=UNITS, **FIXED).solver
    row = p_max.largest_row(build(HESSIAN_NOISE), solver, K=K, T=T, near=near, power=3)
    return [{**row, "method": "LocalBSGVRM", "precision": 2 * row["precision"] / p_max.FRACTION}]


def pieces(budget: Budget) -> list[Piece]:
    long = [30, 40] if budget.quick else [20, 30, 40]
    rounds = [Piece(one_round, {"method": m, "K": 8, "log_T": t}, 0.3) for m in ONE_ROUND for t in long]
    settings = PRINTED[:2] if budget.quick else PRINTED
    return rounds + [Piece(largest, {"K": K, "log_T": t, "near": near}, 1.0) for K, t, near in settings]


def checks(rows: Rows) -> Iterator[Check]:
    for row in rows.having("rise"):
        name = f"relative rise in one round, p = T = {row.get('T'):.0e}, {row.get('method')}"
        yield at_most(name, row["rise"], p_max.FRACTION, row.get("error", 0.0))
    yield from p_max.exponents("LocalBSGVRM as printed", rows.having("real"), printed_period("corollary-3"))
    for method, here in rows.having("rise").by("method"):
        name = f"exponent of the relative rise in eta, one round, {method}"
        yield exponent(name, here.last(2), "rise", "eta", 1.0, p_max.TOLERANCE)


def regime(rows: Rows) -> str:
    first = rows.having("real")[0]
    return (
        "devices that are alike, with Hessian noise, started at the solution; steps in the orders of the "
        f"corollaries with units of ours. p_max eta = {first['real'] * first['eta']:.2g} is far outside Theorem 2, "
        f"which asks for p eta <= 1/(200 Lhat) = {1 / (200 * L_hat()):.1e}"
    )


def L_hat() -> float:
    constants = build(HESSIAN_NOISE).constants(radius=1.0)
    return with_constants(paper("repaired"), {**constants, **FIXED})["L_hat"]


def chart(rows: Rows) -> Chart:
    found, slope = rows.having("real"), printed_period("corollary-3").T
    labels = {"law": f"slope {slope}", "corollary": "the corollary's order, unit 1"}
    return Chart(
        caption="LocalBSGVRM as printed on devices that are alike, with Hessian noise: the largest p that raises "
        "the measure by 1 % grows as Corollary 3's p. The other methods and readings have no largest p on this "
        "world.",
        panels=[p_max.panel(f"$K = {found[0]['K']}$", found, slope, **labels, factor=6.0)],
    )


def table(rows: Rows) -> list[Row]:
    columns = ("method", "K", "T", "eta", "corollary", "p", "real", "rise")
    return [{name: row.get(name) for name in columns} for row in rows]


CLAIMS = (
    Claim(
        id="communication-period.largest-p-alike",
        of=("corollary-1", "corollary-3"),
        sentence="On devices that are alike, with Hessian noise, one round costs LocalBSGM and two readings of "
        "LocalBSGVRM less than 1 %, and the largest such p of LocalBSGVRM as printed is of Corollary 3's order "
        "T^(1/3)/K^(2/3).",
        pieces=pieces,
        checks=checks,
        regime=regime,
        method="exact moments; p_max is bracketed by neighbours",
        evidence=("exact moments",),
        settings={
            "world": HESSIAN_NOISE,
            "units": UNITS,
            **FIXED,
            "as printed (K, log2 T, first p tried)": PRINTED,
        },
        chart=chart,
        notes=[
            "LocalBSGM, and LocalBSGVRM with fresh momenta or averaged previous points, need one round only on "
            "these worlds: quadratic devices that are alike forgive every p, and the corollaries' p cannot be "
            "tested on them.",
            "LocalBSGVRM as printed does not forgive: its p_max has exactly the order of Corollary 3.",
        ],
        table=table,
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
