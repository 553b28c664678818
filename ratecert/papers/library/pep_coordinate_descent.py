"""Randomised coordinate descent as PEPit 0.5.1 documents it: what is left after one step.

The source is randomized_coordinate_descent_smooth_strongly_convex of stochastic_and_randomized_convex_minimization. Its
example has gamma = 2/(L + mu), outside its docstring's gamma <= 1/L.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from sympy import Max

import ratecert as rc
from ratecert.papers.pep.page import SMOOTH, letters, paper, run, theorem

s = rc.statements
gamma, L, mu, R, d = s.letters("gamma L mu R d")

NOTATION = letters("n gamma L mu R", s.Symbol("d", "d", "number of blocks", units="1", least=1))
COORDINATES = theorem(
    *("coordinate-descent", "Randomised coordinate descent, one step"),
    "stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_strongly_convex",
    *(r"\mathbb{E}\|x_{t+1}-x_\star\|^2", "x^2"),
    Max(((gamma * mu - 1) ** 2 + d - 1) / d, ((gamma * L - 1) ** 2 + d - 1) / d) * R**2,
    conditions={"gamma": s.Condition(gamma, "<=", (1 / L,))},
)
PRINTED = paper(
    "pep-coordinate-descent",
    "coordinate descent",
    NOTATION,
    SMOOTH,
    COORDINATES,
    steps={
        "coordinate-descent": "x_{t+1} = x_t - gamma (grad f(x_t))_i e_i, with i drawn from d coordinates"
    },
)


@dataclass(frozen=True)
class Coordinate:
    """Coordinate i of the gradient."""

    i: int

    @property
    def label(self) -> str:
        """Each is an estimator of its own."""
        return f"coordinate {self.i}"

    def sample(self, problem: rc.worlds.SingleLevel, bits: Any) -> None:
        """Draw nothing."""

    def evaluate(self, problem: rc.worlds.SingleLevel, sample: Any, *point: Any) -> Any:
        """All others are zero."""
        return np.diag(np.arange(problem.d_x) == self.i).astype(float) @ problem.full_gradient(*point)


@dataclass(frozen=True, kw_only=True)
class CoordinateDescent(rc.contract.Method):
    """A step along one of d coordinates, all equally likely."""

    gamma: float
    d: int

    levels = 1

    @property
    def stages(self) -> tuple[Any, ...]:
        steps = ((Fraction(1, self.d), partial(self.step, i)) for i in range(self.d))
        return (
            rc.contract.Stage(rc.contract.Choice(*steps, label="coordinate"), repeats=1, averaged=("x",)),
        )

    def start(self, state: Any, oracle: Any) -> Any:
        """The first point."""
        return rc.contract.State(x=state.x)

    def step(self, i: int, t: int, state: Any, oracle: Any) -> Any:
        """One step along coordinate i."""
        return rc.contract.State(x=state.x - self.gamma * oracle.sample(Coordinate(i), t)(state.x))

    def step_size(self, t: int) -> float:
        """For messages."""
        return self.gamma


RUNS = {
    "coordinate-descent": run(
        *(CoordinateDescent, {"gamma": gamma, "d": d}, rc.measures.distance().last()),
        {"L": "L", "mu": "mu", "R": "distance", "d": lambda setting: setting.world.d_x},
        most_iterations=1,
    ),
}
