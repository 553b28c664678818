"""FedAvg: local SGD in which some of the devices, drawn anew for every round, make the average (Li et al. 2020).

x_k <- x_k - alpha_t g_k(x_k)                    p times on every device
x   <- the mean of x_k over m drawn devices      sent to all

With replacement devices are drawn by their weights, and one may be drawn twice; else they are m different ones. What
the others compute is thrown away, so that they need not compute it; costs are counted for a device that is drawn.
"""

from dataclasses import dataclass

from ratecert.solvers.contract.draws import Drawn
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.methods.sgd import SGD


@dataclass(frozen=True, kw_only=True)
class FedAvg(SGD):
    """Stochastic gradient descent whose average every p steps is over m drawn devices."""

    m: int  # devices that are drawn for a round
    replacement: bool = False  # whether one may be drawn twice

    @property
    def drawn(self) -> Drawn:
        """Which devices an average is over."""
        return Drawn(self.m, self.replacement)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=self.p, averaged=("x",), drawn=self.drawn),)
