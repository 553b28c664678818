"""How many terms Corollary 1 needs: Q = O(log sqrt(KT)) is right, and its unit has to know theta mu.

evidence/bias/needed_terms.py derives what is measured here. The Q at which the floor is 1 % of the noise part
grows with the slope 1/(4 log(1/(1 - theta mu))) in log T and in log K. With twice that many terms the measure falls as
(KT)^{-1/2}; with Q = log sqrt(KT) it falls with the exponent max(-1/2, log(1 - theta mu)).
"""

import math
from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.bias.needed_terms import CASES, SHARE, needed, rate
from ratecert.papers.federated_bilevel.evidence.bias.unit_of_terms import (
    along_unit,
    exponent_check,
    measures_panel,
    settings_of,
)

EXPONENT = 1e-3
IN_T = tuple(2**power for power in (36, 40, 44, 48, 52, 56, 60))  # at K = 1
IN_K = tuple(2**power for power in (8, 12, 16))  # at T = 2^50 >= K^3
T_OF_IN_K = 2**50


def pieces(budget: Budget) -> list[Piece]:
    thetas = list(CASES)[:1] if budget.quick else list(CASES)
    in_T, in_K = (IN_T[-2:], IN_K[-2:]) if budget.quick else (IN_T, IN_K)
    runs = [(1, T) for T in in_T] + [(K, T_OF_IN_K) for K in in_K]
    return [
        *(Piece(needed, {"theta": theta, "K": K, "T": T}, 0.4) for theta in thetas for K, T in runs),
        *(along_unit(theta, unit=1 / rate(theta), budget=budget) for theta in thetas),
        *(along_unit(theta, unit=1.0, budget=budget) for theta in CASES),
    ]


def judge(values: Sequence[Json]) -> Judgement:
    searches, runs = [v for v in values if "crossing" in v], [v for v in values if "unit" in v]
    thetas = list(dict.fromkeys(v["theta"] for v in searches))
    return Judgement(
        checks=[
            *(_slope_check(name, _of(searches, theta, name)) for theta in thetas for name in ("T", "K")),
            *(exponent_check(v, predicted=max(-0.5, -v["unit"] * rate(v["theta"]))) for v in runs),
        ],
        regime="along Corollary 1's scalings, T >= K^3; slopes at the largest T and K; runs begin at the solution",
        settings=settings_of(values) | {"share of the noise part": SHARE},
        method="exact moments; the floor is the measure of the same run without noise",
        chart=_chart(searches, [v for v in runs if v["theta"] == thetas[0]]),
        notes=[
            "The unit in Q = O(log sqrt(KT)) is 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu), and theta < 1/L_1: "
            "it grows with the condition number L_1/mu.",
            "excess is the measure with Q terms over the one with all terms, less 1: the floor, less what a shorter "
            "sum saves in noise.",
        ],
        table=[{name: v[name] for name in ("theta", "K", "T", "Q", "crossing", "excess")} for v in searches],
    )


def _of(searches: Sequence[Json], theta: float, name: str) -> list[Json]:
    """The searches of one world in which T or K varies."""
    return [v for v in searches if v["theta"] == theta and (v["K"] == 1) == (name == "T")]


def _slope_check(name: str, searches: Sequence[Json]) -> Check:
    first, last = searches[-2:]
    span = math.log(last[name] / first[name]) / (4 * rate(first["theta"]))
    return Check(
        name=f"needed Q per log {name}, in units of 1/(4 log(1/(1 - theta mu))), theta mu = {first['theta']}",
        measured=(last["crossing"] - first["crossing"]) / span,
        predicted=1.0,
        tolerance=EXPONENT,
        uncertainty=(first["error"] + last["error"]) / span,
    )


def _chart(searches: Sequence[Json], runs: Sequence[Json]) -> Chart:
    thetas = list(dict.fromkeys(v["theta"] for v in searches))
    totals = sorted(_totals(searches))
    ends = [totals[0], totals[-1]]
    one = Series(
        label=r"$Q = \log\sqrt{KT}$", x=ends, y=[math.log(KT) / 2 for KT in ends], kind="contrast", colour=3
    )
    more = _of(searches, thetas[0], "K")
    many = Series(
        label=rf"$\theta\mu = {thetas[0]}$, $T = 2^{{50}}$, $K$ up to $2^{{16}}$",
        x=_totals(more),
        y=[v["crossing"] for v in more],
        colour=1,
    )
    lines = [line for i, theta in enumerate(thetas[:2]) for line in _lines(2 * i, _of(searches, theta, "T"))]
    return Chart(
        caption="The terms that push the floor to 1 % of the noise part, against KT: straight lines of slope "
        "1/(4 log(1/(1 - theta mu))), far above Q = log sqrt(KT). And the measure: with terms in that proportion it "
        "falls as (KT)^(-1/2); with Q = log sqrt(KT) it follows the floor.",
        panels=[
            Panel(
                title="terms that are needed",
                x_label="$KT$",
                y_label="$Q$ with floor = 1 % of the noise part",
                series=[*lines, many, one],
                y_scale="linear",
            ),
            measures_panel(runs, title=rf"$\theta\mu = {thetas[0]}$"),
        ],
    )


def _lines(colour: int, searches: Sequence[Json]) -> tuple[Series, Series]:
    """Terms at K = 1, and the derived slope through the last of them."""
    theta, x = searches[0]["theta"], _totals(searches)
    derived = [searches[-1]["crossing"] + math.log(KT / x[-1]) / (4 * rate(theta)) for KT in x]
    name = rf"$\theta\mu = {theta}$"
    return (
        Series(label=f"{name}, $K = 1$", x=x, y=[v["crossing"] for v in searches], colour=colour),
        Series(label=f"{name}, derived slope", x=x, y=derived, kind="predicted", colour=6),
    )


def _totals(searches: Sequence[Json]) -> list[float]:
    return [float(v["K"] * v["T"]) for v in searches]


CLAIMS = (
    Claim(
        id="delta-q.terms",
        of=("corollary-1", "constant.Delta_Q"),
        sentence="Along Corollary 1 the terms after which the floor no longer matters grow as "
        "log(KT)/(4 log(1/(1 - theta mu))), so Q = O(log sqrt(KT)) with a unit that depends on theta mu.",
        pieces=pieces,
        judge=judge,
    ),
)
