"""Linear speedup: K devices are worth K times as many iterations, along Corollaries 1 and 3 (Remarks 1 and 2).

Along its scalings a corollary claims measure = O((KT)^-r), r = 1/2 or 2/3. Checked are

    exponents   of T, of K, and of both in one fit over a grid, inside the window in which p >= 1
    constant    the limit of measure (KT)^r, against a closed form that shares nothing with the moment engine
    bound       the repaired theorem's, at steps inside its conditions, is above the measure
    times       K T(K)/T(1) is flat, T(K) being the T at which K devices reach eps
    outside     where, beyond the window, more devices stop helping, against the closed forms
    contrast    noise that all devices share: more devices, a larger measure
    exact       at rest: what is above the floor of the Neumann sum is a power of eta over K, in fractions, for every K

Beyond the window p = 1, and the step is cut off at the largest one: alpha eta = 1 for LocalBSGM, whose momentum weight
cannot be larger; p eta = unit for LocalBSGVRM, the value that p eta has all along its scaling. Very many devices with
that step have a measure that falls as 1/T and does not depend on K.

An exact curve need not be a power law, so the range of its slopes between neighbours is the uncertainty of an exponent.
On a full grid the exponent of the joint fit is the mean of those along its lines.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ratecert.claim import Budget, Chart, Check, Claim, Json, Panel, Piece, Row, Rows, Series, Triangle
from ratecert.claim.checks import above, at_least, at_most, equal, error_of, exponent, slope
from ratecert.claim.lines import level, line
from ratecert.papers.federated_bilevel.evidence.experiment import claimed
from ratecert.papers.federated_bilevel.evidence.speedup import computations as runs
from ratecert.papers.federated_bilevel.evidence.speedup import settings as speedup
from ratecert.papers.federated_bilevel.evidence.speedup import small_steps as small
from ratecert.papers.federated_bilevel.evidence.speedup.settings import mathtext, powers_of_2, two_to

TOLERANCE = 1e-3  # of exponents, and of ratios that a closed form predicts
FLAT = 1e-2  # of K T(K)/T(1), at the smallest eps
TERMS = 10  # Q of the exact expansion: fractions grow with it
FLOOR = 1e-6  # what these terms may leave of the bias
LOST = 0.2  # the exponent in K that shared noise has at least
MANY = (2**8, 2**12, 2**16)  # devices, with which shared noise dominates
PARTS = ("grid", "devices", "shared", "times", "shared times", "bounds")
COLUMNS = ("part", "world", "K", "T", "measure", "measure (KT)^r", "K T(K)/T(1)", "bound", "largest term")
NOTES = {
    "corollary-1": [
        "So the window is not needed on these worlds: with p = 1 the measure goes on to fall as K^(-1/2) until the "
        "momentum weight is 1. The bound does not: its drift terms stay at p = 1, and make it grow with K.",
        "The noise of the first sample, which the bound charges as start_u without 1/K, makes one device a little "
        "worse than its share: K T(K)/T(1) tends to a number just below 1.",
    ],
    "corollary-3": [
        "So the speedup ends with the window: p eta is constant along the scaling, and p cannot fall below 1.",
        "The closed form is that of short rounds. A round lasts p eta = 3 here, which moves the constant by 3e-4 where "
        "Hessians are noisy and K >= 2.",
    ],
}
FRACTION = {"corollary-1": "1/2", "corollary-3": "2/3"}


@dataclass(frozen=True)
class Case:
    method: str
    theorem: str
    remark: str
    rate: str  # as printed in the sentence
    window: int  # T >= K^window
    grid_K: tuple[float, ...]
    grid_T: tuple[float, ...]
    T: int  # at which K grows without end
    K_in_window: int  # deep inside, at that T
    K_still_linear: tuple[float, ...]  # outside the window, with the claimed exponent
    K_saturated: tuple[float, ...]  # so many that the measure no longer falls
    largest_step: float
    eps: tuple[float, ...]
    period: float  # p over the corollary's order beside the bound: a round of 1e5 steps is slow to certify


CASES = {
    "corollary-1": Case(
        method="LocalBSGM",
        theorem="theorem-1",
        remark="remark-1",
        rate="(KT)^(-1/2)",
        window=3,
        grid_K=(1, 16, 256),
        grid_T=powers_of_2(44, 48, 52, 56),
        T=2**56,
        K_in_window=2**8,
        K_still_linear=powers_of_2(20, 24, 28),
        K_saturated=powers_of_2(56, 60, 64),
        largest_step=1 / speedup.UNITS["corollary-1"]["alpha"],
        eps=powers_of_2(-17, -21, -25),
        period=1.0,
    ),
    "corollary-3": Case(
        method="LocalBSGVRM",
        theorem="theorem-2",
        remark="remark-2",
        rate="(KT)^(-2/3)",
        window=2,
        grid_K=(1, 8, 64),
        grid_T=powers_of_2(45, 48, 51, 54),
        T=2**48,
        K_in_window=2**8,
        K_still_linear=(),
        K_saturated=powers_of_2(32, 36, 40),
        largest_step=speedup.UNITS["corollary-3"]["eta"],
        eps=powers_of_2(-22, -27, -32),
        period=1 / 64,
    ),
}


def pieces(corollary: str, budget: Budget) -> list[Piece]:
    """The runs of all parts; `quick` takes one world, one eps and fewer points."""
    case, quick = CASES[corollary], budget.quick
    worlds, eps = ([speedup.SCALAR], case.eps[-1:]) if quick else ([speedup.SCALAR, speedup.PLANE], case.eps)
    points = [[K, T] for K in case.grid_K for T in (case.grid_T[1:] if quick else case.grid_T)]
    spread = {k for k in powers_of_2(*range(0, 64, 32 if quick else 4)) if k < case.K_saturated[0]}
    many = {"K": sorted(spread | {case.K_in_window, *case.K_still_linear, *case.K_saturated})}
    few = {"K": [1, 2**8, 2**12, 2**16] if quick else [1, 2**4, 2**8, 2**12, 2**16]}
    over_K = {"T": case.T, "largest": case.largest_step}
    until = {"K": [1, 32, 1024] if quick else [1, 4, 16, 64, 256, 1024]}
    K, T = ((1, 1024), (2**46, 2**58)) if quick else ((1, 32, 1024), (2**46, 2**50, 2**54, 2**58))
    inside = {"points": [[k, t] for k in K for t in T], "period": case.period}
    beyond = {"points": [[2**k, case.T] for k in range(8, 41, 4)], "period": 1.0}
    asked: list[tuple[Callable[..., Json], dict[str, Json], float]] = [
        *((runs.grid, {"world": world, "name": "T", "points": points}, 1.2) for world in worlds),
        (runs.devices, {**over_K, **many, "shared_noise": False}, 2.0),
        (runs.devices, {**over_K, **few, "shared_noise": True}, 0.5),
        *((runs.times, {"eps": each, **until, "shared_noise": False}, 1.5) for each in eps),
        (runs.bounds, inside, 2.0),
        (runs.exact, {"Q": TERMS}, 0.5),
    ]
    if not quick:
        asked += [
            (runs.times, {"eps": eps[0], **until, "shared_noise": True}, 1.5),
            (runs.bounds, beyond, 1.5),
        ]
    return [Piece(function, {"corollary": corollary, **given}, seconds) for function, given, seconds in asked]


def checks(corollary: str, rows: Rows) -> Iterator[Check]:
    parts = small.leading_parts(speedup.experiment(corollary))
    for world, here in rows.where(part="grid").by("world"):
        yield from exponents(corollary, world, here)
    yield constant(parts, rows.where(part="grid", world=speedup.SCALAR))
    yield below_bound(rows.where(part="bounds"))
    yield from flatness(corollary, parts, rows.where(part="times"))
    yield from outside(corollary, parts, rows.where(part="devices"))
    yield from at_rest(corollary, parts, rows.where(part="exact").only())
    lost, error = slope(rows.where(part="shared").among(K=MANY), "measure", "K", straight=False)
    yield at_least(f"exponent of K, noise shared, K from {MANY[0]} on", lost, LOST, error)


def at_rest(corollary: str, parts: small.Parts, exact: Row) -> Iterator[Check]:
    """With eta^n/K at rest and the corollary's eta, the noise is its closed form; the limit is expanded exactly."""
    power = {"corollary-1": 1, "corollary-3": 2}[corollary]
    yield equal("power of eta above the floor, exact", exact["power"], power, 0.0)
    yield equal("powers of eta among gradient and tracking, exact", exact["powers"], 1, 0.0)
    yield equal("constants of gradient and tracking that are c/K, exact", exact["free of K"], 2, 0.0)
    noise, unit = parts["noise"][0], speedup.UNITS[corollary]["eta"] ** power
    yield equal(
        f"exact constant, Q = {TERMS}, over its closed form", exact["per K"] * unit / noise, 1.0, TOLERANCE
    )
    yield at_most(f"floor that Q = {TERMS} leaves, exact", exact["floor"], FLOOR)


