"""The paper as one object, printed and repaired."""

from ratecert.base.errors import UserError
from ratecert.papers.federated_bilevel.corollaries import COROLLARIES, REMARKS, TABLE_1
from ratecert.papers.federated_bilevel.errata import ERRATA
from ratecert.papers.federated_bilevel.notation import ASSUMPTIONS, DEFINITIONS, NOTATION, mu, theta
from ratecert.papers.federated_bilevel.statements import ALGORITHMS, HYPERGRADIENT, PROBLEM, THEOREMS
from ratecert.theory.language.paper import Paper, by_id

PRINTED = Paper(
    key="federated-bilevel",
    title="On the Convergence of Momentum-Based Algorithms for Federated Bilevel Optimization Problems",
    notation=NOTATION,
    statements=by_id(
        PROBLEM,
        *ASSUMPTIONS,
        *HYPERGRADIENT,
        *DEFINITIONS,
        *ALGORITHMS,
        *THEOREMS,
        *COROLLARIES,
        *REMARKS,
        TABLE_1,
    ),
    bindings={"L_12": "L_21"},
    fractions={1 - theta * mu: "theta < 1/L_1, and mu cannot exceed L_1"},
)

REPAIRED = PRINTED.repaired(ERRATA)
VARIANTS = ("printed", "repaired")


def paper(variant: str = "printed") -> Paper:
    """For the modules of this paper; others find it in the registry."""
    if variant not in VARIANTS:
        raise UserError(f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}.")
    return PRINTED if variant == "printed" else REPAIRED
