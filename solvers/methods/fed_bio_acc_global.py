"""FedBiOAcc, the successor with a global lower level (2023): reconstructed.

    x_k+ = x_k - lam eta_t nu_k          nu_k follows grad_x f - grad_xy g_k r_k        all three momenta by STORM,
    y_k+ = y_k - gamma eta_t w_k         w_k follows grad_y g_k                         with weights c_nu, c_w, c_q
    r_k+ = r_k - tau eta_t q_k           q_k follows grad_yy g_k r_k - grad_y f
    every p steps x, y, r and their momenta are averaged over devices

The auxiliary variable r (E3) takes the place of the Neumann sum. With p = 1 all devices share it, so at rest the
mean over devices of grad_yy g_k r equals grad_y f: the inverse is that of the mean Hessian, and so is the limit.
"""

from dataclasses import dataclass

from ratecert.solvers.contract.stage import State
from ratecert.solvers.estimators.auxiliary import AuxiliaryGradient, HypergradientThrough
from ratecert.solvers.estimators.hypergradient import LowerGradient
from ratecert.solvers.methods.storm_method import FederatedStormMethod, Move


@dataclass(frozen=True, kw_only=True)
class FedBiOAccGlobal(FederatedStormMethod):
    """Recursive momentum (STORM) on x, y and the linear system, with one lower level for all devices; reconstructed."""

    lam: float
    gamma: float
    tau: float
    c_nu: float
    c_w: float
    c_q: float

    reconstructed = True
    averaged = ("x", "y", "r", "nu", "w", "q")

    @property
    def moves(self) -> tuple[Move, ...]:
        here = ("x", "y", "r")
        return (
            Move("x", "nu", self.lam, self.c_nu, HypergradientThrough(), here),
            Move("y", "w", self.gamma, self.c_w, LowerGradient()),
            Move("r", "q", self.tau, self.c_q, AuxiliaryGradient(), here),
        )

    def begin(self, s: State) -> State:
        """r_0 = 0."""
        return s.but(r=0.0 * s.y)
