"""Problem, Lemma 1 and the three estimators of the hypergradient (Section 3).

Matrices do not commute, so products stay in the printed order. The estimators are one formula with three inverses.
"""

import sympy

from ratecert.papers.federated_bilevel.statements.letters import Q, theta
from ratecert.theory.language.letters import letter
from ratecert.theory.language.statements import Formula, Text

grad_Phi, grad_x_f, grad_y_f = (letter(name, matrix=True) for name in ("grad_Phi", "grad_x_f", "grad_y_f"))
jacobian_g, hessian_g, H = (letter(name, matrix=True) for name in ("jacobian_g", "hessian_g", "H"))
hessian_g_sample = sympy.Function("hessian_g", commutative=False)
q, j = sympy.symbols("q j", integer=True)

_HYPERGRADIENT = grad_x_f - jacobian_g * H * grad_y_f

PROBLEM = Text(
    id="problem",
    title="Federated bilevel problem",
    source="Section 1, equation (1.1)",
    sentence=(
        "Minimise over x the mean over K devices of f_k(x, y*(x)), where y*(x) minimises over y the mean over K "
        "devices of g_k(x, y). f_k and g_k are expectations over samples xi and zeta, distributed alike on all devices."
    ),
)

HYPERGRADIENT = (
    Formula(
        id="lemma-1",
        title="Hypergradient on one device, all devices alike",
        source="Section 3, Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={H: hessian_g**-1},
        arguments=("x",),
        depends_on=("x",),
        note="every derivative at (x, y*(x))",
    ),
    Formula(
        id="estimator-tilde",
        title="Hypergradient without y*(x)",
        source="Section 3, below Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={H: hessian_g**-1},
        arguments=("x",),
        depends_on=("x", "y"),
        note="every derivative at (x, y)",
    ),
    Formula(
        id="estimator-hat",
        title="Hypergradient without the inverse: Neumann sum of Q + 1 terms",
        source="Section 3, below Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={H: theta * sympy.Sum((1 - theta * hessian_g) ** (q + 1), (q, -1, Q - 1))},
        arguments=("x", "y"),
        depends_on=("x", "y"),
        note="every derivative at (x, y); the printed product of q + 1 equal factors is the power",
    ),
    Formula(
        id="estimator-stochastic",
        title="Stochastic hypergradient: Neumann sum with Q fresh Hessians",
        source="Section 3, below Lemma 1",
        left=grad_Phi,
        right=_HYPERGRADIENT,
        where={
            H: theta
            * sympy.Sum(sympy.Product(1 - theta * hessian_g_sample(j), (j, Q - q, Q)), (q, -1, Q - 1))
        },
        arguments=("x", "y"),
        depends_on=("x", "y"),
        note="derivatives of f at the sample xi, the Jacobian at zeta, the j-th Hessian at zeta_j, all at (x, y)",
    ),
)
