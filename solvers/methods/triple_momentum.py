"""The triple momentum method: the gradient is taken at one extrapolated point, the step from another.

x+ = x + beta (x - x_-) - alpha_t g(x + gamma (x - x_-))          x_-: the point before
z  = x + delta (x - x_-)                                          what it returns

With gamma = beta this is Nesterov's method; as gamma tends to 0, the heavy ball.
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True, kw_only=True)
class TripleMomentum(AveragingMethod):
    """The triple momentum method; devices average x, the point before and z every p steps."""

    beta: float  # of the step
    gamma: float  # of the point at which the gradient is taken
    delta: float  # of what it returns

    averaged: ClassVar[tuple[str, ...]] = ("x", "last", "z")
    fractions: ClassVar[tuple[str, ...]] = ("beta",)

    def start(self, s: State, oracle: Oracle) -> State:
        """At rest: the point before is the first one."""
        return State(x=s.x, last=s.x, z=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step from x + beta (x - x_-)."""
        move = s.x - s.last
        g = oracle.sample(Gradient(), t)(s.x + self.gamma * move)
        x = s.x + self.beta * move - self.step_size(t) * g
        return State(x=x, last=s.x, z=x + self.delta * (x - s.x))
