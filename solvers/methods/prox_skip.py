"""ProxSkip, in its federated form Scaffnew: averages are skipped most of the time (Mishchenko et al. 2022).

v_k <- x_k - gamma (g_k(x_k) - h_k)
with probability p, one coin for all devices:
    x   <- prox of (gamma/p) r at the mean over devices of v_k - (gamma/p) h_k
    h_k <- h_k + (p/gamma)(x - v_k)
else:
    x_k <- v_k

The average is the proximal step of the constraint that all devices agree; where the problem has a regulariser r, such
as rc.worlds.Regularised, its own follows. h_k learns the device's gradient at the solution, which lets the devices go
on alone for a long time.
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.draws import Switch, switch
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.gradient import Gradient, ProxOfRegulariser
from ratecert.solvers.methods.one_level import ForOneLevel


@dataclass(frozen=True, kw_only=True)
class ProxSkip(ForOneLevel):
    """Local steps with control variates, and an average with probability p."""

    gamma: float  # step size
    p: float  # probability of an average

    step_letter: ClassVar[str] = "gamma"
    fractions: ClassVar[tuple[str, ...]] = ("p",)

    @property
    def stages(self) -> tuple[Switch, ...]:
        together = (Stage(self.meet, 1, ("x",)), Stage(self.learn, 1, ()))
        return (switch((self.p, together), (1 - self.p, (Stage(self.skip, 1, ()),))),)

    def start(self, s: State, oracle: Oracle) -> State:
        """Control variates that know nothing."""
        return State(x=s.x, h=0 * s.x, v=s.x)

    def moved(self, t: int, s: State, oracle: Oracle) -> State:
        """The local step."""
        g = oracle.sample(Gradient(), t)
        return s.but(v=s.x - self.gamma * (g(s.x) - s.h))

    def skip(self, t: int, s: State, oracle: Oracle) -> State:
        """The step alone."""
        s = self.moved(t, s, oracle)
        return s.but(x=s.v)

    def meet(self, t: int, s: State, oracle: Oracle) -> State:
        """The step, and what is averaged after it."""
        s = self.moved(t, s, oracle)
        return s.but(x=s.v - (self.gamma / self.p) * s.h)

    def learn(self, t: int, s: State, oracle: Oracle) -> State:
        """What the average has taught; v is where x is again."""
        x = oracle.sample(ProxOfRegulariser(self.gamma / self.p), t)(s.x)
        return State(x=x, h=s.h + (self.p / self.gamma) * (x - s.v), v=x)

    def step_size(self, t: int) -> float:
        return self.gamma
