"""STEM (Khanduri et al., 2021): STORM without a lower level, on many devices; the template of Theorem 3.

    x_k+ = x_k - rho eta_t u_k        u_k+ = grad_x f(x_k+) + (1 - c_u eta_t^2)(u_k - grad_x f(x_k))
    every p steps x and u are averaged over devices

y stays where it starts, so this is for problems whose upper level does not feel the lower one: grad_xy g = 0.
"""

from dataclasses import dataclass

import numpy as np

from ratecert.base.errors import UserError
from ratecert.solvers.contract.problem import Problem, has_devices
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.estimators.auxiliary import UpperGradient
from ratecert.solvers.methods.storm_method import FederatedStormMethod, Move


@dataclass(frozen=True, kw_only=True)
class STEM(FederatedStormMethod):
    """Recursive momentum (STORM) for problems of one level, on many devices (Khanduri et al., 2021)."""

    rho: float
    c_u: float

    averaged = ("x", "u")

    @property
    def moves(self) -> tuple[Move, ...]:
        return (Move("x", "u", self.rho, self.c_u, UpperGradient(label="xi_hat")),)

    def check(self, problem: Problem) -> None:
        for device in problem.devices if has_devices(problem) else (problem,):
            zeta = device.sample_jacobian(Silent())
            x, y = np.zeros((problem.d_x, problem.d_y)), np.zeros((problem.d_y, problem.d_y))
            if np.any(device.jacobian_g(zeta, x, y, np.eye(problem.d_y))):
                raise UserError(
                    "STEM is for a single level: grad_xy g must be zero, so that the upper level does not feel the "
                    "lower one; choose a world with B = 0."
                )
