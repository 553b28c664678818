"""The paper as one object, printed and repaired."""

from ratecert.base.errors import UserError
from ratecert.papers.federated_bilevel.statements.algorithms import LOCAL_BSGM, LOCAL_BSGVRM
from ratecert.papers.federated_bilevel.statements.assumptions import ASSUMPTIONS
from ratecert.papers.federated_bilevel.statements.constants import DEFINITIONS
from ratecert.papers.federated_bilevel.statements.corollaries import COROLLARIES
from ratecert.papers.federated_bilevel.statements.errata import ERRATA
from ratecert.papers.federated_bilevel.statements.hypergradient import HYPERGRADIENT, PROBLEM
from ratecert.papers.federated_bilevel.statements.letters import mu, theta
from ratecert.papers.federated_bilevel.statements.remarks import REMARKS, TABLE_1
from ratecert.papers.federated_bilevel.statements.symbols import NOTATION
from ratecert.papers.federated_bilevel.statements.theorem_1 import THEOREM_1
from ratecert.papers.federated_bilevel.statements.theorem_2 import THEOREM_2
from ratecert.papers.federated_bilevel.statements.theorem_3 import THEOREM_3
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
        LOCAL_BSGM,
        LOCAL_BSGVRM,
        THEOREM_1,
        THEOREM_2,
        THEOREM_3,
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
