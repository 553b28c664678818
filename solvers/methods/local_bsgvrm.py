"""LocalBSGVRM (Algorithm 2): variance-reduced momentum on both levels.

    u_t = (1 - alpha eta_{t-1}^2) (u_{t-1} - h_t(x_{t-1}, y_{t-1})) + h_t(x_t, y_t)
    v_t = (1 - beta eta_{t-1}^2) (v_{t-1} - g_t(x_{t-1}, y_{t-1})) + g_t(x_t, y_t)

with u_0 = h_0 and v_0 = g_0 from a batch of B. h_t, the stochastic hypergradient, and g_t, the sampled
grad_y g, are one sample each, evaluated at two points: that is what reduces the variance. The steps along u
and v and the averages over devices are in local_method.py.

After an average the previous point (x_{t-1}, y_{t-1}) can be the device's own (`previous="local"`, as
printed) or its average (`"averaged"`, two more vectors sent). With `momenta="fresh"` the difference is taken
before the average, so `previous` plays no part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ratecert.base.validation import require_choice, require_whole
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State, Vector
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.local_method import LocalMethod


@dataclass(frozen=True, kw_only=True)
class LocalBSGVRM(LocalMethod):
    """Both levels move along variance-reduced momenta: one sample at two points; devices average every p steps."""

    B: int = 1  # batch of the first iteration
    previous: Literal["local", "averaged"] = "local"

    weight_power = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole("B", self.B, least=1)
        require_choice("previous", self.previous, ("local", "averaged"))

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
