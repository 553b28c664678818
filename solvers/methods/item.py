"""The information-theoretic exact method (Taylor and Drori 2022), for strongly convex F with q = mu/L.

y  = (1 - beta_t) z + beta_t x
x+ = y - alpha_t g(y)
z+ = (1 - q delta_t) z + q delta_t y - delta_t alpha_t g(y)          z is what it returns
every p steps x and z are averaged over devices

A_0 = 0, A_{t+1} = ((1 + q) A_t + 2 (1 + sqrt((1 + A_t)(1 + q A_t))))/(1 - q)^2
beta_t  = A_t/((1 - q) A_{t+1})
delta_t = (1 + sqrt((1 + A_t)(1 + q A_t)))/(1 + q + q A_t)

With alpha = 1/L and exact gradients ||z_N - x*||^2 <= ||z_0 - x*||^2/(1 + q A_N). As A_t grows beyond all doubles, the
recursion here is that of a_t = 1/A_t.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ratecert.base.errors import UserError
from ratecert.base.exact import double, root
from ratecert.base.validation import shown
from ratecert.solvers.contract.recursion import Recursive
from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.one_level import AveragingMethod


@dataclass(frozen=True)
class Exact(Recursive):
    """What its two coefficients share: q, and a_t = 1/A_t as the state."""

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
class ITEM(AveragingMethod):
    """The information-theoretic exact method; devices average every p steps."""

    q: float  # mu/L

    beta: Schedule = field(init=False, repr=False)
    delta: Schedule = field(init=False, repr=False)

    averaged: ClassVar[tuple[str, ...]] = ("x", "z")

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
