"""Randomised coordinate descent as PEPit 0.5.1 documents it: what is left after one step.

The source is randomized_coordinate_descent_smooth_strongly_convex of stochastic_and_randomized_convex_minimization. Its
example has gamma = 2/(L + mu), outside its docstring's gamma <= 1/L.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Max

import ratecert as rc
from ratecert.papers.pep import SMOOTH, L, R, gamma, mu, n  # noqa: F401  n counts the iterations
from ratecert.papers.pep.table import pepit

PAPER = rc.about("PEPit 0.5.1: coordinate descent", certainty="note", edition="here that of PEPit 0.5.1")
FILE = "stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_strongly_convex"
SETTINGS = {"L": (1.0, 1.0, 2.0), "mu": (0.1, 0.5, 0.2), "gamma": (1.0, 0.5, 0.4), "d": (3, 3, 3)}
d = rc.letter("d", means="number of blocks", units="1", least=1, of=lambda setting: setting.world.d_x)


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of the gradient, all equally likely."""

    label: str = "coordinate"

    def sample(self, problem: rc.worlds.SingleLevel, bits: Any) -> Any:
        """One of them is drawn."""
        return bits.whole(problem.d_x)

    def evaluate(self, problem: rc.worlds.SingleLevel, i: Any, *point: Any) -> Any:
        """All others are zero."""
        g = problem.full_gradient(*point)
        parts = (np.diag(np.arange(problem.d_x) == k).astype(float) @ g for k in range(problem.d_x))
        return sum(((i == k) * part for k, part in enumerate(parts)), start=0 * g)


def random_coordinate(x, grad, *, gamma):
    return x - gamma * grad.by(Coordinate(), x)


coordinate_descent = rc.theorem(
    random_coordinate,
    measure=rc.measures.distance().last(),
    bound=Max(((gamma * mu - 1) ** 2 + d - 1) / d, ((gamma * L - 1) ** 2 + d - 1) / d) * R**2,
    where=[gamma <= 1 / L],
    assuming=[SMOOTH],
    title="Randomised coordinate descent, one step",
    steps="x_{t+1} = x_t - gamma (grad f(x_t))_i e_i, with i drawn from d coordinates",
    **pepit(FILE, unit=R**2, most_iterations=1, **SETTINGS),
)
