"""The methods that share what they invert rest at the solution, but for the terms that FedNest's series leaves out.

These are a bias too, and no dial changes it.
"""

from collections.abc import Sequence

from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.at_rest.asked import at_p_1, only_a_cut_series, those
from ratecert.papers.federated_bilevel.evidence.at_rest.checks import distance
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import at
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_STAR
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import AT_P_1, FEW


def pieces(budget: Budget) -> list[Piece]:
    return [*at_p_1(at(X_STAR), budget), only_a_cut_series(1, budget)]


def judge(values: Sequence[Json]) -> Judgement:
    cut = those(values, few=FEW)
    return Judgement(
        checks=[
            *(distance(v, "x_star") for v in those(values)),
            *(distance(v, "closed form", f", {FEW} terms") for v in cut),
        ],
        **AT_P_1,
        notes=[
            "FedNest averages r after every product, so that the product is with the mean Hessian.",
            f"What its series leaves out is a bias, ||grad Phi|| = {cut[0]['gradients'][-1]:.2g} with {FEW} terms: the "
            "same at every dial, as the mean Hessian is.",
            "FedBiOAccGlobal (reconstructed) cuts no series: its r goes to the solution of the mean equation.",
        ],
    )


CLAIMS = (
    Claim(
        id="at-rest.global-inverse",
        of=("lemma-1",),
        sentence="On devices that differ, with an average after every step, FedNest, but for the terms its series "
        "leaves out, and FedBiOAccGlobal (reconstructed) rest at the solution: they share what they invert.",
        pieces=pieces,
        judge=judge,
    ),
)
