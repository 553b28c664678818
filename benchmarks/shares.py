"""Where the time of the fast engine goes: each part is left out in turn, and what is saved is its share.

Left out are matrix products, the other instructions of a step, making the words of signs, and the averages over
devices. The rest is the measures, which are taken at every iteration, and iteration 0, which numpy does. Parts overlap
in the processor, so that shares are right to a few hundredths; without its products a step computes nonsense, at its
usual speed.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.cases import ALGORITHMS, Case
from benchmarks.clock import best_seconds
from benchmarks.contestants import engines
from benchmarks.throughput import SIZES
from ratecert.solvers.contract.counts import dimensions_of_state
from ratecert.solvers.contract.experiment import prepare
from ratecert.solvers.engines.compiled.instructions import NEXT_TERM, PLUS_PRODUCTS, PRODUCTS
from ratecert.solvers.engines.compiled.machine import Machine
from ratecert.solvers.engines.compiled.program import OP
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.solvers.engines.threads import one_thread

TRIES = 10
PARTS = ("products", "other instructions", "words of signs", "averages")
REST = "measures, iteration 0"


def settings() -> list[Case]:
    return [
        Case(algorithm=name, d=d, Q=5, T=T, replicates=256)
        for d, (T, _) in SIZES.items()
        for name in ALGORITHMS
        if "numba" in engines()
    ]


def measure(case: Case) -> dict[str, Any]:
    works = {"whole": _work(case, None)} | {part: _work(case, part) for part in PARTS}
    for work in works.values():
        work()
    with one_thread():
        seconds = best_seconds(works, tries=TRIES, clock=time.process_time)
    shares = {part: 1 - seconds[part] / seconds["whole"] for part in PARTS}
    return {
        "algorithm": case.algorithm,
        "d": case.d,
        "Q": case.Q,
        "shares": shares | {REST: 1 - sum(shares.values())},
    }


def _work(case: Case, left_out: str | None) -> Callable[[], object]:
    from ratecert.solvers.engines.compiled.engine import run_tile  # imports numba

    setting = prepare(case.world, case.solver, K=case.K, T=case.T, x0=case.start, y0=case.start, times=[])
    machine = Machine(case.world, case.solver, dimensions_of_state(case.world, case.solver))
    if left_out is not None:
        leave_out(machine, left_out)
    noise = Hashed(seed=0, first=0, replicates=case.replicates, K=case.K)
    return lambda: run_tile(setting, machine, noise, 0, case.replicates)


def leave_out(machine: Machine, part: str) -> None:
    """Of the one stage of a machine."""
    bounds, program = machine.bounds, machine.program
    if part == "averages":
        bounds.averaged_end = list(bounds.averaged_begin)
    elif part == "words of signs":
        bounds.slot_end = list(bounds.slot_begin)
    else:
        product = np.isin(program.table[:, OP], (PRODUCTS, PLUS_PRODUCTS, NEXT_TERM))
        stays = ~product if part == "products" else product
        kept = [c for c, stay in zip(program.coefficients, stays, strict=True) if stay]
        machine.program = replace(program, table=program.table[stays], coefficients=tuple(kept))
        bounds.end = [len(kept)]
