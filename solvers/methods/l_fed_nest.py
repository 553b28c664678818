"""LFedNest, the light variant of FEDNEST: local steps and local products, no correction: reconstructed.

    T_in times    tau local steps  y_i <- y_i - beta/tau grad_y g_i(x, y_i),  then y = mean of y_i           a round
    tau times     r_i = N theta grad_y f_i(x_i, y),  k times  r_i <- (I - theta grad_yy g_i) r_i
                  x_i <- x_i - alpha/tau [grad_x f_i(x_i, y) - grad_xy g_i r_i]
    x = mean of x_i                                                                                          a round

k is uniform on {0, ..., N-1}, one draw for all devices: T_in + 1 rounds. Where devices differ, each has an inverse of
its own. The products are FEDNEST's, without their averages.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ratecert.solvers.contract.draws import Switch, random_rounds
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State
from ratecert.solvers.estimators.auxiliary import HypergradientThrough
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.fed_nest import FedNest


@dataclass(frozen=True, kw_only=True)
class LFedNest(FedNest):
    """The light variant of FEDNEST: local steps and local products, without correction; reconstructed."""

    reconstructed = True

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        lower = Stage(self.lower_step, repeats=self.tau, averaged=("y",))
        upper = (
            Stage(self.first_product, repeats=1, averaged=()),
            random_rounds(Stage(self.next_product, repeats=1, averaged=()), self.N),
            Stage(self.upper_step, repeats=1, averaged=()),
        )
        *local, _ = upper * self.tau
        return *((lower,) * self.T_in), *local, Stage(self.upper_step, repeats=1, averaged=("x",))

    def start(self, s: State, oracle: Oracle) -> State:
        return s.but(r=0.0 * s.y)

    def to_coordinates(self, s: State, mean: Callable[[Estimator], Sampled]) -> State:
        return s

    def lower_step(self, t: int, s: State, oracle: Oracle) -> State:
        g = oracle.sample(LowerGradient(), t)
        return s.but(y=s.y - (self.beta / self.tau) * g(s.x, s.y))

    def upper_step(self, t: int, s: State, oracle: Oracle) -> State:
        h = oracle.sample(HypergradientThrough(), t)
        return s.but(x=s.x - (self.alpha / self.tau) * h(s.x, s.y, s.r))
