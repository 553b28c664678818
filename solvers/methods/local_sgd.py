"""Local SGD on both levels: no momentum, an average over devices every p steps. The plain method of comparison.

x_k+ = x_k - rho_1 eta_t h_k(x_k, y_k)          h: the full Neumann sum (E2)
y_k+ = y_k - rho_2 eta_t g_k(x_k, y_k)          g: the sampled grad_y g
every p steps x and y are averaged over devices
"""

from dataclasses import dataclass
from typing import cast

from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class LocalSGD(Method):
    """Stochastic gradient descent on both levels, without momentum; devices average every p steps."""

    eta: Schedule | float
    rho_1: float
    rho_2: float
    p: int
    theta: float
    Q: int

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=self.p, averaged=("x", "y")),)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x and y along samples taken where they are."""
        h = oracle.sample(StochasticNeumann(theta=self.theta, Q=self.Q), t)
        g = oracle.sample(LowerGradient(), t)
        eta = self.step_size(t)
        x = s.x - (self.rho_1 * eta) * h(s.x, s.y)
        y = s.y - (self.rho_2 * eta) * g(s.x, s.y)
        return State(x=x, y=y)

    def step_size(self, t: int) -> float:
        return cast(Schedule, self.eta)(t)
