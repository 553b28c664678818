"""The rows of Table 1 that are measured: along which corollaries, at which K and eps.

eps is chosen so that p = unit A^r/(K eps^(1/2)) is a whole number on the grid, where A = K T eps^2 or K T eps^(3/2) is
what the search for T finds: then rounding p plays no part. Exponents of K are taken where K is large: the noise of u_0
and v_0, from one sample (in Corollary 6 from a batch that does not shrink with K), adds a part of relative size 1/K.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ratecert.papers.federated_bilevel.evidence.experiment import Experiment, claimed

WORLD: dict[str, Any] = {
    "world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "b": -0.2, "c": 0.3,
    "sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5,
}  # fmt: skip
UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3, "Q": 2.0}

Grids = tuple[Sequence[int], Sequence[int]]  # of the full budget, and of the quick one


@dataclass(frozen=True, kw_only=True)
class TableRow:
    id: str
    method: str  # in the paper's table
    name: str
    orders: tuple[str, str]  # of samples and rounds, for readers
    in_T: str
    in_eps: str
    A: float  # about; where the search begins, and what makes p whole
    r: float  # p = unit A^r/(K eps^(1/2))
    period: int  # p at the most devices and level 0
    large_K: int  # from here on exponents of K are taken
    devices: Grids
    levels: Grids  # of eps, see epsilon
    direct_devices: Sequence[int]
    direct_levels: Grids  # eps = 4^-level
    units: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def along(self, corollary: str) -> Experiment:
        units = {**UNITS, **self.units}
        return Experiment(corollary=corollary, world=WORLD, units=units, theta=0.6, whole_rounds=True)

    def epsilon(self, level: int) -> float:
        """4^-level times the eps at which p is `period` at the most devices."""
        root = self.units.get("p", 1.0) * self.A**self.r / (self.devices[0][-1] * self.period)
        return float(root**2 * 4.0**-level)

    @property
    def decays(self) -> bool:
        """Whether the step decays, which makes a run ten times as long."""
        return "floor" in self.units

    def searched(self, *, quick: bool) -> Iterator[tuple[int, float]]:
        """K and eps of the searches for T; quick ones with decaying steps vary eps at the most devices only."""
        for K in self.devices[quick]:
            one = quick and self.decays and self.devices[quick][-1] > K
            yield from ((K, self.epsilon(level)) for level in self.levels[quick][-1 if one else 0 :])

    def direct(self, *, quick: bool) -> Iterator[tuple[int, float]]:
        """K and eps of the runs along the corollary in eps; quick ones vary eps at the fewest devices only."""
        for K in self.direct_devices:
            one = quick and self.direct_devices[0] < K
            yield from ((K, 4.0**-level) for level in self.direct_levels[quick][-1 if one else 0 :])

    def first(self, K: int, eps: float) -> float:
        """About the T at which the measure is eps."""
        return float(self.A / K * eps ** (1 / claimed(self.in_T, "T")))


ROWS = (
    TableRow(
        id="table-1.LocalBSGM",
        method="LocalBSGM",
        name="LocalBSGM",
        orders=("1/(K eps^2)", "eps^(-3/2)"),
        in_T="corollary-1",
        in_eps="corollary-2",
        A=816.4,
        r=1 / 4,
        period=1,
        large_K=64,
        devices=((1, 64, 256, 1024), (64, 1024)),
        levels=((0, 1, 2, 3, 4, 5), (0, 3, 5)),
        direct_devices=(64, 1024),
        direct_levels=((11, 13, 15), (13, 15)),
        notes=[
            "u_0 and v_0 are single samples; their noise adds to the measure a part of relative size 1/K."
        ],
    ),
    TableRow(
        id="table-1.LocalBSGVRM-constant",
        method="LocalBSGVR-constant",
        name="LocalBSGVRM with a constant step",
        orders=("1/(K eps^(3/2))", "1/eps"),
        in_T="corollary-3",
        in_eps="corollary-4",
        A=244.4,
        r=1 / 3,
        period=256,
        large_K=1,
        devices=((1, 4, 16, 64), (1, 64)),
        levels=((0, 1, 2, 3, 4, 5), (0, 3, 5)),
        direct_devices=(1, 64),
        direct_levels=((14, 16, 18), (16, 18)),
    ),
    TableRow(
        id="table-1.LocalBSGVRM-decaying",
        method="LocalBSGVR-decaying",
        name="LocalBSGVRM with a decaying step",
        orders=("1/(K eps^(3/2))", "1/eps"),
        in_T="corollary-5",
        in_eps="corollary-6",
        A=113.9,
        r=1 / 3,
        period=64,
        large_K=1,
        devices=((1, 4, 16), (1, 16)),
        levels=((0, 2, 4), (-3, -1)),
        direct_devices=(64, 1024),
        direct_levels=((16, 18, 20), (14, 16)),
        units={"p": 1 / 64, "floor": 2.0**16},
        notes=[
            "With the constant 200^3 of Theorem 3 and p = T^(1/3)/K^(2/3) the step would not decay before t = 200^3 T. "
            "Here p = T^(1/3)/(64 K^(2/3)) and the constant is 2^16, so that the step decays from t = T/4 on.",
            "That is a fixed part of T, so the measure has no logarithm; one in T would make the exponent of 1/eps "
            "larger by about 1/log(1/eps).",
        ],
    ),
)
