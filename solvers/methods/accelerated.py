"""Accelerated methods on one level, whose coefficients change from step to step; an average over devices every p steps.

theta_0 = 1, theta_{t+1} = (1 + sqrt(1 + 4 theta_t^2))/2 are those of Nesterov (1983). g is the sampled gradient; the
bounds are those of exact gradients and alpha = 1/L.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from ratecert.base.errors import UserError
from ratecert.base.exact import double, root
from ratecert.base.validation import shown
from ratecert.solvers.contract.schedule import Power, Recursive, Schedule, accelerated
from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.base import OneLevel


@dataclass(frozen=True)
class Momentum(Recursive):
    """(theta_t - 1)/theta_{t+1}.

    >>> Momentum()(0)
    0.0
    """

    def after(self, theta: float) -> float:
        return accelerated(theta)

    def value(self, theta: float, following: float) -> float:
        return (theta - 1) / following


@dataclass(frozen=True, kw_only=True)
class FISTA(OneLevel):
    """The accelerated gradient method for convex F (Beck and Teboulle 2009), without a proximal term.

    x+ = y - alpha_t g(y)
    y+ = x+ + (theta_t - 1)/theta_{t+1} (x+ - x)
    every p steps x and y are averaged over devices

    F(x_N) - F* <= L ||x_0 - x*||^2/(2 theta_{N-1}^2). The paper's t_k is theta_{k-1}.
    """

    p: int = 1
    beta: Schedule = field(init=False, repr=False, default_factory=Momentum)

    averaged = ("x", "y")

    def start(self, s: State, oracle: Oracle) -> State:
        """Both points are the first one."""
        return State(x=s.x, y=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """A gradient step from y, then the next y beyond it."""
        x = s.y - self.step_size(t) * oracle.sample(Gradient(), t)(s.y)
        return State(x=x, y=x + self.beta(t) * (x - s.x))


@dataclass(frozen=True)
class Optimized(Recursive):
    """(theta_t - less)/theta_{t+1} of N iterations, then again."""

    N: int
    less: int

    def __call__(self, t: float) -> float:
        i = t % self.N
        theta = self.state(i)
        return self.value(theta, self.last if i == self.N - 1 else self.state(i + 1))

    @property
    def last(self) -> float:
        """theta_N."""
        return (1 + math.sqrt(1 + 8 * self.state(self.N - 1) ** 2)) / 2

    def after(self, theta: float) -> float:
        return accelerated(theta)

    def value(self, theta: float, following: float) -> float:
        return (theta - self.less) / following


@dataclass(frozen=True, kw_only=True)
class OGM(OneLevel):
    """The optimized gradient method for convex F (Drori and Teboulle 2014, Kim and Fessler 2016), for N iterations.

    y+ = x - alpha_t g(x)
    x+ = y+ + (theta_t - 1)/theta_{t+1} (y+ - y) + theta_t/theta_{t+1} (y+ - x)
    every p steps x and y are averaged over devices

    but theta_N = (1 + sqrt(1 + 8 theta_{N-1}^2))/2. F(x_N) - F* <= L ||x_0 - x*||^2/(2 theta_N^2). After N iterations
    it begins anew from x_N: as theta_0 = 1, the y of before plays no part.
    """

    p: int = 1
    N: int  # iterations, of which the last one differs

    beta: Schedule = field(init=False, repr=False)  # of y+ - y
    gamma: Schedule = field(init=False, repr=False)  # of y+ - x

    averaged = ("x", "y")
    unrolled: ClassVar[tuple[str, ...]] = ()  # a step knows how many there are, and does one

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "beta", Optimized(self.N, less=1))
        object.__setattr__(self, "gamma", Optimized(self.N, less=0))

    def start(self, s: State, oracle: Oracle) -> State:
        """Both points are the first one."""
        return State(x=s.x, y=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """A gradient step to y, then x beyond it in two directions."""
        y = s.x - self.step_size(t) * oracle.sample(Gradient(), t)(s.x)
        return State(x=y + self.beta(t) * (y - s.y) + self.gamma(t) * (y - s.x), y=y)


@dataclass(frozen=True)
class Exact(Recursive):
    """What ITEM's two coefficients share: q, and a_t = 1/A_t as the state, as A_t grows beyond all doubles."""

    q: float

    first: ClassVar[float] = math.inf

    def after(self, theta: float) -> Any:
        q, a = double(self.q), theta
        return (1 - q) ** 2 / 4 if a == math.inf else a * self.shrinking(a)

    def shrinking(self, a: float) -> Any:
        """A_t/A_{t+1}."""
        q = double(self.q)
        return (1 - q) ** 2 / (1 + q + 2 * (a + root((1 + a) * (q + a))))


