"""Heavy ball: a step along a sum of past gradients that fades.

m+ = beta m + g(x)
x+ = x - alpha_t m+
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True, kw_only=True)
class HeavyBall(AveragingMethod):
    """Stochastic gradient descent with Polyak's momentum; devices average x and m every p steps."""

    beta: float  # what is left of the momentum after a step

    averaged: ClassVar[tuple[str, ...]] = ("x", "m")
    fractions: ClassVar[tuple[str, ...]] = ("beta",)

    def start(self, s: State, oracle: Oracle) -> State:
        """At rest: m = 0."""
        return State(x=s.x, m=0 * s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step along the new momentum."""
        m = self.beta * s.m + oracle.sample(Gradient(), t)(s.x)
        return State(x=s.x - self.step_size(t) * m, m=m)
