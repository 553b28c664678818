"""Table 1, the rows of the paper's own methods: what it takes to reach eps, measured with exact moments.

    row                    corollaries   samples of each device      rounds
    LocalBSGM              1 and 2       1/(K eps^2)                 eps^(-3/2)
    LocalBSGVRM-constant   3 and 4       1/(K eps^(3/2))             eps^-1
    LocalBSGVRM-decaying   5 and 6       1/(K eps^(3/2)), up to log  eps^-1, up to log

Along the corollary in T, the T is found at which the measure is eps; samples and rounds of that run are counted.
An iteration draws Q + 3 samples and Q grows as log(1/eps), so the exponents are those of samples/(Q + 3). Along the
corollary in eps there is nothing to find: the measure has to be proportional to eps, whatever K is.

The grids of eps and K are in evidence/costs/table_rows.py.
"""

import math
from collections.abc import Sequence
from functools import partial

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.costs.table_charts import COUNTS, table_chart
from ratecert.papers.federated_bilevel.evidence.costs.table_rows import ROWS, Row
from ratecert.papers.federated_bilevel.evidence.costs.time_to_accuracy import (
    measures_in_eps,
    times_to_accuracy,
)
from ratecert.papers.federated_bilevel.evidence.derived.derivations import stated_costs

TOLERANCE = 1e-3


def pieces(row: Row, budget: Budget) -> list[Piece]:
    searches = [
        {"corollary": row.in_T, "setting": row.setting, "K": K, "epsilons": epsilons,
         "first": row.first(K, epsilons[0])}
        for K, epsilons in row.searches(quick=budget.quick)
    ]  # fmt: skip
    direct = [
        {"corollary": row.in_eps, "setting": row.setting, "K": K, "epsilons": [4.0**-n for n in levels]}
        for K, levels in row.direct(quick=budget.quick)
    ]
    seconds = 1.0 if row.decays else 0.1  # of one run
    return [
        Piece(stated_costs, {"id": "table-1"}, seconds=0.1),
        *(Piece(times_to_accuracy, each, seconds=seconds * len(each["epsilons"])) for each in searches),
        *(Piece(measures_in_eps, each, seconds=seconds * len(each["epsilons"])) for each in direct),
    ]


def judge(row: Row, values: Sequence[Json]) -> Judgement:
    claim = values[0][row.method]["counts"]
    lines, direct = values[1 : -len(row.direct_devices)], values[-len(row.direct_devices) :]
    checks = []
    for name, compared in COUNTS.items():
        checks += [_in_eps(compared, line, compared, -claim[name]["N"]) for line in lines if len(line) > 1]
        large = [line for line in lines if line[0]["K"] >= row.large_K]
        ends = [at for at in (0, -1) if large[0][at]["eps"] == large[-1][at]["eps"]]
        checks += [_in_K(compared, large, at, compared, claim[name]["K"]) for at in ends]
    checks += [
        _in_eps(f"measure along {row.in_eps}", line, "measure", 1.0) for line in direct if len(line) > 1
    ]
    checks.append(_in_K(f"measure along {row.in_eps}", direct, -1, "measure", 0.0))
    raw = _slope(lines[-1][0], lines[-1][-1], "eps", "samples")
    few, many = (line[-1]["K"] * line[-1]["iterations"] for line in (lines[0], lines[-1]))
    over = few / many
    return Judgement(
        checks=checks,
        regime=f"scalar world, along {row.in_T} inside its window (p >= 1), with units of ours: the theorem's "
        "constants are not imposed, and f is quadratic, not Lipschitz",
        settings={
            "in T": row.in_T,
            "in eps": row.in_eps,
            **row.setting,
            "runs in eps": [point for line in direct for point in line],
        },
        method="exact moments",
        chart=table_chart(row, claim, lines),
        notes=[
            f"Samples themselves: exponent of eps {raw:.4f}, because Q + 3 grows as log(1/eps).",
            f"K times iterations, at K = {lines[0][-1]['K']} over K = {lines[-1][-1]['K']}: {over:.5f}.",
            *row.notes,
            "The table's other rows are measured by the claim complexity-table.",
        ],
        table=[point for line in lines for point in line],
    )


def _slope(first: Json, last: Json, letter: str, key: str) -> float:
    return math.log(last[key] / first[key]) / math.log(last[letter] / first[letter])


def _error(first: Json, last: Json, letter: str, key: str) -> float:
    """Of a slope, from the errors of its ends; rounds are off by the rounding of p as well."""
    ends = sum(end["error"] + (end["rounding of p"] if key == "rounds" else 0.0) for end in (first, last))
    return float(ends / abs(math.log(last[letter] / first[letter])))


def _in_eps(what: str, line: Sequence[Json], key: str, predicted: float) -> Check:
    """The exponent over the whole line; how it moves on the half with the smaller eps is part of its uncertainty."""
    first, middle, last = line[0], line[(len(line) - 1) // 2], line[-1]
    slope = _slope(first, last, "eps", key)
    curvature = abs(slope - _slope(middle, last, "eps", key))
    return Check(
        name=f"{what}: exponent of eps, K = {first['K']}",
        measured=slope,
        predicted=predicted,
        tolerance=TOLERANCE,
        uncertainty=_error(first, last, "eps", key) + curvature,
    )


def _in_K(what: str, lines: Sequence[Sequence[Json]], at: int, key: str, predicted: float) -> Check:
    first, last = lines[0][at], lines[-1][at]
    return Check(
        name=f"{what}: exponent of K >= {first['K']}, eps = {first['eps']:.2g}",
        measured=_slope(first, last, "K", key),
        predicted=predicted,
        tolerance=TOLERANCE,
        uncertainty=_error(first, last, "K", key),
    )


CLAIMS = tuple(
    Claim(
        id=row.id,
        of=("table-1", row.in_T, row.in_eps),
        sentence=row.sentence,
        pieces=partial(pieces, row),
        judge=partial(judge, row),
    )
    for row in ROWS
)
