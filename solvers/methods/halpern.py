"""Halpern's iteration (1967): every step is drawn back to where the method started.

x+ = beta_t x_0 + (1 - beta_t) T(x)          beta_t = 1/(t + 2),   T(x) = x - alpha_t g(x)
every p steps x is averaged over devices

On rc.worlds.LinearMap, whose gradient is x - T(x), alpha = 1 makes T the map itself; where it is nonexpansive
||x_N - T(x_N)||^2 <= (2/(N + 1))^2 ||x_0 - x*||^2 (Lieder 2021).
"""

from dataclasses import dataclass
from typing import ClassVar, cast

from ratecert.solvers.contract.schedule import Power, Schedule
from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod

LESS_AND_LESS = Power(scale=1.0, offset=2.0, exponent=1.0)


@dataclass(frozen=True, kw_only=True)
class Halpern(AveragingMethod):
    """Halpern's iteration towards a fixed point; devices average every p steps."""

    alpha: Schedule | float = 1.0
    beta: Schedule | float = LESS_AND_LESS  # weight of the start

    averaged: ClassVar[tuple[str, ...]] = ("x", "anchor")

    def start(self, s: State, oracle: Oracle) -> State:
        """Keep the first point."""
        return State(x=s.x, anchor=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One application of T, drawn back to the start."""
        moved = s.x - self.step_size(t) * oracle.sample(Gradient(), t)(s.x)
        beta = cast(Schedule, self.beta)(t)
        return State(x=moved + beta * (s.anchor - moved), anchor=s.anchor)
