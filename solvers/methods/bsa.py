"""BSA (Ghadimi and Wang, 2018): a double loop with the series of N terms cut at random (E1)."""

from dataclasses import dataclass

from ratecert.solvers.estimators.random_truncation import RandomTruncation
from ratecert.solvers.methods.double_loop import DoubleLoop


@dataclass(frozen=True, kw_only=True)
class BSA(DoubleLoop):
    """A double loop on one machine, with the Neumann series of N terms cut at random (Ghadimi and Wang, 2018)."""

    N: int

    @property
    def hypergradient(self) -> RandomTruncation:
        return RandomTruncation(theta=self.theta, N=self.N)
