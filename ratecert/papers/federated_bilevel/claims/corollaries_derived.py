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
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial

from ratecert.claim import Budget, Chart, Check, Claim, Panel, Piece, Row, Rows, Triangle
from ratecert.claim.checks import at_most, equal
from ratecert.claim.lines import line
from ratecert.papers.federated_bilevel.evidence.derived import far_bounds as far
from ratecert.papers.federated_bilevel.evidence.derived.derivations import derivation

IDS = tuple(f"corollary-{n}" for n in range(1, 7))
IN_EPS = ("corollary-2", "corollary-4", "corollary-6")
WIDEST = {"corollary-1": "1/3", **dict.fromkeys(IDS[1:], "1/2")}  # K = N^kappa up to here: p >= 1
TOLERANCE = 1e-3
EXACT = 1e-9  # of rationals as floats
DEVICES = 1000  # of the second curve


def pieces(corollary: str, variant: str, _: Budget) -> list[Piece]:
    given = {"corollary": corollary, "variant": variant}
    curves = (("near", 0.0), ("near", math.log(DEVICES)), ("distant", 0.0))
    return [
        Piece(derivation, given, seconds=0.1),
        *(
            Piece(far.far_slopes, {**given, "kappa": kappa}, seconds=0.1)
            for kappa in ("0", WIDEST[corollary])
        ),
        *(
            Piece(far.far_curve, {**given, "part": part, "log_K": log_K}, seconds=0.1)
            for part, log_K in curves
        ),
    ]


def checks_of_exponents(rows: Rows) -> Iterator[Check]:
    yield from _powers(rows)
    for row in rows.where(part="term"):  # on the worse edge of the window
        yield at_most(f"{row['term']} over the claim", row["power over the claim"], 0.0, tolerance=EXACT)
    for row in rows.where(part="condition"):
        yield equal(f"power by which {row['scaling']} misses its condition", row["power"], 0.0, EXACT)


def checks_of_print(rows: Rows) -> Iterator[Check]:
    yield from _powers(rows)
    if _order(rows)["keeps_logs"]:
        yield from _logs(rows, at_most)
    for row in rows.where(part="condition", forgiven=False):
        name = f"power of the logarithm by which {row['scaling']} misses its condition"
        yield equal(name, row["log"], 0.0, EXACT)


def checks_of_repaired(rows: Rows) -> Iterator[Check]:
    yield from _powers(rows)
    yield from _logs(rows, equal)
    yield equal("scalings outside the conditions", len(rows.where(part="condition")), 0.0, 0.0)


def _order(rows: Rows) -> Row:
    return rows.where(part="order").only()


def _powers(rows: Rows) -> Iterator[Check]:
    """Powers of T or eps, and of K: derived, and measured on the edges K = 1 and K = N^kappa."""
    order, (inner, outer) = _order(rows), rows.where(part="edge")
    distance = outer["kappa"] - inner["kappa"]
    in_K = (outer["power"] - inner["power"]) / distance
    error = (inner["power error"] + outer["power error"]) / distance
    sign = -1.0 if order["large"] == "eps" else 1.0
    for name, N, s, edge, measured, uncertainty in (
        (order["large"], "N", sign, inner, inner["power"], inner["power error"]),
        ("K", "K", 1.0, outer, in_K, error),
    ):
        claim = s * order[f"claimed {N}"]
        evaluated = f"exponent of {name}, bound evaluated ({edge['largest']})"
        yield equal(f"exponent of {name} ({order['leads']})", s * order[N], claim, EXACT)
        yield equal(evaluated, s * measured, claim, TOLERANCE, uncertainty)


def _logs(rows: Rows, compared: Callable[..., Check]) -> Iterator[Check]:
    """Powers of the logarithm: derived, and measured on the edge where it is larger."""
    order, edge = _order(rows), rows.where(part="edge").largest(lambda row: row["log"])
    claim = order["claimed log"]
    evaluated = f"power of the logarithm, bound evaluated ({edge['largest']})"
    yield compared(f"power of the logarithm ({order['leads']})", order["log"], claim, tolerance=EXACT)
    yield compared(evaluated, edge["log"], claim, tolerance=TOLERANCE, uncertainty=edge["log error"])


# Figure and words


def large_parameter(order: Row) -> tuple[str, str]:
    """In mathtext and in plain text."""
    return (r"$1/\epsilon$", "1/eps") if order["large"] == "eps" else ("$T$", "T")


def chart(rows: Rows) -> Chart:
    """Draw the bound along the scalings, and what is left of it without the claimed powers.

    Against log N a power of the logarithm is a straight line, so the second panel shows what the print hides.
    """
    order = _order(rows)
    N = large_parameter(order)[1]
    forgiven = "" if order["keeps_logs"] else " up to logarithms"
    return Chart(
        caption=f"The bound of {order['theorem']} ({order['variant']}) along {order['corollary']}, with the claimed "
        f"order through its last point; and what is left of it without the claimed powers of {N} and K, which grows "
        f"as the power {order['log']:g} of the logarithm, claimed is {order['claimed log']:g}{forgiven}.",
        panels=[_near_panel(order, rows.where(part="near")), _far_panel(order, rows.where(part="distant"))],
    )


