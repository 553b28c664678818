"""The variance of the three estimators against their number of terms: by moments, over all outcomes, and by laws.py.

Gaps are relative to the second moment of the part with the series, from which the laws subtract the square of a mean.
"""

from typing import Any

import numpy as np

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.estimators.bias_law import laws_at
from ratecert.papers.federated_bilevel.evidence.estimators.laws import Laws
from ratecert.papers.federated_bilevel.evidence.estimators.three import NAMES, THETA, Array, estimator, place
from ratecert.papers.federated_bilevel.evidence.estimators.two_ways import by_moments, over_outcomes

QUIET_THETA = 0.4  # (1 - theta lambda)^64 is below rounding for every lambda >= 1


def variances(name: str, world: Json, terms: list[int], enumerated: int) -> Json:
    """The trace of the covariance of each, and how far the covariances are from their laws."""
    problem = build(world)
    laws, few = laws_at(problem), [n for n in terms if n <= enumerated]
    exact = {(of, n): _by_moments(problem, of, n) for of in NAMES for n in terms}
    found = {
        (of, n): over_outcomes(problem, estimator(of, n), place(problem, of))[1] for of in NAMES for n in few
    }
    last = terms[-1]
    E2, E3 = (float(np.trace(exact[of, last])) for of in ("E2", "E3"))
    return {
        "name": name,
        "n": terms,
        "variance": {of: [float(np.trace(exact[of, n])) for n in terms] for of in NAMES},
        "closed": {of: [float(np.trace(laws.covariance(of, n))) for n in terms] for of in NAMES},
        "gap": {of: _gap(laws, exact, of) for of in NAMES},
        "gap over outcomes": {of: _gap(laws, found, of) for of in NAMES},
        "E1 - E2": min(
            _least(exact["E1", n] - exact["E2", n]) / _scale(laws, "E1", n) for n in terms if n > 1
        ),
        "E2 - E3": (E2 - E3) / E2,
        "E2 - E3, closed": laws.saved_by_fresh_samples(last) / E2 if problem.d_y == 1 else None,
    }


def cut(name: str, world: Json, terms: list[int]) -> Json:
    """Without noise: what the cut at random alone adds, and how it grows with N."""
    problem = build(world)
    laws = laws_at(problem, QUIET_THETA)
    exact = {N: _by_moments(problem, "E1", N, QUIET_THETA) for N in terms}
    last = terms[-1]
    others = [_by_moments(problem, of, n, QUIET_THETA) for of in ("E2", "E3") for n in terms[:4]]
    off = [np.linalg.norm(exact[N] - laws.covariance_of_the_cut(N)) / _scale(laws, "E1", N) for N in terms]
    traces = {N: float(np.trace(covariance)) for N, covariance in exact.items()}
    growth = laws.growth_of_the_cut
    return {
        "quiet": name,
        "N": terms,
        "variance": list(traces.values()),
        "closed": [float(np.trace(laws.covariance_of_the_cut(N))) for N in terms],
        "bound": [N * growth for N in terms],
        "gap": float(max(off)),
        "others": float(max(np.abs(covariance).max() for covariance in others)),
        "below": (last * growth - traces[last]) / (last * growth),
        "below, closed": float(np.sum((laws.tilde - laws.grad_x_f) ** 2)) / (last * growth),
    }


def _by_moments(problem: Any, of: str, n: int, theta: float = THETA) -> Array:
    return by_moments(problem, estimator(of, n, theta=theta), place(problem, of))[1]


def _gap(laws: Laws, covariances: dict[tuple[str, int], Array], of: str) -> float:
    off = [
        np.linalg.norm(covariance - laws.covariance(of, n)) / _scale(laws, of, n)
        for (which, n), covariance in covariances.items()
        if which == of
    ]
    return float(max(off))


def _scale(laws: Laws, of: str, n: int) -> float:
    mean = laws.world.B.T @ laws.rho(n)
    return float(np.trace(laws.covariance(of, n)) + mean @ mean)


def _least(difference: Array) -> float:
    """The smallest eigenvalue."""
    return float(np.linalg.eigvalsh(difference)[0])
