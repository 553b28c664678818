"""Remark 3: the decaying step adds one factor log(T + 1) to the rate of the constant one.

As a comparison of two printed rates, (KT)^(-2/3) log(T + 1) and (KT)^(-2/3), this is true. Whether the bounds of
Theorems 3 and 2 along Corollaries 5 and 3 differ by that factor is another question: Q = O(log T) brings logarithms
into both, and not the same ones.
"""

import math
from collections.abc import Iterator
from typing import Any

from ratecert.claim import Budget, Chart, Check, Claim, Json, Piece, Row, Rows, Triangle
from ratecert.claim.checks import equal
from ratecert.claim.lines import figure, line
from ratecert.papers.federated_bilevel.evidence.derived import far_bounds as far
from ratecert.papers.federated_bilevel.evidence.derived.derivations import derivation, stated_factor

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
        *(Piece(far.far_slopes, {**each, "kappa": "0"}, seconds=0.1) for each in given),
        *(Piece(far.far_curve, {**each, "part": "distant", "log_K": 0.0}, seconds=0.1) for each in given),
    ]


def _factor(rows: Rows) -> Row:
    return rows.where(part="factor").only()


def checks_of_print(rows: Rows) -> Iterator[Check]:
    """The claim of one corollary over that of the other."""
    factor, (first, second) = _factor(rows), rows.where(part="order", variant="printed")
    for name, what in (("log", "power of the logarithm"), ("N", "exponent of T"), ("K", "exponent of K")):
        measured = first[f"claimed {name}"] - second[f"claimed {name}"]
        yield equal(f"printed rates, {what}", measured, factor[f"stated {name}"], EXACT)


def checks_of_bounds(rows: Rows) -> Iterator[Check]:
    """The bound of one theorem over that of the other, in powers of the logarithm."""
    claim = _factor(rows)["stated log"]
    for variant, here in rows.by("variant"):
        for part, what, tolerance in (("order", "theorems", EXACT), ("edge", "bounds evaluated", TOLERANCE)):
            first, second = here.where(part=part)
            error = first.get("log error", 0.0) + second.get("log error", 0.0)
            name = f"power of the logarithm, {variant} {what}"
            yield equal(name, first["log"] - second["log"], claim, tolerance, error)


def chart(rows: Rows) -> Chart:
    """Draw the ratio of the bounds, relative to its first point, against the logarithm of T."""
    series, triangles = [], []

    def draw(label: str, logs: Rows, slope: float, **look: Any) -> None:
        first = logs[0]["ratio"]
        curve = Rows({"log T": row["log N"], "ratio": math.exp(row["ratio"] - first)} for row in logs)
        series.append(line(label, curve, "log T", "ratio", **look))
        if slope:
            x, y = curve[6]["log T"], curve[5]["ratio"]
            name, colour = f"{slope:g}", look["colour"]
            triangles.append(Triangle(x=x, y=y, slope=slope, label=name, factor=100.0, colour=colour))

    claim, distant = _factor(rows)["stated log"], rows.where(part="distant")
    stated = Rows({**row, "ratio": claim * math.log(row["log N"])} for row in distant[: len(distant) // 4])
    draw("as the remark says", stated, claim, kind="predicted", colour=1)
    for colour, variant in ((0, "printed"), (2, "repaired")):
        one, other = rows.where(part="order", variant=variant)
        bounds = [distant.where(variant=variant, corollary=row["corollary"]) for row in (one, other)]
        ratio = Rows({**a, "ratio": a["rest"] - b["rest"]} for a, b in zip(*bounds, strict=True))
        draw(f"{variant} theorems", ratio, one["log"] - other["log"], kind="bound", colour=colour)
    return figure(
        "Bound of Theorem 3 along Corollary 5 over bound of Theorem 2 along Corollary 3, relative to the first "
        "point. The remark compares the printed rates, whose ratio is log T (dashed); that of the bounds, which have "
        "the logarithms of Q, is another one.",
        r"$\log\ T$",
        "ratio, relative",
        series,
        triangles,
    )


def settings(rows: Rows) -> dict[str, Json]:
    factor = _factor(rows)
    names = {"first": factor["first"], "second": factor["second"]}
    return {**names, "constants": far.CONSTANTS, "log T": [far.FAR, 16 * far.FAR]}


def notes(rows: Rows) -> list[str]:
    logs = (f"{row['corollary']} {row['variant']} {row['log']:g}" for row in rows.where(part="order"))
    return [f"Powers of the logarithm in the bounds: {', '.join(logs)}."]


COMMON: dict[str, Any] = {
    "pieces": pieces,
    "regime": "T to infinity, K = 1; scalings that miss the theorems' conditions by a logarithm are moved inside",
    "method": "orders in exact rationals; the bounds in 60 digits",
    "evidence": ("derivation", "bound in numbers"),
    "settings": settings,
    "chart": chart,
    "notes": notes,
}
CLAIMS = (
    Claim(
        id="remark-3",
        of=("remark-3",),
        sentence="The printed rate with a decaying step is that with a constant step times log(T + 1).",
        checks=checks_of_print,
        blind_to=dict.fromkeys(
            ("claimed N", "claimed K", "stated N", "stated K"),
            "both rates have the same powers of T and K: the difference is 0 whatever they are multiplied by",
        ),
        **COMMON,
    ),
    Claim(
        id="remark-3.derived",
        of=("remark-3", "theorem-2", "theorem-3"),
        sentence="The bound of Theorem 3 along Corollary 5 is that of Theorem 2 along Corollary 3 times log(T + 1).",
        checks=checks_of_bounds,
        because="Q brings more logarithms into Theorem 2 than into Theorem 3; in the repaired theorems they outweigh "
        "the factor, and both rates have the same power.",
        blind_to=dict.fromkeys(
            ("log", "stated log"),
            "the differences are negative and 0, the stated one is positive by any factor",
        ),
        **COMMON,
    ),
)
