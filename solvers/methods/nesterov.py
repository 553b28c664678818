"""Nesterov's method: the gradient is taken where the momentum leads.

y  = x + beta (x - x_-)          x_-: the point before
x+ = y - alpha_t g(y)
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True, kw_only=True)
class Nesterov(AveragingMethod):
    """Nesterov's accelerated method; devices average x and the point before every p steps."""

    beta: float

    averaged: ClassVar[tuple[str, ...]] = ("x", "last")
    fractions: ClassVar[tuple[str, ...]] = ("beta",)

    def start(self, s: State, oracle: Oracle) -> State:
        """At rest: the point before is the first one."""
        return State(x=s.x, last=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step from the extrapolated point."""
        y = s.x + self.beta * (s.x - s.last)
        return State(x=y - self.step_size(t) * oracle.sample(Gradient(), t)(y), last=s.x)
