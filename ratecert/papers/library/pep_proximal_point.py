"""The proximal point method as PEPit 0.5.1 documents it (unconstrained_convex_minimization/proximal_point).

x_+ = argmin f(x) + ||x - x_t||^2/(2 gamma), for f that is convex, and need not be smooth.
"""

from dataclasses import dataclass
from typing import Any

import ratecert as rc
from ratecert.papers.pep.page import letters, paper, run, theorem

s = rc.statements
n, gamma, R = s.letters("n gamma R")

CONVEX = s.Assumption(
    id="convex",
    title="Convex",
    source="first lines of the docstring",
    sentence="f is closed, proper and convex.",
    constants={},
)
PROXIMAL_POINT = theorem(
    "proximal-point",
    "The proximal point method",
    "unconstrained_convex_minimization/proximal_point",
    r"f(x_n)-f_\star",
    "f",
    R**2 / (4 * gamma * n),
    assumptions=(CONVEX.id,),
)
PRINTED = paper(
    "pep-proximal-point",
    "the proximal point method",
    letters("n gamma R"),
    CONVEX,
    PROXIMAL_POINT,
    steps={"proximal-point": "x_{t+1} minimises f(x) + ||x - x_t||^2/(2 gamma)"},
)


@dataclass(frozen=True, kw_only=True)
class ProximalPoint(rc.contract.Method):
    """x <- prox of gamma f at x."""

    gamma: float

    levels = 1

    @property
    def stages(self) -> tuple[Any, ...]:
        return (rc.contract.Stage(self.step, repeats=1, averaged=("x",)),)

    def step(self, t: int, state: Any, oracle: Any) -> Any:
        """One proximal step."""
        return rc.contract.State(x=oracle.sample(rc.contract.Prox(self.gamma), t)(state.x))

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.gamma


RUNS = {
    "proximal-point": run(
        *(ProximalPoint, {"gamma": gamma}, rc.measures.gap().last(), {"R": "distance"}),
        blind="A slope that ends at a wall attains it; the worst quadratic has 1/2 of it at n = 1, and 1/e later on.",
    )
}
