"""L_hat: the stochastic hypergradient is L_hat-Lipschitz in (x, y), in the root mean square over its samples.

    L_hat^2 = 2 L_1^2 + 4 theta^2 L_0^2 L_21^2 (Q+1)^2 + 8 theta^2 L_1^4 (Q+1)^2
              + 2 theta^4 L_0^2 L_1^2 L_22^2 Q^2 (Q+1)^2

bounds E||h(z; s) - h(z'; s)||^2 / ||z - z'||^2, the same sample s at both points z = (x, y) and z'. On a quadratic
world h is affine in z and the factors I - theta grad_yy g of the Neumann sum are contractions, so what is measured is
at most L_1^2 + theta^2 L_1^4 (Q+1)^2; and it stops growing once (1 - theta mu)^Q is small, as the sum does. The
constant goes on growing like Q + 1.
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


def pieces(budget: Budget) -> list[Piece]:
    long = {"quantity": "L_hat", "name": LONG, "world": WORLD, "fractions": [0.95], "terms": MANY}
    return [Piece(measure, long), *on_worlds("L_hat", budget, **thetas_and_terms(budget))]


def judge(values: Sequence[Json]) -> Judgement:
    found = cases(values, "L_hat", "printed")
    largest = max(found, key=lambda case: case.ratio)
    long = [case for case in found if case.world == LONG and case.reading == "block"]
    return Judgement(
        checks=checks(found, "L_hat"),
        regime="pairs of points in the set on which the constants hold, theta < 1/L_1 under both readings of L_1",
        settings=settings(values),
        method="enumeration of all outcomes; exact on quadratic worlds, elsewhere a search over pairs of points",
        chart=Chart(
            caption="The steepest measured pair, in the root mean square, against L_hat. Left: the measured value "
            "stops growing after about 1/(theta mu) terms, the constant goes on like Q + 1. Right: on no world is "
            "the constant exceeded.",
            panels=[_over_Q(long), scatter(found, "L_hat")],
        ),
        notes=[
            f"The largest part of L_hat that was measured is {largest.ratio:.4f}, on {largest.where}.",
            f"With Q = {long[-1].Q} it is {long[-1].ratio:.4f} on the stiff world: the growth of L_hat with Q is not "
            "seen in the estimator there.",
            "A search finds values that are attained: the constant is not exceeded there, which proves nothing "
            "about worlds that were not tried.",
        ],
        table=table(found),
    )


def _over_Q(long: Sequence[Case]) -> Panel:
    x = [(case.Q or 0) + 1 for case in long]
    return Panel(
        title=r"a stiff scalar world, $\theta = 0.95/L_1$",
        x_label="$Q + 1$",
        y_label=r"$(E\|h(z) - h(z')\|^2)^{1/2} \,/\, \|z - z'\|$",
        series=[
            Series(label="measured", x=x, y=[case.measured for case in long]),
            Series(label=r"$\hat{L}$", x=x, y=[case.claimed for case in long], kind="bound", colour=3),
        ],
        triangles=[Triangle(x=8.0, y=6.0, slope=1.0, label="1", colour=3)],
    )


CLAIMS = (
    Claim(
        id="L_hat",
        of=("constant.L_hat",),
        sentence="The stochastic hypergradient is L_hat-Lipschitz in (x, y) in the root mean square over its samples.",
        pieces=pieces,
        judge=judge,
    ),
)
