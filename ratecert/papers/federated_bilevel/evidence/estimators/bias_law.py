"""The bias of an estimator against its number of terms: by moments, over all outcomes, and as laws.py has it.

Gaps are relative to the two parts of the hypergradient, whose sum every one of these numbers is rounded with.
"""

from typing import Any

import numpy as np

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.estimators.laws import Laws
from ratecert.papers.federated_bilevel.evidence.estimators.three import THETA, Array, estimator, place
from ratecert.papers.federated_bilevel.evidence.estimators.two_ways import (
    by_moments,
    hessian_products,
    over_outcomes,
)
from ratecert.solvers import AuxiliaryGradient, HypergradientThrough
from ratecert.solvers.engines.moments.mixture import moments_of

WARM = 1.0  # every component of the r from which a warm variable starts


def law(of: str, name: str, world: Json, terms: list[int], enumerated: int) -> Json:
    """The bias of E1, E2 or E3 at the given numbers of terms; all outcomes up to `enumerated` terms."""
    problem = build(world)
    laws, point = laws_at(problem), place(problem, of)
    means = {n: by_moments(problem, estimator(of, n), point)[0] for n in terms}
    sums = {n: by_moments(problem, estimator("E2", n), place(problem, "E2"))[0] for n in terms}
    found = {
        n: over_outcomes(problem, estimator(of, n), point) for n in range(1, enumerated + 1) if n in terms
    }
    return {
        "estimator": of,
        "name": name,
        "n": terms,
        "bias": [float(np.linalg.norm(mean - laws.tilde)) for mean in means.values()],
        "closed": [float(np.linalg.norm(laws.bias(n))) for n in terms],
        "gap": _gap(laws, means),
        "gap over outcomes": _gap(laws, {n: mean for n, (mean, _, _) in found.items()}),
        "gap to E2": max(float(np.linalg.norm(means[n] - sums[n])) for n in terms) / laws.size,
        "outcomes": max(outcomes for _, _, outcomes in found.values()),
        "products": [float(hessian_products(problem, estimator(of, n), point)) for n in terms],
    }


def warm(name: str, world: Json, terms: list[int]) -> Json:
    """E3 from another r than 0, and from the r at which its mean stays."""
    problem = build(world)
    laws, (x, y, zero) = laws_at(problem), place(problem, "E3")
    from_one = {n: by_moments(problem, estimator("E3", n), (x, y, zero + WARM))[0] for n in terms}
    at_rest = by_moments(problem, HypergradientThrough(), (x, y, _rest(problem, x, y)))[0]
    return {
        "warm": name,
        "gap": _gap(laws, from_one, WARM),
        "limit": float(np.linalg.norm(at_rest - laws.tilde)) / laws.size,
    }


def laws_at(problem: Any, theta: float = THETA) -> Laws:
    x, y = place(problem, "E2")
    return Laws(problem, x, y, theta)


def _rest(problem: Any, x: Array, y: Array) -> Array:
    """The r at which the mean step is zero."""
    mean = moments_of(problem, AuxiliaryGradient(), (len(x), len(y), len(y))).mean
    constant, slope = (
        mean[:, -1] + mean[:, : len(x) + len(y)] @ np.concatenate([x, y]),
        mean[:, -len(y) - 1 : -1],
    )
    return np.linalg.solve(slope, -constant)


def _gap(laws: Laws, means: dict[int, Array], r_0: float = 0.0) -> float:
    """The largest ||(mean - tilde) - closed form||."""
    off = [np.linalg.norm(mean - laws.tilde - laws.bias(n, r_0)) for n, mean in means.items()]
    return float(max(off)) / laws.size