@dataclass(frozen=True)
class ExactBeta(Exact):
    """beta_t."""

    def value(self, theta: float, following: float) -> Any:
        return self.shrinking(theta) / (1 - double(self.q))


@dataclass(frozen=True)
class ExactDelta(Exact):
    """delta_t."""

    def value(self, theta: float, following: float) -> Any:
        q, a = double(self.q), theta
        return 2 / (1 + q) if a == math.inf else (a + root((1 + a) * (q + a))) / ((1 + q) * a + q)

    @property
    def largest(self) -> float:
        """Where it tends to."""
        return 1 / math.sqrt(float(self.q))


@dataclass(frozen=True, kw_only=True)
class ITEM(OneLevel):
    """The information-theoretic exact method (Taylor and Drori 2022), for strongly convex F with q = mu/L.

    y  = (1 - beta_t) z + beta_t x
    x+ = y - alpha_t g(y)
    z+ = (1 - q delta_t) z + q delta_t y - delta_t alpha_t g(y)          z is what it returns
    every p steps x and z are averaged over devices

    A_0 = 0, A_{t+1} = ((1 + q) A_t + 2 (1 + sqrt((1 + A_t)(1 + q A_t))))/(1 - q)^2
    beta_t  = A_t/((1 - q) A_{t+1})
    delta_t = (1 + sqrt((1 + A_t)(1 + q A_t)))/(1 + q + q A_t)

    ||z_N - x*||^2 <= ||z_0 - x*||^2/(1 + q A_N).
    """

    p: int = 1
    q: float  # mu/L

    beta: Schedule = field(init=False, repr=False)
    delta: Schedule = field(init=False, repr=False)

    averaged = ("x", "z")

    def __post_init__(self) -> None:
        super().__post_init__()
        if float(self.q) >= 1:
            raise UserError(f"q = mu/L must lie in (0, 1), got {shown(self.q)}; make q smaller.")
        object.__setattr__(self, "beta", ExactBeta(self.q))
        object.__setattr__(self, "delta", ExactDelta(self.q))

    def start(self, s: State, oracle: Oracle) -> State:
        """Both points are the first one."""
        return State(x=s.x, z=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """The gradient at a point between x and z moves both."""
        y = s.z + self.beta(t) * (s.x - s.z)
        g = self.step_size(t) * oracle.sample(Gradient(), t)(y)
        return State(x=y - g, z=s.z + self.delta(t) * (self.q * (y - s.z) - g))


LESS_AND_LESS = Power(scale=1.0, offset=2.0, exponent=1.0)


@dataclass(frozen=True, kw_only=True)
class Halpern(OneLevel):
    """Halpern's iteration (1967) towards a fixed point: every step is drawn back to where the method started.

    x+ = beta_t x_0 + (1 - beta_t) T(x)          beta_t = 1/(t + 2),   T(x) = x - alpha_t g(x)
    every p steps x is averaged over devices

    On rc.worlds.LinearMap, whose gradient is x - T(x), alpha = 1 makes T the map itself; where it is nonexpansive
    ||x_N - T(x_N)||^2 <= (2/(N + 1))^2 ||x_0 - x*||^2 (Lieder 2021).
    """

    alpha: Schedule | float = 1.0
    p: int = 1
    beta: Schedule | float = LESS_AND_LESS  # weight of the start

    averaged = ("x", "anchor")

    def start(self, s: State, oracle: Oracle) -> State:
        """Keep the first point."""
        return State(x=s.x, anchor=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One application of T, drawn back to the start."""
        moved = s.x - self.step_size(t) * oracle.sample(Gradient(), t)(s.x)
        beta = cast(Schedule, self.beta)(t)
        return State(x=moved + beta * (s.anchor - moved), anchor=s.anchor)
