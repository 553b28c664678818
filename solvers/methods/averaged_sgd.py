"""SGD with an exponential moving average of its iterates.

x+ = x - alpha_t g(x)
z+ = gamma z + (1 - gamma) x+          z: the average, which no step uses
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True, kw_only=True)
class AveragedSGD(AveragingMethod):
    """Stochastic gradient descent that carries a moving average z of x."""

    gamma: float  # what is left of the average after a step

    averaged: ClassVar[tuple[str, ...]] = ("x", "z")
    fractions: ClassVar[tuple[str, ...]] = ("gamma",)

    def start(self, s: State, oracle: Oracle) -> State:
        """The average of the first point alone."""
        return State(x=s.x, z=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of SGD, and of the average."""
        x = s.x - self.step_size(t) * oracle.sample(Gradient(), t)(s.x)
        return State(x=x, z=self.gamma * s.z + (1 - self.gamma) * x)
