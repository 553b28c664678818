"""Seconds from the start of a new Python process to its first result, imports included.

numba keeps what it has compiled in a folder of its own; with an empty one the first result waits for the compiler.
"""

import os
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.clock import best_seconds
from benchmarks.contestants import engines

TRIES = 3
PROGRAM = """
import numpy as np
from ratecert import simulate
from ratecert.methods import LocalBSGM
from ratecert.worlds import random_quadratic
world = random_quadratic(d_x=2, d_y=2, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)
solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.2, rho_2=2.0, p=8, theta=0.2, Q=20)
simulate(world, solver, K=4, T=200, x0=np.ones(2), y0=np.ones(2), replicates=500, seed=0, engine={engine!r})
"""


def settings() -> list[tuple[str, str]]:
    """(engine, state of its cache)."""
    return [("numpy", "none")] + [("numba", cache) for cache in ("empty", "warm") if "numba" in engines()]


def measure(setting: tuple[str, str]) -> dict[str, Any]:
    engine, cache = setting
    with tempfile.TemporaryDirectory() as folder:
        if cache == "warm":
            _run(engine, folder)
        tries = 1 if cache == "empty" else TRIES
        seconds = best_seconds({engine: lambda: _run(engine, folder)}, tries=tries)[engine]
    return {"engine": engine, "cache": cache, "seconds": seconds}


def _run(engine: str, cache: str) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", PROGRAM.format(engine=engine)], check=True, env=environment)
