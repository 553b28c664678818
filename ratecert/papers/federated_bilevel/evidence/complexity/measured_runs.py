"""One run of a method: the measure that it reaches, exactly, and what that costs each device."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ratecert.claim.claim import Json
from ratecert.errors import PrecisionWarning
from ratecert.papers.federated_bilevel.evidence.complexity.families import FAMILIES, At
from ratecert.solvers import expect
from ratecert.solvers.contract.counts import count

X_0, Y_0 = 1.0, 0.0


def measured_run(
    method: str,
    problem: Any,
    *,
    n: int,
    K: int,
    c: Sequence[float],
    asked: bool = False,
    every_step: bool = False,
) -> Json:
    """With `every_step` the devices are averaged after every step, whatever p is."""
    solver, T = FAMILIES[method].make(At(n=n, K=K, c=c, asked=asked))
    solver = replace(solver, p=1) if every_step else solver
    x_0, y_0 = [X_0] * problem.d_x, [Y_0] * problem.d_y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)  # of the drifts too; `error` is what matters here
        result = expect(problem, solver, K=K, T=T, x0=x_0, y0=y_0, times=[])
    counts = count(problem, solver, T)
    return {
        "n": float(n),
        "K": K,
        "measure": result.gradient,
        "error": result.precision,
        "iterations": float(T),
        "samples of f": float(counts.samples_f),
        "samples of g": float(counts.samples_g),
        "samples": float(counts.samples_f + counts.samples_g),
        "rounds": float(counts.rounds),
        "floats": float(counts.floats_sent),
        "Hessian products": float(counts.hessian_products),
        "Jacobian products": float(counts.jacobian_products),
    }


def exponent_of_eps(first: Json, last: Json, cost: str) -> float:
    """r in cost ~ (1/eps)^r, where eps is the measure that a run reaches."""
    return math.log(last[cost] / first[cost]) / math.log(first["measure"] / last["measure"])


def limit_of_exponents(runs: Sequence[Json], cost: str, correction: float) -> list[float]:
    """Exponents between neighbours, freed of a part that falls as n^-correction: one from each two of them.

    Sizes are in a geometric progression, so this is Aitken's extrapolation with the known ratio.
    """
    slopes = [exponent_of_eps(a, b, cost) for a, b in pairwise(runs)]
    ratio = (runs[0]["n"] / runs[1]["n"]) ** correction
    return [later + (later - earlier) * ratio / (1 - ratio) for earlier, later in pairwise(slopes)]


def cost_at(run: Json, cost: str, eps: float, in_eps: float) -> float:
    """The cost of reaching eps, by the power law through this run."""
    return float(run[cost] * (run["measure"] / eps) ** in_eps)


def exponent_of_K(runs: Sequence[Json], cost: str, in_eps: float) -> float:
    """r in cost ~ K^r at the same eps; what the two runs' measures differ by is made up for by the exponent of eps."""
    one, other = runs
    return math.log(cost_at(other, cost, one["measure"], in_eps) / one[cost]) / math.log(
        other["K"] / one["K"]
    )
