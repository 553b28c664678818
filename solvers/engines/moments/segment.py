"""Many local steps at once: the map of m steps and the sums of the measures on the way, doubled at will.

Inside a round, with across = E[w_k w_l'] (k != l) and within as in device_moments.py, all packed into vectors,

    across <- across + P across          P: X -> M^m X M^m' - X, known through D with I + D = M^m
    within <- within + N across + R within

and the measures summed over the m steps are rows on (across, within). One step has N = Inj and R = P + Inj.
Two segments in a row make a segment; increments are composed as such, a + b + ba, never as (1 + a)(1 + b) - 1.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from ratecert.base.arrays import finite, like
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.measures import MeasureMap
from ratecert.solvers.engines.moments.packing import Packing
from ratecert.solvers.engines.moments.stacks import Stacks
from ratecert.solvers.engines.moments.step_map import StepMap

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Segment(Stacks):
    packing: Packing
    K: int
    D: Array
    N: Array
    R: Array
    rows_across: Array
    rows_within: Array

    parts: ClassVar = ("D", "N", "R", "rows_across", "rows_within")

    def then(self, later: "Segment") -> "Segment":
        back = self.packing.change_backwards
        return Segment(
            self.packing,
            self.K,
            D=self.D + later.D + later.D @ self.D,
            N=self.N + later.N + back(later.N, self.D) + later.R @ self.N,
            R=self.R + later.R + later.R @ self.R,
            rows_across=self.rows_across
            + later.rows_across
            + back(later.rows_across, self.D)
            + later.rows_within @ self.N,
            rows_within=self.rows_within + later.rows_within + later.rows_within @ self.R,
        )

    @property
    def finite(self) -> bool:
        return finite(self.R) and finite(self.rows_within)

    def settled(self, states: list[DeviceMoments]) -> bool:
        """Never: inside a round the devices drift apart."""
        return False

    def apply(self, moments: DeviceMoments) -> tuple[Array, DeviceMoments]:
        """The summed measures over the segment, and the moments after it."""
        pack, unpack = self.packing.pack, self.packing.unpack
        across, within = pack(moments.mean - moments.within / self.K), pack(moments.within)
        sums = self.rows_across @ across + self.rows_within @ within
        moved = self.D @ unpack(across)
        d_across = moved + moved.T + moved @ self.D.T
        d_within = unpack(self.N @ across + self.R @ within)
        return sums, DeviceMoments(moments.mean + d_across + d_within / self.K, moments.within + d_within)


def one_step(step: StepMap, measures: MeasureMap, packing: Packing, K: int) -> Segment:
    basis = like(packing.basis, step.matrix)
    injection = packing.pack(step.injection(basis)).T
    change = packing.pack(step.mean_change(basis)).T
    on_mean = packing.weights(measures.summed_mean)
    return Segment(
        packing,
        K,
        D=step.matrix,
        N=injection,
        R=change + injection,
        rows_across=on_mean,
        rows_within=on_mean / K + packing.weights(measures.summed_within),
    )
