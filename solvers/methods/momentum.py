"""SGD on one level, and with momentum: steps along one sampled gradient, and an average over devices every p steps.

g is the sampled gradient, x_- the point before, alpha_t the step size.
"""

from dataclasses import dataclass

from ratecert.solvers.contract.stage import Oracle, State
from ratecert.solvers.estimators.gradient import Gradient
from ratecert.solvers.methods.base import OneLevel


@dataclass(frozen=True, kw_only=True)
class SGD(OneLevel):
    """Stochastic gradient descent on one level; devices average every p steps: local SGD, or FedAvg with all devices.

    x+ = x - alpha_t g(x)
    """

    p: int = 1  # communication period

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step along a sampled gradient."""
        g = oracle.sample(Gradient(), t)
        return State(x=s.x - self.step_size(t) * g(s.x))


@dataclass(frozen=True, kw_only=True)
class HeavyBall(OneLevel):
    """Polyak's momentum, a sum of past gradients that fades; devices average x and m every p steps.

    m+ = beta m + g(x)
    x+ = x - alpha_t m+
    """

    p: int = 1
    beta: float  # what is left of the momentum after a step

    averaged = ("x", "m")
    fractions = ("beta",)

    def start(self, s: State, oracle: Oracle) -> State:
        """At rest: m = 0."""
        return State(x=s.x, m=0 * s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step along the new momentum."""
        m = self.beta * s.m + oracle.sample(Gradient(), t)(s.x)
        return State(x=s.x - self.step_size(t) * m, m=m)


@dataclass(frozen=True, kw_only=True)
class Nesterov(OneLevel):
    """Nesterov's method, whose gradient is taken where the momentum leads; devices average x and x_- every p steps.

    y  = x + beta (x - x_-)
    x+ = y - alpha_t g(y)
    """

    p: int = 1
    beta: float

    averaged = ("x", "last")
    fractions = ("beta",)

    def start(self, s: State, oracle: Oracle) -> State:
        """At rest: the point before is the first one."""
        return State(x=s.x, last=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step from the extrapolated point."""
        y = s.x + self.beta * (s.x - s.last)
        return State(x=y - self.step_size(t) * oracle.sample(Gradient(), t)(y), last=s.x)


@dataclass(frozen=True, kw_only=True)
class TripleMomentum(OneLevel):
    """The triple momentum method: the gradient at one extrapolated point, the step from another.

    x+ = x + beta (x - x_-) - alpha_t g(x + gamma (x - x_-))
    z  = x + delta (x - x_-)                                          what it returns

    With gamma = beta this is Nesterov's method; as gamma tends to 0, the heavy ball.
    """

    p: int = 1
    beta: float  # of the step
    gamma: float  # of the point at which the gradient is taken
    delta: float  # of what it returns

    averaged = ("x", "last", "z")
    fractions = ("beta",)

    def start(self, s: State, oracle: Oracle) -> State:
        """At rest: the point before is the first one."""
        return State(x=s.x, last=s.x, z=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step from x + beta (x - x_-)."""
        move = s.x - s.last
        g = oracle.sample(Gradient(), t)(s.x + self.gamma * move)
        x = s.x + self.beta * move - self.step_size(t) * g
        return State(x=x, last=s.x, z=x + self.delta * (x - s.x))


@dataclass(frozen=True, kw_only=True)
class AveragedSGD(OneLevel):
    """Stochastic gradient descent that carries a moving average z of x, which no step uses.

    x+ = x - alpha_t g(x)
    z+ = gamma z + (1 - gamma) x+
    """

    p: int = 1
    gamma: float  # what is left of the average after a step

    averaged = ("x", "z")
    fractions = ("gamma",)

    def start(self, s: State, oracle: Oracle) -> State:
        """The average of the first point alone."""
        return State(x=s.x, z=s.x)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of SGD, and of the average."""
        x = s.x - self.step_size(t) * oracle.sample(Gradient(), t)(s.x)
        return State(x=x, z=self.gamma * s.z + (1 - self.gamma) * x)
