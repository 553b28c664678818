"""Corollary 1 read with the unit 1 in Q = O(log sqrt(KT)): that is not enough where theta mu is small.

evidence/bias/needed_terms.py derives the exponent log(1 - theta mu) of the floor along Q = log sqrt(KT). So
the measure keeps the rate (KT)^{-1/2} where theta mu = 0.45, and loses it where theta mu is 0.2 or 0.1. The O(.) of the
corollary may hide a unit that depends on theta mu. This claim is about taking it at its face.
"""

from collections.abc import Iterator

from ratecert.claim import Budget, Chart, Check, Claim, Piece, Rows
from ratecert.papers.federated_bilevel.evidence.bias.needed_terms import (
    CASES,
    along_unit,
    exponent_in_KT,
    measures_panel,
    settings_of,
)


def pieces(budget: Budget) -> list[Piece]:
    return [along_unit(theta, unit=1.0, budget=budget) for theta in CASES]


def checks(rows: Rows) -> Iterator[Check]:
    for theta, here in rows.by("theta"):
        yield exponent_in_KT(here, theta, 1.0, predicted=-0.5)


def chart(rows: Rows) -> Chart:
    return Chart(
        caption="Measure along Corollary 1 with Q = log sqrt(KT). Where theta mu = 0.45 it falls as (KT)^(-1/2), "
        "dashed; where theta mu is smaller it follows the floor of the truncated sum instead.",
        panels=[measures_panel(rows, title=r"$Q = \log\sqrt{KT}$")],
    )


CLAIMS = (
    Claim(
        id="delta-q.unit-1",
        of=("corollary-1",),
        sentence="Q = log sqrt(KT), Corollary 1's order with the unit 1, is enough for the rate (KT)^(-1/2) at every "
        "theta < 1/L_1.",
        pieces=pieces,
        checks=checks,
        regime="along Corollary 1's scalings with Q = log sqrt(KT), T >= K^3; every theta < 1/L_1; runs begin at the "
        "solution",
        method="exact moments",
        evidence=("exact moments",),
        settings=settings_of,
        chart=chart,
        notes=[
            "A unit that depends on theta mu is allowed inside O(log sqrt(KT)): this is not against the corollary, but "
            "against reading it without one.",
            "Q = log sqrt(KT) is enough if theta mu >= 1 - exp(-1/2) = 0.393, which needs L_1/mu < 2.54.",
        ],
        table=("theta mu", "Q", "KT", "measure", "4 Delta_Q^2"),
        runs=("LocalBSGM", "LocalBSGVRM"),
        because="the floor is of order (KT)^(log(1 - theta mu)), larger than (KT)^(-1/2) where theta mu < 0.393; the "
        "O(.) has to hide a factor 1/(theta mu)",
    ),
)
