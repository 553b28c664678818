"""SCAFFOLD: local steps corrected by control variates, all devices in every round (Karimireddy et al. 2020, option II).

y_k <- y_k - eta_l (g_k(y_k) - c_k + c)           p times, from y_k = x
c_k <- c_k - c + (x - y_k)/(p eta_l)
c   <- the mean over devices of c_k
x   <- x + eta_g times the mean over devices of y_k - x
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import ForOneLevel


@dataclass(frozen=True, kw_only=True)
class SCAFFOLD(ForOneLevel):
    """Local SGD with control variates of the devices and of the server; a round is p + 1 iterations."""

    eta_l: float  # step of the devices
    eta_g: float = 1.0  # step of the server
    p: int  # local steps in a round

    step_letter: ClassVar[str] = "eta_l"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (
            Stage(self.step, repeats=self.p, averaged=()),
            Stage(self.report, repeats=1, averaged=("x", "y_k", "c")),
        )

    def start(self, s: State, oracle: Oracle) -> State:
        """Control variates that know nothing."""
        return State(x=s.x, y_k=s.x, c_k=0 * s.x, c=0 * s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One local step."""
        g = oracle.sample(Gradient(), t)
        return s.but(y_k=s.y_k - self.eta_l * (g(s.y_k) - s.c_k + s.c))

    def report(self, t: int, s: State, oracle: Oracle) -> State:
        """What a device has learnt, and what it would have the server do; the average of it is what the server does."""
        c_k = s.c_k - s.c + (1 / (self.p * self.eta_l)) * (s.x - s.y_k)
        x = s.x + self.eta_g * (s.y_k - s.x)
        return State(x=x, y_k=x, c_k=c_k, c=c_k)

    def step_size(self, t: int) -> float:
        return self.eta_l
