"""MRBO (Yang, Ji and Liang, 2021): STORM on both levels with the full Neumann sum, on one machine.

    x+ = x - gamma eta_t u        u+ = h(x+, y+) + (1 - c_u eta_t^2)(u - h(x, y))        h: the full sum (E2)
    y+ = y - lam eta_t v          v+ = g(x+, y+) + (1 - c_v eta_t^2)(v - g(x, y))        g: the sampled grad_y g

with eta_t = d/(m + t)^{1/3}, CubeRoot(scale=d, offset=m).
"""

from dataclasses import dataclass

from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.methods.storm_method import Move, StormMethod


@dataclass(frozen=True, kw_only=True)
class MRBO(StormMethod):
    """Recursive momentum (STORM) on both levels, the full Neumann sum, on one machine (Yang, Ji and Liang, 2021)."""

    gamma: float
    lam: float
    c_u: float
    c_v: float
    theta: float
    Q: int

    one_machine = True

    @property
    def moves(self) -> tuple[Move, ...]:
        h = StochasticNeumann(theta=self.theta, Q=self.Q)
        return Move("x", "u", self.gamma, self.c_u, h), Move("y", "v", self.lam, self.c_v, LowerGradient())