def exponents(corollary: str, world: str, grid: Rows) -> Iterator[Check]:
    """In T at the second K, in K at the last T but one, and in both over the whole grid."""
    K, T = grid.cells("K")[1], grid.cells("T")[-2]
    lines = (("T", f"K = {K}", grid.where(K=K)), ("K", f"T = {two_to(T)}", grid.where(T=T)))
    for letter, place, here in lines:
        name, power = f"exponent of {letter}, {place}, {world}", claimed(corollary, letter)
        yield exponent(name, here, "measure", letter, power, TOLERANCE, straight=False)
    for letter, other in (("T", "K"), ("K", "T")):
        slopes = [slope(here, "measure", letter, straight=False) for _, here in grid.by(other)]
        value, error = np.mean(slopes, axis=0).tolist()
        name = f"exponent of {letter}, joint fit, {world}"
        yield equal(name, value, claimed(corollary, letter), TOLERANCE, error)


def constant(parts: small.Parts, grid: Rows) -> Check:
    """measure (KT)^r at the largest T over its closed form, worst K; what still moves there is uncertain."""

    def ratio(row: Row) -> float:
        return runs.scaled(row) / small.leading_constant(parts, row["K"])

    before, last = (grid.where(T=T) for T in grid.cells("T")[-2:])
    worst = last.largest(lambda row: abs(ratio(row) - 1))
    moved = ratio(worst) - ratio(before.where(K=worst.get("K")).only())
    return equal("leading constant over its closed form, worst K", ratio(worst), 1.0, TOLERANCE, abs(moved))


