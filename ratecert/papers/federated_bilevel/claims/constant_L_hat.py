"""L_hat: the stochastic hypergradient is L_hat-Lipschitz in (x, y), in the root mean square over its samples.

    L_hat^2 = 2 L_1^2 + 4 theta^2 L_0^2 L_21^2 (Q+1)^2 + 8 theta^2 L_1^4 (Q+1)^2
              + 2 theta^4 L_0^2 L_1^2 L_22^2 Q^2 (Q+1)^2

bounds E||h(z; s) - h(z'; s)||^2 / ||z - z'||^2, the same sample s at both points z = (x, y) and z'. On a quadratic
world h is affine in z and the factors I - theta grad_yy g of the Neumann sum are contractions, so what is measured is
at most L_1^2 + theta^2 L_1^4 (Q+1)^2; and it stops growing once (1 - theta mu)^Q is small, as the sum does. The
constant goes on growing like Q + 1.
"""

from ratecert.claims import Budget, Chart, Claim, Panel, Piece, Rows, Triangle
from ratecert.papers.federated_bilevel.evidence.constants import ratios
from ratecert.papers.federated_bilevel.evidence.constants.worlds import LONG, LONG_SUMS


def pieces(budget: Budget) -> list[Piece]:
    return ratios.on(LONG_SUMS, "L_hat", samples=LONG) + ratios.on_all("L_hat", budget, sampled=True)


def chart(rows: Rows) -> Chart:
    long = ratios.tight(rows, LONG_SUMS)
    growth = Panel(
        title=r"a stiff scalar world, $\theta = 0.95/L_1$",
        x_label="$Q + 1$",
        y_label=r"$(E\|h(z) - h(z')\|^2)^{1/2} \,/\, \|z - z'\|$",
        series=ratios.against(long, lambda row: row["Q"] + 1, "printed", r"$\hat{L}$"),
        triangles=[Triangle(x=8.0, y=6.0, slope=1.0, label="1", colour=3)],
    )
    return Chart(
        caption="The steepest measured pair, in the root mean square, against L_hat. Left: the measured value "
        "stops growing after about 1/(theta mu) terms, the constant goes on like Q + 1. Right: on no world is "
        "the constant exceeded.",
        panels=[growth, ratios.scatter(rows, "L_hat", "printed")],
    )


def notes(rows: Rows) -> list[str]:
    longest = ratios.tight(rows, LONG_SUMS)[-1]
    return [
        f"{ratios.largest_part(rows, 'L_hat', 'printed')}.",
        f"With Q = {longest['Q']} it is {ratios.ratio(longest, 'printed'):.4f} on the stiff world: the growth "
        "of L_hat with Q is not seen in the estimator there.",
        ratios.ONLY_ATTAINED,
    ]


CLAIMS = (
    Claim(
        id="L_hat",
        of=("constant.L_hat",),
        sentence="The stochastic hypergradient is L_hat-Lipschitz in (x, y) in the root mean square over its samples.",
        pieces=pieces,
        checks=lambda rows: ratios.checks(rows, "L_hat", "printed"),
        regime="pairs of points in the set on which the constants hold, theta < 1/L_1 under both readings of L_1",
        method="enumeration of all outcomes; exact on quadratic worlds, elsewhere a search over pairs of points",
        evidence=("enumeration", "search"),
        settings=lambda rows: ratios.settings(rows, LONG_SUMS),
        chart=chart,
        notes=notes,
        table=lambda rows: ratios.table(rows, "printed"),
        runs=("LocalBSGM", "LocalBSGVRM"),
    ),
)
