"""Local gradient descent: full gradients on every device, an average every p steps (Khaled et al. 2019).

x_k <- x_k - alpha_t grad F_k(x_k)
every p steps x is averaged over devices
"""

from dataclasses import dataclass

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import FullGradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True, kw_only=True)
class LocalGD(AveragingMethod):
    """Gradient descent on every device; devices average every p steps."""

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step along the device's own gradient."""
        return State(x=s.x - self.step_size(t) * oracle.sample(FullGradient(), t)(s.x))
