"""L_tilde: the hypergradient estimate at (x, y) is off by at most L_tilde ||y - y*(x)||.

    L_tilde = L_1 + L_1^2/mu + L_0 L_21/mu + L_0 L_1 L_22/mu^2

bounds ||grad Phi(x) - tilde(x, y)|| / ||y - y*(x)||, where tilde is Lemma 1's formula at (x, y). On a scalar world in
which under `block` all of L_1 is used, what is measured is L_1^2/mu: the part 1/(1 + mu/L_1) of the constant, so the
order in kappa = L_1/mu is attained and no smaller power of kappa could do.
"""

from collections.abc import Sequence

from ratecert.claim.chart import Chart, Panel, Series, Triangle
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.constants.cases import (
    cases,
    checks,
    measure,
    on_worlds,
    scatter,
    settings,
    table,
)
from ratecert.papers.federated_bilevel.evidence.constants.worlds import with_condition

CONDITIONS = (2.0, 5.0, 20.0, 100.0, 1000.0)  # kappa


def pieces(budget: Budget) -> list[Piece]:
    stiff = [
        Piece(measure, {"quantity": "L_tilde", "name": f"kappa = {kappa:g}", "world": with_condition(kappa)})
        for kappa in CONDITIONS
    ]
    return stiff + on_worlds("L_tilde", budget)


def judge(values: Sequence[Json]) -> Judgement:
    found, stiff = (cases(some, "L_tilde", "printed") for some in (values, values[: len(CONDITIONS)]))
    largest = max(found, key=lambda case: case.ratio)
    tight = [case for case in stiff if case.reading == "block"]
    return Judgement(
        checks=checks(found, "L_tilde"),
        regime="random x with (x, y*(x)) in the set on which the constants hold, y beside y*(x) and far from it; "
        "both readings of L_1",
        settings=settings(values),
        method="closed forms of y* and of the hypergradient; exact on quadratic worlds, elsewhere a search",
        chart=Chart(
            caption="How much a wrong y costs, per unit of y - y*(x), against L_tilde: both grow like kappa = "
            "L_1/mu (left), and on no world is the constant exceeded (right).",
            panels=[
                Panel(
                    title="a scalar world, stiff below",
                    x_label=r"$\kappa = L_1/\mu$",
                    y_label=r"$\|\nabla\Phi(x) - \tilde\nabla\Phi(x,y)\| \,/\, \|y - y^*(x)\|$",
                    series=[
                        Series(label="measured", x=CONDITIONS, y=[case.measured for case in tight]),
                        Series(
                            label=r"$\tilde{L}$",
                            x=CONDITIONS,
                            y=[case.claimed for case in tight],
                            kind="bound",
                            colour=3,
                        ),
                    ],
                    triangles=[Triangle(x=30.0, y=30.0, slope=1.0, label="1")],
                ),
                scatter(found, "L_tilde"),
            ],
        ),
        notes=[
            f"The largest part of L_tilde that was measured is {largest.ratio:.4f}, on {largest.where}.",
            "A search finds values that are attained: the constant is not exceeded there, which proves nothing "
            "about worlds that were not tried.",
        ],
        table=table(found),
    )


CLAIMS = (
    Claim(
        id="L_tilde",
        of=("constant.L_tilde",),
        sentence="The hypergradient estimate at (x, y) differs from grad Phi(x) by at most L_tilde ||y - y*(x)||.",
        pieces=pieces,
        judge=judge,
    ),
)
