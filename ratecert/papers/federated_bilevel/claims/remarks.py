"""Remarks 1, 2 and 4: what the corollaries are said to cost.

    Remark 1   LocalBSGM: T = O(1/(K eps^2)) iterations, "i.e." samples, and T/p = O(1/eps^(3/2)) rounds
    Remark 2   LocalBSGVRM: O(1/(K eps^(3/2))) iterations and O(1/eps) rounds, both less than LocalBSGM
    Remark 4   as Remark 2 for the decaying step, up to logarithms

Iterations and rounds follow from the corollaries' T and p, and are counted on runs. Samples are not iterations: every
iteration draws Q + 3 of them, and Q = O(log(1/eps)).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ratecert.claim.chart import Chart
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.costs.charts import cost_chart, samples_chart
from ratecert.papers.federated_bilevel.evidence.costs.counted_runs import THETA, UNITS, WORLD, counted_runs
from ratecert.papers.federated_bilevel.evidence.derived.derivations import counted, stated_costs

TOLERANCE = 1e-3
EXACT = 1e-9  # of rationals as floats
ROUNDING = 1e-12  # of logarithms of exact counts
LEVELS, FEWER_LEVELS = (8, 12, 16, 20, 25, 30), (10, 30)  # eps = 4^-level <= 1/K^2
DEVICES, FEWER_DEVICES = (1, 4, 16, 64), (1, 16)
INDEPENDENT_OF_Q = 3  # samples of an iteration beside the Hessians: xi, the Jacobian's zeta, the zeta of v
COROLLARY = {"remark-1": "corollary-2", "remark-2": "corollary-4", "remark-4": "corollary-6"}


def cost_pieces(remark: str, budget: Budget) -> list[Piece]:
    levels = list(FEWER_LEVELS if budget.quick else LEVELS)
    devices = list(FEWER_DEVICES if budget.quick else DEVICES)
    corollary = COROLLARY[remark]
    return [
        Piece(stated_costs, {"id": remark}, seconds=0.1),
        Piece(counted, {"corollary": corollary, "variant": "printed"}, seconds=0.1),
        Piece(counted_runs, {"corollary": corollary, "levels": levels, "devices": devices}, seconds=0.5),
        Piece(stated_costs, {"id": "remark-1"}, seconds=0.1),  # what Remark 2 compares with
    ]


def judge_costs(values: Sequence[Json]) -> Judgement:
    """Iterations and rounds, in eps and in K."""
    stated, derived, runs = _only(values[0]), values[1], values[2]
    checks = [c for name in ("iterations", "rounds") for c in _count_checks(name, stated, derived, runs)]
    return _cost_judgement(stated["corollary"], runs, checks, cost_chart(derived, runs))


def _count_checks(name: str, stated: Json, derived: Json, runs: Sequence[Json]) -> list[Check]:
    checks = []
    for letter, key, sign in (("eps", "N", -1.0), ("K", "K", 1.0)):
        claim = sign * stated["counts"][name][key]
        checks += [
            Check(name=f"{name}: exponent of {letter}, from the scalings", measured=sign * derived[name][key],
                  predicted=claim, tolerance=EXACT),
            Check(name=f"{name}: exponent of {letter}, counted", measured=exponent(runs, letter, name),
                  predicted=claim, tolerance=TOLERANCE, uncertainty=ROUNDING),
        ]  # fmt: skip
    return checks


def judge_comparison(values: Sequence[Json]) -> Judgement:
    """The same, and how many powers of 1/eps fewer than LocalBSGM takes: as many as between the stated costs."""
    judgement, stated, derived, rival = judge_costs(values), _only(values[0]), values[1], _only(values[3])
    saved = [
        Check(name=f"{name}: powers of 1/eps fewer than LocalBSGM",
              measured=rival["counts"][name]["N"] - derived[name]["N"],
              predicted=rival["counts"][name]["N"] - stated["counts"][name]["N"], relation=">=", tolerance=EXACT)
        for name in ("iterations", "rounds")
    ]  # fmt: skip
    return replace(judgement, checks=[*judgement.checks, *saved])


def judge_samples(values: Sequence[Json]) -> Judgement:
    """The power of log(1/eps) in the samples, over the one that is stated."""
    stated, derived, runs = _only(values[0]), values[1], values[2]
    claim = stated["counts"]["samples"]["log"]
    growth = _log_power([row for row in runs if row["K"] == runs[0]["K"]])
    drawn = max(abs(row["per iteration"] / (row["Q"] + INDEPENDENT_OF_Q) - 1) for row in runs)
    checks = [
        Check(name="power of log(1/eps) in samples, counted", measured=growth, predicted=claim, relation="<=",
              tolerance=TOLERANCE, uncertainty=ROUNDING),
        Check(name="power of log(1/eps) in samples, from the scalings", measured=derived["samples"]["log"],
              predicted=claim, relation="<=", tolerance=EXACT),
        Check(name="samples of an iteration, relative to Q + 3", measured=drawn, predicted=0.0, tolerance=1e-12),
    ]  # fmt: skip
    return _cost_judgement(stated["corollary"], runs, checks, samples_chart(runs))


def _only(costs: Json) -> Json:
    (cost,) = costs.values()
    return cost


def exponent(rows: Sequence[Json], letter: str, count: str) -> float:
    """d log count / d log letter between the ends of the grid, the other parameter held at its first value."""
    other = "K" if letter == "eps" else "eps"
    line = [row for row in rows if row[other] == rows[0][other]]
    return math.log(line[-1][count] / line[0][count]) / math.log(line[-1][letter] / line[0][letter])


def _log_power(line: Sequence[Json]) -> float:
    """Of the samples of an iteration that depend on Q."""
    first, last = line[0], line[-1]
    ratio = (last["per iteration"] - INDEPENDENT_OF_Q) / (first["per iteration"] - INDEPENDENT_OF_Q)
    return math.log(ratio) / math.log(math.log(last["eps"]) / math.log(first["eps"]))


def _cost_judgement(corollary: str, runs: Sequence[Json], checks: Sequence[Check], chart: Chart) -> Judgement:
    return Judgement(
        checks=checks,
        regime=f"along {corollary} inside its window eps <= 1/K^2; orders, so no constants are imposed",
        settings={
            "world": WORLD,
            "corollary": corollary,
            "units": UNITS,
            "theta": THETA,
            "eps and K": [[row["eps"], row["K"]] for row in runs],
        },
        method="exact rationals; counted from the algorithm's steps",
        chart=chart,
        notes=[
            "The costs that the remarks quote for other methods are measured by the claim complexity-table."
        ],
        table=runs,
    )


CLAIMS = (
    Claim(
        id="remark-1",
        of=("remark-1",),
        sentence="LocalBSGM along Corollary 2 takes iterations of order 1/(K eps^2) and rounds of order eps^(-3/2).",
        pieces=partial(cost_pieces, "remark-1"),
        judge=judge_costs,
    ),
    Claim(
        id="remark-1.samples",
        of=("remark-1",),
        sentence="The iteration complexity 1/(K eps^2) of LocalBSGM is its sample complexity.",
        pieces=partial(cost_pieces, "remark-1"),
        judge=judge_samples,
        expected="violated",
        because="An iteration draws Q + 3 samples, and Q = O(log(1/eps)): samples are iterations times log(1/eps).",
    ),
    Claim(
        id="remark-2",
        of=("remark-2",),
        sentence="LocalBSGVRM along Corollary 4 takes iterations of order 1/(K eps^(3/2)) and rounds of order 1/eps, "
        "both less than LocalBSGM.",
        pieces=partial(cost_pieces, "remark-2"),
        judge=judge_comparison,
    ),
    Claim(
        id="remark-4",
        of=("remark-4",),
        sentence="LocalBSGVRM along Corollary 6 takes iterations of order 1/(K eps^(3/2)) and rounds of order 1/eps, "
        "up to logarithms.",
        pieces=partial(cost_pieces, "remark-4"),
        judge=judge_costs,
    ),
)
