"""The variance of three estimators of the hypergradient at the same number of terms, and so with the same mean.

The cut at random has a variance of its own, without any noise below N b and parallel to it in the end; the full sum and
the auxiliary variable have that of their samples alone.
"""

from collections.abc import Sequence
from typing import Any

from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.estimators.charts import variance_chart
from ratecert.papers.federated_bilevel.evidence.estimators.checks import ROUNDING, to_rounding
from ratecert.papers.federated_bilevel.evidence.estimators.settings import (
    ENUMERATED,
    NOISE,
    POINT,
    WORLDS,
    in_world,
)
from ratecert.papers.federated_bilevel.evidence.estimators.three import NAMES, THETA
from ratecert.papers.federated_bilevel.evidence.estimators.variance_law import QUIET_THETA, cut, variances

APART = 1e-3  # relative; a difference of this size is no rounding

SCALAR_G: dict[str, Any] = {"world": "scalar", "a": 0.5, "b": -0.2, **NOISE}
QUIET: dict[str, dict[str, Any]] = {
    "scalar": {"world": "scalar", "b": 1.0},
    "2 x 3": {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 1},
}
DOUBLED = [1, 2, 4, 8, 16, 32, 64]


def pieces(budget: Budget) -> list[Piece]:
    return [
        *(Piece(variances, in_world(name, world, budget), 0.8) for name, world in _noisy_worlds().items()),
        *(Piece(cut, {"name": name, "world": world, "terms": DOUBLED}, 0.1) for name, world in QUIET.items()),
    ]


def _noisy_worlds() -> dict[str, Json]:
    return {**WORLDS, "scalar, g noisy": SCALAR_G}


def judge(values: Sequence[Json]) -> Judgement:
    noisy, quiet = ([v for v in values if key in v] for key in ("name", "quiet"))
    return Judgement(
        checks=[
            *(check for v in noisy for check in _covariance_checks(v)),
            *(check for v in quiet for check in _cut_checks(v)),
        ],
        regime=f"n = 1 ... {noisy[0]['n'][-1]} terms, theta = tau = {THETA} < 1/L_1; without noise up to {DOUBLED[-1]} "
        f"terms, theta = {QUIET_THETA}, 0 < theta lambda <= 1; one point per world",
        settings={
            "worlds": _noisy_worlds(),
            "without noise": QUIET,
            "theta": THETA,
            "point": POINT,
            "enumerated terms": ENUMERATED,
        },
        method="exact moments; enumeration of all outcomes",
        chart=variance_chart(noisy, quiet),
        notes=[
            "E2 is the mean of E1 over the cut with all samples given, so E1 never has less variance than E2.",
            "Noise of f enters E2 once, through all terms, and E3 afresh in each step, which averages it. Where only g "
            "is noisy E2 and E3 have the same variance if y is a number; where Hessians do not commute they differ, "
            "and here E3 has more.",
        ],
        table=[
            {"world": v["name"], "terms": n, **{of: v["variance"][of][i] for of in NAMES}}
            for v in noisy
            for i, n in enumerate(v["n"])
        ],
    )


def _covariance_checks(v: Json) -> list[Check]:
    name, ways = v["name"], {"": v["gap"], " over all outcomes": v["gap over outcomes"]}
    return [
        *(
            to_rounding(f"covariance of {of}{way} against its law, {name}", gaps[of])
            for way, gaps in ways.items()
            for of in NAMES
        ),
        to_rounding(f"least eigenvalue of cov E1 - cov E2, {name}", v["E1 - E2"], relation=">="),
        _saved_by_fresh_samples(v),
    ]


def _saved_by_fresh_samples(v: Json) -> Check:
    """Where y is a number there is a closed form; elsewhere, that there is a difference."""
    measured, closed = v["E2 - E3"], v["E2 - E3, closed"]
    where = f"{v['n'][-1]} terms, {v['name']}"
    if closed is not None:
        return to_rounding(f"(var E2 - var E3)/var E2, {where}", measured, closed)
    return Check(
        name=f"|var E2 - var E3|/var E2, {where}",
        measured=abs(measured),
        predicted=APART,
        relation=">=",
        uncertainty=ROUNDING,
    )


def _cut_checks(v: Json) -> list[Check]:
    name = v["quiet"]
    return [
        to_rounding(f"covariance of the cut alone against its closed form, {name}", v["gap"]),
        Check(name=f"variance of E2 and E3 without noise, {name}", measured=v["others"], predicted=0.0),
        Check(
            name=f"variance of the cut over N b, {name}",
            measured=max(a / b for a, b in zip(v["variance"], v["bound"], strict=True)),
            predicted=1.0,
            relation="<=",
            uncertainty=ROUNDING,
        ),
        to_rounding(
            f"1 - variance of the cut over N b, N = {v['N'][-1]}, {name}", v["below"], v["below, closed"]
        ),
    ]


CLAIMS = (
    Claim(
        id="estimators.variance",
        of=("lemma-1", "estimator-stochastic"),
        sentence="At equal numbers of terms the three estimators have the covariances of their laws; that of the "
        "series cut at random is never below that of the full sum and, without any noise, grows in proportion to N.",
        pieces=pieces,
        judge=judge,
    ),
)
