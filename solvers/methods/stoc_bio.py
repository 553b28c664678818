"""stocBiO (Ji, Yang and Liang, 2021): a double loop with the full Neumann sum (E2) and batches: reconstructed.

The batch is S complete estimates; the published method shares its samples among the factors in another way.
"""

from dataclasses import dataclass

from ratecert.solvers.estimators.hypergradient import StochasticNeumann
from ratecert.solvers.methods.double_loop import DoubleLoop


@dataclass(frozen=True, kw_only=True)
class StocBiO(DoubleLoop):
    """A double loop on one machine, with the full Neumann sum and batches (Ji, Yang and Liang, 2021); reconstructed."""

    Q: int

    reconstructed = True

    @property
    def hypergradient(self) -> StochasticNeumann:
        return StochasticNeumann(theta=self.theta, Q=self.Q)
