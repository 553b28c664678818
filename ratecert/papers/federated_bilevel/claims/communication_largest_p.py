"""The largest p that raises the measure by at most 1 % at its T, where devices differ, against the corollaries' p.

Along a corollary the measure is of the claimed order, (KT)^{-1/2} or (KT)^{-2/3}, and what p adds is the square of
the displacement of communication_excess.py. Setting p^{2i} eta^{2j} alpha^{2l} (i, j, l the exponents of the
displacement in p, eta and the momentum parameter) equal to a hundredth of the claim, with the corollary's eta and
alpha, gives

    Corollary 1, LocalBSGM                         p_max ~ T^{3/8}/K^{5/8}      printed  p = O(T^{1/4}/K^{3/4})
    Corollary 3, LocalBSGVRM as printed            p_max ~ T^{1/3}/K^{2/3}      printed  p = O(T^{1/3}/K^{2/3})
    Corollary 3, previous averaged or fresh        p_max ~ 1/K                  the same, T plays no part

So Corollary 1 is too careful by (KT)^{1/8}. Corollary 3 is just right for the algorithm as printed, and far too
generous for its other readings. All that for devices that differ, of which the corollaries do not speak; what they do
speak of is in communication_alike.py. p_max is a whole number, the exponents are those of the real number at which 1
% is reached.

LocalBSGVRM as printed has a second effect of the same order along Corollary 3. In the first round u_0 and v_0 are the
devices' own, of size F_k; the mean moves by p^2 eta^2/2 R dJ R F (evidence/periods/two_kinds.py) and is back
after some 1/(eta rho) iterations. Averaged over T iterations that is of order p^4 eta^3/T, which is p^4 eta^6 where T ~
eta^{-3}.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.periods.communication import (
    L_tilde_of,
    exact,
    exponent,
    world_of,
)
from ratecert.papers.federated_bilevel.evidence.periods.largest_period import largest_period
from ratecert.papers.federated_bilevel.evidence.periods.period_orders import (
    Displacement,
    Order,
    harmless_period,
    printed_period,
)
from ratecert.papers.federated_bilevel.evidence.periods.two_kinds import displacement, measure_at
from ratecert.papers.federated_bilevel.scalings import along

FRACTION = 0.01
TOLERANCE = 1e-3
FACTOR = 1e-2
ROUNDINGS = 64 * float(np.finfo(float).eps)
CASES: dict[str, dict[str, Any]] = {
    "LocalBSGM": {
        "corollary": "corollary-1", "reading": {}, "powers": (2, 2, 1), "dial": 0.3, "noise": 1e-5,
        "units": {"eta": 32.0, "rho_1": 0.1, "rho_2": 0.3},
    },
    "LocalBSGVRM as printed": {
        "corollary": "corollary-3", "reading": {}, "powers": (2, 3, 1), "dial": 0.3, "noise": 1e-2,
        "units": {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3},
    },
    "LocalBSGVRM, fresh": {
        "corollary": "corollary-3", "reading": {"momenta": "fresh"}, "powers": (1, 1, 0), "dial": 0.01, "noise": 0.1,
        "units": {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3},
    },
}  # fmt: skip
"""`powers`: of p, eta and alpha in the displacement. Noise and dial make p_max some hundreds or thousands."""
FIXED: dict[str, Any] = {"theta": 0.2, "Q": 120}
# case -> (K, log2 T, where to look first); the first two are compared in T, the first and the last in K
SETTINGS: dict[str, list[tuple[int, int, int]]] = {
    "LocalBSGM": [(2, 50, 623), (2, 54, 1762), (2, 46, 220), (4, 50, 403)],
    "LocalBSGVRM as printed": [(2, 30, 968), (2, 33, 1937), (2, 27, 484)],
    "LocalBSGVRM, fresh": [(2, 54, 5697), (2, 57, 5700), (2, 51, 5691), (4, 54, 2849)],
}


def largest(case: str, K: int, log_T: int, near: int) -> Json:
    """p_max at K and T, what the closed form says of it, and the corollary's p."""
    given, T = CASES[case], 2**log_T
    spec = {"two_kinds": {"K": K, "dial": given["dial"], "s_f": given["noise"], "s_g": given["noise"]}}
    world = world_of(spec)
    solver = along(given["corollary"], K=K, T=T, units=given["units"], **FIXED, **given["reading"]).solver
    base = exact(world, replace(solver, p=1), K=K, T=T)

    def rise(p: int) -> float:
        return exact(world, replace(solver, p=p), K=K, T=T).measure / base.measure - 1

    found = largest_period(rise, FRACTION, near=near, power=2 * given["powers"][0])
    added = measure_at(world, displacement(world, solver, found.real), L_tilde_of(world))
    floor = measure_at(world, roundings(world), L_tilde_of(world))
    return {
        "case": case,
        "K": K,
        "T": T,
        "p": found.p,
        "real": found.real,
        "law": added / (FRACTION * base.measure),
        "corollary": solver.p,
        "eta": solver.schedule.largest,
        "error": error_of_p(floor / base.measure + base.precision, given["powers"][0]),
    }


