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
"""

from collections.abc import Sequence
from functools import partial

from ratecert.claim.claim import Claim, Json, Judgement
from ratecert.papers.federated_bilevel.evidence.speedup.cases import CASES, Case, pieces
from ratecert.papers.federated_bilevel.evidence.speedup.charts import chart
from ratecert.papers.federated_bilevel.evidence.speedup.checks import (
    below_bound,
    bend,
    constant,
    contrast,
    exponents,
    flatness,
    outside,
    scaled,
)
from ratecert.papers.federated_bilevel.evidence.speedup.settings import label
from ratecert.papers.federated_bilevel.evidence.speedup.small_steps import leading_constant

PARTS = ("grid", "devices", "shared", "times", "shared times", "bounds")
REMARKS = {"corollary-1": "remark-1", "corollary-3": "remark-2"}
RATES = {"corollary-1": "(KT)^(-1/2)", "corollary-3": "(KT)^(-2/3)"}
METHODS = {"corollary-1": "LocalBSGM", "corollary-3": "LocalBSGVRM"}


def judge(corollary: str, values: Sequence[Json]) -> Judgement:
    case = CASES[corollary]
    parts: dict[str, list[Json]] = {}
    for value in values:
        parts.setdefault(value["part"], []).append(value)
    closed, over_K = parts["constants"][0], parts["devices"][0]
    still, flat = ([2**k for k in some] for some in (case.still, case.flat))
    return Judgement(
        checks=[
            *(check for value in parts["grid"] for check in exponents(corollary, value)),
            constant(corollary, parts["grid"][0]["rows"], closed),
            below_bound(parts["bounds"]),
            *flatness(corollary, parts["times"], closed),
            *outside(corollary, over_K["rows"], closed, still, flat, 2**case.inside),
            contrast(parts["shared"][0]["rows"]),
        ],
        regime=f"inside T >= K^{case.power} with K up to 1024, and beyond it as far as K = 2^{case.flat[-1]}; steps "
        "along the corollary's orders, beside the bound inside the theorem's conditions",
        settings={
            "grids": [value["setting"] for value in parts["grid"]],
            "outside": {"T": over_K["T"], "largest step": over_K["largest"]},
            "bound": {name: parts["bounds"][0][name] for name in ("theorem", "world", "x_off", "period")},
        },
        method="exact moments; closed forms from Lyapunov equations",
        chart=chart(corollary, case.power, parts),
        notes=_notes(corollary, case, parts),
        table=_table(corollary, parts),
    )


def _notes(corollary: str, case: Case, parts: dict[str, list[Json]]) -> list[str]:
    closed, rows = parts["constants"][0], parts["bounds"][0]["rows"]
    shares = ", ".join(f"{name} {value:.4g}" for name, (value, _) in closed["parts"].items())
    ratios = [row["measure"] / row["bound"] for row in rows]
    turn = bend(corollary, leading_constant(closed["parts"], 2**case.inside), closed["alone"], 2**case.T)
    edge = 2 ** (case.T / case.power)
    notes = [
        "The measure is that of the mean over devices. Where devices are alike the mean is as good if they never meet; "
        "what averages buy is that each device is near it.",
        f"Leading constant at K = 1 by parts: {shares}.",
        f"Inside the theorem's conditions the measure is {min(ratios):.1e} to {max(ratios):.1e} of the bound.",
        f"At T = 2^{case.T} the window ends at K = {edge:.1e}; more devices stop helping at about K = {turn:.1e}.",
    ]
    if corollary == "corollary-1":
        return [
            *notes,
            "So the window is not needed on these worlds: with p = 1 the measure goes on to fall as K^(-1/2) until the "
            "momentum weight is 1. The bound does not: its drift terms stay at p = 1, and make it grow with K.",
            "The noise of the first sample, which the bound charges as start_u without 1/K, makes one device a little "
            "worse than its share: K T(K)/T(1) tends to a number just below 1.",
        ]
    return [
        *notes,
        "So the speedup ends with the window: p eta is constant along the scaling, and p cannot fall below 1.",
        "The closed form is that of short rounds. A round lasts p eta = 3 here, which moves the constant by 3e-4 where "
        "Hessians are noisy and K >= 2.",
    ]


def _table(corollary: str, parts: dict[str, list[Json]]) -> list[dict[str, Json]]:
    """All runs: what for, where, and the measure times (KT)^r; for times, the T that was found."""
    named = [(name, value) for name in PARTS for value in parts.get(name, ())]
    return [
        {
            "part": name,
            "world": label(value["setting"]["world"]) if name == "grid" else "scalar world",
            "K": row["K"],
            "T": row["T"],
            "measure": row["measure"],
            "measure (KT)^r": scaled(corollary, row),
            "K T(K)/T(1)": row["K"] * row["T"] / value["rows"][0]["T"] if "times" in name else None,
            "bound": row.get("bound"),
            "largest term": row.get("largest term"),
        }
        for name, value in named
        for row in value["rows"]
    ]


CLAIMS = tuple(
    Claim(
        id=f"linear-speedup.{corollary}",
        of=(corollary, REMARKS[corollary]),
        sentence=f"{METHODS[corollary]} speeds up linearly: along Corollary {corollary[-1]} the measure falls as "
        f"{RATES[corollary]}, and K devices reach eps in T(1)/K "
        "iterations, up to the noise of the first sample, which adds a part of order 1/K.",
        pieces=partial(pieces, corollary),
        judge=partial(judge, corollary),
    )
    for corollary in CASES
)
