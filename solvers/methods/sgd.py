"""SGD on one level and, with p > 1, local SGD or FedAvg with all devices.

x+ = x - alpha_t g(x)          g: the sampled gradient
every p steps x is averaged over devices
"""

from dataclasses import dataclass

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True, kw_only=True)
class SGD(AveragingMethod):
    """Stochastic gradient descent on one level; devices average every p steps."""

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step along a sampled gradient."""
        g = oracle.sample(Gradient(), t)
        return State(x=s.x - self.step_size(t) * g(s.x))
