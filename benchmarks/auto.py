"""Whether `auto` takes the better engine: seconds of one run by each, in a new process, which loads what it needs.

Runs of a few tenths of a second to several, one level and two, few replicates and many. numba's compiled code is kept
from before. A loss of less than TOLERATED seconds is none: to load the compiled code takes twice that, once, and what
else a process will sample is not known beforehand.
"""

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.contestants import engines
from ratecert.solvers.contract.experiment import prepare
from ratecert.solvers.engines.engine_choice import machine_for
from ratecert.solvers.methods.sgd import SGD
from ratecert.synthetic import SingleLevel

TOLERATED = 0.3
PROGRAM = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import time
from benchmarks.auto import Run
from ratecert.solvers import simulate
run = {run!r}
given = run.given()
for engine in {engines!r}:
    begin = time.perf_counter()
    simulate(**given, replicates=run.replicates, seed=0, engine=engine)
    print(engine, time.perf_counter() - begin)
"""


@dataclass(frozen=True)
class Run:
    """An algorithm's name, or SGD on one level, and the size of a run."""

    algorithm: str
    d: int
    T: int
    replicates: int

    def given(self) -> dict[str, Any]:
        """What `simulate` and `prepare` take, but for replicates."""
        if self.algorithm == "SGD":
            world: Any = SingleLevel(H=np.eye(self.d), E=[0.2 * np.eye(self.d)], s=0.5)
            solver: Any = SGD(alpha=0.05, p=4)
            return {
                "problem": world,
                "solver": solver,
                "K": 8,
                "T": self.T,
                "x0": np.ones(self.d),
                "times": [],
            }
        case = Case(algorithm=self.algorithm, d=self.d, Q=5, T=self.T, replicates=self.replicates)
        start = {"x0": case.start, "y0": case.start, "times": []}
        return {"problem": case.world, "solver": case.solver, "K": case.K, "T": self.T, **start}


RUNS = (
    *(Run("LocalBSGM", 2, 200, 1024), Run("LocalBSGM", 2, 1500, 1024), Run("LocalBSGVRM", 2, 2000, 16)),
    *(Run("LocalBSGVRM", 10, 200, 1024), Run("LocalBSGM", 10, 1000, 64)),
    *(Run("LocalBSGM", 50, 500, 16), Run("LocalBSGVRM", 50, 200, 64), Run("LocalBSGVRM", 50, 40, 512)),
    *(Run("SGD", 2, 1000, 1024), Run("SGD", 10, 5000, 64), Run("SGD", 50, 80, 1024)),
)


def settings() -> list[Run]:
    return list(RUNS) if "numba" in engines() else []


def measure(run: Run) -> dict[str, Any]:
    program = PROGRAM.format(run=run, engines=engines())
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    seconds = {engine: float(taken) for engine, taken in map(str.split, done.stdout.splitlines())}
    machine = machine_for(prepare(**run.given()), "auto", run.replicates)
    row = {"algorithm": run.algorithm, "d": run.d, "T": run.T, "replicates": run.replicates}
    return {**row, "seconds": seconds, "chosen": "numpy" if machine is None else "numba"}


def loss(row: dict[str, Any]) -> float:
    """The seconds of the chosen engine over those of the better one, 1 where they are nearly the same."""
    chosen, better = row["seconds"][row["chosen"]], min(row["seconds"].values())
    return 1.0 if chosen - better <= TOLERATED else float(chosen / better)
