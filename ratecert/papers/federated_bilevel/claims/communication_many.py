"""The largest harmless p of LocalBSGM on a hundred devices that all differ, in ten dimensions, beside that on two.

The measure at p = 1 falls as 1/K, and what p adds is the square of the displacement of communication_excess.py, which K
does not make smaller: so with more devices the harmless p is smaller. Both are computed by exact moments of all devices
together, and by the law of short rounds (evidence/periods/many_devices.py).
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows, Series
from ratecert.claims.checks import at_least, at_most, equal, largest_error
from ratecert.claims.lines import figure, level, line
from ratecert.claims.rows import Row
from ratecert.papers.federated_bilevel.evidence.periods.communication import run_near
from ratecert.papers.federated_bilevel.evidence.periods.largest_period import FRACTION
from ratecert.papers.federated_bilevel.evidence.periods.many_devices import added, harmless, many_devices
from ratecert.solvers import LocalBSGM

WORLD: dict[str, Any] = {"d": 10, "dial": 0.3, "noise": 1e-4, "seed": 1}
STEPS: dict[str, Any] = {
    "eta": 1e-4, "alpha": 8.0, "beta": 4.0, "rho_1": 0.1, "rho_2": 0.3, "theta": 0.2, "Q": 120
}  # fmt: skip
T = 2**44
DEVICES, QUICK_DEVICES = (2, 100), (2, 4)
SHORT = 2e-2  # of what p adds: its law is that of p eta -> 0
SECONDS = 0.8  # of a run, for each device


def around_harmless(K: int) -> list[Json]:
    """Run with p = 1, and with the two whole p around the one that the law calls harmless."""
    world, once = many_devices(K=K, **WORLD), LocalBSGM(p=1, **STEPS)
    base = run_near(world, once, K=K, T=T)
    real, law = harmless(world, once, base["measure"], FRACTION), added(world, once)
    rows = []
    for p in (math.floor(real), math.floor(real) + 1):
        run = run_near(world, replace(once, p=p), K=K, T=T)
        rise = run["measure"] / base["measure"] - 1
        by_law = (p**2 - 1) ** 2 * law / base["measure"]
        error = (run["precision"] + base["precision"]) / abs(rise)
        rows.append({"p": p, "harmless": real, "rise": rise, "law": by_law, "precision": error})
    return [{**row, "measure": base["measure"]} for row in rows]


def pieces(budget: Budget) -> list[Piece]:
    return [
        Piece(around_harmless, {"K": K}, K * SECONDS) for K in (QUICK_DEVICES if budget.quick else DEVICES)
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for K, here in rows.by("K"):
        for row in here:
            name = f"what p = {row['p']} adds, over the law, K = {K}"
            yield equal(name, row["rise"] / row["law"], 1.0, SHORT, largest_error(here))
        below, above = here.sorted("p")
        yield at_most(f"part that p = {below['p']} adds, K = {K}", below["rise"], FRACTION)
        yield at_least(f"part that p = {above['p']} adds, K = {K}", above["rise"], FRACTION)
    fewest, most = (here[0] for _, here in sorted(rows.by("K"), key=lambda pair: int(pair[0])))
    yield at_most(
        "harmless p with the most devices, over that with two", most["harmless"] / fewest["harmless"], 1.0
    )


def chart(rows: Rows) -> Chart:
    series = []
    for i, (K, here) in enumerate(rows.by("K")):
        grid = [round(here[0]["harmless"] * 2 ** (n / 4), 3) for n in range(-8, 5)]
        series += [
            line(f"K = {K}", here, "p", "rise", colour=i),
            Series(
                label=f"K = {K}, law",
                x=grid,
                y=[law_at(here[0], p) for p in grid],
                kind="predicted",
                colour=i,
            ),
        ]
    caption = (
        "What p adds to the measure on devices that all differ, in ten dimensions: one per cent is reached "
    )
    return figure(
        caption + "with a smaller p where devices are many.",
        "period $p$",
        "part of the measure at $p = 1$",
        [*series, level("1 %", [x for each in series for x in each.x], FRACTION, kind="contrast", colour=2)],
    )


def law_at(row: Row, p: float) -> float:
    """What the law says for another p."""
    return float(row["law"] * ((p**2 - 1) / (row["p"] ** 2 - 1)) ** 2)


CLAIMS = (
    Claim(
        id="communication-period.many-devices",
        of=("corollary-1",),
        sentence="On a hundred devices that all differ, in ten dimensions, what p adds to the measure of LocalBSGM is "
        "the square of the displacement of short rounds, as on two, and the largest harmless p is smaller.",
        pieces=pieces,
        checks=checks,
        regime="devices that differ in B_k and c_k, with one A, outside the paper's homogeneity; additive noise, "
        "started at the solution",
        method="exact moments of all devices against the law of short rounds",
        evidence=("exact moments", "closed forms"),
        settings={"world": WORLD, "steps": STEPS, "T": T, "fraction": FRACTION},
        chart=chart,
        table=("K", "p", "harmless", "rise", "law", "measure"),
        runs=("LocalBSGM",),
        blind_to={
            "harmless": "two of them are compared, and a common factor cancels",
            "p": "it orders the rows of a K and names their checks",
        },
    ),
)
