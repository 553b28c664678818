"""One run along a corollary's scalings, by exact moments, and the T at which the measure is eps.

Runs begin at x0 and y0, the same number in every coordinate. The measure is that of the theorems,

    1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.errors import UndecidedError
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run, along
from ratecert.solvers import expect
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number, with_constants
from ratecert.theory.orders.derivation import as_monomial

NEAR = 1e-6  # of log(measure/eps), where the search for T ends
MOST_STEPS = 30


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A corollary on a world, the units of its scalings, and the start."""

    corollary: str
    world: Mapping[str, Any]
    units: Mapping[str, float]
    theta: float
    x0: float = 1.0
    y0: float = 0.0

    def run(self, **where: Any) -> Run:
        """At K and T, or at K and eps; further names replace fields of the solver."""
        return along(self.corollary, theta=self.theta, units=self.units, **where)


def measured(setting: Setting, run: Run, *, shared_noise: bool = False) -> Json:
    """The row of one run."""
    problem = build(setting.world)
    x0, y0 = [setting.x0] * problem.d_x, [setting.y0] * problem.d_y
    exact = expect(problem, run.solver, K=run.K, T=run.T, x0=x0, y0=y0, times=[], shared_noise=shared_noise)
    return {
        "K": run.K,
        "T": run.T,
        "p": run.solver.p,
        "eta": run.solver.step_size(0),
        "measure": exact.measure(L_tilde(problem))[0],
        "precision": exact.precision,
    }


def L_tilde(problem: Any) -> float:
    """As the paper defines it; on a quadratic world L_21 = L_22 = 0, and the ball does not matter."""
    return with_constants(paper("repaired"), problem.constants(radius=1.0))["L_tilde"]


def claimed(corollary: str, name: str) -> float:
    """The exponent of T, K or eps in the printed rate, logarithms aside."""
    return float(as_monomial(paper("printed").the(Corollary, corollary).claim.order).exponent(name))


def orders(corollary: str, K: int, T: int) -> dict[str, float]:
    """Every scaling of a corollary in T, with units 1 and nothing rounded."""
    scalings = paper("printed").the(Corollary, corollary).scalings
    return {name: number(scaling.order, {"K": K, "T": float(T)}) for name, scaling in scalings.items()}


def run_with_largest_step(setting: Setting, K: int, T: int, largest: float) -> Run:
    """At K and T, its constant step cut off at the largest."""
    eta = setting.units["eta"] * orders(setting.corollary, K, T)["eta"]
    return setting.run(K=K, T=T, eta=min(eta, largest))


def iterations_to(eps: float, setting: Setting, K: int, first: float, *, shared_noise: bool = False) -> Json:
    """The row of the T at which the measure is eps, by Newton's method in logarithms with the claimed exponent.

    T is off by the `residual`, a relative error: what is left of log(measure/eps), over the exponent.
    """
    T, rate = first, claimed(setting.corollary, "T")
    for _ in range(MOST_STEPS):
        row = measured(setting, setting.run(K=K, T=round(T)), shared_noise=shared_noise)
        excess = math.log(row["measure"] / eps)
        if abs(excess) <= NEAR:
            return {**row, "T": T, "residual": (abs(excess) + row["precision"]) / abs(rate)}
        T *= math.exp(-excess / rate)
    raise UndecidedError(
        f"the measure does not settle at {eps:.3g} for K = {K}: T = {T:.3g} after {MOST_STEPS} steps."
    )
