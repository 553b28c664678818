"""stocBiO (Ji, Yang and Liang, 2021): a double loop with the full Neumann sum (E2) and batches."""

from dataclasses import dataclass

from solvers.double_loop import DoubleLoop
from solvers.hypergradient import StochasticNeumann


@dataclass(frozen=True, kw_only=True)
class StocBiO(DoubleLoop):
    Q: int

    @property
    def hypergradient(self) -> StochasticNeumann:
        return StochasticNeumann(theta=self.theta, Q=self.Q)
