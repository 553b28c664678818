"""Linear speedup: K devices are worth K times as many iterations, along Corollaries 1 and 3 (Remarks 1 and 2).

Along its scalings a corollary claims measure = O((KT)^-r), r = 1/2 or 2/3. Checked are

    exponents   of T, of K, and of both in one fit over a grid, inside the window in which p >= 1
    constant    the limit of measure (KT)^r, against a closed form that shares nothing with the moment engine
    bound       the repaired theorem's, at steps inside its conditions, is above the measure
    times       K T(K)/T(1) is flat, T(K) being the T at which K devices reach eps
    outside     where, beyond the window, more devices stop helping, against the closed forms
    contrast    noise that all devices share: more devices, a larger measure

Beyond the window p = 1, and the step is cut off at the largest one: alpha eta = 1 for LocalBSGM, whose momentum weight
cannot be larger; p eta = unit for LocalBSGVRM, the value that p eta has all along its scaling. Very many devices with
that step have a measure that falls as 1/T and does not depend on K.

An exact curve need not be a power law, so the range of its slopes between neighbours is the uncertainty of an exponent.
On a full grid the exponent of the joint fit is the mean of those along its lines.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ratecert.claim import Check, Claim, Json, Row, Rows
from ratecert.claim.checks import above, at_least, at_most, equal, error_of, exponent, slope
from ratecert.papers.federated_bilevel.evidence.experiment import claimed
from ratecert.papers.federated_bilevel.evidence.speedup.cases import CASES, pieces
from ratecert.papers.federated_bilevel.evidence.speedup.charts import chart
from ratecert.papers.federated_bilevel.evidence.speedup.computations import ADDITIVE, OFF, scaled
from ratecert.papers.federated_bilevel.evidence.speedup.settings import SCALAR, experiment, setting, two_to
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import (
    Parts,
    last_useful_K,
    leading_constant,
    leading_parts,
    many_devices,
)

TOLERANCE = 1e-3  # of exponents, and of ratios that a closed form predicts
FLAT = 1e-2  # of K T(K)/T(1), at the smallest eps
LOST = 0.2  # the exponent in K that shared noise has at least
MANY = (2**8, 2**12, 2**16)  # devices, with which shared noise dominates
PARTS = ("grid", "devices", "shared", "times", "shared times", "bounds")
COLUMNS = ("part", "world", "K", "T", "measure", "measure (KT)^r", "K T(K)/T(1)", "bound", "largest term")


def checks(corollary: str, rows: Rows) -> Iterator[Check]:
    parts = leading_parts(experiment(corollary))
    for world, here in rows.where(part="grid").by("world"):
        yield from exponents(corollary, world, here)
    yield constant(parts, rows.where(part="grid", world=SCALAR))
    yield below_bound(rows.where(part="bounds"))
    yield from flatness(corollary, parts, rows.where(part="times"))
    yield from outside(corollary, parts, rows.where(part="devices"))
    lost, error = slope(rows.where(part="shared").among(K=MANY), "measure", "K", straight=False)
    yield at_least(f"exponent of K, noise shared, K from {MANY[0]} on", lost, LOST, error)


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


def constant(parts: Parts, grid: Rows) -> Check:
    """measure (KT)^r at the largest T over its closed form, at the worst K; what still moves there is uncertain."""

    def ratio(row: Row) -> float:
        return scaled(row) / leading_constant(parts, row["K"])

    before, last = (grid.where(T=T) for T in grid.cells("T")[-2:])
    worst = last.largest(lambda row: abs(ratio(row) - 1))
    moved = ratio(worst) - ratio(before.where(K=worst.get("K")).only())
    name = f"leading constant over its closed form, worst K = {worst.get('K')}"
    return equal(name, ratio(worst), 1.0, TOLERANCE, abs(moved))


def below_bound(rows: Rows) -> Check:
    worst = rows.largest(lambda row: row["measure"] / row["bound"])
    place = f"K = {two_to(worst['K'])}, T = {two_to(worst['T'])}"
    return above(f"measure over bound, the largest, {place}", rows, "measure", "bound")


def flatness(corollary: str, parts: Parts, rows: Rows) -> Iterator[Check]:
    """K T(K)/T(1) at the smallest eps is 1, and nearer to its closed form than at the largest eps."""

    def form(row: Row) -> float:
        """K T(K)/T(1) as eps tends to 0."""
        ratio = leading_constant(parts, row["K"]) / leading_constant(parts, 1)
        return float(ratio ** (-1 / claimed(corollary, "T")))

    def off(row: Row) -> float:
        return abs(float(row["K T(K)/T(1)"]) / form(row) - 1)

    smallest, largest = (rows.where(eps=eps) for eps in (min(rows.cells("eps")), max(rows.cells("eps"))))
    place = f"eps = {two_to(smallest.cells('eps')[0])}"
    worst = smallest.largest(lambda row: abs(row["K T(K)/T(1)"] - 1))
    name = f"K T(K)/T(1), worst K = {worst.get('K')}, {place}"
    yield equal(name, worst["K T(K)/T(1)"], 1.0, FLAT, error_of(worst))
    near, far = smallest.largest(off), largest.largest(off)
    if any(form(row) != 1 for row in smallest):
        name = f"K T(K)/T(1) over its closed form, worst K = {near.get('K')}, {place}"
        yield equal(name, near["K T(K)/T(1)"] / form(near), 1.0, TOLERANCE, error_of(near))
    if len(rows.cells("eps")) > 1:
        name = f"distance from the closed form, relative to that at eps = {two_to(largest.cells('eps')[0])}"
        yield at_most(name, off(near) / off(far), 0.5, (error_of(near) + error_of(far)) / off(far))


def outside(corollary: str, parts: Parts, rows: Rows) -> Iterator[Check]:
    """The exponent in K where it is still the claimed one and where nothing is left of it, and the bend between."""
    case = CASES[corollary]
    for K, power in ((case.K_still_linear, claimed(corollary, "K")), (case.K_saturated, 0.0)):
        if K:
            name = f"exponent of K outside the window, K from {two_to(K[0])} to {two_to(K[-1])}"
            yield exponent(name, rows.among(K=K), "measure", "K", power, TOLERANCE, straight=False)
    deep, far = (rows.where(K=K).only() for K in (case.K_in_window, case.K_saturated[-1]))
    seen = last_useful_K(corollary, scaled(deep), far["measure"] * far["T"], far["T"])
    form = expected_last_useful_K(corollary, parts)
    error = (error_of(deep) + error_of(far)) / abs(claimed(corollary, "T"))
    name = f"K at which the curve bends over its closed form, {form:.1e}"
    yield equal(name, seen / form, 1.0, TOLERANCE, error * seen / form)


def expected_last_useful_K(corollary: str, parts: Parts) -> float:
    case = CASES[corollary]
    many = many_devices(experiment(corollary), case.largest_step)
    return last_useful_K(corollary, leading_constant(parts, case.K_in_window), many, case.T)


def notes(corollary: str, rows: Rows) -> list[str]:
    case, parts = CASES[corollary], leading_parts(experiment(corollary))
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


def settings(corollary: str, rows: Rows) -> dict[str, Json]:
    case = CASES[corollary]
    return {
        "grids": [setting(corollary, world) for world in rows.where(part="grid").cells("world")],
        "outside": {"T": case.T, "largest step": case.largest_step},
        "bound": {"theorem": case.theorem, "world": ADDITIVE, "x_off": OFF, "period": case.period},
    }


def table(rows: Rows) -> Iterator[Row]:
    """All runs: what for, where, and the measure times (KT)^r; for times, the T that was found."""
    for part in PARTS:
        for row in rows.where(part=part):
            found = {"world": SCALAR, **row, "measure (KT)^r": scaled(row)}
            yield {name: found.get(name) for name in COLUMNS}


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
        blind_to={"bound": "it is more than twice the measure wherever the theorem's conditions hold"},
    )
    for corollary, case in CASES.items()
)
