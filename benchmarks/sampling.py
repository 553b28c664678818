"""What is measured of sampling: `PARTS`, each its settings and a function that measures one of them.

throughput    device-iterations per core-second: numpy, numba and C at the points (d, Q), both algorithms
auto          whether `auto` takes the better engine: seconds of a run in a new process by each, what it loads included
scaling       two workers against one, in seconds of the wall clock: threads of numba, processes of numpy, all started
              before anything is timed
first_result  seconds from the start of a process to its first result; numba keeps what it has compiled in a folder of
              its own, and with an empty one the first result waits for the compiler
memory        the peak of a new process that simulates, which should grow neither with replicates nor with T
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cases import ALGORITHMS, POINTS, Case, contestants, engines, sampling
from benchmarks.clock import best_rates, best_seconds, in_new_process
from ratecert.solvers.contract.experiment import prepare
from ratecert.solvers.engines.engine_choice import machine_for
from ratecert.solvers.methods.sgd import SGD
from ratecert.synthetic import SingleLevel

Row = dict[str, Any]
Part = tuple[Callable[[], Sequence[Any]], Callable[[Any], Row]]

# d -> T, replicates: a call costs little beside its iterations
OF_THROUGHPUT = {2: (2000, 1024), 10: (400, 1024), 50: (32, 512)}
OF_SCALING = {2: (2000, 4096), 10: (400, 2048), 50: (64, 1024)}
OF_MEMORY = ((1024, 20), (8192, 20), (65536, 20), (1024, 200), (1024, 2000))  # replicates, T
WORKERS = {"numba": "threads", "numpy": "processes"}


def points() -> list[Case]:
    return [
        Case(algorithm=name, d=d, Q=Q, T=T, replicates=replicates)
        for d, Q in POINTS
        for T, replicates in [OF_THROUGHPUT[d]]
        for name in ALGORITHMS
    ]


def throughput(case: Case) -> Row:
    works = {name: contestant(case) for name, contestant in contestants().items()}
    return {"algorithm": case.algorithm, "d": case.d, "Q": case.Q, "rates": best_rates(works, tries=4)}


@dataclass(frozen=True)
class Run:
    """An algorithm's name, or SGD on one level, and the size of a run of a few tenths of a second to several."""

    algorithm: str
    d: int
    T: int
    replicates: int

    def given(self) -> dict[str, Any]:
        """What `simulate` and `prepare` take, but for replicates."""
        if self.algorithm != "SGD":
            case = Case(algorithm=self.algorithm, d=self.d, Q=5, T=self.T)
            return {"problem": case.world, "solver": case.solver, "times": [], **case.run}
        world = SingleLevel(H=np.eye(self.d), E=[0.2 * np.eye(self.d)], s=0.5)
        run = {"K": 8, "T": self.T, "x0": np.ones(self.d), "times": []}
        return {"problem": world, "solver": SGD(alpha=0.05, p=4), **run}


RUNS = (
    *(Run("LocalBSGM", 2, 200, 1024), Run("LocalBSGM", 2, 1500, 1024), Run("LocalBSGVRM", 2, 2000, 16)),
    *(Run("LocalBSGVRM", 10, 200, 1024), Run("LocalBSGM", 10, 1000, 64)),
    *(Run("LocalBSGM", 50, 500, 16), Run("LocalBSGVRM", 50, 200, 64), Run("LocalBSGVRM", 50, 40, 512)),
    *(Run("SGD", 2, 1000, 1024), Run("SGD", 10, 5000, 64), Run("SGD", 50, 80, 1024)),
)
BY_EACH = """
import time
from benchmarks.sampling import Run
from ratecert.solvers import simulate
run = {run!r}
given = run.given()
for engine in {engines!r}:
    begin = time.perf_counter()
    simulate(**given, replicates=run.replicates, seed=0, engine=engine)
    print(engine, time.perf_counter() - begin)
"""


def choice(run: Run) -> Row:
    lines = in_new_process(BY_EACH.format(run=run, engines=engines()))
    seconds = {engine: float(taken) for engine, taken in map(str.split, lines)}
    machine = machine_for(prepare(**run.given()), "auto", run.replicates)
    row = {"algorithm": run.algorithm, "d": run.d, "T": run.T, "replicates": run.replicates}
    return {**row, "seconds": seconds, "chosen": "numpy" if machine is None else "numba"}


def of_scaling() -> list[tuple[str, Case]]:
    return [
        (engine, Case(algorithm="LocalBSGM", d=d, Q=20, T=T, replicates=replicates))
        for engine in reversed(engines())
        for d, (T, replicates) in OF_SCALING.items()
        if engine == "numba" or d == 10
    ]


def scaling(setting: tuple[str, Case]) -> Row:
    engine, case = setting
    works = {str(n): sampling(engine, workers=n)(case) for n in (1, 2)}
    for work in works.values():
        work()
    row = {"engine": engine, "workers": WORKERS[engine], "d": case.d, "Q": case.Q}
    return row | {"seconds": best_seconds(works, tries=6)}


FIRST = """
import numpy as np
from ratecert import simulate
from ratecert.methods import LocalBSGM
from ratecert.worlds import random_quadratic
world = random_quadratic(d_x=2, d_y=2, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)
solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.2, rho_2=2.0, p=8, theta=0.2, Q=20)
simulate(world, solver, K=4, T=200, x0=np.ones(2), y0=np.ones(2), replicates=500, seed=0, engine={engine!r})
"""


def first_result(setting: tuple[str, str]) -> Row:
    engine, cache = setting
    with tempfile.TemporaryDirectory() as folder:

        def work() -> object:
            return in_new_process(FIRST.format(engine=engine), NUMBA_CACHE_DIR=folder)

        if cache == "warm":
            work()
        seconds = best_seconds({engine: work}, tries=1 if cache == "empty" else 3)[engine]
    return {"engine": engine, "cache": cache, "seconds": seconds}


SIMULATED = """
from benchmarks.cases import Case, sampling
from benchmarks.clock import peak
sampling({engine!r})(Case(algorithm="LocalBSGM", d=2, Q=5, T={T}, replicates={replicates}))()
print(peak())
"""


def memory(setting: tuple[str, int, int]) -> Row:
    row = dict(zip(("engine", "replicates", "T"), setting, strict=True))
    (MiB,) = in_new_process(SIMULATED.format(**row))
    return {**row, "MiB": float(MiB)}


PARTS: dict[str, Part] = {
    "throughput": (points, throughput),
    "auto": (lambda: RUNS if "numba" in engines() else (), choice),
    "scaling": (of_scaling, scaling),
    "first_result": (
        lambda: [
            ("numpy", "none"),
            *(("numba", cache) for cache in ("empty", "warm") if "numba" in engines()),
        ],
        first_result,
    ),
    "memory": (lambda: [(engine, *sizes) for engine in engines() for sizes in OF_MEMORY], memory),
}
