"""Remark 3: the decaying step adds one factor log(T + 1) to the rate of the constant one.

As a comparison of two printed rates, (KT)^(-2/3) log(T + 1) and (KT)^(-2/3), this is true. Whether the bounds of
Theorems 3 and 2 along Corollaries 5 and 3 differ by that factor is another question: Q = O(log T) brings logarithms
into both, and not the same ones.
"""

import math
from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.derived.charts import DISTANT
from ratecert.papers.federated_bilevel.evidence.derived.derivations import derivation, stated_factor
from ratecert.papers.federated_bilevel.evidence.derived.far_bounds import (
    CONSTANTS,
    FAR,
    far_curve,
    far_slopes,
)

TOLERANCE = 1e-3
EXACT = 1e-9  # of rationals as floats


def pieces(_: Budget) -> list[Piece]:
    given = [
        {"corollary": c, "variant": v}
        for v in ("printed", "repaired")
        for c in ("corollary-5", "corollary-3")
    ]
    return [
        Piece(stated_factor, {"id": "remark-3"}, seconds=0.1),
        *(Piece(derivation, each, seconds=0.1) for each in given),
        *(Piece(far_slopes, {**each, "kappa": "0"}, seconds=0.1) for each in given),
        *(Piece(far_curve, {**each, "log_N": list(DISTANT), "log_K": 0.0}, seconds=0.1) for each in given),
    ]


def judge_printed(values: Sequence[Json]) -> Judgement:
    """The claim of one corollary over that of the other."""
    factor, (first, second) = values[0]["factor"], values[1:3]
    checks = [
        Check(name=f"printed rates, {what}", measured=first["claim"][key] - second["claim"][key],
              predicted=factor[key], tolerance=EXACT)
        for key, what in (("log", "power of the logarithm"), ("N", "exponent of T"), ("K", "exponent of K"))
    ]  # fmt: skip
    return _judgement(values, checks)


def judge_derived(values: Sequence[Json]) -> Judgement:
    """The bound of one theorem over that of the other, in powers of the logarithm."""
    checks = []
    for i, variant in ((1, "printed"), (3, "repaired")):
        first, second = (derived["leading"]["log"] for derived in values[i : i + 2])
        far = values[i + 4 : i + 6]
        error = far[0]["log_error"] + far[1]["log_error"]
        claim = values[0]["factor"]["log"]
        checks += [
            Check(name=f"power of the logarithm, {variant} theorems", measured=first - second, predicted=claim,
                  tolerance=EXACT),
            Check(name=f"power of the logarithm, {variant} bounds evaluated", measured=far[0]["log"] - far[1]["log"],
                  predicted=claim, tolerance=TOLERANCE, uncertainty=error),
        ]  # fmt: skip
    return _judgement(values, checks)


def _judgement(values: Sequence[Json], checks: Sequence[Check]) -> Judgement:
    return Judgement(
        checks=checks,
        regime="T to infinity, K = 1; scalings that miss the theorems' conditions by a logarithm are moved inside",
        settings={
            "first": values[0]["first"],
            "second": values[0]["second"],
            "constants": CONSTANTS,
            "log T": [FAR, 16 * FAR],
        },
        method="orders in exact rationals; the bounds in 60 digits",
        chart=_chart(values),
        notes=["Powers of the logarithm in the bounds: " + ", ".join(map(_logs_of, values[1:5])) + "."],
    )


def _logs_of(derived: Json) -> str:
    return f"{derived['corollary']} {derived['variant']} {derived['leading']['log']:g}"


def _chart(values: Sequence[Json]) -> Chart:
    curves = values[9:13]
    s = curves[0]["log_N"]
    claim = values[0]["factor"]["log"]
    stated = [(each / s[0]) ** claim for each in s]
    series = [Series(label="as the remark says", x=s, y=stated, kind="predicted", colour=1)]
    triangles = [Triangle(x=s[6], y=stated[5], slope=claim, label=f"{claim:g}", factor=100.0, colour=1)]
    for i, variant in ((0, "printed"), (2, "repaired")):
        slope = values[1 + i]["leading"]["log"] - values[2 + i]["leading"]["log"]
        ratio = [a - b for a, b in zip(curves[i]["rest"], curves[i + 1]["rest"], strict=True)]
        relative = [math.exp(r - ratio[0]) for r in ratio]
        series.append(Series(label=f"{variant} theorems", x=s, y=relative, kind="bound", colour=i))
        if slope:
            triangles.append(
                Triangle(x=s[6], y=relative[5], slope=slope, label=f"{slope:g}", factor=100.0, colour=i)
            )
    return Chart(
        caption="Bound of Theorem 3 along Corollary 5 over bound of Theorem 2 along Corollary 3, relative to the first "
        "point. The remark compares the printed rates, whose ratio is log T (dashed); that of the bounds, which have "
        "the logarithms of Q, is another one.",
        panels=[Panel(x_label=r"$\log\ T$", y_label="ratio, relative", series=series, triangles=triangles)],
    )


CLAIMS = (
    Claim(
        id="remark-3",
        of=("remark-3",),
        sentence="The printed rate with a decaying step is that with a constant step times log(T + 1).",
        pieces=pieces,
        judge=judge_printed,
    ),
    Claim(
        id="remark-3.derived",
        of=("remark-3", "theorem-2", "theorem-3"),
        sentence="The bound of Theorem 3 along Corollary 5 is that of Theorem 2 along Corollary 3 times log(T + 1).",
        pieces=pieces,
        judge=judge_derived,
        expected="violated",
        because="Q brings more logarithms into Theorem 2 than into Theorem 3; in the repaired theorems they outweigh "
        "the factor, and both rates have the same power.",
    ),
)
