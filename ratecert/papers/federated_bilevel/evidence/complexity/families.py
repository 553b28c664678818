"""Each method as a family: its steps, periods and batches in the orders of its own theory, for runs of a given size.

Everything follows from the size n; K enters where the method's theory has it; to ask means to put K into the steps
of a method that claims no linear speedup, as it stands in the steps of those that do. `c` are the step constants, which
the orders leave open: they are searched for (best_constants.py). Steps are constant over a run, of the order that a
decaying schedule has at the end of it; where that forgets its start, a batch B of the start does so here.

The series of every hypergradient has 12 terms. On these worlds 12 terms are off by 1e-11, which is nothing: the
logarithm of 1/eps by which the terms would have to grow is left out of all counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers import (
    BSA,
    MRBO,
    SMB,
    STEM,
    SUSTAIN,
    TTSA,
    VRBO,
    FedBiOAcc,
    FedBiOAccGlobal,
    FedNest,
    LFedNest,
    LocalSGD,
    StocBiO,
)

THETA, TERMS = 0.8, 12
SUM: dict[str, Any] = {"theta": THETA, "Q": TERMS - 1}  # the full sum, E2
CUT: dict[str, Any] = {"theta": THETA, "N": TERMS}  # cut at random, E1
SINGLE_LEVEL = ("STEM",)

Run = tuple[Any, int]  # a solver, and its number of iterations


@dataclass(frozen=True, kw_only=True)
class At:
    """Where on a family: size, devices, constants, and whether K is asked into the steps."""

    n: int
    K: int
    c: Sequence[float]
    asked: bool = False

    @property
    def K_if_asked(self) -> int:
        return self.K if self.asked else 1

    @property
    def units(self) -> dict[str, float]:
        """Of the paper's two algorithms."""
        return {"rho_1": self.c[0], "rho_2": self.c[1], "alpha": self.c[2], "beta": self.c[2]}


@dataclass(frozen=True, kw_only=True)
class Family:
    lower_level: str  # "global", "local", or "none"
    estimator: str  # "E1", "E2", "E3", or "-"
    orders: str  # of the steps, for readers
    constants: tuple[str, ...]  # what c stands for
    make: Callable[[At], Run]
    sizes: Sequence[int]  # logarithms of n to the base 2, at which the exponents of eps are taken
    reference: int = 24  # the one at which constants are searched for
    devices: tuple[int, int] | None = None  # between which exponents of K are taken; None: one machine
    size_with_devices: int = 48  # log n at the fewer devices
    can_be_asked: bool = False
    rounds_free_of_K: bool = False  # p falls with K as the iterations do
    correction: float | None = None  # r, where a part of the measure is n^-r of the leading one


def whole(value: float) -> int:
    return max(1, round(value))


def cycles_of(solver: Any, cycles: int) -> Run:
    return solver, cycles * sum(stage.repeats for stage in solver.stages)


def local_bsgm(at: At) -> Run:
    return along("corollary-1", K=at.K, T=at.n, units=at.units, **SUM).solver, at.n


def local_bsgvrm(at: At) -> Run:
    return along("corollary-3", K=at.K, T=at.n, units=at.units, momenta="fresh", **SUM).solver, at.n


def local_sgd(at: At) -> Run:
    p = whole(at.n ** (1 / 4) / at.K ** (3 / 4))
    return LocalSGD(eta=(at.K / at.n) ** (1 / 2), rho_1=at.c[0], rho_2=at.c[1], p=p, **SUM), at.n


def fed_nest(at: At) -> Run:
    return cycles_of(FedNest(**nested(at)), at.n)


def l_fed_nest(at: At) -> Run:
    return cycles_of(LFedNest(**nested(at)), at.n)


def nested(at: At) -> dict[str, Any]:
    eta = (at.K_if_asked / at.n) ** (1 / 2)
    return {"alpha": at.c[0] * eta, "beta": at.c[1] * eta, "tau": 2, "T_in": 1, **CUT}


