"""Each method as a family: its steps, periods and batches in the orders of its own theory, for runs of a given size.

Everything follows from the size n; K enters where the method's theory has it. The steps of a method that claims no
linear speedup can be scaled with K, too, as those of the others are. `c` are the step constants, which the orders leave
open: they are searched for (best_constants.py). Steps are constant over a run, of the order that a decaying schedule
has at the end of it; where that forgets its start, a batch B of the start does so here.

The series of every hypergradient has 12 terms. On these worlds 12 terms are off by 1e-11, which is nothing: the
logarithm of 1/eps by which the terms would have to grow is left out of all counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from ratecert import solvers
from ratecert.papers.federated_bilevel.scalings import along

THETA, TERMS = 0.8, 12
SUM: dict[str, Any] = {"theta": THETA, "Q": TERMS - 1}  # the full sum, E2
CUT: dict[str, Any] = {"theta": THETA, "N": TERMS}  # cut at random, E1

Run = tuple[Any, int]  # a solver, and its number of iterations


@dataclass(frozen=True, kw_only=True)
class At:
    """Where on a family: size, devices, constants, and whether K is put into steps that do not have it."""

    n: int
    K: int
    c: Sequence[float]
    steps_scaled_with_K: bool = False

    @property
    def K_of_steps(self) -> int:
        """Of a method that claims no linear speedup."""
        return self.K if self.steps_scaled_with_K else 1

    @property
    def units(self) -> dict[str, float]:
        """Of the paper's two algorithms."""
        return {"rho_1": self.c[0], "rho_2": self.c[1], "alpha": self.c[2], "beta": self.c[2]}


@dataclass(frozen=True)
class Family:
    lower_level: str  # "global", "local", "one machine", or "none"
    estimator: str  # "E1", "E2", "E3", or "-"
    make: Callable[[At], Run]
    constants: tuple[str, ...]  # what c stands for
    _: KW_ONLY
    sizes: Sequence[int]  # logarithms of n to the base 2, at which the exponents of eps are taken
    reference: int = 24  # the one at which constants are searched for
    devices: tuple[int, int] | None = None  # between which exponents of K are taken; None: one machine
    size_with_devices: int = 48  # log n at the fewer devices
    can_scale_with_K: bool = False  # claims no linear speedup: the steps have no K of their own
    rounds_free_of_K: bool = False  # p falls with K as the iterations do
    correction: float | None = None  # r, where a part of the measure is n^-r of the leading one

    @property
    def orders(self) -> str:
        """Of the steps, for readers: what `make` says of itself."""
        return self.make.__doc__ or ""


def whole(value: float) -> int:
    return max(1, round(value))


def cycles_of(solver: Any, cycles: int) -> Run:
    return solver, cycles * sum(stage.repeats for stage in solver.stages)


def local_bsgm(at: At) -> Run:
    """Corollary 1: eta ~ K^1/2 n^-1/2, p ~ K^-3/4 n^1/4; n iterations"""
    return along("corollary-1", K=at.K, T=at.n, units=at.units, **SUM).solver, at.n


def local_bsgvrm(at: At) -> Run:
    """Corollary 3: eta ~ K^2/3 n^-1/3, p, B ~ K^-2/3 n^1/3; n iterations"""
    return along("corollary-3", K=at.K, T=at.n, units=at.units, momenta="fresh", **SUM).solver, at.n


def local_sgd(at: At) -> Run:
    """eta ~ K^1/2 n^-1/2, p ~ K^-3/4 n^1/4; n iterations"""
    p = whole(at.n ** (1 / 4) / at.K ** (3 / 4))
    return solvers.LocalSGD(eta=(at.K / at.n) ** (1 / 2), rho_1=at.c[0], rho_2=at.c[1], p=p, **SUM), at.n


def fed_nest(at: At) -> Run:
    """alpha, beta ~ n^-1/2, T_in = 1, tau = 2; n cycles"""
    return cycles_of(solvers.FedNest(**nested(at)), at.n)


def l_fed_nest(at: At) -> Run:
    """alpha, beta ~ n^-1/2, T_in = 1, tau = 2; n cycles"""
    return cycles_of(solvers.LFedNest(**nested(at)), at.n)


def nested(at: At) -> dict[str, Any]:
    eta = (at.K_of_steps / at.n) ** (1 / 2)
    return {"alpha": at.c[0] * eta, "beta": at.c[1] * eta, "tau": 2, "T_in": 1, **CUT}


def reduced(n: int, K: int) -> dict[str, Any]:
    """The steps of variance reduction, with K where linear speedup is claimed and K = 1 where it is not."""
    period = whole(n ** (1 / 3) / K ** (2 / 3))
    return {"eta": K ** (2 / 3) / n ** (1 / 3), "p": period, "B": period}


def fed_bio_acc(at: At) -> Run:
    """eta ~ n^-1/3, p, B ~ n^1/3; n iterations"""
    K = at.K_of_steps
    steps: dict[str, Any] = {"lam": at.c[0], "gamma": at.c[1], "c_nu": at.c[2] / K, "c_w": at.c[2] / K}
    return solvers.FedBiOAcc(**reduced(at.n, K), **steps, **SUM), at.n


