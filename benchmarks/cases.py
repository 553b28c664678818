"""What is run: one family of worlds, both algorithms, and the points (d, Q) of the throughput table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers import LocalBSGM, LocalBSGVRM, Schedule
from ratecert.synthetic import Quadratic, random_quadratic

ALGORITHMS: dict[str, Any] = {"LocalBSGM": LocalBSGM, "LocalBSGVRM": LocalBSGVRM}
POINTS = tuple((d, Q) for d in (2, 10, 50) for Q in (5, 20))
WEIGHTS = {"LocalBSGM": 10.0, "LocalBSGVRM": 50.0}  # alpha = beta


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run. `device_iterations` is the unit of work."""

    algorithm: str
    d: int
    Q: int
    K: int = 8
    p: int = 4
    T: int
    replicates: int = 1024
    eta: Schedule | float = 0.01

    @property
    def world(self) -> Quadratic:
        """All four kinds of noise, d_x = d_y = d."""
        return random_quadratic(
            d_x=self.d, d_y=self.d, mu=1.0, L_1=4.0, sigma_H=0.2, sigma_J=0.2, s_f=0.1, s_g=0.1, seed=0
        )

    @property
    def solver(self) -> LocalBSGM | LocalBSGVRM:
        weight, kind = WEIGHTS[self.algorithm], ALGORITHMS[self.algorithm]
        hyperparameters = {"rho_1": 0.05, "rho_2": 0.5, "theta": 0.2}
        solver: LocalBSGM | LocalBSGVRM = kind(
            eta=self.eta, alpha=weight, beta=weight, p=self.p, Q=self.Q, **hyperparameters
        )
        return solver

    @property
    def start(self) -> NDArray[np.float64]:
        """x_0 and y_0."""
        return np.ones(self.d)

    @property
    def device_iterations(self) -> int:
        return self.K * self.T * self.replicates
