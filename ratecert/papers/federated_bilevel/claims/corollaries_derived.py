"""Corollaries 1-6 derived: with the scalings put in, the theorem's bound is of the order that the corollary claims.

Three questions for each corollary, N being T or 1/eps:

    exponents  are the powers of N and K as claimed, logarithms ignored?
    printed    does it follow as printed: its logarithms counted (unless O~ forgives them), its scalings inside the
               theorem's conditions?
    repaired   does the repaired corollary follow from the repaired theorem, logarithms counted?

The orders are derived term by term in exact rationals (evidence/derived/derivations.py) and measured once more
from the bound's value at N = exp(1e15) and beyond, on both edges of the window
(evidence/derived/far_bounds.py).
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.derived.charts import (
    DEVICES,
    DISTANT,
    NEAR,
    derivation_chart,
    large_parameter,
)
from ratecert.papers.federated_bilevel.evidence.derived.derivations import derivation
from ratecert.papers.federated_bilevel.evidence.derived.far_bounds import (
    CONSTANTS,
    FAR,
    far_curve,
    far_slopes,
)

IDS = tuple(f"corollary-{n}" for n in range(1, 7))
IN_EPS = ("corollary-2", "corollary-4", "corollary-6")
WIDEST = {"corollary-1": "1/3", **dict.fromkeys(IDS[1:], "1/2")}  # K = N^kappa up to here: p >= 1
TOLERANCE = 1e-3
EXACT = 1e-9  # of rationals as floats


def pieces(corollary: str, variant: str, _: Budget) -> list[Piece]:
    given = {"corollary": corollary, "variant": variant}
    slopes = [{**given, "kappa": kappa} for kappa in ("0", WIDEST[corollary])]
    curves = [
        {**given, "log_N": list(NEAR), "log_K": 0.0},
        {**given, "log_N": list(NEAR), "log_K": math.log(DEVICES)},
        {**given, "log_N": list(DISTANT), "log_K": 0.0},
    ]
    return [
        Piece(derivation, given, seconds=0.1),
        *(Piece(far_slopes, each, seconds=0.1) for each in slopes),
        *(Piece(far_curve, each, seconds=0.1) for each in curves),
    ]


def judge_exponents(values: Sequence[Json]) -> Judgement:
    derived, *slopes = values[:3]
    return _judgement(values, [*_powers(derived, slopes), *_terms(derived), *_conditions(derived, "power")])


def judge_printed(values: Sequence[Json]) -> Judgement:
    derived, *slopes = values[:3]
    logs = _logs(derived, slopes, "<=") if derived["keeps_logs"] else []
    return _judgement(values, [*_powers(derived, slopes), *logs, *_conditions(derived, "log")])


def judge_repaired(values: Sequence[Json]) -> Judgement:
    derived, *slopes = values[:3]
    outside = Check(name="scalings outside the conditions", measured=len(derived["off"]), predicted=0)
    return _judgement(values, [*_powers(derived, slopes), *_logs(derived, slopes, "="), outside])


def _powers(derived: Json, slopes: Sequence[Json]) -> list[Check]:
    """Powers of T or eps, and of K: derived, and measured on the edges K = 1 and K = N^kappa."""
    sign = -1.0 if derived["large"] == "eps" else 1.0
    inner, outer = slopes
    distance, errors = outer["kappa"] - inner["kappa"], inner["power_error"] + outer["power_error"]
    measured = {"N": inner["power"], "K": (outer["power"] - inner["power"]) / distance}
    uncertain = {"N": inner["power_error"], "K": errors / distance}
    largest = {"N": inner["largest"], "K": outer["largest"]}
    checks = []
    for letter, name, s in (("N", derived["large"], sign), ("K", "K", 1.0)):
        claim = s * derived["claim"][letter]
        checks += [
            Check(name=f"exponent of {name} ({_leads(derived)})", measured=s * derived["leading"][letter],
                  predicted=claim, tolerance=EXACT),
            Check(name=f"exponent of {name}, bound evaluated ({largest[letter]})", measured=s * measured[letter],
                  predicted=claim, tolerance=TOLERANCE, uncertainty=uncertain[letter]),
        ]  # fmt: skip
    return checks


def _logs(derived: Json, slopes: Sequence[Json], relation: Any) -> list[Check]:
    edge = max(slopes, key=lambda slope: slope["log"])
    return [
        Check(name=f"power of the logarithm ({_leads(derived)})", measured=derived["leading"]["log"],
              predicted=derived["claim"]["log"], relation=relation, tolerance=EXACT),
        Check(name=f"power of the logarithm, bound evaluated ({edge['largest']})", measured=edge["log"],
              predicted=derived["claim"]["log"], relation=relation, tolerance=TOLERANCE,
              uncertainty=edge["log_error"]),
    ]  # fmt: skip


def _leads(derived: Json) -> str:
    """The terms that decide."""
    return ", ".join(derived["leads"])


def _terms(derived: Json) -> list[Check]:
    """Every term over the claim, as a power of N on the worse edge of the window."""
    return [
        Check(
            name=f"{name} over the claim",
            measured=over["power"],
            predicted=0.0,
            relation="<=",
            tolerance=EXACT,
        )
        for name, over in derived["terms"].items()
        if over is not None
    ]


def _conditions(derived: Json, kind: str) -> list[Check]:
    """By which power, of N or of the logarithm, scalings miss the theorem's conditions."""
    what = {"power": "power", "log": "power of the logarithm"}[kind]
    return [
        Check(name=f"{what} by which {name} misses its condition", measured=miss[kind], predicted=0.0, tolerance=EXACT)
        for name, miss in derived["off"].items()
        if not (kind == "log" and miss["forgiven"])
    ]  # fmt: skip


