"""Corollaries 1-6 derived: with the scalings put in, the theorem's bound is of the order that the corollary claims.

Three questions for each corollary, N being T or 1/eps:

    exponents  are the powers of N and K as claimed, logarithms ignored?
    printed    does it follow as printed: its logarithms counted (unless O~ forgives them), its scalings inside the
               theorem's conditions?
    repaired   does the repaired corollary follow from the repaired theorem, logarithms counted?

On both edges of the window, K = 1 and K = N^kappa, the orders are derived term by term in exact rationals
(evidence/derived/derivations.py) and measured once more from the bound's value at N = exp(1e15) and beyond
(evidence/derived/far_bounds.py).
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from ratecert.claim import Budget, Chart, Check, Claim, Piece, Row, Rows
from ratecert.claim.checks import at_most, equal
from ratecert.claim.lines import corner, line, panel, power_law
from ratecert.from_data.theorem import errata_of
from ratecert.papers.federated_bilevel.evidence.derived import far_bounds as far
from ratecert.papers.federated_bilevel.evidence.derived.derivations import derivation
from ratecert.papers.federated_bilevel.paper import paper

IDS = tuple(f"corollary-{n}" for n in range(1, 7))
IN_EPS = ("corollary-2", "corollary-4", "corollary-6")
WIDEST = {"corollary-1": "1/3", **dict.fromkeys(IDS[1:], "1/2")}  # K = N^kappa up to here: p >= 1
TOLERANCE = {"derived": 1e-9, "evaluated": 1e-3}  # of rationals as floats; of slopes
DEVICES = (1, 1000)  # of the curves


def pieces(corollary: str, variant: str, _: Budget) -> list[Piece]:
    given = {"corollary": corollary, "variant": variant}
    edges = ("0", WIDEST[corollary])
    return [
        Piece(derivation, given, seconds=0.1),
        *(Piece(far.far_slopes, {**given, "kappa": kappa}, seconds=0.1) for kappa in edges),
        *(Piece(far.near_curve, {**given, "K": K}, seconds=0.1) for K in DEVICES),
        Piece(far.far_curve, given, seconds=0.1),
    ]


def checks_of_exponents(rows: Rows) -> Iterator[Check]:
    yield from _powers(rows)
    yield _outside(" by a power", rows.where(**{"by a power": True}))


def checks_of_print(rows: Rows) -> Iterator[Check]:
    yield from _powers(rows)
    yield from _logs(rows.where(keeps_logs=True), at_most)
    yield _outside("", rows.where(part="condition"))


def checks_of_repaired(rows: Rows) -> Iterator[Check]:
    yield from _powers(rows)
    yield from _logs(rows, equal)
    yield _outside("", rows.where(part="condition"))


def _powers(rows: Rows) -> Iterator[Check]:
    for row in rows.having("power"):
        part = str(row["part"])
        name, error = f"exponent of N, K = {edge(row)}, {part} ({row['leads']})", row.get("power error", 0.0)
        yield equal(name, row["power"], row["claimed power"], TOLERANCE[part], error)


def _logs(rows: Rows, compared: Callable[..., Check]) -> Iterator[Check]:
    """On the edge where there are more of them."""
    for part, edges in rows.having("power").by("part"):
        row = edges.largest(lambda row: row["log"])
        found, error = (row["log"], row["claimed log"]), row.get("log error", 0.0)
        name = f"power of the logarithm, {part} ({row['leads']})"
        yield compared(name, *found, tolerance=TOLERANCE[part], uncertainty=error)


def _outside(what: str, rows: Rows) -> Check:
    which = ", ".join(row["scaling"] for row in rows)
    name = f"scalings outside the conditions{what}"
    return equal(f"{name} ({which})" if which else name, len(rows), 0.0, 0.0)


def edge(row: Row) -> str:
    return "1" if row["kappa"] == "0" else f"N^({row['kappa']})"


# Figure and words


def chart(corollary: str, variant: str, rows: Rows) -> Chart:
    """Draw the bound along the scalings, and what is left of it without the claimed powers.

    Against log N a power of the logarithm is a straight line, so the second panel shows what the print hides.
    """
    order, near, distant = rows.where(part="derived")[0], rows.where(part="near"), rows.where(part="distant")
    power, found, claim = order["claimed power"], order["log"], order["claimed log"]
    N, plain = (r"$1/\epsilon$", "1/eps") if corollary in IN_EPS else ("$T$", "T")
    bounds = [s for i, (K, here) in enumerate(near.by("K")) for s in (
        line(f"bound, K = {K}", here, "N", "bound", kind="bound", colour=i),
        power_law(f"claimed, K = {K}", here, "N", "bound", power, kind="predicted", colour=i),
    )]  # fmt: skip
    slope = corner(
        near[6], "N", "bound", power, above=1e5, label=str(Fraction(power).limit_denominator(12)), factor=1e20
    )
    return Chart(
        caption=f"The bound ({variant}) along {corollary}, with the claimed power of {plain}; and what is left of it "
        f"without that, which grows as the power {found:g} of the logarithm, claimed is {claim:g}"
        f"{'' if order['keeps_logs'] else ' up to logarithms'}.",
        panels=[
            panel(N, "bound", bounds, [slope]),
            panel(
                rf"$\log$ {N}",
                "bound / claimed power",
                [
                    line("bound, K = 1", distant, "log N", "rest", kind="bound"),
                    power_law("claimed", distant, "log N", "rest", claim, kind="predicted", colour=1),
                ],
                [corner(distant[5], "log N", "rest", found, above=0.01, label=f"{found:g}", factor=100.0)]
                if found
                else [],
            ),
        ],
    )


def notes(rows: Rows) -> list[str]:
    return [
        f"{row['corollary']} ({row['variant']}): {row['scaling']} misses its condition by {row['ratio']}."
        for row in rows.where(part="condition")
    ]


KINDS: tuple[tuple[str, str, Callable[[Rows], Iterator[Check]], str], ...] = (
    ("exponents", "printed", checks_of_exponents,
     "The bound of Theorem {theorem} along Corollary {number} has the claimed exponents of {large} and K, logarithms "
     "ignored."),
    ("printed", "printed", checks_of_print,
     "Corollary {number} as printed says: its order follows from Theorem {theorem}, logarithms included, with scalings "
     "that are inside the conditions."),
    ("repaired", "repaired", checks_of_repaired,
     "The repaired Corollary {number} follows from the repaired Theorem {theorem}, logarithms included."),
)  # fmt: skip


def _blind_to(corollary: str, kind: str) -> dict[str, str]:
    reads_logs = kind == "printed" and corollary != "corollary-6"
    zeros = reads_logs or (kind == "repaired" and corollary in IN_EPS)
    why = "it is 0, or not 0 where 0 is claimed, by any factor"
    return dict.fromkeys(("log", "claimed log"), why) if zeros else {}


def claims_of(corollary: str) -> Iterator[Claim]:
    number, (large, N) = int(corollary[-1]), ("eps", "1/eps") if corollary in IN_EPS else ("T", "T")
    theorem = (number + 1) // 2
    for kind, variant, checks, sentence in KINDS:
        yield Claim(
            id=f"{corollary}.{kind}",
            of=(corollary,),
            sentence=sentence.format(number=number, theorem=theorem, large=large),
            pieces=partial(pieces, corollary, variant),
            checks=checks,
            regime=f"N = {N} to infinity with 1 <= K <= N^({WIDEST[corollary]}), where p >= 1; scalings that miss the "
            f"conditions of theorem-{theorem} by a logarithm are moved inside",
            method="orders in exact rationals; the bound in 60 digits",
            evidence=("derivation", "bound in numbers"),
            settings={
                "corollary": corollary,
                "variant": variant,
                "constants": far.CONSTANTS,
                "log N": [far.FAR, 16 * far.FAR],
            },
            chart=partial(chart, corollary, variant),
            notes=notes,
            table=("part", "kappa", "leads", "power", "claimed power", "log", "claimed log"),
            because=errata_of(paper().key, corollary)[0].reason if kind == "printed" else "",
            blind_to=_blind_to(corollary, kind),
        )


CLAIMS = tuple(claim for corollary in IDS for claim in claims_of(corollary))
