"""The paper as one object, printed and repaired."""

from theory.federated_bilevel.algorithms import LOCAL_BSGM, LOCAL_BSGVRM
from theory.federated_bilevel.assumptions import ASSUMPTIONS
from theory.federated_bilevel.constants import DEFINITIONS
from theory.federated_bilevel.corollaries import COROLLARIES
from theory.federated_bilevel.errata import ERRATA
from theory.federated_bilevel.hypergradient import HYPERGRADIENT, PROBLEM
from theory.federated_bilevel.letters import mu, theta
from theory.federated_bilevel.remarks import REMARKS, TABLE_1
from theory.federated_bilevel.symbols import NOTATION
from theory.federated_bilevel.theorem_1 import THEOREM_1
from theory.federated_bilevel.theorem_2 import THEOREM_2
from theory.federated_bilevel.theorem_3 import THEOREM_3
from theory.paper import Paper, by_id

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
