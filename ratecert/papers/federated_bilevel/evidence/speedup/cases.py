"""What the claims on linear speedup compute: where each corollary is run, in full and in brief."""

from dataclasses import asdict, dataclass
from typing import Any

from ratecert.claim.claim import Budget, Json, Piece
from ratecert.papers.federated_bilevel.evidence.speedup.computations import (
    bounds,
    constants,
    devices,
    grid,
    times,
)
from ratecert.papers.federated_bilevel.evidence.speedup.runs import claimed
from ratecert.papers.federated_bilevel.evidence.speedup.settings import PLANE, SCALAR, UNITS, setting

# beside the bound, where a ball for its constants can be certified
ADDITIVE: dict[str, Any] = {name: v for name, v in SCALAR.items() if name not in ("sigma_H", "sigma_J")}
DEVICES = (1, 4, 16, 64, 256, 1024)
FEW_DEVICES = (1, 32, 1024)


@dataclass(frozen=True)
class Case:
    """Numbers are exponents of 2, except `power`, `largest`, `period` and `grid_K`."""

    power: int  # the window is T >= K^power
    grid_K: tuple[int, ...]
    grid_T: tuple[int, ...]
    T: int  # at which K grows without end
    inside: int  # a K deep in the window at that T
    still: tuple[int, ...]  # K outside the window at which the exponent is still the claimed one
    flat: tuple[int, ...]  # K so large that the measure no longer falls
    largest: float  # step
    eps: tuple[int, ...]
    constant: float  # about the leading constant: where the search for T(K) begins
    period: float  # p over the corollary's order in the runs beside the bound; a round of 1e5 steps is slow to certify


CASES = {
    "corollary-1": Case(
        power=3,
        grid_K=(1, 16, 256),
        grid_T=(44, 48, 52, 56),
        T=56,
        inside=8,
        still=(20, 24, 28),
        flat=(56, 60, 64),
        largest=1 / UNITS["corollary-1"]["alpha"],
        eps=(-17, -21, -25),
        constant=4.7,
        period=1.0,
    ),
    "corollary-3": Case(
        power=2,
        grid_K=(1, 8, 64),
        grid_T=(45, 48, 51, 54),
        T=48,
        inside=8,
        still=(),
        flat=(32, 36, 40),
        largest=UNITS["corollary-3"]["eta"],
        eps=(-22, -27, -32),
        constant=6.6,
        period=1 / 64,
    ),
}


def pieces(corollary: str, budget: Budget) -> list[Piece]:
    case, quick = CASES[corollary], budget.quick
    here = asdict(setting(corollary))
    return [
        *(grid_piece(corollary, world, quick) for world in ([SCALAR] if quick else [SCALAR, PLANE])),
        Piece(constants, {"setting": here, "largest": case.largest}, 0.1),
        *_outside_pieces(case, here, quick),
        *_times_pieces(corollary, case, here, quick),
        *_bound_pieces(corollary, case, quick),
    ]


def grid_piece(corollary: str, world: Json, quick: bool) -> Piece:
    """Every K with every T."""
    case = CASES[corollary]
    points = [[K, 2**T] for K in case.grid_K for T in (case.grid_T[1:] if quick else case.grid_T)]
    return Piece(grid, {"setting": asdict(setting(corollary, world)), "name": "T", "points": points}, 1.2)


def _outside_pieces(case: Case, here: Json, quick: bool) -> list[Piece]:
    K = sorted({*range(0, case.flat[0], 32 if quick else 4), case.inside, *case.still, *case.flat})
    few = [0, 8, 12, 16] if quick else range(0, 17, 4)
    common = {"setting": here, "T": 2**case.T, "largest": case.largest}
    return [
        Piece(devices, {**common, "K": [2**k for k in K], "shared_noise": False}, 0.1 * len(K)),
        Piece(devices, {**common, "K": [2**k for k in few], "shared_noise": True}, 0.5),
    ]


def _times_pieces(corollary: str, case: Case, here: Json, quick: bool) -> list[Piece]:
    """The smallest eps always; the others, and shared noise at the largest, to see the trend and the contrast."""
    chosen = [(case.eps[-1], False)] if quick else [*((eps, False) for eps in case.eps), (case.eps[0], True)]
    rate = claimed(corollary, "T")
    return [
        Piece(
            times,
            {
                "setting": here,
                "eps": 2.0**eps,
                "K": FEW_DEVICES if quick else DEVICES,
                "first": 2 ** ((eps - case.constant) / rate),
                "shared_noise": shared,
            },
            0.8 if quick else 1.5,
        )
        for eps, shared in chosen
    ]


def _bound_pieces(corollary: str, case: Case, quick: bool) -> list[Piece]:
    """Over T at a few K, and over K at the T of the runs outside the window."""
    common = {"corollary": corollary, "world": ADDITIVE}
    K, T = ((1, 1024), (46, 58)) if quick else ((1, 32, 1024), (46, 50, 54, 58))
    over_T = [[k, 2**t] for k in K for t in T]
    over_K = [] if quick else [[2**k, 2**case.T] for k in range(8, 41, 4)]
    return [
        Piece(bounds, {**common, "points": points, "period": period}, 0.15 * len(points))
        for points, period in ((over_T, case.period), (over_K, 1.0))
        if points
    ]
