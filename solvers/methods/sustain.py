"""SUSTAIN (Khanduri et al., 2021): STORM on both levels with the series cut at random, on one machine.

    x+ = x - gamma eta_t u        u+ = h(x+, y+) + (1 - c_u eta_t^2)(u - h(x, y))        h: cut at random (E1)
    y+ = y - lam eta_t v          v+ = g(x+, y+) + (1 - c_v eta_t^2)(v - g(x, y))        g: the sampled grad_y g

with eta_t = (w + t)^{-1/3}. Both points of a difference share the draw of where to cut the N terms.
"""

from dataclasses import dataclass

from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.methods.storm_method import Move, StormMethod


@dataclass(frozen=True, kw_only=True)
class SUSTAIN(StormMethod):
    """Recursive momentum (STORM) on both levels, the series cut at random, on one machine (Khanduri et al., 2021)."""

    gamma: float
    lam: float
    c_u: float
    c_v: float
    theta: float
    N: int

    one_machine = True

    @property
    def moves(self) -> tuple[Move, ...]:
        h = RandomTruncation(theta=self.theta, N=self.N)
        return Move("x", "u", self.gamma, self.c_u, h), Move("y", "v", self.lam, self.c_v, LowerGradient())
