"""The methods that share what they invert rest at the solution, but for the terms that FedNest's series leaves out.

These are a bias too, and no dial changes it.
"""

from collections.abc import Iterator

from ratecert.claim import Budget, Check, Claim, Piece, Rows
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import at
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_STAR
from ratecert.papers.federated_bilevel.evidence.at_rest.planned_runs import (
    AT_P_1,
    FEW,
    at_p_1,
    distance,
    only_a_cut_series,
    those,
)


def pieces(budget: Budget) -> list[Piece]:
    return [*at_p_1(at(X_STAR), budget), only_a_cut_series(1, budget)]


def checks(rows: Rows) -> Iterator[Check]:
    for here in those(rows):
        yield distance(here, "x_star")
    for here in those(rows, few=FEW):
        yield distance(here, "closed form", f", {FEW} terms")


def notes(rows: Rows) -> list[str]:
    cut = rows.where(few=FEW)[-1]
    return [
        "FedNest averages r after every product, so that the product is with the mean Hessian.",
        f"What its series leaves out is a bias, ||grad Phi|| = {cut['||grad Phi||']:.2g} with {FEW} terms: the "
        "same at every dial, as the mean Hessian is.",
        "FedBiOAccGlobal (reconstructed) cuts no series: its r goes to the solution of the mean equation.",
    ]


CLAIMS = (
    Claim(
        id="at-rest.global-inverse",
        sentence="On devices that differ, with an average after every step, FedNest, but for the terms its series "
        "leaves out, and FedBiOAccGlobal (reconstructed) rest at the solution: they share what they invert.",
        pieces=pieces,
        checks=checks,
        notes=notes,
        **AT_P_1,
    ),
)
