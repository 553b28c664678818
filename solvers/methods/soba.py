"""SOBA (Dagreou, Ablin, Vaiter and Moreau, 2022): z, v and x move together, each along one sample, on one machine.

    z+ = z - rho_t D_z          D_z = grad_1 G(z, x)                             z is y here, G is g and F is f
    v+ = v - rho_t D_v          D_v = grad_11 G(z, x) v + grad_1 F(z, x)         v_0 = 0
    x+ = x - gamma_t D_x        D_x = grad_21 G(z, x) v + grad_2 F(z, x)

All three directions are taken at (z, v, x), each with samples of its own; the paper has one sample of G and one of F
for all three. Where x is fixed v goes to v* = -[grad_11 G]^{-1} grad_1 F, so v is minus the r of (E3), and no series is
cut. Theorem 1 has rho of order T^{-2/5} and gamma of order T^{-3/5}.
"""

from dataclasses import dataclass
from typing import cast

from ratecert.solvers.contract.schedule import Schedule
from ratecert.solvers.contract.stage import Oracle, Stage, State
from ratecert.solvers.estimators.auxiliary import AuxiliaryGradient, HypergradientThrough
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.method import Method


@dataclass(frozen=True, kw_only=True)
class SOBA(Method):
    """Both levels and the linear system move together, on one machine (Dagreou, Ablin, Vaiter and Moreau, 2022)."""

    rho: Schedule | float
    gamma: Schedule | float

    one_machine = True
    step_letter = "gamma"

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage(self.step, repeats=1, averaged=()),)

    def start(self, s: State, oracle: Oracle) -> State:
        """v_0 = 0."""
        return s.but(v=0.0 * s.y)

    def step(self, t: int, s: State, oracle: Oracle) -> State:
        """One step of y and v of size rho_t and one of x of size gamma_t, all from the old point."""
        rho, gamma, r = cast(Schedule, self.rho)(t), self.step_size(t), -1.0 * s.v
        D_y = oracle.sample(LowerGradient(), t)(s.x, s.y)
        minus_D_v = oracle.sample(AuxiliaryGradient(), t)(s.x, s.y, r)
        D_x = oracle.sample(HypergradientThrough(), t)(s.x, s.y, r)
        return State(x=s.x - gamma * D_x, y=s.y - rho * D_y, v=s.v + rho * minus_D_v)

    def step_size(self, t: int) -> float:
        return cast(Schedule, self.gamma)(t)
