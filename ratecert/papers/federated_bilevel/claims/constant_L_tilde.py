"""L_tilde: the hypergradient estimate at (x, y) is off by at most L_tilde ||y - y*(x)||.

    L_tilde = L_1 + L_1^2/mu + L_0 L_21/mu + L_0 L_1 L_22/mu^2

bounds ||grad Phi(x) - tilde(x, y)|| / ||y - y*(x)||, where tilde is Lemma 1's formula at (x, y). On a scalar world in
which under `block` all of L_1 is used, what is measured is L_1^2/mu: the part 1/(1 + mu/L_1) of the constant, so the
order in kappa = L_1/mu is attained and no smaller power of kappa could do.
"""

from ratecert.claims import Budget, Chart, Claim, Panel, Piece, Rows, Triangle
from ratecert.papers.federated_bilevel.evidence.constants import ratios
from ratecert.papers.federated_bilevel.evidence.constants.worlds import BY_CONDITION


def pieces(budget: Budget) -> list[Piece]:
    return ratios.on(BY_CONDITION, "L_tilde") + ratios.on_all("L_tilde", budget)


def chart(rows: Rows) -> Chart:
    stiff = ratios.tight(rows, BY_CONDITION)
    growth = Panel(
        title="a scalar world, stiff below",
        x_label=r"$\kappa = L_1/\mu$",
        y_label=r"$\|\nabla\Phi(x) - \tilde\nabla\Phi(x,y)\| \,/\, \|y - y^*(x)\|$",
        series=ratios.against(stiff, "kappa", "printed", r"$\tilde{L}$"),
        triangles=[Triangle(x=30.0, y=30.0, slope=1.0, label="1")],
    )
    return Chart(
        caption="How much a wrong y costs, per unit of y - y*(x), against L_tilde: both grow like kappa = "
        "L_1/mu (left), and on no world is the constant exceeded (right).",
        panels=[growth, ratios.scatter(rows, "L_tilde", "printed")],
    )


CLAIMS = (
    Claim(
        id="L_tilde",
        of=("constant.L_tilde",),
        sentence="The hypergradient estimate at (x, y) differs from grad Phi(x) by at most L_tilde ||y - y*(x)||.",
        pieces=pieces,
        checks=lambda rows: ratios.checks(rows, "L_tilde", "printed"),
        regime="random x with (x, y*(x)) in the set on which the constants hold, y beside y*(x) and far from it; "
        "both readings of L_1",
        method="closed forms of y* and of the hypergradient; exact on quadratic worlds, elsewhere a search",
        evidence=("closed forms", "search"),
        settings=lambda rows: ratios.settings(rows, BY_CONDITION),
        chart=chart,
        notes=lambda rows: [f"{ratios.largest_part(rows, 'L_tilde', 'printed')}.", ratios.ONLY_ATTAINED],
        table=lambda rows: ratios.table(rows, "printed"),
    ),
)