def fed_bio_acc_global(at: At) -> Run:
    """eta ~ K^2/3 n^-1/3, p, B ~ K^-2/3 n^1/3; n iterations"""
    weights: dict[str, Any] = dict.fromkeys(("c_nu", "c_w", "c_q"), at.c[2] / at.K)
    steps: dict[str, Any] = {"lam": at.c[0], "gamma": at.c[1], "tau": at.c[1]}
    return solvers.FedBiOAccGlobal(**reduced(at.n, at.K), **steps, **weights), at.n


def stem(at: At) -> Run:
    """eta ~ K^2/3 n^-1/3, p, B ~ K^-2/3 n^1/3; n iterations"""
    return solvers.STEM(**reduced(at.n, at.K), rho=at.c[0], c_u=at.c[1] / at.K), at.n


def on_one_machine(at: At) -> dict[str, Any]:
    alone = reduced(at.n, 1)
    weights = dict.fromkeys(("c_u", "c_v"), at.c[2])
    return {"eta": alone["eta"], "B": alone["B"], "gamma": at.c[0], "lam": at.c[1], **weights}


def mrbo(at: At) -> Run:
    """eta ~ n^-1/3, B ~ n^1/3; n iterations"""
    return solvers.MRBO(**on_one_machine(at), **SUM), at.n


def sustain(at: At) -> Run:
    """eta ~ n^-1/3, B ~ n^1/3; n iterations"""
    return solvers.SUSTAIN(**on_one_machine(at), **CUT), at.n


def smb(at: At) -> Run:
    """eta, b ~ n^-1/2; n iterations"""
    eta = at.n ** (-1 / 2)
    return solvers.SMB(eta=at.c[0] * eta, tau=at.c[1] / at.c[0], b=at.c[2] * eta, **SUM), at.n


def bsa(at: At) -> Run:
    """alpha, beta ~ n^-1/2, T_in ~ n^1/2; n cycles"""
    eta = at.n ** (-1 / 2)
    return cycles_of(solvers.BSA(alpha=at.c[0] * eta, beta=at.c[1] * eta, T_in=whole(1 / eta), **CUT), at.n)


def ttsa(at: At) -> Run:
    """alpha ~ n^-3/5, beta ~ n^-2/5; n iterations"""
    return solvers.TTSA(alpha=at.c[0] * at.n ** (-3 / 5), beta=at.c[1] * at.n ** (-2 / 5), **CUT), at.n


def stoc_bio(at: At) -> Run:
    """alpha, beta ~ 1, S = n, T_in = 4; n cycles"""
    return cycles_of(solvers.StocBiO(alpha=at.c[0], beta=at.c[1], T_in=4, S=at.n, **SUM), at.n)


def vrbo(at: At) -> Run:
    """alpha, beta ~ 1, S = n, q, S_2 ~ n^1/2, T_in = 1; n^1/2 restarts"""
    q = whole(at.n ** (1 / 2))
    return cycles_of(solvers.VRBO(alpha=at.c[0], beta=at.c[1], q=q, T_in=1, S=at.n, S_2=q, **SUM), q)


X_AND_Y = ("step of x", "step of y")
WITH_MOMENTUM = (*X_AND_Y, "momentum weight")
HALVES: dict[str, Any] = {"sizes": (36, 40, 44, 48), "devices": (256, 4096)}
THIRDS: dict[str, Any] = {"sizes": (54, 57, 60), "devices": (64, 4096), "size_with_devices": 60}
ALONE: dict[str, Any] = {"devices": None}  # p, where there is one, is a whole number at all of these
SCALABLE: dict[str, Any] = {"can_scale_with_K": True}
SAVING: dict[str, Any] = {"rounds_free_of_K": True}

FAMILIES: dict[str, Family] = {
    "FedNest": Family("global", "E1", fed_nest, X_AND_Y, **HALVES, **SCALABLE),
    "LFedNest": Family("global", "E1", l_fed_nest, X_AND_Y, **HALVES, **SCALABLE),
    "FedBiOAcc": Family("local", "E2", fed_bio_acc, WITH_MOMENTUM, **THIRDS, **SAVING, **SCALABLE),
    "FedBiOAccGlobal": Family("global", "E3", fed_bio_acc_global, WITH_MOMENTUM, **THIRDS, **SAVING),
    "LocalBSGM": Family("global", "E2", local_bsgm, WITH_MOMENTUM, **HALVES, **SAVING),
    "LocalBSGVRM": Family("global", "E2", local_bsgvrm, WITH_MOMENTUM, **THIRDS, **SAVING),
    "LocalSGD": Family("global", "E2", local_sgd, X_AND_Y, **HALVES, **SAVING),
    "STEM": Family("none", "-", stem, ("step of x", "momentum weight"), **THIRDS, **SAVING),
    "BSA": Family("one machine", "E1", bsa, X_AND_Y, sizes=(32, 36, 40)),
    "TTSA": Family("one machine", "E1", ttsa, X_AND_Y, sizes=(48, 52, 56, 60), correction=1 / 5),
    "StocBiO": Family("one machine", "E2", stoc_bio, X_AND_Y, sizes=(20, 24, 28), reference=12),
    "SMB": Family("one machine", "E2", smb, WITH_MOMENTUM, **HALVES | ALONE),
    "SUSTAIN": Family("one machine", "E1", sustain, WITH_MOMENTUM, **THIRDS | ALONE),
    "MRBO": Family("one machine", "E2", mrbo, WITH_MOMENTUM, **THIRDS | ALONE),
    "VRBO": Family("one machine", "E2", vrbo, X_AND_Y, sizes=(18, 20, 22), reference=12),
}
