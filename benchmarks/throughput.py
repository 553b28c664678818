"""Device-iterations per core-second: a loop over devices, numpy, numba and C at the points (d, Q), both algorithms."""

from typing import Any

from benchmarks.cases import ALGORITHMS, POINTS, Case
from benchmarks.clock import best_rates
from benchmarks.contestants import all_contestants

TRIES = 4
SIZES = {2: (2000, 1024), 10: (400, 1024), 50: (32, 512)}  # d -> T, replicates: a call costs little besides


def settings() -> list[Case]:
    return [
        Case(algorithm=name, d=d, Q=Q, T=T, replicates=replicates)
        for d, Q in POINTS
        for T, replicates in [SIZES[d]]
        for name in ALGORITHMS
    ]


def measure(case: Case) -> dict[str, Any]:
    works = {name: contestant(case) for name, contestant in all_contestants().items()}
    row = {"algorithm": case.algorithm, "d": case.d, "Q": case.Q}
    return row | {"rates": best_rates(works, tries=TRIES)}
