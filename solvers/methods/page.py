"""PAGE (Li, Bao, Zhang, Richtarik 2021): a gradient estimate that is now and then the full gradient.

x+ = x - alpha_t g
g+ = grad F(x+)                  with probability p, one draw for all devices
g+ = g + h(x+) - h(x)            else; h: the mean of b sampled gradients, the same samples at both points

x and g are averaged over devices in every iteration. At the start g = grad F(x).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ratecert.base.validation import require_fraction
from ratecert.solvers.contract.draws import Switch, switch
from ratecert.solvers.contract.stage import Estimator, Oracle, Sampled, Stage, State
from ratecert.solvers.estimators.gradient import FullGradient, Gradient
from ratecert.solvers.methods.one_level import OneLevelMethod


@dataclass(frozen=True, kw_only=True)
class PAGE(OneLevelMethod):
    """Gradient differences, with a full gradient at random times; devices average every step."""

    p: float  # probability of a full gradient
    b: int = 1  # batch of a difference

    averaged: ClassVar[tuple[str, ...]] = ("x", "g")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_fraction("p", self.p, "it is a probability")

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        full = Stage(self.full, repeats=1, averaged=self.averaged)
        corrected = Stage(self.corrected, repeats=1, averaged=self.averaged)
        return (switch((self.p, [full]), (1 - self.p, [corrected])),)

    def start(self, s: State, oracle: Oracle) -> State:
        """The full gradient."""
        return State(x=s.x, g=oracle.sample(FullGradient(), 0)(s.x))

    def full(self, t: int, s: State, oracle: Oracle) -> State:
        """One step, and the full gradient at the new point."""
        x = s.x - self.step_size(t) * s.g
        return State(x=x, g=oracle.sample(FullGradient(), t)(x))

    def corrected(self, t: int, s: State, oracle: Oracle) -> State:
        """One step, and the difference that a batch of samples sees."""
        x = s.x - self.step_size(t) * s.g
        h = oracle.sample(Gradient(), t, batch=self.b)
        return State(x=x, g=s.g + h(x) - h(s.x))

    def to_coordinates(self, s: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The estimate through its error g - grad F(x), which is often zero."""
        return State(x=s.x, g=s.g - mean(FullGradient())(s.x))

    def from_coordinates(self, c: State, mean: Callable[[Estimator], Sampled]) -> State:
        """The inverse of to_coordinates."""
        return State(x=c.x, g=c.g + mean(FullGradient())(c.x))
