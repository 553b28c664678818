"""How long work takes: contestants in turn, the best of several tries. And how much memory a process took.

Whatever else the machine does can only make work slower, and it comes and goes. So the best try is the nearest to the
truth, and contestants that take turns have the same chance of a quiet moment. The first try compiles and fills caches.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Work = Callable[[], object]


def best_seconds(
    works: Mapping[str, Work], *, tries: int, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """name -> seconds of one call, those of all cores of this process if no other clock is given."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(tries):
        for name, work in works.items():
            begin = clock()
            work()
            best[name] = min(best[name], clock() - begin)
    return best


def in_new_process(program: str, **environment: str) -> list[str]:
    """The lines that a Python program prints, run in a process of its own."""
    command, variables = [sys.executable, "-c", program], {**os.environ, **environment}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=variables)
    return done.stdout.splitlines()


def peak() -> float:
    """The largest resident memory of this process so far, in MiB.

    VmHWM where the system has /proc: elsewhere getrusage, which on some systems knows the parent's peak, too.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 2**10
    import resource  # not on every system

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
