"""Remark 3: the decaying step adds one factor log(T + 1) to the rate of the constant one.

As a comparison of two printed rates, (KT)^(-2/3) log(T + 1) and (KT)^(-2/3), this is true. Whether the bounds of
Theorems 3 and 2 along Corollaries 5 and 3 differ by that factor is another question: Q = O(log T) brings logarithms
into both, and not the same ones.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import equal
from ratecert.claims.lines import corner, figure, line, power_law
from ratecert.papers.federated_bilevel.evidence import far_bounds as far
from ratecert.papers.federated_bilevel.paper import VARIANTS, paper
from ratecert.theory.language.statements import Corollary, Factor
from ratecert.theory.orders.derivation import as_monomial
from ratecert.verdicts.orders import EXACT, derivation, edge, power_along

FIRST, SECOND = "corollary-5", "corollary-3"
WIDEST = "1/2"  # K = T^kappa up to here: p >= 1
TOLERANCE = {"derived": EXACT, "evaluated": 1e-3}  # the other of slopes


def stated(id: str, kappa: str) -> list[Json]:
    """By which factor a remark says that the rate of its first corollary exceeds that of its second."""
    factor = as_monomial(paper().the(Factor, id).factor.order)
    power = float(power_along(factor, Fraction(kappa)))
    return [{"part": "stated", "stated power": power, "stated log": float(factor.log)}]


def derived(corollary: str, variant: str) -> list[Json]:
    """The order of a theorem's bound along a corollary of it."""
    return derivation(paper(variant), paper(variant).the(Corollary, corollary))


def pieces(_: Budget) -> list[Piece]:
    given = [{"corollary": c, "variant": v} for v in VARIANTS for c in (FIRST, SECOND)]
    return [
        *(Piece(stated, {"id": "remark-3", "kappa": kappa}, seconds=0.1) for kappa in ("0", WIDEST)),
        *(Piece(derived, each, seconds=0.1) for each in given),
        *(Piece(far.far_slopes, {**each, "kappa": "0"}, seconds=0.1) for each in given),
        *(Piece(far.far_curve, each, seconds=0.1) for each in given),
    ]


def checks_of_print(rows: Rows) -> Iterator[Check]:
    """The claim of one corollary over that of the other, on both edges of the window."""
    printed = rows.where(part="derived", variant="printed")
    edges = zip(
        *(printed.where(corollary=c) for c in (FIRST, SECOND)), rows.where(part="stated"), strict=True
    )
    for first, second, factor in edges:
        for name in ("power", "log"):
            found = first[f"claimed {name}"] - second[f"claimed {name}"]
            yield equal(
                f"printed rates, {name}, K = {edge(first, 'T')}", found, factor[f"stated {name}"], EXACT
            )


def checks_of_bounds(rows: Rows) -> Iterator[Check]:
    """The bound of one theorem over that of the other, in powers of the logarithm."""
    claim = rows.where(part="stated")[0]["stated log"]
    for (variant, part), (first, second) in rows.where(kappa="0").having("log").by("variant", "part"):
        error = first.get("log error", 0.0) + second.get("log error", 0.0)
        name = f"power of the logarithm, {variant} theorems, {part}"
        yield equal(name, first["log"] - second["log"], claim, TOLERANCE[part], error)


def chart(rows: Rows) -> Chart:
    """Draw the ratio of the bounds, relative to its first point, against the logarithm of T."""
    series, triangles = [], []
    for colour, variant in ((0, "printed"), (2, "repaired")):
        here = rows.where(variant=variant)
        one, other = (here.where(corollary=c) for c in (FIRST, SECOND))
        curves = zip(one.where(part="distant"), other.where(part="distant"), strict=True)
        ratios = Rows({"log T": a["log N"], "ratio": a["rest"] / b["rest"]} for a, b in curves)
        curve = Rows({**row, "ratio": row["ratio"] / ratios[0]["ratio"]} for row in ratios)
        series.append(line(f"{variant} theorems", curve, "log T", "ratio", kind="bound", colour=colour))
        slope = one.where(part="derived")[0]["log"] - other.where(part="derived")[0]["log"]
        if slope:
            name = f"{slope:g}"
            triangles.append(
                corner(curve[6], "log T", "ratio", slope, label=name, factor=100.0, colour=colour)
            )
    few, claim = curve[: len(curve) // 4], rows.where(part="stated")[0]["stated log"]
    series.append(power_law("as the remark says", few, "log T", "ratio", claim, kind="predicted", colour=1))
    return figure(
        "Bound of Theorem 3 along Corollary 5 over bound of Theorem 2 along Corollary 3, relative to the first "
        "point. The remark compares the printed rates, whose ratio is log T (dashed); that of the bounds, which have "
        "the logarithms of Q, is another one.",
        r"$\log\ T$",
        "ratio, relative",
        series,
        triangles,
    )


def notes(rows: Rows) -> list[str]:
    orders = rows.where(part="derived", kappa="0")
    logs = (f"{row['corollary']} {row['variant']} {row['log']:g}" for row in orders)
    return [f"Powers of the logarithm in the bounds: {', '.join(logs)}."]


COMMON: dict[str, Any] = {
    "pieces": pieces,
    "regime": "T to infinity, K = 1; scalings that miss the theorems' conditions by a logarithm are moved inside",
    "method": "orders in exact rationals; the bounds in 60 digits",
    "evidence": ("derivation", "bound in numbers"),
    "settings": {
        "first": FIRST,
        "second": SECOND,
        "constants": far.CONSTANTS,
        "log T": [far.FAR, 16 * far.FAR],
    },
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
            ("claimed power", "stated power"),
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
