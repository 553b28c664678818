"""G: the second moment of the stochastic hypergradient h(z; s) is at most G^2.

    printed    G   = 2 L_0^2 + 12 theta^2 L_0^2 L_1^2 (Q+1)^2 + 4 theta^4 L_0^2 L_1^2 (Q+2) (Q+1)^2 sigma^2
    repaired   G^2 = the same with sigma_H for sigma

The theorems use G^2 where a bound on E||h||^2, or at least on the noise E||h - E h||^2, is needed. The printed right
side is of the order L_0^2 already, so its square is of the order L_0^4: in units in which f is s times as large, h is s
times as large, the repaired G too, and the printed G is s^2 times as large. For small s even the noise alone exceeds
it. So the check of the print is made along s; for the repaired constant it is made on all worlds.
"""

from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.constants.cases import (
    Case,
    cases,
    checks,
    measure,
    on_worlds,
    scatter,
    settings,
    table,
    thetas_and_terms,
)
from ratecert.papers.federated_bilevel.evidence.constants.worlds import STIFF

LONG = "stiff, long sums"
WORLD = {**STIFF, "s_f": 0.5}
MANY = [0, 1, 3, 7, 15, 31, 63, 127, 255]  # Q; no noise in Hessians, so that few signs are drawn
SIZES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)  # of f
METHOD = "enumeration of all outcomes; exact moments at every point, the largest by a search over the ball"


def repaired_pieces(budget: Budget) -> list[Piece]:
    long = {"name": LONG, "world": WORLD, "fractions": [0.95], "terms": MANY}
    first = [Piece(measure, {"quantity": quantity, **long}) for quantity in ("G", "spread")]
    return first + on_worlds("G", budget, **thetas_and_terms(budget))


def judge_repaired(values: Sequence[Json]) -> Judgement:
    moments = [values[0], *values[2:]]
    found = cases(moments, "G", "repaired")
    long, spread = (
        [c for c in cases([value], "G", "repaired") if c.reading == "block"] for value in values[:2]
    )
    largest = max(found, key=lambda case: case.ratio)
    return Judgement(
        checks=checks(found, "G"),
        regime="points of the set on which the constants hold, theta < 1/L_1 under both readings of L_1",
        settings=settings(moments),
        method=METHOD,
        chart=Chart(
            caption="The root of the largest second moment of the stochastic hypergradient against the repaired G. "
            "Left: the measured value stops growing after about 1/(theta mu) terms, the constant goes on like Q + 1. "
            "Right: on no world is the constant exceeded.",
            panels=[_over_Q(long, spread), scatter(found, "G")],
        ),
        notes=[
            f"The largest part of G that was measured is {largest.ratio:.4f}, on {largest.where}; more than "
            "1/sqrt(2) is impossible, as E||h||^2 <= L_0^2 (1 + theta^2 L_1^2 (Q+1)^2) for samples that are "
            "mu-strongly convex.",
            f"With Q = {long[-1].Q} it is {long[-1].ratio:.4f} on the stiff world: the growth of G with Q is not seen "
            "in the estimator there.",
        ],
        table=table(found),
    )


def _over_Q(long: Sequence[Case], spread: Sequence[Case]) -> Panel:
    x = [(case.Q or 0) + 1 for case in long]
    return Panel(
        title=r"a stiff scalar world, $\theta = 0.95/L_1$",
        x_label="$Q + 1$",
        y_label="root of the largest moment of $h$",
        series=[
            Series(label=r"measured $(E\|h\|^2)^{1/2}$", x=x, y=[case.measured for case in long]),
            Series(label=r"measured $(E\|h - Eh\|^2)^{1/2}$", x=x, y=[c.measured for c in spread], colour=2),
            Series(label="$G$ repaired", x=x, y=[case.claimed for case in long], kind="bound", colour=3),
        ],
        triangles=[Triangle(x=20.0, y=1.0, slope=1.0, label="1", colour=3)],
    )


def printed_pieces(_: Budget) -> list[Piece]:
    return [
        Piece(
            measure,
            {
                "quantity": quantity,
                "name": f"f of size {size:g}, {what}",
                "world": {"world": "scalar", "mu": 1.0, "L_1": 1.25, "P": size, "D": size, "s_f": size},
                "fractions": [0.95],
                "terms": [12],
            },
        )
        for quantity, what in (("G", "second moment"), ("spread", "variance"))
        for size in SIZES
    ]


def judge_printed(values: Sequence[Json]) -> Judgement:
    found = [case for case in cases(values, "G", "printed") if case.reading == "joint"]
    moment, variance = found[: len(SIZES)], found[len(SIZES) :]
    repaired = [c for c in cases(values[: len(SIZES)], "G", "repaired") if c.reading == "joint"]
    return Judgement(
        checks=checks(found, "G"),
        regime="a scalar world without noise in g, inside all assumptions on a ball of radius 1, L_1 read to the "
        "letter (joint), in smaller and smaller units of f",
        settings=settings(values),
        method=METHOD,
        chart=Chart(
            caption="The size of the stochastic hypergradient in smaller and smaller units of f. It falls like the "
            "size s of f, and so does the repaired G; the printed G falls like s^2 and is soon too small, even for the "
            "noise alone.",
            panels=[_over_size(moment, variance, repaired)],
        ),
        notes=[
            f"At f of size {SIZES[-1]:g} the root of the second moment is {moment[-1].ratio:.4g} times the printed G, "
            f"the root of the variance {variance[-1].ratio:.4g} times.",
            "The root of the printed right side is never exceeded: see G.repaired.",
        ],
        table=table(found),
    )


def _over_size(moment: Sequence[Case], variance: Sequence[Case], repaired: Sequence[Case]) -> Panel:
    return Panel(
        x_label="$s$, the size of $f$",
        y_label="root of the largest moment of $h$",
        series=[
            Series(label=r"measured $(E\|h\|^2)^{1/2}$", x=SIZES, y=[c.measured for c in moment]),
            Series(
                label=r"measured $(E\|h - Eh\|^2)^{1/2}$", x=SIZES, y=[c.measured for c in variance], colour=2
            ),
            Series(label="$G$ printed", x=SIZES, y=[c.claimed for c in moment], kind="bound", colour=3),
            Series(label="$G$ repaired", x=SIZES, y=[c.claimed for c in repaired], kind="bound", colour=1),
        ],
        triangles=[
            Triangle(x=3e-7, y=1e-11, slope=2.0, label="2", factor=100.0, colour=3),
            Triangle(x=1e-3, y=3e-6, slope=1.0, label="1", factor=100.0),
        ],
    )


CLAIMS = (
    Claim(
        id="G.printed",
        of=("constant.G",),
        sentence="The second moment of the stochastic hypergradient is at most G^2 with G as it is printed.",
        pieces=printed_pieces,
        judge=judge_printed,
        expected="violated",
        because="the printed right side is a square already, so G^2 is of the order of f^4 and too small where f is "
        "small.",
    ),
    Claim(
        id="G.repaired",
        of=("constant.G",),
        sentence="The second moment of the stochastic hypergradient is at most the printed right side of G, with the "
        "noise of Hessians for sigma.",
        pieces=repaired_pieces,
        judge=judge_repaired,
    ),
)
