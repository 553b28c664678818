"""The peak of resident memory of a new process that simulates, against replicates and T: it should not grow.

Read as VmHWM where the system has /proc: elsewhere getrusage, which on some systems knows the parent's peak, too.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.contestants import engines

PROGRAM = """
from benchmarks.cases import Case
from benchmarks.contestants import sampling
from benchmarks.memory import peak
sampling({engine!r})(Case(algorithm="LocalBSGM", d=2, Q=5, T={T}, replicates={replicates}))()
print(peak())
"""
SIZES = ((1024, 20), (8192, 20), (65536, 20), (1024, 200), (1024, 2000))  # (replicates, T)


def settings() -> list[tuple[str, int, int]]:
    return [(engine, replicates, T) for engine in engines() for replicates, T in SIZES]


def measure(setting: tuple[str, int, int]) -> dict[str, Any]:
    engine, replicates, T = setting
    program = PROGRAM.format(engine=engine, T=T, replicates=replicates)
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, env=os.environ
    )
    return {"engine": engine, "replicates": replicates, "T": T, "MiB": float(done.stdout) / 2**20}


def peak() -> int:
    """Bytes, of this process."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource  # not on every system

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
