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
from ratecert.papers.federated_bilevel.evidence.estimators.settings import WORLDS
from ratecert.papers.federated_bilevel.evidence.estimators.three import THETA
from ratecert.solvers import SUSTAIN, TTSA, FedBiOAcc, FedBiOAccGlobal, LocalBSGVRM, fixed_point, name_of

X, Y, C = 0.05, 2.0, 20.0  # steps of x and of y and r in units of eta; the momenta
ETA = 0.1
FED: dict[str, Any] = {"eta": ETA, "p": 4}


def resting(of: str, world: str, terms: list[int]) -> list[Json]:
    """||grad Phi|| at rest for every method with this estimator, and the floor of its series of n terms.

    `size` is that of the two parts of grad Phi at the solution, where they cancel.
    """
    problem = build(WORLDS[world])
    size = 2 * float(np.linalg.norm(problem.P @ (problem.x_star - problem.a)))
    rows = []
    for n in terms if of != "E3" else [0]:
        floor = math.sqrt(at_rest(problem, theta=THETA, Q=n - 1).floor) if n else 0.0
        for solver in _methods(of, n):
            gradient = float(np.linalg.norm(problem.hypergradient(fixed_point(problem, solver).x)))
            row = {"method": name_of(solver), "terms": n, "gradient": gradient, "floor": floor}
            rows.append({**row, "size": size})
    return rows


def _methods(of: str, n: int) -> list[Any]:
    """The methods with this estimator; n is 0 where there is no series."""
    if of == "E1":
        return [
            SUSTAIN(eta=ETA, gamma=X, lam=Y, c_u=C, c_v=C, theta=THETA, N=n),
            TTSA(alpha=ETA * X, beta=ETA * Y, theta=THETA, N=n),
        ]
    if of == "E2":
        return [
            FedBiOAcc(**FED, lam=X, gamma=Y, c_nu=C, c_w=C, theta=THETA, Q=n - 1),
            LocalBSGVRM(**FED, rho_1=X, rho_2=Y, alpha=C, beta=C, theta=THETA, Q=n - 1),
        ]
    return [FedBiOAccGlobal(**FED, lam=X, gamma=Y, tau=Y, c_nu=C, c_w=C, c_q=C)]
