"""BSA (Ghadimi and Wang, 2018): a double loop with the series of N terms cut at random (E1)."""

from dataclasses import dataclass

from solvers.double_loop import DoubleLoop
from solvers.random_truncation import RandomTruncation


@dataclass(frozen=True, kw_only=True)
class BSA(DoubleLoop):
    N: int

    @property
    def hypergradient(self) -> RandomTruncation:
        return RandomTruncation(theta=self.theta, N=self.N)
