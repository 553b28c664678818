"""The largest p that raises the measure by at most 1 % at its T, where devices differ, against the corollaries' p.

Along a corollary the measure is of the claimed order, (KT)^{-1/2} or (KT)^{-2/3}, and what p adds is the square of
the displacement of communication_excess.py. Setting p^{2i} eta^{2j} alpha^{2l} (i, j, l the exponents of the
displacement in p, eta and the momentum parameter) equal to a hundredth of the claim, with the corollary's eta and
alpha, gives

    Corollary 1, LocalBSGM                         p_max ~ T^{3/8}/K^{5/8}      printed  p = O(T^{1/4}/K^{3/4})
    Corollary 3, LocalBSGVRM as printed            p_max ~ T^{1/3}/K^{2/3}      printed  p = O(T^{1/3}/K^{2/3})
    Corollary 3, previous averaged or fresh        p_max ~ 1/K                  the same, T plays no part

So Corollary 1 is too careful by (KT)^{1/8}. Corollary 3 is just right for the algorithm as printed, and far too
generous for its other variants. All that for devices that differ, of which the corollaries do not speak; what they do
speak of is in communication_alike.py.

LocalBSGVRM as printed has a second effect of the same order along Corollary 3. In the first round u_0 and v_0 are the
devices' own, of size F_k; the mean moves by p^2 eta^2/2 R dJ R F (evidence/periods/two_group_world.py) and is back
after some 1/(eta rho) iterations. Averaged over T iterations that is of order p^4 eta^3/T, which is p^4 eta^6 where T ~
eta^{-3}.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Json, Panel, Piece, Rows
from ratecert.claims.checks import equal, largest_error
from ratecert.papers.federated_bilevel.evidence.periods import largest_period as p_max
from ratecert.papers.federated_bilevel.evidence.periods import period_orders as orders
from ratecert.papers.federated_bilevel.evidence.periods import two_group_world as groups
from ratecert.papers.federated_bilevel.scalings import along

FACTOR = 1e-2  # of the displacement, whose law is that of p eta -> 0
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


def largest(case: str, K: int, log_T: int, near: int) -> list[Json]:
    """Find p_max at K and T; `law` is what the closed form says that it adds over the allowed hundredth."""
    given, T = CASES[case], 2**log_T
    world = groups.two_group_world(K=K, dial=given["dial"], s_f=given["noise"], s_g=given["noise"])
    solver = along(given["corollary"], K=K, T=T, units=given["units"], **FIXED, **given["reading"]).solver
    row = p_max.largest_row(world, solver, K=K, T=T, near=near, power=2 * given["powers"][0])
    added = groups.measure_at(world, groups.displacement(world, solver, row["real"]))
    noise = groups.measure_at(world, roundings(world)) / row["measure"] + row["precision"]
    law = added / (p_max.FRACTION * row["measure"])
    return [{**row, "law": law, "precision": error_of_p(noise, given["powers"][0])}]


def roundings(world: Any) -> Any:
    """Take some roundings of the solution (x, y), of opposite signs: what doubles need not know of a place of rest.

    A priori, not as what a run without noise measures: that is rounding and the bias of the Neumann sum, in proportions
    that depend on the processor, and has no digits of its own.
    """
    x, y = float(world.x_star[0]), float(world.y_star(world.x_star)[0])
    return ROUNDINGS * np.array([abs(x), -abs(y)])


def error_of_p(noise: float, power: int) -> float:
    """Bound the relative error of p_max: an error e of the mean state, e^2 = noise of the measure, meets the
    displacement in a cross term.
    """
    return 2 * math.sqrt(noise / p_max.FRACTION) / (2 * power)


def derived(case: str) -> orders.Order:
    """Derive the order of p_max from the powers of the displacement."""
    return orders.harmless_period(CASES[case]["corollary"], orders.Displacement(*CASES[case]["powers"]))


def pieces(budget: Budget) -> list[Piece]:
    return [
        Piece(largest, {"case": case, "K": K, "log_T": log_T, "near": near}, seconds=0.7 if K == 2 else 1.5)
        for case, settings in SETTINGS.items()
        for K, log_T, near in (settings[:2] if budget.quick else settings)
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for case, here in rows.by("case"):
        yield from p_max.exponents(case, here, derived(case))
        if case != "LocalBSGVRM as printed":
            name = f"largest gap of what p_max adds to the closed form, {case}"
            gap = max((row["law"] - 1 for row in here), key=abs)
            yield equal(name, gap, 0.0, 2 * FACTOR, 2 * CASES[case]["powers"][0] * largest_error(here))


def plainly(case: str) -> str:
    """Compare p_max with the corollary's p in words."""
    found, order = derived(case), orders.printed_period(CASES[case]["corollary"])
    margin = found.T - order.T
    word = "just right" if not margin else "too careful" if margin > 0 else "too generous"
    return f"{case}: p_max ~ {found}, the corollary's p ~ {order}: {word} where devices differ."


def chart(rows: Rows) -> Chart:
    return Chart(
        caption="The largest p that raises the measure by 1 %, on devices of two kinds, K = 2: it grows faster "
        "than the corollary's p for LocalBSGM, as fast for LocalBSGVRM as printed, and not at all for LocalBSGVRM "
        "with fresh momenta.",
        panels=[panel_of(case, here) for case, here in rows.by("case")],
    )


def panel_of(case: str, rows: Rows) -> Panel:
    in_T, printed = derived(case).T, orders.printed_period(CASES[case]["corollary"]).T
    law, order = f"derived: slope {in_T}", f"the corollary's order, unit 1: slope {printed}"
    return p_max.panel(case, rows, in_T, law=law, corollary=order, factor=8.0)


CLAIMS = (
    Claim(
        id="communication-period.largest-p",
        of=("corollary-1", "corollary-3"),
        sentence="Where devices differ, the largest p that raises the measure by 1 % is of order T^(3/8)/K^(5/8) "
        "for LocalBSGM, T^(1/3) at fixed K for LocalBSGVRM as printed, and 1/K, for every T, with fresh momenta.",
        pieces=pieces,
        checks=checks,
        regime="devices of two kinds, outside the paper's homogeneity; started at the solution, steps and p in the "
        "orders of the corollaries with units of ours",
        method="exact moments; p_max is bracketed by neighbours",
        evidence=("exact moments",),
        settings={
            "cases": CASES,
            "settings (K, log2 T, first p tried)": SETTINGS,
            **FIXED,
            "fraction": p_max.FRACTION,
        },
        chart=chart,
        notes=lambda _: [
            *map(plainly, CASES),
            "For LocalBSGVRM as printed the closed form of the limit is not checked: along Corollary 3 the first "
            "round, in which momenta are the devices' own, adds an effect of the same order, here a larger one.",
        ],
        table=("case", "K", "T", "p", "real", "corollary", "eta", "law"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
