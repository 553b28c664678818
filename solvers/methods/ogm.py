"""The optimized gradient method (Drori and Teboulle 2014, Kim and Fessler 2016), for N iterations.

y+ = x - alpha_t g(x)
x+ = y+ + (theta_t - 1)/theta_{t+1} (y+ - y) + theta_t/theta_{t+1} (y+ - x)
every p steps x and y are averaged over devices

theta_0 = 1, theta_{t+1} = (1 + sqrt(1 + 4 theta_t^2))/2, but theta_N = (1 + sqrt(1 + 8 theta_{N-1}^2))/2. With
alpha = 1/L and exact gradients F(x_N) - F* <= L ||x_0 - x*||^2/(2 theta_N^2). After N iterations it begins anew from
x_N: as theta_0 = 1, the y of before plays no part.
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from ratecert.solvers.contract.recursion import Recursive, accelerated
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


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
class OGM(AveragingMethod):
    """The optimized gradient method for convex F; devices average every p steps."""

    N: int  # iterations, of which the last one differs

    beta: Schedule = field(init=False, repr=False)  # of y+ - y
    gamma: Schedule = field(init=False, repr=False)  # of y+ - x

    averaged: ClassVar[tuple[str, ...]] = ("x", "y")
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
