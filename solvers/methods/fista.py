"""FISTA without a proximal term: the accelerated gradient method for convex F (Nesterov 1983, Beck and Teboulle 2009).

x+ = y - alpha_t g(y)
y+ = x+ + (theta_t - 1)/theta_{t+1} (x+ - x)          theta_0 = 1, theta_{t+1} = (1 + sqrt(1 + 4 theta_t^2))/2
every p steps x and y are averaged over devices

With alpha = 1/L and exact gradients F(x_N) - F* <= L ||x_0 - x*||^2/(2 theta_{N-1}^2). The paper's t_k is theta_{k-1}.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from ratecert.solvers.contract.recursion import Recursive, accelerated
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


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
class FISTA(AveragingMethod):
    """The accelerated gradient method for convex F; devices average every p steps."""

    beta: Schedule = field(init=False, repr=False, default_factory=Momentum)

    averaged: ClassVar[tuple[str, ...]] = ("x", "y")

    def start(self, s: State, oracle: Oracle) -> State:
        """Both points are the first one."""
        return State(x=s.x, y=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """A gradient step from y, then the next y beyond it."""
        x = s.y - self.step_size(t) * oracle.sample(Gradient(), t)(s.y)
        return State(x=x, y=x + self.beta(t) * (x - s.x))
