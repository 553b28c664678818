"""`make bench`: device-iterations per core-second of the numpy engine and of a plain loop over devices.

Both run in one process on one core, alternating, and the best of several tries counts; only the ratio means
anything on another machine.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.device_loop import run
from solvers import LocalBSGM, LocalBSGVRM, simulate
from synthetic import Quadratic, random_quadratic

TRIES = 5
POINTS = [(2, 5), (10, 5), (10, 20), (50, 5)]
K = 8


def main() -> None:
    table = Table(title=f"device-iterations per core-second, K = {K}, p = 4, best of {TRIES}")
    for name in ("algorithm", "d", "Q", "loop over devices", "numpy engine", "ratio"):
        table.add_column(name, justify="left" if name == "algorithm" else "right")
    for d, Q in POINTS:
        world = random_quadratic(
            d_x=d, d_y=d, mu=1.0, L_1=4.0, sigma_H=0.2, sigma_J=0.2, s_f=0.1, s_g=0.1, seed=0
        )
        for kind in (LocalBSGM, LocalBSGVRM):
            solver = kind(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.05, rho_2=0.5, p=4, theta=0.2, Q=Q)
            loop, engine = _measure(world, solver)
            table.add_row(
                kind.__name__, str(d), str(Q), f"{loop:,.0f}", f"{engine:,.0f}", f"{engine / loop:.0f}"
            )
    Console().print(table)


def _measure(world: Quadratic, solver: LocalBSGM | LocalBSGVRM) -> tuple[float, float]:
    replicates, T = 1024, max(8, 400 // world.d_x)
    start = np.ones(world.d_x), np.ones(world.d_y)

    def loop() -> int:
        run(world, solver, K, 20, seed=0)
        return 20 * K

    def engine() -> int:
        simulate(world, solver, K=K, T=T, x0=start[0], y0=start[1], replicates=replicates, seed=0, times=[])
        return T * K * replicates

    rates = [(_rate(loop), _rate(engine)) for _ in range(TRIES)]
    return max(r[0] for r in rates), max(r[1] for r in rates)


def _rate(work: Callable[[], int]) -> float:
    begin = time.process_time()
    done = work()
    return done / (time.process_time() - begin)


if __name__ == "__main__":
    main()
