"""How many terms Corollary 1 needs: Q = O(log sqrt(KT)) is right, and its unit has to know theta mu.

evidence/bias/needed_terms.py derives what is measured here. The Q at which the floor is 1 % of the noise part
grows with the slope 1/(4 log(1/(1 - theta mu))) in log T and in log K. With twice that many terms the measure falls as
(KT)^{-1/2}; with Q = log sqrt(KT) it falls with the exponent max(-1/2, log(1 - theta mu)).
"""

import math
from collections.abc import Iterator
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Piece, Row, Rows, Series
from ratecert.claim.checks import equal, error_of
from ratecert.claim.lines import line, panel
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest
from ratecert.papers.federated_bilevel.evidence.bias.needed_terms import (
    CASES,
    EXPONENT,
    along_unit,
    exponent_in_KT,
    from_the_solution,
    measures_panel,
    predicted,
    rate,
    settings_of,
    units_of,
    world_of,
)
from ratecert.papers.federated_bilevel.scalings import along

SHARE = 0.01  # of the noise part: a smaller floor does not matter
ENOUGH = 45.0  # terms times log(1/(1 - theta mu)) after which the floor is below rounding
IN_T = tuple(2**power for power in (36, 40, 44, 48, 52, 56, 60))  # at K = 1
IN_K = tuple(2**power for power in (8, 12, 16))  # at T = 2^50 >= K^3
T_OF_IN_K = 2**50


def needed(theta: float, K: int, T: int) -> list[Json]:
    """The first Q at which the floor is at most SHARE of the noise part, and the crossing, between Q - 1 and Q."""
    noisy, quiet = build(world_of(theta)), build(world_of(theta, noise=False))

    def measure(problem: Any, Q: int) -> float:
        run = along("corollary-1", K=K, T=T, theta=theta, units=units_of(theta), Q=Q)
        return float(from_the_solution(problem, run)["measure"])

    noise, Q = measure(noisy, math.ceil(ENOUGH / rate(theta))), 2
    while at_rest(quiet, theta=theta, Q=Q).floor > SHARE * noise:
        Q += 1
    before, here, after = (math.log(measure(quiet, q) / (SHARE * noise)) for q in (Q - 1, Q, Q + 1))
    inside, outside = Q - 1 + before / (before - here), Q + here / (here - after)
    error = abs(outside - inside)  # the two lines agree where the floor is a pure power of Q
    return [
        {"Q": Q, "crossing": inside, "error": error, "noise": noise, "excess": measure(noisy, Q) / noise - 1}
    ]


def pieces(budget: Budget) -> list[Piece]:
    thetas = list(CASES)[:1] if budget.quick else list(CASES)
    in_T, in_K = (IN_T[-2:], IN_K[-2:]) if budget.quick else (IN_T, IN_K)
    runs = [(1, T) for T in in_T] + [(K, T_OF_IN_K) for K in in_K]
    return [
        *(Piece(needed, {"theta": theta, "K": K, "T": T}, 0.4) for theta in thetas for K, T in runs),
        *(along_unit(theta, unit=1 / rate(theta), budget=budget) for theta in thetas),
        *(along_unit(theta, unit=1.0, budget=budget) for theta in CASES),
    ]


def checks(rows: Rows) -> Iterator[Check]:
    for theta, here in rows.having("crossing").by("theta"):
        for name, some in (("T", here.where(K=1)), ("K", here.but(K=1))):
            first, last = some.last(2)
            span = math.log(last[name] / first[name]) / (4 * rate(theta))
            yield equal(
                f"needed Q per log {name}, in units of 1/(4 log(1/(1 - theta mu))), theta mu = {theta}",
                (last["crossing"] - first["crossing"]) / span,
                1.0,
                EXPONENT,
                (error_of(first, "error") + error_of(last, "error")) / span,
            )
    for (theta, unit), here in rows.by("theta", "unit"):
        yield exponent_in_KT(here, theta, unit, predicted=predicted(theta, unit))


def chart(rows: Rows) -> Chart:
    searches, lines = rows.having("crossing"), []
    thetas, totals = searches.cells("theta"), [_total(row) for row in searches]
    for i, theta in enumerate(thetas[:2]):
        lines += _lines(2 * i, theta, searches.where(theta=theta, K=1))
    many = rf"$\theta\mu = {thetas[0]}$, $T = 2^{{50}}$, $K$ up to $2^{{16}}$"
    ends = [min(totals), max(totals)]
    one = {"x": ends, "y": [math.log(KT) / 2 for KT in ends]}
    lines += [
        line(many, searches.where(theta=thetas[0]).but(K=1), _total, "crossing", colour=1),
        Series(label=r"$Q = \log\sqrt{KT}$", **one, kind="contrast", colour=3),
    ]
    of_needed = "$Q$ with floor = 1 % of the noise part"
    runs = rows.having("unit").where(theta=thetas[0])
    return Chart(
        caption="The terms that push the floor to 1 % of the noise part, against KT: straight lines of slope "
        "1/(4 log(1/(1 - theta mu))), far above Q = log sqrt(KT). And the measure: with terms in that proportion it "
        "falls as (KT)^(-1/2); with Q = log sqrt(KT) it follows the floor.",
        panels=[
            panel("$KT$", of_needed, lines, title="terms that are needed", y_scale="linear"),
            measures_panel(runs, title=rf"$\theta\mu = {thetas[0]}$"),
        ],
    )


def _lines(colour: int, theta: float, searches: Rows) -> list[Series]:
    """Terms at K = 1, and the derived slope through the last of them."""
    name, last = rf"$\theta\mu = {theta}$", searches[-1]

    def derived(row: Row) -> float:
        return float(last["crossing"] + math.log(_total(row) / _total(last)) / (4 * rate(theta)))

    return [
        line(f"{name}, $K = 1$", searches, _total, "crossing", colour=colour),
        line(f"{name}, derived slope", searches, _total, derived, kind="predicted", colour=6),
    ]


def _total(row: Row) -> float:
    return float(row["K"] * row["T"])


CLAIMS = (
    Claim(
        id="delta-q.terms",
        of=("corollary-1", "constant.Delta_Q"),
        sentence="Along Corollary 1 the terms after which the floor no longer matters grow as "
        "log(KT)/(4 log(1/(1 - theta mu))), so Q = O(log sqrt(KT)) with a unit that depends on theta mu.",
        pieces=pieces,
        checks=checks,
        regime="along Corollary 1's scalings, T >= K^3; slopes at the largest T and K; runs begin at the solution",
        method="exact moments; the floor is the measure of the same run without noise",
        evidence=("exact moments",),
        settings=lambda rows: settings_of(rows) | {"share of the noise part": SHARE},
        chart=chart,
        notes=[
            "The unit in Q = O(log sqrt(KT)) is 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu), and theta < 1/L_1: "
            "it grows with the condition number L_1/mu.",
            "excess is the measure with Q terms over the one with all terms, less 1: the floor, less what a shorter "
            "sum saves in noise.",
        ],
        table=("theta", "K", "T", "Q", "crossing", "excess"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