def reduced(n: int, K: int) -> dict[str, Any]:
    """The steps of variance reduction, with K where linear speedup is claimed and K = 1 where it is not."""
    period = whole(n ** (1 / 3) / K ** (2 / 3))
    return {"eta": K ** (2 / 3) / n ** (1 / 3), "p": period, "B": period}


def fed_bio_acc(at: At) -> Run:
    K = at.K_if_asked
    steps: dict[str, Any] = {"lam": at.c[0], "gamma": at.c[1], "c_nu": at.c[2] / K, "c_w": at.c[2] / K}
    return FedBiOAcc(**reduced(at.n, K), **steps, **SUM), at.n


def fed_bio_acc_global(at: At) -> Run:
    weights: dict[str, Any] = dict.fromkeys(("c_nu", "c_w", "c_q"), at.c[2] / at.K)
    return FedBiOAccGlobal(**reduced(at.n, at.K), lam=at.c[0], gamma=at.c[1], tau=at.c[1], **weights), at.n


def stem(at: At) -> Run:
    return STEM(**reduced(at.n, at.K), rho=at.c[0], c_u=at.c[1] / at.K), at.n


def on_one_machine(at: At) -> dict[str, Any]:
    alone = reduced(at.n, 1)
    return {
        "eta": alone["eta"],
        "B": alone["B"],
        "gamma": at.c[0],
        "lam": at.c[1],
        "c_u": at.c[2],
        "c_v": at.c[2],
    }


def mrbo(at: At) -> Run:
    return MRBO(**on_one_machine(at), **SUM), at.n


def sustain(at: At) -> Run:
    return SUSTAIN(**on_one_machine(at), **CUT), at.n


def smb(at: At) -> Run:
    eta = at.n ** (-1 / 2)
    return SMB(eta=at.c[0] * eta, tau=at.c[1] / at.c[0], b=at.c[2] * eta, **SUM), at.n


def bsa(at: At) -> Run:
    eta = at.n ** (-1 / 2)
    return cycles_of(BSA(alpha=at.c[0] * eta, beta=at.c[1] * eta, T_in=whole(1 / eta), **CUT), at.n)


def ttsa(at: At) -> Run:
    return TTSA(alpha=at.c[0] * at.n ** (-3 / 5), beta=at.c[1] * at.n ** (-2 / 5), **CUT), at.n


def stoc_bio(at: At) -> Run:
    return cycles_of(StocBiO(alpha=at.c[0], beta=at.c[1], T_in=4, S=at.n, **SUM), at.n)


def vrbo(at: At) -> Run:
    q = whole(at.n ** (1 / 2))
    return cycles_of(VRBO(alpha=at.c[0], beta=at.c[1], q=q, T_in=1, S=at.n, S_2=q, **SUM), q)


X_AND_Y = ("step of x", "step of y")
WITH_MOMENTUM = (*X_AND_Y, "momentum weight")
HALVES: dict[str, Any] = {"sizes": (36, 40, 44, 48), "devices": (256, 4096)}
THIRDS: dict[str, Any] = {"sizes": (54, 57, 60), "devices": (64, 4096), "size_with_devices": 60}
ALONE: dict[str, Any] = {"devices": None}  # p, where there is one, is a whole number at all of these