def below_bound(rows: Rows) -> Check:
    return above("measure over bound, the largest", rows, "measure", "bound")


def flatness(corollary: str, parts: small.Parts, rows: Rows) -> Iterator[Check]:
    """K T(K)/T(1) at the smallest eps is 1, and nearer to its closed form than at the largest eps."""

    def form(row: Row) -> float:
        """K T(K)/T(1) as eps tends to 0."""
        ratio = small.leading_constant(parts, row["K"]) / small.leading_constant(parts, 1)
        return float(ratio ** (-1 / claimed(corollary, "T")))

    def off(row: Row) -> float:
        return abs(float(row["K T(K)/T(1)"]) / form(row) - 1)

    smallest, largest = (rows.where(eps=eps) for eps in (min(rows.cells("eps")), max(rows.cells("eps"))))
    place = f"eps = {two_to(smallest.cells('eps')[0])}"
    worst = smallest.largest(lambda row: abs(row["K T(K)/T(1)"] - 1))
    name = f"K T(K)/T(1), worst K, {place}"
    yield equal(name, worst["K T(K)/T(1)"], 1.0, FLAT, error_of(worst))
    near, far = smallest.largest(off), largest.largest(off)
    if any(form(row) != 1 for row in smallest):
        name = f"K T(K)/T(1) over its closed form, worst K, {place}"
        yield equal(name, near["K T(K)/T(1)"] / form(near), 1.0, TOLERANCE, error_of(near))
    if len(rows.cells("eps")) > 1:
        name = f"distance from the closed form, relative to that at eps = {two_to(largest.cells('eps')[0])}"
        yield at_most(name, off(near) / off(far), 0.5, (error_of(near) + error_of(far)) / off(far))


