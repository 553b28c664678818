"""The step constants that the orders leave open: the best of the same number of trials for every method.

A trial is the measure (1/T) sum_t E||grad Phi(xbar_t)||^2 at the method's reference size with K = 1; a constant changes
no count, so a smaller measure is fewer samples to eps. Constants range over a box in logarithms. The first half of the
trials are Sobol points, which cover the box evenly; the second half is Nelder and Mead's search from the best of them.
Both are deterministic. Where a run diverges or is refused the trial is lost: those constants are not admissible.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ratecert.base.errors import DivergedError, UndecidedError, UserError
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES
from ratecert.papers.federated_bilevel.evidence.complexity.measured_runs import measured_run

TRIALS = 64
SMALLEST, LARGEST = 1 / 64, 4096.0
LOST = 700.0  # log of a measure beyond all others


@dataclass(frozen=True)
class Best:
    constants: tuple[float, ...]
    measure: float
    trials: int
    lost: int

    @property
    def at_edge(self) -> bool:
        """A constant within 5 % of the edge of the box: a larger box might have a better one."""
        return any(c < 1.05 * SMALLEST or c > LARGEST / 1.05 for c in self.constants)


class Trials:
    """The measure as a function of the logarithms of the constants; remembers the best and counts."""

    def __init__(self, method: str, world: Any) -> None:
        self.method, self.world = method, world
        self.best, self.where = math.inf, np.zeros(0)
        self.made = self.lost = 0

    def __call__(self, logs: Sequence[float]) -> float:
        self.made += 1
        try:
            size = 2 ** FAMILIES[self.method].reference
            run = measured_run(self.method, self.world, n=size, K=1, c=np.exp(logs).tolist(), certified=False)
            value = math.log(run["gradient"])
        except (DivergedError, UserError):
            self.lost += 1
            return LOST
        if value < self.best:
            self.best, self.where = value, np.array(logs)
        return value


def best_constants(method: str, world: Any, trials: int = TRIALS) -> Best:
    """Search the box for the constants with the smallest measure."""
    from scipy.stats import qmc  # slow to import

    d = len(FAMILIES[method].constants)
    low, high = math.log(SMALLEST), math.log(LARGEST)
    tried = Trials(method, world)
    first = trials // 2
    for point in qmc.Sobol(d, scramble=False).random(first):
        tried(low + (high - low) * point)
    if not math.isfinite(tried.best):
        raise UndecidedError(f"{method}: none of {first} constants in [{SMALLEST:g}, {LARGEST:g}] converges.")
    simplex = _simplex(tried.where, low, high)
    options = {"maxfev": trials - first, "initial_simplex": simplex, "xatol": 0, "fatol": 0}
    minimize(tried, tried.where, method="Nelder-Mead", bounds=[(low, high)] * d, options=options)
    return Best(tuple(np.exp(tried.where).tolist()), math.exp(tried.best), tried.made, tried.lost)


def _simplex(at: Any, low: float, high: float) -> Any:
    """A factor 2 along each constant, towards the middle of the box."""
    step = np.where(at > (low + high) / 2, -math.log(2), math.log(2))
    return np.vstack([at, at + np.diag(step)])
