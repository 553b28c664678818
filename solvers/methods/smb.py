"""SMB: momentum on the upper level only, on one machine.

    z+ = (1 - b) z + b h(x, y)        h: the full Neumann sum (E2); z = h at t = 0
    x+ = x - eta z+
    y+ = y - tau eta g(x, y)          g: the sampled grad_y g

LocalBSGM with K = 1, beta eta = 1, alpha eta = b.
"""

from dataclasses import dataclass

from ratecert.base.validation import require_fraction
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class SMB(Method):
    """Momentum on the upper level only, on one machine."""

    eta: float
    tau: float
    b: float
    theta: float
    Q: int

    one_machine = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_fraction("b", self.b, "it is the weight of the new sample")

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=1, averaged=()),)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x along the moving average z, and of y along a sample."""
        h = oracle.sample(StochasticNeumann(theta=self.theta, Q=self.Q), t)
        g = oracle.sample(LowerGradient(), t)
        z = h(s.x, s.y) if t == 0 else (1 - self.b) * s.z + self.b * h(s.x, s.y)
        return State(x=s.x - self.eta * z, y=s.y - (self.tau * self.eta) * g(s.x, s.y), z=z)

    def step_size(self, t: int) -> float:
        return self.eta
