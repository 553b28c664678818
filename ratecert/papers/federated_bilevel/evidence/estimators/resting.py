"""The estimators inside running methods: how large grad Phi is where the mean iterates come to rest.

    E1    SUSTAIN, TTSA              N = n
    E2    LocalBSGVRM, FedBiOAcc     Q = n - 1
    E3    FedBiOAccGlobal            no number of terms

With a series of n terms it is the floor of evidence/bias/bias_floor.py; a method that keeps its auxiliary
variable has none. The devices are alike, so neither their number nor p matters.
"""

import math
from typing import Any

import numpy as np

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest
from ratecert.papers.federated_bilevel.evidence.estimators.three import THETA
from ratecert.solvers import SUSTAIN, TTSA, FedBiOAcc, FedBiOAccGlobal, LocalBSGVRM, fixed_point, name_of

P = 4
X, Y, C = 0.05, 2.0, 20.0  # steps of x and of y and r in units of eta; the momenta
ETA = 0.1


def resting(of: str, name: str, world: Json, terms: list[int]) -> Json:
    """||grad Phi|| at rest for every method with this estimator, and the floor of a series with n terms."""
    problem = build(world)
    return {
        "rest": of,
        "name": name,
        "n": terms,
        "gradient": {
            name_of(solvers[0]): [_gradient(problem, solver) for solver in solvers]
            for solvers in _methods(of, terms)
        },
        "floor": [math.sqrt(at_rest(problem, theta=THETA, Q=n - 1).floor) for n in terms],
        "size": _size(problem),
    }


def _methods(of: str, terms: list[int]) -> list[list[Any]]:
    """Each method with every number of terms; once where there is none."""
    fed: dict[str, Any] = {"eta": ETA, "p": P}
    if of == "E1":
        return [
            [SUSTAIN(eta=ETA, gamma=X, lam=Y, c_u=C, c_v=C, theta=THETA, N=n) for n in terms],
            [TTSA(alpha=ETA * X, beta=ETA * Y, theta=THETA, N=n) for n in terms],
        ]
    if of == "E2":
        local: dict[str, Any] = {**fed, "rho_1": X, "rho_2": Y, "alpha": C, "beta": C, "theta": THETA}
        acc: dict[str, Any] = {**fed, "lam": X, "gamma": Y, "c_nu": C, "c_w": C, "theta": THETA}
        return [
            [LocalBSGVRM(**local, Q=n - 1) for n in terms],
            [FedBiOAcc(**acc, Q=n - 1) for n in terms],
        ]
    return [[FedBiOAccGlobal(**fed, lam=X, gamma=Y, tau=Y, c_nu=C, c_w=C, c_q=C)]]


def _gradient(problem: Any, solver: Any) -> float:
    return float(np.linalg.norm(problem.hypergradient(fixed_point(problem, solver).x)))


def _size(problem: Any) -> float:
    """Of either part of grad Phi at the solution, where they cancel."""
    return 2 * float(np.linalg.norm(problem.P @ (problem.x_star - problem.a)))
