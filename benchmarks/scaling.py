"""Two workers against one, in seconds of the wall clock: threads of numba, processes of numpy.

The processes of numpy are started before anything is timed; they are kept from one call to the next.
"""

from typing import Any

from benchmarks.cases import Case
from benchmarks.clock import best_seconds
from benchmarks.contestants import engines, sampling

TRIES = 6
WORKERS = {"numba": "threads", "numpy": "processes"}
SIZES = {2: (2000, 4096), 10: (400, 2048), 50: (64, 1024)}  # d -> T, replicates


def settings() -> list[tuple[str, Case]]:
    return [
        (engine, Case(algorithm="LocalBSGM", d=d, Q=20, T=T, replicates=replicates))
        for engine in reversed(engines())
        for d, (T, replicates) in SIZES.items()
        if engine == "numba" or d == 10
    ]


def measure(setting: tuple[str, Case]) -> dict[str, Any]:
    engine, case = setting
    works = {str(n): sampling(engine, workers=n)(case) for n in (1, 2)}
    for work in works.values():
        work()
    row = {"engine": engine, "workers": WORKERS[engine], "d": case.d, "Q": case.Q}
    return row | {"seconds": best_seconds(works, tries=TRIES)}
