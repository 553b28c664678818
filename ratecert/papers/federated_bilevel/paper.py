"""The paper as one object, printed and repaired."""

from ratecert.papers.federated_bilevel.corollaries import PRINTED as FOLLOWING
from ratecert.papers.federated_bilevel.errata import ERRATA
from ratecert.papers.federated_bilevel.notation import ASSUMPTIONS, DEFINITIONS, NOTATION, mu, theta
from ratecert.papers.federated_bilevel.statements import ALGORITHMS, HYPERGRADIENT, PROBLEM, THEOREMS
from ratecert.theory.paper import Paper, by_id

PRINTED = Paper(
    key="federated-bilevel",
    title="On the Convergence of Momentum-Based Algorithms for Federated Bilevel Optimization Problems "
    "(Hongchang Gao, arXiv:2204.13299)",
    notation=NOTATION,
    statements=by_id(
        PROBLEM, *ASSUMPTIONS, *HYPERGRADIENT, *DEFINITIONS, *ALGORITHMS, *THEOREMS, *FOLLOWING.values()
    ),
    bindings={"L_12": "L_21"},
    fractions={1 - theta * mu: "theta < 1/L_1, and mu cannot exceed L_1"},
)

REPAIRED = PRINTED.repaired(ERRATA)
