"""TTSA (Hong, Wai, Wang and Yang, 2020): both levels move together on two time scales, on one machine.

    x+ = x - alpha_t h(x, y)        h: the series of N terms cut at random (E1)
    y+ = y - beta_t g(x, y)         g: the sampled grad_y g

with alpha_t of order t^{-3/5} and beta_t of order t^{-2/5}: Power(scale, offset, exponent=3/5) and 2/5.
"""

from dataclasses import dataclass
from typing import cast

from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class TTSA(Method):
    """Both levels move together on two time scales, on one machine (Hong, Wai, Wang and Yang, 2020)."""

    alpha: Schedule | float
    beta: Schedule | float
    theta: float
    N: int

    one_machine = True
    step_letter = "alpha"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=1, averaged=()),)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x of size alpha_t and one of y of size beta_t."""
        h = oracle.sample(RandomTruncation(theta=self.theta, N=self.N), t)
        g = oracle.sample(LowerGradient(), t)
        x = s.x - cast(Schedule, self.alpha)(t) * h(s.x, s.y)
        y = s.y - cast(Schedule, self.beta)(t) * g(s.x, s.y)
        return State(x=x, y=y)

    def step_size(self, t: int) -> float:
        return cast(Schedule, self.alpha)(t)
