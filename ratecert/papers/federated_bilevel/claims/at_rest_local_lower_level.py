"""A method whose devices keep their own y: ||grad Phi|| where it rests is of order dial^2, even if all A_k are equal.

The local-inverse bias is zero there; what is left is a covariance (evidence/at_rest/places.py).
"""

from collections.abc import Sequence

from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.papers.federated_bilevel.evidence.at_rest.asked import alike_in, at_p_1, those, with_few_terms
from ratecert.papers.federated_bilevel.evidence.at_rest.checks import carries, distance, exponent_in_dial
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import at
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_OWN
from ratecert.papers.federated_bilevel.evidence.at_rest.settings import AT_P_1, FEW, SAME_A, SAME_A_B


def pieces(budget: Budget) -> list[Piece]:
    methods = at(X_OWN)
    return [
        *at_p_1(methods, budget),
        *with_few_terms(methods),
        *alike_in(SAME_A, methods),
        *alike_in(SAME_A_B, methods),
    ]


def judge(values: Sequence[Json]) -> Judgement:
    checks = []
    for v in [*those(values), *those(values, world=SAME_A)]:
        after = ", all A_k equal" if v["world"] == SAME_A else ""
        checks += [distance(v, "x_own", after), exponent_in_dial(v, after), carries(v, after)]
    checks += [distance(v, "x_star", ", all A_k and B_k equal") for v in those(values, world=SAME_A_B)]
    checks += [distance(v, "closed form", f", {FEW} terms") for v in those(values, few=FEW)]
    return Judgement(
        checks=checks,
        **AT_P_1,
        notes=[
            "Equal A_k are not enough: y_k and S_k = A_k^{-1}B_k still vary together, through B_k, and the mean of "
            "S_k'D(y_k - b) is not that of the means. The local-inverse bias is zero there: this is another one.",
        ],
    )


CLAIMS = (
    Claim(
        id="at-rest.local-lower-level",
        of=("lemma-1",),
        sentence="On devices that differ FedBiOAcc (reconstructed) rests where the mean of the gradients of the "
        "devices' own Phi_k is zero, off the solution by an amount of order dial^2 even if all A_k are equal.",
        pieces=pieces,
        judge=judge,
    ),
)
