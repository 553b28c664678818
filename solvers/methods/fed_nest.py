"""FEDNEST (Tarzanagh et al., 2022): nested loops whose every mean over devices is a round of communication.

    FedInn, T_in times   q = mean of grad_y g_i(x, y)                                                     a round
                         tau local steps  y_i <- y_i - beta/tau [grad_y g_i(x, y_i) - grad_y g_i(x, y) + q]
                         y = mean of y_i                                                                  a round
    FedIHGP              r = N theta mean of grad_y f_i(x, y)                                             a round
                         k times  r <- mean of (I - theta grad_yy g_i) r, k uniform on {0, ..., N-1}      a round each
    FedOut               h = mean of grad_x f_i(x, y) - grad_xy g_i r                                     a round
                         tau local steps  x_i <- x_i - alpha/tau [grad_x f_i(x_i, y) - grad_x f_i(x, y) + h]
                         x = mean of x_i                                                                  a round

k is one draw for all devices. That makes 2 T_in + 3 + k rounds: at most 2 T_in + N + 2, on average
2 T_in + (N + 5)/2. All samples are fresh; a bracket has one sample for both points. theta = 1/L_1.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ratecert.solvers.contract.draws import Switch, random_rounds
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State
from ratecert.solvers.estimators.auxiliary import HypergradientThrough, NeumannFactor, UpperGradient
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class FedNest(Method):
    """FEDNEST: nested loops whose every mean over devices is a round of communication (Tarzanagh et al., 2022)."""

    alpha: float
    beta: float
    tau: int
    T_in: int
    theta: float
    N: int

    step_letter = "alpha"

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        fed_inn = (
            Stage(self.lower_mean, repeats=1, averaged=("q",)),
            Stage(self.lower_step, repeats=self.tau, averaged=("y",)),
        )
        fed_ihgp = (
            Stage(self.first_product, repeats=1, averaged=("r",)),
            random_rounds(Stage(self.next_product, repeats=1, averaged=("r",)), self.N),
        )
        fed_out = (
            Stage(self.upper_mean, repeats=1, averaged=("h",)),
            Stage(self.upper_step, repeats=self.tau, averaged=("x",)),
        )
        return *(fed_inn * self.T_in), *fed_ihgp, *fed_out

    def start(self, s: State, oracle: Oracle) -> State:
        """x_0 and y_0 are where the local steps begin; everything else is computed before it is used."""
        return s.but(x_0=s.x, y_0=s.y, q=0.0 * s.y, r=0.0 * s.y, h=0.0 * s.x)

    def lower_mean(self, t: int, s: State, oracle: Oracle) -> State:
        """Sample grad_y g at the y that all devices share; its mean over devices is q."""
        g = oracle.sample(LowerGradient(), t)
        return s.but(y_0=s.y, q=g(s.x, s.y))

    def lower_step(self, t: int, s: State, oracle: Oracle) -> State:
        """A local step of y along grad_y g, corrected by q."""
        g = oracle.sample(LowerGradient(), t)
        return s.but(y=s.y - (self.beta / self.tau) * (g(s.x, s.y) - g(s.x, s.y_0) + s.q))

    def first_product(self, t: int, s: State, oracle: Oracle) -> State:
        """Begin the product of the series: N theta grad_y f."""
        grad_y_f = oracle.sample(UpperGradient(of="y"), t)
        return s.but(r=(self.N * self.theta) * grad_y_f(s.x, s.y))

    def next_product(self, t: int, s: State, oracle: Oracle) -> State:
        """Multiply r by one more factor I - theta grad_yy g."""
        factor = oracle.sample(NeumannFactor(self.theta), t)
        return s.but(r=factor(s.x, s.y, s.r))

    def upper_mean(self, t: int, s: State, oracle: Oracle) -> State:
        """Sample the hypergradient through r at the x that all devices share; its mean over devices is h."""
        h = oracle.sample(HypergradientThrough(), t)
        return s.but(x_0=s.x, h=h(s.x, s.y, s.r))

    def upper_step(self, t: int, s: State, oracle: Oracle) -> State:
        """A local step of x along grad_x f, corrected by h."""
        grad_x_f = oracle.sample(UpperGradient(label="xi_x"), t)
        return s.but(x=s.x - (self.alpha / self.tau) * (grad_x_f(s.x, s.y) - grad_x_f(s.x_0, s.y) + s.h))

    def to_coordinates(self, s: State, mean: Callable[[Estimator], Sampled]) -> State:
        """x_0 and y_0 through how far the local steps have moved, which is small beside both."""
        return s.but(x_0=s.x - s.x_0, y_0=s.y - s.y_0)

    def from_coordinates(self, c: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The inverse: the same formula."""
        return self.to_coordinates(c, mean)

    def step_size(self, t: int) -> float:
        return self.alpha
