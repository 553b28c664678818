"""What is measured of sampling: `PARTS`, each of which measures one row after another.

throughput    device-iterations per core-second: numpy and C at the points (d, Q), both algorithms
scaling       two workers, which are processes, against one, in seconds of the wall clock: the first try starts them
first_result  seconds from the start of a process to its first result
memory        the peak of a new process that simulates, which should grow neither with replicates nor with T
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.cases import ALGORITHMS, POINTS, Case, contestants, sampling
from benchmarks.clock import best_seconds, in_new_process

Row = dict[str, Any]
Part = Callable[[], Iterator[Row]]

# d -> T, replicates: a call costs little beside its iterations
OF_THROUGHPUT = {2: (2000, 1024), 10: (400, 1024), 50: (32, 512)}
OF_MEMORY = ((1024, 20), (8192, 20), (65536, 20), (1024, 200), (1024, 2000))  # replicates, T


def throughput() -> Iterator[Row]:
    for d, Q in POINTS:
        T, replicates = OF_THROUGHPUT[d]
        for name in ALGORITHMS:
            case = Case(algorithm=name, d=d, Q=Q, T=T, replicates=replicates)
            seconds = best_seconds(contestants(case), tries=5)
            rates = {name: case.device_iterations / taken for name, taken in seconds.items()}
            to_C = {"numpy / C": rates["numpy"] / rates["C"]} if "C" in rates else {}
            yield {"algorithm": name, "d": d, "Q": Q, **rates, **to_C}


def scaling() -> Iterator[Row]:
    case = Case(algorithm="LocalBSGM", d=10, Q=20, T=400, replicates=2048)
    works = {name: sampling(case, workers=n) for name, n in (("one", 1), ("two", 2))}
    seconds = best_seconds(works, tries=7, clock=time.perf_counter)
    yield {"d": case.d, "Q": case.Q, **seconds, "one / two": seconds["one"] / seconds["two"]}


FIRST = """
import numpy as np
from ratecert import simulate
from ratecert.methods import LocalBSGM
from ratecert.worlds import random_quadratic
world = random_quadratic(d_x=2, d_y=2, sigma_H=0.2, sigma_J=0.2, s_f=0.5, s_g=0.5, seed=1)
solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.2, rho_2=2.0, p=8, theta=0.2, Q=20)
simulate(world, solver, K=4, T=200, x0=np.ones(2), y0=np.ones(2), replicates=500, seed=0)
"""


def first_result() -> Iterator[Row]:
    yield best_seconds({"seconds": partial(in_new_process, FIRST)}, tries=3, clock=time.perf_counter)


SIMULATED = """
from benchmarks.cases import Case, sampling
from benchmarks.clock import peak
sampling(Case(algorithm="LocalBSGM", d=2, T={T}, replicates={replicates}))()
print(peak())
"""


def memory() -> Iterator[Row]:
    for replicates, T in OF_MEMORY:
        (MiB,) = in_new_process(SIMULATED.format(replicates=replicates, T=T))
        yield {"replicates": replicates, "T": T, "MiB": float(MiB)}


PARTS: dict[str, Part] = {each.__name__: each for each in (throughput, scaling, first_result, memory)}
