"""Nested loops on two levels: the lower level is solved for a while, then the upper one moves.

Of federated methods every mean over devices is a round of communication; the double loops of one machine have none.
theta is the step of a Neumann series, which for FEDNEST is 1/L_1.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.draws import Switch, random_rounds
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State
from ratecert.solvers.estimators.auxiliary import HypergradientThrough, NeumannFactor, UpperGradient
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.methods.base import Method


@dataclass(frozen=True, kw_only=True)
class FedNest(Method):
    """FEDNEST: nested loops whose every mean over devices is a round of communication (Tarzanagh et al., 2022).

    FedInn, T_in times   q = mean of grad_y g_i(x, y)                                                     a round
                         tau local steps  y_i <- y_i - beta/tau [grad_y g_i(x, y_i) - grad_y g_i(x, y) + q]
                         y = mean of y_i                                                                  a round
    FedIHGP              r = N theta mean of grad_y f_i(x, y)                                             a round
                         k times  r <- mean of (I - theta grad_yy g_i) r, k uniform on {0, ..., N-1}      a round each
    FedOut               h = mean of grad_x f_i(x, y) - grad_xy g_i r                                     a round
                         tau local steps  x_i <- x_i - alpha/tau [grad_x f_i(x_i, y) - grad_x f_i(x, y) + h]
                         x = mean of x_i                                                                  a round

    k is one draw for all devices. That makes 2 T_in + 3 + k rounds: at most 2 T_in + N + 2, on average
    2 T_in + (N + 5)/2. All samples are fresh; a bracket has one sample for both points.
    """

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


@dataclass(frozen=True, kw_only=True)
class LFedNest(FedNest):
    """The light variant of FEDNEST: local steps and local products, without correction; reconstructed.

    T_in times    tau local steps  y_i <- y_i - beta/tau grad_y g_i(x, y_i),  then y = mean of y_i           a round
    tau times     r_i = N theta grad_y f_i(x_i, y),  k times  r_i <- (I - theta grad_yy g_i) r_i
                  x_i <- x_i - alpha/tau [grad_x f_i(x_i, y) - grad_xy g_i r_i]
    x = mean of x_i                                                                                          a round

    k is uniform on {0, ..., N-1}, one draw for all devices: T_in + 1 rounds. Where devices differ, each has an inverse
    of its own. The products are FEDNEST's, without their averages.
    """

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


@dataclass(frozen=True, kw_only=True)
class DoubleLoop(Method, ABC):
    """A double loop on one machine: T_in steps of stochastic gradient descent on y, then one step on x.

    y <- y - beta g(x, y)      T_in times, from where y was
    x <- x - alpha h(x, y)     once

    with batches of S samples. Methods differ in the hypergradient estimate h.
    """

    alpha: float
    beta: float
    T_in: int
    theta: float
    S: int = 1

    unrolled: ClassVar[tuple[str, ...]] = ("Q", "N")  # the T_in steps are one stage, however many they are
    one_machine = True
    step_letter = "alpha"

    @property
    @abstractmethod
    def hypergradient(self) -> Estimator:
        """The estimator of the hypergradient, at the y that the inner loop has come to."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return Stage(self.inner, repeats=self.T_in, averaged=()), Stage(self.outer, repeats=1, averaged=())

    def inner(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of y, with x fixed."""
        g = oracle.sample(LowerGradient(), t, batch=self.S)
        return s.but(y=s.y - self.beta * g(s.x, s.y))

    def outer(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x, with y fixed."""
        h = oracle.sample(self.hypergradient, t, batch=self.S)
        return s.but(x=s.x - self.alpha * h(s.x, s.y))


@dataclass(frozen=True, kw_only=True)
class BSA(DoubleLoop):
    """A double loop on one machine, with the Neumann series of N terms cut at random (Ghadimi and Wang, 2018)."""

    N: int

    @property
    def hypergradient(self) -> RandomTruncation:
        return RandomTruncation(theta=self.theta, N=self.N)


@dataclass(frozen=True, kw_only=True)
class StocBiO(DoubleLoop):
    """A double loop on one machine, with the full Neumann sum and batches (Ji, Yang and Liang, 2021); reconstructed.

    The batch is S complete estimates; the published method shares its samples among the factors in another way.
    """

    Q: int

    reconstructed = True

    @property
    def hypergradient(self) -> StochasticNeumann:
        return StochasticNeumann(theta=self.theta, Q=self.Q)