FAMILIES: dict[str, Family] = {
    "FedNest": Family(
        lower_level="global",
        estimator="E1",
        orders="alpha, beta ~ n^-1/2, T_in = 1, tau = 2; n cycles",
        constants=X_AND_Y,
        make=fed_nest,
        **HALVES,
        can_be_asked=True,
    ),
    "LFedNest": Family(
        lower_level="global",
        estimator="E1",
        orders="alpha, beta ~ n^-1/2, T_in = 1, tau = 2; n cycles",
        constants=X_AND_Y,
        make=l_fed_nest,
        **HALVES,
        can_be_asked=True,
    ),
    "FedBiOAcc": Family(
        rounds_free_of_K=True,
        lower_level="local",
        estimator="E2",
        orders="eta ~ n^-1/3, p, B ~ n^1/3; n iterations",
        constants=WITH_MOMENTUM,
        make=fed_bio_acc,
        **THIRDS,
        can_be_asked=True,
    ),
    "FedBiOAccGlobal": Family(
        rounds_free_of_K=True,
        lower_level="global",
        estimator="E3",
        orders="eta ~ K^2/3 n^-1/3, p, B ~ K^-2/3 n^1/3; n iterations",
        constants=WITH_MOMENTUM,
        make=fed_bio_acc_global,
        **THIRDS,
    ),
    "LocalBSGM": Family(
        rounds_free_of_K=True,
        lower_level="global",
        estimator="E2",
        orders="Corollary 1: eta ~ K^1/2 n^-1/2, p ~ K^-3/4 n^1/4; n iterations",
        constants=WITH_MOMENTUM,
        make=local_bsgm,
        **HALVES,
    ),
    "LocalBSGVRM": Family(
        rounds_free_of_K=True,
        lower_level="global",
        estimator="E2",
        orders="Corollary 3: eta ~ K^2/3 n^-1/3, p, B ~ K^-2/3 n^1/3; n iterations",
        constants=WITH_MOMENTUM,
        make=local_bsgvrm,
        **THIRDS,
    ),
    "LocalSGD": Family(
        rounds_free_of_K=True,
        lower_level="global",
        estimator="E2",
        orders="eta ~ K^1/2 n^-1/2, p ~ K^-3/4 n^1/4; n iterations",
        constants=X_AND_Y,
        make=local_sgd,
        **HALVES,
    ),
    "STEM": Family(
        rounds_free_of_K=True,
        lower_level="none",
        estimator="-",
        orders="eta ~ K^2/3 n^-1/3, p, B ~ K^-2/3 n^1/3; n iterations",
        constants=("step of x", "momentum weight"),
        make=stem,
        **THIRDS,
    ),
    "BSA": Family(
        lower_level="one machine",
        estimator="E1",
        orders="alpha, beta ~ n^-1/2, T_in ~ n^1/2; n cycles",
        constants=X_AND_Y,
        make=bsa,
        sizes=(32, 36, 40),
    ),
    "TTSA": Family(
        lower_level="one machine",
        estimator="E1",
        orders="alpha ~ n^-3/5, beta ~ n^-2/5; n iterations",
        constants=X_AND_Y,
        make=ttsa,
        sizes=(48, 52, 56, 60),
        correction=1 / 5,
    ),
    "StocBiO": Family(
        lower_level="one machine",
        estimator="E2",
        orders="alpha, beta ~ 1, S = n, T_in = 4; n cycles",
        constants=X_AND_Y,
        make=stoc_bio,
        sizes=(20, 24, 28),
        reference=12,
    ),
    "SMB": Family(
        lower_level="one machine",
        estimator="E2",
        orders="eta, b ~ n^-1/2; n iterations",
        constants=WITH_MOMENTUM,
        make=smb,
        **HALVES | ALONE,
    ),
    "SUSTAIN": Family(
        lower_level="one machine",
        estimator="E1",
        orders="eta ~ n^-1/3, B ~ n^1/3; n iterations",
        constants=WITH_MOMENTUM,
        make=sustain,
        **THIRDS | ALONE,
    ),
    "MRBO": Family(
        lower_level="one machine",
        estimator="E2",
        orders="eta ~ n^-1/3, B ~ n^1/3; n iterations",
        constants=WITH_MOMENTUM,
        make=mrbo,
        **THIRDS | ALONE,
    ),
    "VRBO": Family(
        lower_level="one machine",
        estimator="E2",
        orders="alpha, beta ~ 1, S = n, q, S_2 ~ n^1/2, T_in = 1; n^1/2 restarts",
        constants=X_AND_Y,
        make=vrbo,
        sizes=(18, 20, 22),
        reference=12,
    ),
}
