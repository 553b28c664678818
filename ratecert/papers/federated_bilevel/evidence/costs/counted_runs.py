"""What runs along a corollary in eps cost each device: counted from the algorithm's own steps, nothing is simulated.

eps = 4^-n and K a power of 4 make T, p and B whole without rounding, and PER_LOG gives ten Neumann terms per factor 4
in eps, a whole number as well (a little less than ten, because Q is rounded up).
"""

import math
from collections.abc import Sequence

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.solvers.contract.counts import count

WORLD = {"world": "scalar"}
PER_LOG = (10 - 1e-9) / math.log(4)
UNITS = {"Q": PER_LOG, "eta": 0.5, "floor": 1.0}
THETA = 0.2


def counted_runs(corollary: str, levels: Sequence[int], devices: Sequence[int]) -> Json:
    """Per device at eps = 4^-level: iterations, samples, rounds, and samples per iteration."""
    return [_run(corollary, level, K) for level in levels for K in devices]


def _run(corollary: str, level: int, K: int) -> Json:
    eps = 4.0**-level
    run = along(corollary, K=K, eps=eps, theta=THETA, units=UNITS)
    counts = count(build(WORLD), run.solver, run.T)
    samples = counts.samples_f + counts.samples_g
    return {
        "eps": eps,
        "K": K,
        "Q": run.solver.Q,
        "iterations": float(run.T),
        "samples": float(samples),
        "rounds": float(counts.rounds),
        "per iteration": samples / run.T,
    }
