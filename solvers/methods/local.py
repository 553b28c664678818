"""Local methods on two levels: p steps on every device, then an average over devices.

    x_{t+1} = x_t - rho_1 eta_t u_t
    y_{t+1} = y_t - rho_2 eta_t v_t
    if p divides t + 1: x_{t+1}, y_{t+1} and the momenta are replaced by their means over devices

How u_t and v_t come about is what the paper's two algorithms differ in; LocalSGD has samples in their place. h_t is the
stochastic hypergradient, a Neumann sum of step theta with Q Hessian samples (E2), and g_t the sampled grad_y g.

The printed text averages "u_{t+1}, v_{t+1}" at a moment when they do not exist yet. `momenta` says what is
meant: `carry` averages the u_t, v_t that iteration t + 1 will use; `fresh` computes u_{t+1}, v_{t+1} at the
local points first and averages those.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State, Vector
from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.methods.base import Method, require_weights


@dataclass(frozen=True, kw_only=True)
class LocalMethod(Method, ABC):
    eta: Schedule | float  # step size; a number means constant
    alpha: float  # momentum of u
    beta: float  # momentum of v
    rho_1: float  # step of x, in units of eta
    rho_2: float  # step of y, in units of eta
    p: int  # communication period
    theta: float  # step of the Neumann sum
    Q: int  # its number of Hessian samples
    momenta: Literal["carry", "fresh"] = "carry"

    averaged: ClassVar[tuple[str, ...]] = ("x", "y", "u", "v")
    weight_power: ClassVar[int]  # the momentum weights are alpha eta^power and beta eta^power

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self, ("alpha", "beta"), self.weight_power)

    @property
    def hypergradient(self) -> StochasticNeumann:
        """The estimator of the hypergradient: a Neumann sum with Q Hessian samples."""
        return StochasticNeumann(theta=self.theta, Q=self.Q)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """p local steps, then the average: one round."""
        step = self.carry if self.momenta == "carry" else self.fresh
        return (Stage(step, repeats=self.p, averaged=self.averaged),)

    def start(self, s: State, oracle: Oracle) -> State:
        """With `fresh` momenta the state at t = 0 has u_0 and v_0 already."""
        if self.momenta == "carry":
            return s
        u, v = self.momentum(0, s, oracle)
        return State(x=s.x, y=s.y, u=u, v=v)

    @abstractmethod
    def momentum(self, t: int, s: State, oracle: Oracle) -> tuple[Vector, Vector]:
        """u_t and v_t at the point (x_t, y_t) of s."""

    def move(self, t: int, s: State, u: Vector, v: Vector) -> State:
        """Take a step of size rho_1 eta_t along u and of size rho_2 eta_t along v."""
        eta = self.step_size(t)
        return State(x=s.x - (self.rho_1 * eta) * u, y=s.y - (self.rho_2 * eta) * v, u=u, v=v)

    def carry(self, t: int, s: State, oracle: Oracle) -> State:
        """From (x_t, y_t, u_{t-1}, v_{t-1}) to (x_{t+1}, y_{t+1}, u_t, v_t)."""
        return self.move(t, s, *self.momentum(t, s, oracle))

    def fresh(self, t: int, s: State, oracle: Oracle) -> State:
        """From (x_t, y_t, u_t, v_t) to (x_{t+1}, y_{t+1}, u_{t+1}, v_{t+1})."""
        moved = self.move(t, s, s.u, s.v)
        u, v = self.momentum(t + 1, moved, oracle)
        return State(x=moved.x, y=moved.y, u=u, v=v)


@dataclass(frozen=True, kw_only=True)
class LocalBSGM(LocalMethod):
    """Both levels move along moving averages of their sampled gradients; devices average every p steps (Algorithm 1).

    u_t = (1 - alpha eta) u_{t-1} + alpha eta h_t(x_t, y_t)
    v_t = (1 - beta eta) v_{t-1} + beta eta g_t(x_t, y_t)          u_0 = h_0 and v_0 = g_0
    """

    weight_power = 1

    def momentum(self, t: int, s: State, oracle: Oracle) -> tuple[Vector, Vector]:
        h, g = oracle.sample(self.hypergradient, t), oracle.sample(LowerGradient(), t)
        if t == 0:
            return h(s.x, s.y), g(s.x, s.y)
        eta = self.step_size(t)
        u = (1 - self.alpha * eta) * s.u + (self.alpha * eta) * h(s.x, s.y)
        v = (1 - self.beta * eta) * s.v + (self.beta * eta) * g(s.x, s.y)
        return u, v


@dataclass(frozen=True, kw_only=True)
class LocalBSGVRM(LocalMethod):
    """Both levels move along variance-reduced momenta: one sample at two points; devices average every p steps.

    u_t = (1 - alpha eta_{t-1}^2) (u_{t-1} - h_t(x_{t-1}, y_{t-1})) + h_t(x_t, y_t)
    v_t = (1 - beta eta_{t-1}^2) (v_{t-1} - g_t(x_{t-1}, y_{t-1})) + g_t(x_t, y_t)

    with u_0 = h_0 and v_0 = g_0 from a batch of B (Algorithm 2). That h_t and g_t are one sample each, evaluated at two
    points, is what reduces the variance.

    After an average the previous point (x_{t-1}, y_{t-1}) can be the device's own (`previous="local"`, as printed) or
    its average (`"averaged"`, two more vectors sent). With `momenta="fresh"` the difference is taken before the
    average, so `previous` plays no part.
    """

    B: int = 1  # batch of the first iteration
    previous: Literal["local", "averaged"] = "local"

    weight_power = 2

    @property
    def stages(self) -> tuple[Stage, ...]:
        (stage,) = super().stages
        if self.momenta == "fresh" or self.previous == "local":
            return (stage,)
        return (Stage(stage.step, stage.repeats, (*stage.averaged, "x_previous", "y_previous")),)

    def momentum(self, t: int, s: State, oracle: Oracle) -> tuple[Vector, Vector]:
        batch = self.B if t == 0 else 1
        h = oracle.sample(self.hypergradient, t, batch=batch)
        g = oracle.sample(LowerGradient(), t, batch=batch)
        if t == 0:
            return h(s.x, s.y), g(s.x, s.y)
        eta = self.step_size(t - 1)
        u = (1 - self.alpha * eta**2) * (s.u - h(s.x_previous, s.y_previous)) + h(s.x, s.y)
        v = (1 - self.beta * eta**2) * (s.v - g(s.x_previous, s.y_previous)) + g(s.x, s.y)
        return u, v

    def to_coordinates(self, s: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The state through the errors u - E h and v - E g at the point where they were sampled, and the last move.

        The same state, for engines that care about digits: the errors change by alpha eta^2 a step, u by eta.
        """
        h, g = mean(self.hypergradient), mean(LowerGradient())
        if self.momenta == "fresh":
            return State(x=s.x, y=s.y, u=s.u - h(s.x, s.y), v=s.v - g(s.x, s.y))
        u, v = s.u - h(s.x_previous, s.y_previous), s.v - g(s.x_previous, s.y_previous)
        return State(x=s.x, y=s.y, u=u, v=v, x_previous=s.x - s.x_previous, y_previous=s.y - s.y_previous)

    def from_coordinates(self, c: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The inverse of to_coordinates."""
        h, g = mean(self.hypergradient), mean(LowerGradient())
        if self.momenta == "fresh":
            return State(x=c.x, y=c.y, u=c.u + h(c.x, c.y), v=c.v + g(c.x, c.y))
        x, y = c.x - c.x_previous, c.y - c.y_previous
        return State(x=c.x, y=c.y, u=c.u + h(x, y), v=c.v + g(x, y), x_previous=x, y_previous=y)

    def move(self, t: int, s: State, u: Vector, v: Vector) -> State:
        moved = super().move(t, s, u, v)
        return State(**vars(moved), x_previous=s.x, y_previous=s.y)


@dataclass(frozen=True, kw_only=True)
class LocalSGD(Method):
    """Stochastic gradient descent on both levels, without momentum; devices average every p steps.

    x_k+ = x_k - rho_1 eta_t h_k(x_k, y_k)
    y_k+ = y_k - rho_2 eta_t g_k(x_k, y_k)
    every p steps x and y are averaged over devices
    """

    eta: Schedule | float
    rho_1: float
    rho_2: float
    p: int
    theta: float
    Q: int

    averaged = ("x", "y")

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of x and y along samples taken where they are."""
        h = oracle.sample(StochasticNeumann(theta=self.theta, Q=self.Q), t)
        g = oracle.sample(LowerGradient(), t)
        eta = self.step_size(t)
        x = s.x - (self.rho_1 * eta) * h(s.x, s.y)
        y = s.y - (self.rho_2 * eta) * g(s.x, s.y)
        return State(x=x, y=y)