def outside(corollary: str, parts: small.Parts, rows: Rows) -> Iterator[Check]:
    """The exponent in K where it is still the claimed one and where nothing is left of it, and the bend between."""
    case = CASES[corollary]
    for K, power in ((case.K_still_linear, claimed(corollary, "K")), (case.K_saturated, 0.0)):
        if K:
            name = f"exponent of K outside the window, K from {two_to(K[0])} to {two_to(K[-1])}"
            yield exponent(name, rows.among(K=K), "measure", "K", power, TOLERANCE, straight=False)
    deep, far = (rows.where(K=K).only() for K in (case.K_in_window, case.K_saturated[-1]))
    seen = small.last_useful_K(corollary, runs.scaled(deep), far["measure"] * far["T"], far["T"])
    form = expected_last_useful_K(corollary, parts)
    error = (error_of(deep) + error_of(far)) / abs(claimed(corollary, "T"))
    yield equal(
        "K at which the curve bends over its closed form", seen / form, 1.0, TOLERANCE, error * seen / form
    )


def expected_last_useful_K(corollary: str, parts: small.Parts) -> float:
    case = CASES[corollary]
    many = small.many_devices(speedup.experiment(corollary), case.largest_step)
    return small.last_useful_K(corollary, small.leading_constant(parts, case.K_in_window), many, case.T)


def notes(corollary: str, rows: Rows) -> list[str]:
    case, parts = CASES[corollary], small.leading_parts(speedup.experiment(corollary))
    shares = ", ".join(f"{name} {value:.4g}" for name, (value, _) in sorted(parts.items()))
    inside = rows.where(part="bounds").but(T=case.T)
    ratios = [row["measure"] / row["bound"] for row in inside]
    edge, end = case.T ** (1 / case.window), expected_last_useful_K(corollary, parts)
    return [
        "The measure is that of the mean over devices. Where devices are alike the mean is as good if they never meet; "
        "what averages buy is that each device is near it.",
        f"Leading constant at K = 1 by parts: {shares}.",
        f"Inside the theorem's conditions the measure is {min(ratios):.1e} to {max(ratios):.1e} of the bound.",
        f"At T = {two_to(case.T)} the window ends at K = {edge:.1e}; more devices stop helping at about K = {end:.1e}.",
        *NOTES[corollary],
    ]


def settings(corollary: str, rows: Rows) -> dict[str, Json]:
    case = CASES[corollary]
    return {
        "grids": [speedup.setting(corollary, world) for world in rows.where(part="grid").cells("world")],
        "outside": {"T": case.T, "largest step": case.largest_step},
        "bound": {"theorem": case.theorem, "world": runs.ADDITIVE, "x_off": runs.OFF, "period": case.period},
    }


def table(rows: Rows) -> Iterator[Row]:
    """All runs: what for, where, and the measure times (KT)^r; for times, the T that was found."""
    for part in PARTS:
        for row in rows.where(part=part):
            found = {"world": speedup.SCALAR, **row, "measure (KT)^r": runs.scaled(row)}
            yield {name: found.get(name) for name in COLUMNS}


def chart(corollary: str, window: int, rows: Rows) -> Chart:
    T = rows.where(part="devices")[0]["T"]
    over_K: dict[str, Any] = {
        "title": f"$T = {mathtext(T)}$",
        "x_label": "devices $K$",
        "window": (1.0, float(T) ** (1 / window)),
        "window_label": f"claimed: $T \\geq K^{window}$",
    }
    return Chart(
        caption=f"Measure against T beside the bound; measure times (KT)^({FRACTION[corollary]}) against K, and its "
        "local exponent in K, with the window in which the corollary claims to hold; K times the iterations to reach "
        "eps. Noise that devices share makes more devices worse.",
        panels=[
            _over_T(corollary, rows.where(part="bounds").but(T=T)),
            Panel(
                y_label=rf"measure $\times\,(KT)^{{{FRACTION[corollary]}}}$",
                series=_over_K(corollary, rows),
                **over_K,
            ),
            Panel(
                y_label="local exponent of $K$",
                series=_exponents(corollary, rows),
                y_scale="linear",
                **over_K,
            ),
            Panel(
                title=r"$T(K)$: iterations to reach $\epsilon$",
                x_label="devices $K$",
                y_label=r"$K\,T(K)$",
                series=_times(rows),
            ),
        ],
    )


