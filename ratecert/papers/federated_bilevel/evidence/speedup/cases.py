"""Where linear speedup is measured: what each corollary is run with, in full and in brief."""

from collections.abc import Callable
from dataclasses import dataclass

from ratecert.claim.claim import Budget, Json, Piece
from ratecert.papers.federated_bilevel.evidence.speedup.computations import bounds, devices, grid, times
from ratecert.papers.federated_bilevel.evidence.speedup.settings import PLANE, SCALAR, UNITS, powers_of_2


@dataclass(frozen=True)
class Case:
    method: str
    theorem: str
    remark: str
    rate: str  # as printed in the sentence
    window: int  # T >= K^window
    grid_K: tuple[float, ...]
    grid_T: tuple[float, ...]
    T: int  # at which K grows without end
    K_in_window: int  # deep inside, at that T
    K_still_linear: tuple[float, ...]  # outside the window, with the claimed exponent
    K_saturated: tuple[float, ...]  # so many that the measure no longer falls
    largest_step: float
    eps: tuple[float, ...]
    period: float  # p over the corollary's order beside the bound: a round of 1e5 steps is slow to certify


CASES = {
    "corollary-1": Case(
        method="LocalBSGM",
        theorem="theorem-1",
        remark="remark-1",
        rate="(KT)^(-1/2)",
        window=3,
        grid_K=(1, 16, 256),
        grid_T=powers_of_2(44, 48, 52, 56),
        T=2**56,
        K_in_window=2**8,
        K_still_linear=powers_of_2(20, 24, 28),
        K_saturated=powers_of_2(56, 60, 64),
        largest_step=1 / UNITS["corollary-1"]["alpha"],
        eps=powers_of_2(-17, -21, -25),
        period=1.0,
    ),
    "corollary-3": Case(
        method="LocalBSGVRM",
        theorem="theorem-2",
        remark="remark-2",
        rate="(KT)^(-2/3)",
        window=2,
        grid_K=(1, 8, 64),
        grid_T=powers_of_2(45, 48, 51, 54),
        T=2**48,
        K_in_window=2**8,
        K_still_linear=(),
        K_saturated=powers_of_2(32, 36, 40),
        largest_step=UNITS["corollary-3"]["eta"],
        eps=powers_of_2(-22, -27, -32),
        period=1 / 64,
    ),
}


def pieces(corollary: str, budget: Budget) -> list[Piece]:
    """The runs of all parts; `quick` takes one world, one eps and fewer points."""
    case, quick = CASES[corollary], budget.quick
    worlds, eps = ([SCALAR], case.eps[-1:]) if quick else ([SCALAR, PLANE], case.eps)
    points = [[K, T] for K in case.grid_K for T in (case.grid_T[1:] if quick else case.grid_T)]
    spread = {k for k in powers_of_2(*range(0, 64, 32 if quick else 4)) if k < case.K_saturated[0]}
    many = {"K": sorted(spread | {case.K_in_window, *case.K_still_linear, *case.K_saturated})}
    few = {"K": [1, 2**8, 2**12, 2**16] if quick else [1, 2**4, 2**8, 2**12, 2**16]}
    over_K = {"T": case.T, "largest": case.largest_step}
    until = {"K": [1, 32, 1024] if quick else [1, 4, 16, 64, 256, 1024]}
    K, T = ((1, 1024), (2**46, 2**58)) if quick else ((1, 32, 1024), (2**46, 2**50, 2**54, 2**58))
    inside = {"points": [[k, t] for k in K for t in T], "period": case.period}
    beyond = {"points": [[2**k, case.T] for k in range(8, 41, 4)], "period": 1.0}
    asked: list[tuple[Callable[..., Json], dict[str, Json], float]] = [
        *((grid, {"world": world, "name": "T", "points": points}, 1.2) for world in worlds),
        (devices, {**over_K, **many, "shared_noise": False}, 2.0),
        (devices, {**over_K, **few, "shared_noise": True}, 0.5),
        *((times, {"eps": each, **until, "shared_noise": False}, 1.5) for each in eps),
        (bounds, inside, 2.0),
    ]
    if not quick:
        asked += [(times, {"eps": eps[0], **until, "shared_noise": True}, 1.5), (bounds, beyond, 1.5)]
    return [Piece(function, {"corollary": corollary, **given}, seconds) for function, given, seconds in asked]
