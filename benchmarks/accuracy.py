"""Exact moments against Monte Carlo at equal accuracy: what sampling would cost to know E||grad Phi||^2 as well.

A pilot of n replicates has the standard error s of the mean and takes t seconds of a core. A relative standard error r
of the value G then takes n (s / (r G))^2 replicates, and as much longer: sampling is paid by the square. `expect`
states its precision itself. Runs begin at the solution, so that all of the value comes from noise, as it does in a
rate that is measured.
"""

import time
from typing import Any

from benchmarks.cases import ALGORITHMS, Case
from benchmarks.clock import best_seconds
from benchmarks.contestants import engines
from ratecert.solvers import expect, simulate

TRIES = 3
SOUGHT = (1e-3, 1e-6)


def settings() -> list[Case]:
    return [
        Case(algorithm=name, d=d, Q=10, p=8, T=T, replicates=1024)
        for d, T in ((2, 1000), (10, 100))
        for name in ALGORITHMS
    ]


def measure(case: Case) -> dict[str, Any]:
    engine = engines()[-1]
    world, solver = case.world, case.solver
    start = {"x0": world.x_star, "y0": world.y_star(world.x_star)}
    run: dict[str, Any] = {"K": case.K, "T": case.T, "times": [], **start}
    results: dict[str, Any] = {}

    def exact() -> None:
        results["exact"] = expect(world, solver, **run)

    def sampled() -> None:
        results["sampled"] = simulate(world, solver, replicates=case.replicates, seed=0, engine=engine, **run)

    sampled()
    seconds = best_seconds({"exact": exact, "sampled": sampled}, tries=TRIES, clock=time.process_time)
    relative = results["sampled"].standard_error.gradient / results["exact"].gradient
    row = {"algorithm": case.algorithm, "d": case.d, "T": case.T, "engine": engine}
    row |= {"exact_seconds": seconds["exact"], "exact_precision": results["exact"].precision}
    row |= {"pilot_replicates": case.replicates, "pilot_seconds": seconds["sampled"]}
    needed = {f"{r:g}": case.replicates * (relative / r) ** 2 for r in SOUGHT}
    return row | {"pilot_relative_error": relative, "replicates_needed": needed}
