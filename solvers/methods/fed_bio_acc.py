"""FedBiOAcc (Li, Huang and Huang, 2022, first version, local lower level): reconstructed.

    x_k+ = x_k - lam eta_t nu_k        nu_k+ = h_k(new) + (1 - c_nu eta_t^2)(nu_k - h_k(old))     h: the full sum (E2)
    y_k+ = y_k - gamma eta_t w_k       w_k+ = g_k(new) + (1 - c_w eta_t^2)(w_k - g_k(old))        g: grad_y g_k
    every p steps x and nu are averaged over devices; y and w stay with their device

with eta_t = delta/(u_0 + t)^{1/3}. Each device solves its own lower level: where these differ, the method goes to
the minimiser of the mean of the devices' own Phi_k, which is that of another problem.
"""

from dataclasses import dataclass

from ratecert.solvers.estimators.hypergradient import LowerGradient, StochasticNeumann
from ratecert.solvers.methods.storm_method import FederatedStormMethod, Move


@dataclass(frozen=True, kw_only=True)
class FedBiOAcc(FederatedStormMethod):
    """Recursive momentum (STORM) on both levels, with a lower level of its own on each device; reconstructed."""

    lam: float
    gamma: float
    c_nu: float
    c_w: float
    theta: float
    Q: int

    reconstructed = True
    averaged = ("x", "nu")

    @property
    def moves(self) -> tuple[Move, ...]:
        h = StochasticNeumann(theta=self.theta, Q=self.Q)
        return Move("x", "nu", self.lam, self.c_nu, h), Move("y", "w", self.gamma, self.c_w, LowerGradient())