def _judgement(values: Sequence[Json], checks: Sequence[Check]) -> Judgement:
    derived = values[0]
    moved = [f"{name} misses its condition by {miss['ratio']}" for name, miss in derived["off"].items()]
    N, widest = large_parameter(derived)[1], derived["edges"][-1]
    return Judgement(
        checks=checks,
        regime=f"N = {N} to infinity with 1 <= K <= N^({widest}), where p >= 1; scalings that miss the conditions of "
        f"{derived['theorem']} by a logarithm are moved inside",
        settings={
            "corollary": derived["corollary"],
            "variant": derived["variant"],
            "constants": CONSTANTS,
            "log N": [FAR, 16 * FAR],
        },
        method="orders in exact rationals; the bound in 60 digits",
        chart=derivation_chart(derived, *values[3:]),
        notes=[f"{derived['corollary']} ({derived['variant']}): {sentence}." for sentence in moved],
        table=[
            {"term": name, "order": over["order"], "power over the claim": over["power"], "log": over["log"]}
            for name, over in derived["terms"].items()
            if over is not None
        ],
    )


HIDDEN = (
    "Q = O(log) enters L_hat and G, and the conditions then make other parameters smaller by logarithms: the bound has "
    "powers of a logarithm that are not printed."
)
NOT_PRINTED: Mapping[str, str] = {
    **dict.fromkeys(IDS[:5], HIDDEN),
    "corollary-6": "Theorem 3 sets alpha and beta to L_hat^2/K up to a factor, and L_hat grows with Q = O~(log), so "
    "they are not O(1/K). The rate itself follows: O~ forgives its logarithms.",
}


def claims_of(corollary: str) -> tuple[Claim, ...]:
    number = corollary[-1]
    theorem = f"Theorem {(int(number) + 1) // 2}"
    large = "eps" if corollary in IN_EPS else "T"
    exponents, printed, repaired = (
        partial(Claim, id=f"{corollary}.{kind}", of=(corollary,), pieces=partial(pieces, corollary, variant))
        for kind, variant in (("exponents", "printed"), ("printed", "printed"), ("repaired", "repaired"))
    )
    return (
        exponents(
            sentence=f"The bound of {theorem} along Corollary {number} has the claimed exponents of {large} and K, "
            "logarithms ignored.",
            judge=judge_exponents,
        ),
        printed(
            sentence=f"Corollary {number} follows from {theorem} as printed, in its logarithms and with its scalings "
            "inside the conditions.",
            judge=judge_printed,
            expected="violated",
            because=NOT_PRINTED[corollary],
        ),
        repaired(
            sentence=f"The repaired Corollary {number} follows from the repaired {theorem}, logarithms included.",
            judge=judge_repaired,
        ),
    )


CLAIMS = tuple(claim for corollary in IDS for claim in claims_of(corollary))
