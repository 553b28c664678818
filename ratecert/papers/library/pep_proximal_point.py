"""The proximal point method as PEPit 0.5.1 documents it (unconstrained_convex_minimization/proximal_point).

x_+ = argmin f(x) + ||x - x_t||^2/(2 gamma), for f that is convex, and need not be smooth.
"""

import ratecert as rc
from ratecert.papers.pep import R, gamma, n
from ratecert.papers.pep.table import FLATTEST, pepit

PAPER = rc.about(
    "PEPit 0.5.1: the proximal point method", certainty="note", edition="here that of PEPit 0.5.1"
)
CONVEX = rc.statements.Assumption(
    id="convex",
    title="Convex",
    source="first lines of the docstring",
    sentence="f is closed, proper and convex.",
    constants={},
)


def prox(x, grad, *, gamma):
    return grad.by(rc.contract.Prox(gamma), x)


proximal_point = rc.theorem(
    prox,
    measure=rc.measures.gap().last(),
    bound=R**2 / (4 * gamma * n),
    assuming=[CONVEX],
    title="The proximal point method",
    steps="x_{t+1} minimises f(x) + ||x - x_t||^2/(2 gamma)",
    blind="A slope that ends at a wall attains it; the worst quadratic has 1/2 of it at n = 1, and 1/e later on.",
    **pepit(
        "unconstrained_convex_minimization/proximal_point",
        unit=R**2,
        numbers=lambda at: {"L": 10 / at["gamma"], "spread": FLATTEST, "x_off": 1.0},
        gamma=(3.0, 1.0, 0.2),
        n=(4, 1, 9),
    ),
)