def roundings(world: Any) -> Any:
    """Some roundings of the solution (x, y), of opposite signs: what doubles need not know of where a method rests.

    A priori, not as what a run without noise measures: that is rounding and the bias of the Neumann sum, in proportions
    that depend on the processor, and has no digits of its own.
    """
    x, y = float(world.x_star[0]), float(world.y_star(world.x_star)[0])
    return ROUNDINGS * np.array([abs(x), -abs(y)])


def error_of_p(noise: float, power: int) -> float:
    """Relative. An error e of the mean state, e^2 = noise of the measure, meets the displacement in a cross term."""
    return 2 * math.sqrt(noise / FRACTION) / (2 * power)


def derived(case: str) -> Order:
    return harmless_period(CASES[case]["corollary"], Displacement(*CASES[case]["powers"]))


def pieces(budget: Budget) -> list[Piece]:
    return [
        Piece(largest, {"case": case, "K": K, "log_T": log_T, "near": near}, seconds=0.7 if K == 2 else 1.5)
        for case, settings in SETTINGS.items()
        for K, log_T, near in (settings[:2] if budget.quick else settings)
    ]


def judge(values: Sequence[Json]) -> Judgement:
    checks, notes = [], []
    for case in CASES:
        here = [v for v in values if v["case"] == case]
        first, second, last = here[0], here[1], here[-1]
        in_T, in_K = derived(case)
        checks.append(_exponent("T", case, first, second, in_T))
        if last["K"] != first["K"]:
            checks.append(_exponent("K", case, first, last, in_K))
        if case != "LocalBSGVRM as printed":
            gap = max((v["law"] - 1 for v in here), key=abs)
            name = f"largest gap of what p_max adds to the closed form, {case}"
            error = max(2 * CASES[case]["powers"][0] * v["error"] for v in here)
            checks.append(
                Check(name=name, measured=gap, predicted=0.0, tolerance=2 * FACTOR, uncertainty=error)
            )
        notes.append(_plainly(case))
    return Judgement(
        checks=checks,
        regime="devices of two kinds, outside the paper's homogeneity; started at the solution, steps and p in the "
        "orders of the corollaries with units of ours",
        settings={
            "cases": CASES,
            "settings (K, log2 T, first p tried)": SETTINGS,
            **FIXED,
            "fraction": FRACTION,
        },
        method="exact moments; p_max is bracketed by neighbours",
        chart=_chart(values),
        notes=[
            *notes,
            "For LocalBSGVRM as printed the closed form of the limit is not checked: along Corollary 3 the first "
            "round, in which momenta are the devices' own, adds an effect of the same order, here a larger one.",
        ],
        table=[
            {name: v[name] for name in ("case", "K", "T", "p", "real", "corollary", "eta", "law")}
            for v in values
        ],
    )


def _exponent(name: str, case: str, one: Json, other: Json, value: Fraction) -> Check:
    found = exponent(
        [one[name], other[name]], [one["real"], other["real"]], max(one["error"], other["error"])
    )
    return Check(
        name=f"exponent of p_max in {name}, {case}",
        measured=found.value,
        predicted=float(value),
        tolerance=TOLERANCE,
        uncertainty=found.uncertainty,
    )


def _plainly(case: str) -> str:
    found, order = derived(case), printed_period(CASES[case]["corollary"])
    margin = found.T - order.T
    word = "just right" if not margin else "too careful" if margin > 0 else "too generous"
    return f"{case}: p_max ~ {found}, the corollary's p ~ {order}: {word} where devices differ."


def _chart(values: Sequence[Json]) -> Chart:
    panels = []
    for case in CASES:
        here = sorted((v for v in values if v["case"] == case and v["K"] == 2), key=lambda v: v["T"])
        T, p = [float(v["T"]) for v in here], [v["real"] for v in here]
        in_T = derived(case).T
        law = [p[0] * (t / T[0]) ** float(in_T) for t in T]
        panels.append(
            Panel(
                title=case,
                x_label="iterations $T$",
                y_label=r"period $p$",
                series=[
                    Series(label=r"$p_{\max}$: +1 %", x=T, y=p),
                    Series(label=f"derived: slope {in_T}", x=T, y=law, kind="predicted", colour=1),
                    Series(
                        label=f"the corollary's order, unit 1: slope {printed_period(CASES[case]['corollary']).T}",
                        x=T,
                        y=[v["corollary"] for v in here],
                        kind="contrast",
                        colour=2,
                    ),
                ],
                triangles=[
                    Triangle(x=T[0], y=p[0] * 0.6, slope=float(in_T), label=str(in_T), factor=8.0, colour=1)
                ],
            )
        )
    return Chart(
        caption="The largest p that raises the measure by 1 %, on devices of two kinds, K = 2: it grows faster "
        "than the corollary's p for LocalBSGM, as fast for LocalBSGVRM as printed, and not at all for LocalBSGVRM "
        "with fresh momenta.",
        panels=panels,
    )


CLAIMS = (
    Claim(
        id="communication-period.largest-p",
        of=("corollary-1", "corollary-3"),
        sentence="Where devices differ, the largest p that raises the measure by 1 % is of order T^(3/8)/K^(5/8) "
        "for LocalBSGM, T^(1/3) at fixed K for LocalBSGVRM as printed, and 1/K, for every T, with fresh momenta.",
        pieces=pieces,
        judge=judge,
    ),
)
