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

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import exact, exponent, world_of
from ratecert.papers.federated_bilevel.evidence.periods.largest_period import largest_period
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import printed_period
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.theory.numbers.evaluation import with_constants

FRACTION = 0.01
TOLERANCE = 1e-3
WORLD: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, "sigma_H": 0.2, "s_f": 0.5, "s_g": 0.5
}  # fmt: skip
UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3}
FIXED: dict[str, Any] = {"theta": 0.4, "Q": 40}
ONE_ROUND: dict[str, tuple[str, dict[str, Any]]] = {
    "LocalBSGM": ("corollary-1", {}),
    "LocalBSGVRM, fresh": ("corollary-3", {"momenta": "fresh"}),
    "LocalBSGVRM, averaged": ("corollary-3", {"previous": "averaged"}),
}
# (K, log2 T, where to look first); the first two are compared in T, the first and the last in K
PRINTED = ((512, 54, 16_565), (512, 57, 33_131), (512, 51, 8_283), (4096, 54, 4_138))


def one_round(method: str, K: int, log_T: int) -> Json:
    """The relative rise at p = T, the longest round there is."""
    world, T = world_of(WORLD), 2**log_T
    corollary, reading = ONE_ROUND[method]
    solver = along(corollary, K=K, T=T, units=UNITS, **FIXED, **reading).solver
    base, longest = (exact(world, replace(solver, p=p), K=K, T=T) for p in (1, T))
    what = {"method": method, "K": K, "T": T, "corollary": solver.p, "eta": solver.schedule.largest}
    return {**what, "rise": longest.measure / base.measure - 1, "error": base.precision + longest.precision}


def largest(K: int, log_T: int, near: int) -> Json:
    """p_max of LocalBSGVRM as printed."""
    world, T = world_of(WORLD), 2**log_T
    solver = along("corollary-3", K=K, T=T, units=UNITS, **FIXED).solver
    base = exact(world, replace(solver, p=1), K=K, T=T)

    def rise(p: int) -> float:
        return exact(world, replace(solver, p=p), K=K, T=T).measure / base.measure - 1

    found = largest_period(rise, FRACTION, near=near, power=3)
    what = {"method": "LocalBSGVRM", "K": K, "T": T, "corollary": solver.p, "eta": solver.schedule.largest}
    return {**what, "p": found.p, "real": found.real, "error": 2 * base.precision / FRACTION}


def pieces(budget: Budget) -> list[Piece]:
    long = [40] if budget.quick else [20, 30, 40]
    rounds = [Piece(one_round, {"method": m, "K": 8, "log_T": t}, 0.3) for m in ONE_ROUND for t in long]
    settings = PRINTED[:2] if budget.quick else PRINTED
    return rounds + [Piece(largest, {"K": K, "log_T": t, "near": near}, 1.0) for K, t, near in settings]


def judge(values: Sequence[Json]) -> Judgement:
    longest, printed = ([v for v in values if ("rise" in v) == once] for once in (True, False))
    checks = [
        Check(
            name=f"relative rise in one round, p = T = {v['T']:.0e}, {v['method']}",
            measured=v["rise"],
            predicted=FRACTION,
            relation="<=",
            uncertainty=v["error"],
        )
        for v in longest
    ]
    in_T, in_K = printed_period("corollary-3")
    first, second, last = printed[0], printed[1], printed[-1]
    checks.append(_exponent("T", first, second, in_T))
    if last["K"] != first["K"]:
        checks.append(_exponent("K", first, last, in_K))
    return Judgement(
        checks=checks,
        regime="devices that are alike, with Hessian noise, started at the solution; steps in the orders of the "
        f"corollaries with units of ours. p_max eta = {first['real'] * first['eta']:.2g} is far outside Theorem 2, "
        f"which asks for p eta <= 1/(200 Lhat) = {1 / (200 * L_hat()):.1e}",
        settings={"world": WORLD, "units": UNITS, **FIXED, "as printed (K, log2 T, first p tried)": PRINTED},
        method="exact moments; p_max is bracketed by neighbours",
        chart=_chart(printed, in_T),
        notes=[
            "LocalBSGM, and LocalBSGVRM with fresh momenta or averaged previous points, need one round only on "
            "these worlds: quadratic devices that are alike forgive every p, and the corollaries' p cannot be "
            "tested on them.",
            "LocalBSGVRM as printed does not forgive: its p_max has exactly the order of Corollary 3.",
        ],
        table=[
            {name: v.get(name) for name in ("method", "K", "T", "eta", "corollary", "p", "real", "rise")}
            for v in values
        ],
    )


def L_hat() -> float:
    constants = world_of(WORLD).constants(radius=1.0)
    return with_constants(paper("repaired"), {**constants, **FIXED})["L_hat"]


def _exponent(name: str, one: Json, other: Json, value: Fraction) -> Check:
    found = exponent(
        [one[name], other[name]], [one["real"], other["real"]], max(one["error"], other["error"])
    )
    return Check(
        name=f"exponent of p_max in {name}, LocalBSGVRM as printed",
        measured=found.value,
        predicted=float(value),
        tolerance=TOLERANCE,
        uncertainty=found.uncertainty,
    )


def _chart(printed: Sequence[Json], slope: Fraction) -> Chart:
    here = sorted((v for v in printed if v["K"] == printed[0]["K"]), key=lambda v: v["T"])
    T, p = [float(v["T"]) for v in here], [v["real"] for v in here]
    law = [p[0] * (t / T[0]) ** float(slope) for t in T]
    order = [v["corollary"] for v in here]
    return Chart(
        caption="LocalBSGVRM as printed on devices that are alike, with Hessian noise: the largest p that raises "
        "the measure by 1 % grows as Corollary 3's p. The other methods and readings have no largest p on this "
        "world.",
        panels=[
            Panel(
                title=f"$K = {here[0]['K']}$",
                x_label="iterations $T$",
                y_label="period $p$",
                series=[
                    Series(label=r"$p_{\max}$: +1 %", x=T, y=p),
                    Series(label=f"slope {slope}", x=T, y=law, kind="predicted", colour=1),
                    Series(label="the corollary's order, unit 1", x=T, y=order, kind="contrast", colour=2),
                ],
                triangles=[
                    Triangle(x=T[0], y=p[0] * 0.6, slope=float(slope), label=str(slope), factor=6.0, colour=1)
                ],
            )
        ],
    )


CLAIMS = (
    Claim(
        id="communication-period.largest-p-alike",
        of=("corollary-1", "corollary-3"),
        sentence="On devices that are alike, with Hessian noise, one round costs LocalBSGM and two readings of "
        "LocalBSGVRM less than 1 %, and the largest such p of LocalBSGVRM as printed is of Corollary 3's order "
        "T^(1/3)/K^(2/3).",
        pieces=pieces,
        judge=judge,
    ),
)
