"""A method whose devices keep their own y: ||grad Phi|| where it rests is of order dial^2, even if all A_k are equal.

The local-inverse bias is zero there; what is left is a covariance (evidence/at_rest/places.py).
"""

from collections.abc import Iterator

from ratecert.claim import Budget, Check, Claim, Piece, Rows
from ratecert.papers.federated_bilevel.evidence.at_rest.methods import at
from ratecert.papers.federated_bilevel.evidence.at_rest.places import X_OWN
from ratecert.papers.federated_bilevel.evidence.at_rest.planned_runs import (
    AT_P_1,
    BIAS_OF_ANY_SIZE,
    FEW,
    alike_in,
    at_p_1,
    carries,
    distance,
    exponent_in_dial,
    those,
    with_few_terms,
)
from ratecert.papers.federated_bilevel.evidence.at_rest.resting import SAME_A, SAME_A_B


def pieces(budget: Budget) -> list[Piece]:
    methods = at(X_OWN)
    alike = [piece for world in (SAME_A, SAME_A_B) for piece in alike_in(world, methods)]
    return [*at_p_1(methods, budget), *with_few_terms(methods), *alike]


def checks(rows: Rows) -> Iterator[Check]:
    for after, runs in (("", those(rows)), (f", {SAME_A}", those(rows, SAME_A))):
        for here in runs:
            yield from (distance(here, "x_own", after), exponent_in_dial(here, after), carries(here, after))
    for here in those(rows, SAME_A_B):
        yield distance(here, "x_star", f", {SAME_A_B}")
    for here in those(rows, few=FEW):
        yield distance(here, "closed form", f", {FEW} terms")


CLAIMS = (
    Claim(
        id="at-rest.local-lower-level",
        sentence="On devices that differ FedBiOAcc (reconstructed) rests where the mean of the gradients of the "
        "devices' own Phi_k is zero, off the solution by an amount of order dial^2 even if all A_k are equal.",
        pieces=pieces,
        checks=checks,
        notes=[
            "Equal A_k are not enough: y_k and S_k = A_k^{-1}B_k still vary together, through B_k, and the mean of "
            "S_k'D(y_k - b) is not that of the means. The local-inverse bias is zero there: this is another one.",
        ],
        blind_to=BIAS_OF_ANY_SIZE,
        **AT_P_1,
    ),
)
