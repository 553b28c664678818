"""How long work takes: contestants in turn, the best of several tries.

Whatever else the machine does can only make work slower, and it comes and goes. So the best try is the nearest to the
truth, and contestants that take turns have the same chance of a quiet moment.
"""

import time
from collections.abc import Callable, Mapping

Clock = Callable[[], float]
LEAST = 0.1  # seconds of one try: shorter work is repeated


def best_rates(
    works: Mapping[str, Callable[[], int]],
    *,
    tries: int,
    clock: Clock = time.process_time,
    least: float = LEAST,
) -> dict[str, float]:
    """name -> what the work says it did, per second; the clock counts the seconds of all cores of this process."""
    for work in works.values():
        work()  # compiles, fills caches
    best = dict.fromkeys(works, 0.0)
    for _ in range(tries):
        for name, work in works.items():
            best[name] = max(best[name], _rate(work, clock, least))
    return best


def _rate(work: Callable[[], int], clock: Clock, least: float) -> float:
    begin, done = clock(), 0
    while True:
        done += work()
        passed = clock() - begin
        if passed >= least:
            return done / passed


def best_seconds(
    works: Mapping[str, Callable[[], object]], *, tries: int, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """name -> seconds of one call."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(tries):
        for name, work in works.items():
            begin = clock()
            work()
            best[name] = min(best[name], clock() - begin)
    return best