def _over_T(corollary: str, rows: Rows) -> Panel:
    series = []
    for colour, (K, here) in enumerate(rows.by("K")):
        series += [
            line(f"K = {K}", here, "T", "measure", colour=colour),
            line(f"bound, K = {K}", here, "T", "bound", kind="bound", colour=colour),
        ]
    power, left = claimed(corollary, "T"), 2**10
    x, y = rows[-1]["T"] / left, rows[-1]["measure"] * left**-power / 30
    return Panel(
        title="steps inside the theorem's conditions",
        x_label="iterations $T$",
        y_label="measure and bound",
        series=series,
        triangles=[Triangle(x=x, y=y, slope=power, label=f"-{FRACTION[corollary]}", factor=64)],
    )


def _over_K(corollary: str, rows: Rows) -> list[Series]:
    here, over_K = speedup.experiment(corollary), rows.where(part="devices")
    T, most, step = float(over_K[0]["T"]), float(over_K[-1]["K"]), over_K[0]["largest"]
    parts, many, rate = small.leading_parts(here), small.many_devices(here, step), -claimed(corollary, "T")

    def closed(row: Row) -> float:
        return small.leading_constant(parts, row["K"])

    beyond = [small.last_useful_K(corollary, small.leading_constant(parts, most), many, T), most]
    return [
        line("independent noise", over_K, "K", runs.scaled),
        line("closed form", over_K, "K", closed, kind="predicted", colour=6),
        Series(label="closed form, infinitely many devices", x=beyond, kind="predicted", colour=4,
               y=[many / T * (K * T) ** rate for K in beyond]),
        line("noise shared by all devices", rows.where(part="shared"), "K", runs.scaled, kind="contrast", colour=1),
    ]  # fmt: skip


def _exponents(corollary: str, rows: Rows) -> list[Series]:
    over_K, shared = rows.where(part="devices"), rows.where(part="shared")
    bounds, label = rows.where(part="bounds", T=over_K[0]["T"]), f"claimed: -{FRACTION[corollary]}"
    return [
        _local("independent noise", over_K, "measure"),
        *([_local("bound", bounds, "bound", kind="bound", colour=2)] if bounds else []),
        _local("noise shared by all devices", shared, "measure", kind="contrast", colour=1),
        level(label, over_K.column("K"), claimed(corollary, "K"), kind="predicted", colour=6),
    ]


def _local(name: str, rows: Rows, quantity: str, **look: Any) -> Series:
    """The exponents of K between neighbours, each at the geometric mean of the two."""
    pairs = [rows[i : i + 2] for i in range(len(rows) - 1)]
    x = [math.sqrt(math.prod(pair.column("K"))) for pair in pairs]
    return Series(label=name, x=x, y=[slope(pair, quantity, "K")[0] for pair in pairs], **look)


def _times(rows: Rows) -> list[Series]:
    series = []
    for i, ((part, eps), here) in enumerate(rows.having("K T(K)/T(1)").by("part", "eps")):
        name = rf"$\epsilon = {mathtext(eps)}$"
        look = {"colour": 2 * i} if part == "times" else {"kind": "contrast", "colour": 1}
        label = name if part == "times" else f"noise shared, {name}"
        series.append(line(label, here, "K", lambda row: row["K"] * row["T"], **look))
    return series


CLAIMS = tuple(
    Claim(
        id=f"linear-speedup.{corollary}",
        of=(corollary, case.remark),
        sentence=f"{case.method} speeds up linearly: along Corollary {corollary[-1]} the measure falls as "
        f"{case.rate}, and K devices reach eps in T(1)/K "
        "iterations, up to the noise of the first sample, which adds a part of order 1/K.",
        pieces=partial(pieces, corollary),
        checks=partial(checks, corollary),
        regime=f"inside T >= K^{case.window} with K up to 1024, and beyond it as far as K = "
        f"{two_to(case.K_saturated[-1])}; steps along the corollary's orders, beside the bound inside the theorem's "
        "conditions",
        method="exact moments; closed forms from Lyapunov equations",
        evidence=("exact moments", "closed forms"),
        settings=partial(settings, corollary),
        chart=partial(chart, corollary, case.window),
        notes=partial(notes, corollary),
        table=table,
        runs=(case.method,),
        blind_to={
            "bound": "it is more than twice the measure wherever the theorem's conditions hold",
            "floor": "it is less than half of what it may be",
        },
    )
    for corollary, case in CASES.items()
)
