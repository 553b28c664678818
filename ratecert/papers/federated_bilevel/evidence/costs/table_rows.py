"""The rows of Table 1 that are measured: which runs, at which K and eps.

eps is chosen so that p = unit A^r/(K eps^(1/2)) is a whole number on the grid, where A = K T eps^2 or K T eps^(3/2) is
what the search finds: then rounding p plays no part. Exponents of K are taken where K is large: the noise of u_0 and
v_0, from one sample (in Corollary 6 from a batch that does not shrink with K), adds a part of relative size 1/K.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ratecert.claim.claim import Json

NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
WORLD = {"world": "scalar", "mu": 1.0, "L_1": 1.5, "a": 0.5, "b": -0.2, "c": 0.3, **NOISE}
UNITS = {"eta": 0.5, "rho_1": 0.1, "rho_2": 0.3, "Q": 2.0}


@dataclass(frozen=True, kw_only=True)
class Row:
    id: str
    sentence: str
    method: str  # in the paper's table
    in_T: str
    in_eps: str
    power: float  # T ~ A/(K eps^power)
    A: float  # about; where the search begins, and what makes p whole
    r: float  # p = unit A^r/(K eps^(1/2))
    devices: Sequence[int]
    few_devices: Sequence[int]
    levels: Sequence[int]  # of eps, see epsilons
    few_levels: Sequence[int]
    period: int
    large_K: int  # from here on exponents of K are taken
    direct_devices: Sequence[int]
    direct_levels: Sequence[int]  # eps = 4^-level
    few_direct_levels: Sequence[int]
    units: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def setting(self) -> Json:
        units = {**UNITS, **self.units}
        return {"world": WORLD, "x0": 1.0, "y0": 0.0, "theta": 0.6, "units": units}

    def epsilons(self, levels: Sequence[int]) -> list[float]:
        """4^-level times the eps at which p is `period` at the most devices."""
        root = self.units.get("p", 1.0) * self.A**self.r / (self.devices[-1] * self.period)
        return [root**2 * 4.0**-level for level in levels]

    @property
    def decays(self) -> bool:
        """The step; its runs take ten times as long."""
        return "floor" in self.units

    def searches(self, *, quick: bool) -> list[tuple[int, list[float]]]:
        """Devices and eps of the searches for T; quick ones with decaying steps vary eps at the most devices only."""
        if not quick:
            return [(K, self.epsilons(self.levels)) for K in self.devices]
        *fewer, most = self.few_devices
        epsilons = self.epsilons(self.few_levels)
        return [*((K, epsilons[-1:] if self.decays else epsilons) for K in fewer), (most, epsilons)]

    def direct(self, *, quick: bool) -> list[tuple[int, Sequence[int]]]:
        """Devices and levels of the runs at given eps; quick ones take the exponent of eps at the fewest devices."""
        if not quick:
            return [(K, self.direct_levels) for K in self.direct_devices]
        few, *more = self.direct_devices
        return [(few, self.few_direct_levels), *((K, self.few_direct_levels[-1:]) for K in more)]

    def first(self, K: int, eps: float) -> float:
        """About the T at which the measure is eps."""
        return float(self.A / (K * eps**self.power))


ROWS = (
    Row(
        id="table-1.LocalBSGM",
        sentence="To reach eps, LocalBSGM takes samples of order 1/(K eps^2) on each device, the factor Q + 3 aside, "
        "and eps^(-3/2) rounds whatever K is.",
        method="LocalBSGM",
        in_T="corollary-1",
        in_eps="corollary-2",
        power=2.0,
        A=816.4,
        r=1 / 4,
        devices=(1, 64, 256, 1024),
        few_devices=(64, 1024),
        levels=(0, 1, 2, 3, 4, 5),
        few_levels=(0, 3, 5),
        period=1,
        large_K=64,
        direct_devices=(64, 1024),
        direct_levels=(11, 13, 15),
        few_direct_levels=(13, 15),
        notes=(
            "u_0 and v_0 are single samples; their noise adds to the measure a part of relative size 1/K.",
        ),
    ),
    Row(
        id="table-1.LocalBSGVRM-constant",
        sentence="To reach eps, LocalBSGVRM with a constant step takes samples of order 1/(K eps^(3/2)) on each "
        "device, the factor Q + 3 aside, and 1/eps rounds whatever K is.",
        method="LocalBSGVR-constant",
        in_T="corollary-3",
        in_eps="corollary-4",
        power=1.5,
        A=244.4,
        r=1 / 3,
        devices=(1, 4, 16, 64),
        few_devices=(1, 64),
        levels=(0, 1, 2, 3, 4, 5),
        few_levels=(0, 3, 5),
        period=256,
        large_K=1,
        direct_devices=(1, 64),
        direct_levels=(14, 16, 18),
        few_direct_levels=(16, 18),
    ),
    Row(
        id="table-1.LocalBSGVRM-decaying",
        sentence="To reach eps, LocalBSGVRM with a decaying step takes samples of order 1/(K eps^(3/2)) on each "
        "device, the factor Q + 3 aside, and 1/eps rounds whatever K is.",
        method="LocalBSGVR-decaying",
        in_T="corollary-5",
        in_eps="corollary-6",
        power=1.5,
        A=113.9,
        r=1 / 3,
        devices=(1, 4, 16),
        few_devices=(1, 16),
        levels=(0, 2, 4),
        few_levels=(-3, -1),
        period=64,
        large_K=1,
        direct_devices=(64, 1024),
        direct_levels=(16, 18, 20),
        few_direct_levels=(14, 16),
        units={"p": 1 / 64, "floor": 2.0**16},
        notes=(
            "With the constant 200^3 of Theorem 3 and p = T^(1/3)/K^(2/3) the step would not decay before t = 200^3 T. "
            "Here p = T^(1/3)/(64 K^(2/3)) and the constant is 2^16, so that the step decays from t = T/4 on.",
            "That is a fixed part of T, so the measure has no logarithm; one in T would make the exponent of 1/eps "
            "larger by about 1/log(1/eps).",
        ),
    ),
)
