"""SCAFFOLD: local steps corrected by control variates, all devices in every round (Karimireddy et al. 2020, option II).

y_k <- y_k - eta_l (g_k(y_k) - c_k + c)           p times, from y_k = x
c_k <- c_k - c + (x - y_k)/(p eta_l)
c   <- the mean over devices of c_k
x   <- x + eta_g times the mean over devices of y_k - x

The state has d_k = y_k - x in the place of y_k.
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
            Stage(self.report, repeats=1, averaged=("x", "c")),
        )

    def start(self, s: State, oracle: Oracle) -> State:
        """Control variates that know nothing."""
        return State(x=s.x, d_k=0 * s.x, c_k=0 * s.x, c=0 * s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One local step."""
        g = oracle.sample(Gradient(), t)
        return s.but(d_k=s.d_k - self.eta_l * (g(s.x + s.d_k) - s.c_k + s.c))

    def report(self, t: int, s: State, oracle: Oracle) -> State:
        """What a device has learnt, and what it would have the server do; the average of it is what the server does."""
        c_k = s.c_k - s.c - (1 / (self.p * self.eta_l)) * s.d_k
        return State(x=s.x + self.eta_g * s.d_k, d_k=0 * s.x, c_k=c_k, c=c_k)

    def step_size(self, t: int) -> float:
        return self.eta_l