def _near_panel(order: Row, near: Rows) -> Panel:
    slope = order["claimed N"]

    def claimed(row: Row) -> float:
        return float(row["log N"] * slope + order["claimed log"] * math.log(row["log N"]))

    series = []
    for colour, (log_K, curve) in enumerate(near.by("log_K")):
        K, last = round(math.exp(log_K)), curve[-1]
        through = Rows({**row, "bound": last["bound"] + claimed(row) - claimed(last)} for row in curve)
        series += [
            line(f"bound, K = {K}", curve, _exp("log N"), _exp("bound"), kind="bound", colour=colour),
            line(f"claimed, K = {K}", through, _exp("log N"), _exp("bound"), kind="predicted", colour=colour),
        ]
    one = near.where(log_K=0.0)
    middle, end = one[len(one) // 2], math.exp(one[-1]["log N"])
    return Panel(
        title="bound",
        x_label=large_parameter(order)[0],
        y_label="bound",
        series=series,
        triangles=[
            Triangle(x=math.exp(middle["log N"]), y=math.exp(middle["bound"] + 12), slope=slope,
                     label=str(Fraction(slope).limit_denominator(12)), factor=1e20)
        ],
        window=(DEVICES ** (1 / float(Fraction(order["widest"]))), end),
        window_label=f"K = {DEVICES}: $p \\geq 1$",
    )  # fmt: skip


def _far_panel(order: Row, distant: Rows) -> Panel:
    found, claim = order["log"], order["claimed log"]
    # the last point if the bound should come to follow the claim
    anchor = distant[-1 if found == claim else 0]
    claimed = Rows(
        {**row, "rest": anchor["rest"] + claim * math.log(row["log N"] / anchor["log N"])} for row in distant
    )
    middle = len(distant) // 2
    x, y = distant[middle]["log N"], math.exp(distant[middle - 2]["rest"])
    return Panel(
        title="without the claimed powers",
        x_label=rf"$\log$ {large_parameter(order)[0]}",
        y_label="bound / claimed powers",
        series=[
            line("bound, K = 1", distant, "log N", _exp("rest"), kind="bound"),
            line("claimed", claimed, "log N", _exp("rest"), kind="predicted", colour=1),
        ],
        triangles=[Triangle(x=x, y=y, slope=found, label=f"{found:g}", factor=100.0)] if found else [],
    )


def _exp(column: str) -> Callable[[Row], float]:
    return lambda row: math.exp(row[column])


def regime(rows: Rows) -> str:
    order = _order(rows)
    return (
        f"N = {large_parameter(order)[1]} to infinity with 1 <= K <= N^({order['widest']}), where p >= 1; scalings "
        f"that miss the conditions of {order['theorem']} by a logarithm are moved inside"
    )


def notes(rows: Rows) -> list[str]:
    return [
        f"{row['corollary']} ({row['variant']}): {row['scaling']} misses its condition by {row['ratio']}."
        for row in rows.where(part="condition")
    ]


HIDDEN = (
    "Q = O(log) enters L_hat and G, and the conditions then make other parameters smaller by logarithms: the bound has "
    "powers of a logarithm that are not printed."
)
NOT_PRINTED: Mapping[str, str] = {
    **dict.fromkeys(IDS[:5], HIDDEN),
    "corollary-6": "Theorem 3 sets alpha and beta to L_hat^2/K up to a factor, and L_hat grows with Q = O~(log), so "
    "they are not O(1/K). The rate itself follows: O~ forgives its logarithms.",
}


KINDS: tuple[tuple[str, str, Callable[[Rows], Iterator[Check]], str], ...] = (
    ("exponents", "printed", checks_of_exponents,
     "The bound of Theorem {theorem} along Corollary {number} has the claimed exponents of {large} and K, logarithms "
     "ignored."),
    ("printed", "printed", checks_of_print,
     "Corollary {number} follows from Theorem {theorem} as printed, in its logarithms and with its scalings inside the "
     "conditions."),
    ("repaired", "repaired", checks_of_repaired,
     "The repaired Corollary {number} follows from the repaired Theorem {theorem}, logarithms included."),
)  # fmt: skip


def _blind_to(corollary: str, kind: str) -> dict[str, str]:
    """Columns of zeros stay zeros, and a logarithm that is not printed is missed by any factor."""
    forgiven = (corollary, kind) == ("corollary-6", "printed")
    blind = dict.fromkeys(("K", "claimed K", "kappa"), "K has the power 0") if corollary in IN_EPS else {}
    blind["power error"] = far_out = "N is so large that nothing is left of the error"
    if kind == "exponents":
        blind["power over the claim"] = "it is 0 or negative, by any factor"
    elif kind == "printed" or corollary in IN_EPS:
        blind["log"] = "it is 0, or not 0 where 0 is claimed, by any factor"
        blind |= {} if forgiven else {"claimed log": "it is 0"}
    if kind != "exponents" and not forgiven:
        blind["log error"] = far_out
    return blind


def claims_of(corollary: str) -> Iterator[Claim]:
    number, large = int(corollary[-1]), "eps" if corollary in IN_EPS else "T"
    for kind, variant, checks, sentence in KINDS:
        yield Claim(
            id=f"{corollary}.{kind}",
            of=(corollary,),
            sentence=sentence.format(number=number, theorem=(number + 1) // 2, large=large),
            pieces=partial(pieces, corollary, variant),
            checks=checks,
            regime=regime,
            method="orders in exact rationals; the bound in 60 digits",
            evidence=("derivation", "bound in numbers"),
            settings={
                "corollary": corollary,
                "variant": variant,
                "constants": far.CONSTANTS,
                "log N": [far.FAR, 16 * far.FAR],
            },
            chart=chart,
            notes=notes,
            table=("term", "order", "power over the claim", "log"),
            because=NOT_PRINTED[corollary] if kind == "printed" else "",
            blind_to=_blind_to(corollary, kind),
        )


CLAIMS = tuple(claim for corollary in IDS for claim in claims_of(corollary))
