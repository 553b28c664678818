"""What is measured of sampling: `PARTS`, each of which measures one row after another.

throughput    device-iterations per core-second: numpy, numba and C at the points (d, Q), both algorithms
auto          whether `auto` takes the better engine: seconds of a run in a new process by each, what it loads included.
              A loss of less than TOLERATED seconds is none: to load the compiled code takes twice that, once
scaling       two workers against one, in seconds of the wall clock: threads of numba, processes of numpy; the first try
              starts them
first_result  seconds from the start of a process to its first result; numba keeps what it has compiled in a folder of
              its own, and with an empty one the first result waits for the compiler
memory        the peak of a new process that simulates, which should grow neither with replicates nor with T
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.cases import ALGORITHMS, POINTS, Case, contestants, engines, sampling
from benchmarks.clock import best_seconds, in_new_process
from ratecert.solvers.contract.experiment import prepare
from ratecert.solvers.engines.engine_choice import machine_for

Row = dict[str, Any]
Part = Callable[[], Iterator[Row]]

# d -> T, replicates: a call costs little beside its iterations
OF_THROUGHPUT = {2: (2000, 1024), 10: (400, 1024), 50: (32, 512)}
OF_SCALING = {2: (2000, 4096), 10: (400, 2048), 50: (64, 1024)}
OF_MEMORY = ((1024, 20), (8192, 20), (65536, 20), (1024, 200), (1024, 2000))  # replicates, T
WORKERS = {"numba": "threads", "numpy": "processes"}
TOLERATED = 0.3


def throughput() -> Iterator[Row]:
    for d, Q in POINTS:
        T, replicates = OF_THROUGHPUT[d]
        for name in ALGORITHMS:
            case = Case(algorithm=name, d=d, Q=Q, T=T, replicates=replicates)
            seconds = best_seconds(contestants(case), tries=5)
            rates = {name: case.device_iterations / taken for name, taken in seconds.items()}
            to_C = {f"{name} / C": rates[name] / rates["C"] for name in engines() if "C" in rates}
            yield {"algorithm": name, "d": d, "Q": Q, **rates, **to_C}


RUNS = tuple(  # of a few tenths of a second to several
    Case(algorithm=name, d=d, T=T, replicates=replicates)
    for name, d, T, replicates in (
        *(("LocalBSGM", 2, 200, 1024), ("LocalBSGM", 2, 1500, 1024), ("LocalBSGVRM", 2, 2000, 16)),
        *(("LocalBSGVRM", 10, 200, 1024), ("LocalBSGM", 10, 1000, 64)),
        *(("LocalBSGM", 50, 500, 16), ("LocalBSGVRM", 50, 200, 64), ("LocalBSGVRM", 50, 40, 512)),
        *(("SGD", 2, 1000, 1024), ("SGD", 10, 5000, 64), ("SGD", 50, 80, 1024)),
    )
)
BY_EACH = """
import time
from benchmarks.cases import Case, sampling
for engine in {engines!r}:
    work, begin = sampling({case!r}, engine), time.perf_counter()
    work()
    print(engine, time.perf_counter() - begin)
"""


def auto() -> Iterator[Row]:
    for case in RUNS if "numba" in engines() else ():
        lines = in_new_process(BY_EACH.format(case=case, engines=engines()))
        seconds = {engine: float(taken) for engine, taken in map(str.split, lines)}
        prepared = prepare(problem=case.world, solver=case.solver, times=[], **case.run)
        taken = "numpy" if machine_for(prepared, "auto", case.replicates) is None else "numba"
        row = {"algorithm": case.algorithm, "d": case.d, "T": case.T, "replicates": case.replicates}
        yield {**row, **seconds, "taken": taken, "taken / better": loss(seconds, taken)}


def loss(seconds: dict[str, float], taken: str) -> float:
    """The seconds of the engine that was taken over those of the better one, 1 where they are nearly the same."""
    better = min(seconds.values())
    return 1.0 if seconds[taken] - better <= TOLERATED else seconds[taken] / better


def scaling() -> Iterator[Row]:
    for engine in reversed(engines()):
        for d, (T, replicates) in OF_SCALING.items():
            if engine == "numba" or d == 10:
                case = Case(algorithm="LocalBSGM", d=d, Q=20, T=T, replicates=replicates)
                works = {name: sampling(case, engine, workers=n) for name, n in (("one", 1), ("two", 2))}
                seconds = best_seconds(works, tries=7, clock=time.perf_counter)
                row = {"workers": f"{engine}, {WORKERS[engine]}", "d": d, "Q": case.Q}
                yield {**row, **seconds, "one / two": seconds["one"] / seconds["two"]}


FIRST = """
import numpy as np
from ratecert import simulate
from ratecert.methods import LocalBSGM
from ratecert.worlds import random_quadratic
world = random_quadratic(d_x=2, d_y=2, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)
solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.2, rho_2=2.0, p=8, theta=0.2, Q=20)
simulate(world, solver, K=4, T=200, x0=np.ones(2), y0=np.ones(2), replicates=500, seed=0, engine={engine!r})
"""


def first_result() -> Iterator[Row]:
    """By numba: with an empty cache in the first process, and with a warm one in the best of those after it."""
    for engine in engines():
        with tempfile.TemporaryDirectory() as folder:
            work = partial(in_new_process, FIRST.format(engine=engine), NUMBA_CACHE_DIR=folder)
            states = (
                (("numba, empty cache", 1), ("numba, warm cache", 3)) if engine == "numba" else ((engine, 3),)
            )
            for state, tries in states:
                seconds = best_seconds({state: work}, tries=tries, clock=time.perf_counter)
                yield {"engine": state, "seconds": seconds[state]}


SIMULATED = """
from benchmarks.cases import Case, sampling
from benchmarks.clock import peak
sampling(Case(algorithm="LocalBSGM", d=2, T={T}, replicates={replicates}), {engine!r})()
print(peak())
"""


def memory() -> Iterator[Row]:
    for engine in engines():
        for replicates, T in OF_MEMORY:
            row = {"engine": engine, "replicates": replicates, "T": T}
            (MiB,) = in_new_process(SIMULATED.format(**row))
            yield {**row, "MiB": float(MiB)}


PARTS: dict[str, Part] = {each.__name__: each for each in (throughput, auto, scaling, first_result, memory)}
