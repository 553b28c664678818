"""SVRG: sampled gradients corrected by a full one at a snapshot, of which a random iterate becomes the next.

an epoch        x <- x - alpha (g_i(x) - g_i(w) + G)          k times, k uniform on {0, ..., m - 1}
                w <- x,   G <- grad F(w)

g_i is the gradient of one sample i, the same at both points. An epoch is two iterations: the first has the k steps, all
devices with the same k, the second takes the snapshot and averages over devices.
"""

from dataclasses import dataclass
from typing import ClassVar

from ratecert.solvers.contract.draws import Switch, random_rounds
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.gradient import FullGradient, Gradient
from ratecert.solvers.methods.one_level import OneLevelMethod


@dataclass(frozen=True, kw_only=True)
class SVRG(OneLevelMethod):
    """Variance-reduced gradients with a snapshot; devices average with every snapshot."""

    m: int  # the inner steps are fewer than m

    averaged: ClassVar[tuple[str, ...]] = ("x", "w", "G")

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        return (
            random_rounds(Stage(self.step, repeats=1, averaged=()), self.m),
            Stage(self.snapshot, repeats=1, averaged=self.averaged),
        )

    def start(self, s: State, oracle: Oracle) -> State:
        """The first snapshot."""
        return self.snapshot(0, s, oracle)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One inner step."""
        g = oracle.sample(Gradient(), t)
        return State(x=s.x - self.step_size(t) * (g(s.x) - g(s.w) + s.G), w=s.w, G=s.G)

    def snapshot(self, t: int, s: State, oracle: Oracle) -> State:
        """Keep the point and the full gradient there."""
        return State(x=s.x, w=s.x, G=oracle.sample(FullGradient(), t)(s.x))
