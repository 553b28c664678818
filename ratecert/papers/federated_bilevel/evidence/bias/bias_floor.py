"""The floor that a truncated Neumann sum leaves: where a method comes to rest, and how large grad Phi is there.

Without noise, or as eta -> 0, both algorithms rest where their mean estimates vanish: y = y*(x) and hat(x, y) = 0.
On a quadratic world, with M = I - theta A and A^{-1} (I - M^{Q+1}) as the truncated inverse,

    0 = P (x - a) + B' A^{-1} (I - M^{Q+1}) D (y*(x) - b)
    grad Phi(x) = B' A^{-1} M^{Q+1} D (y*(x) - b)            what the truncation leaves out, at that x

The first is a linear system for x. The second is not a difference of large numbers, so its square, the floor, is
accurate at every Q. It falls by (1 - theta lambda)^2 per term as Q grows, lambda the least eigenvalue of A. None of
eta, alpha, beta, rho_1, rho_2, p and K enters, nor the level of noise: noise moves no mean on a quadratic world.

Below it are the exact moments that the closed form is held against.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.bias.neumann_bias import Array
from ratecert.papers.federated_bilevel.evidence.theorems.instances import solver_of
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import LocalBSGM, LocalBSGVRM, expect, stationary
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Quadratic
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.admissible import admissible
from ratecert.theory.numbers.evaluation import number, with_constants

THETA, K, ETA = 0.2, 4, 0.1
STEPS: dict[str, Any] = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.01, "rho_2": 0.5, "p": 4, "theta": THETA}
ANY = 1e6  # radius; where second derivatives are constant no step and no L_tilde depends on it


@dataclass(frozen=True)
class Rest:
    """Where the mean iterates stay."""

    x: Array
    floor: float  # ||grad Phi(x)||^2
    radius: float  # ||(x - a, y*(x) - b)||


def at_rest(world: Quadratic, *, theta: float, Q: int) -> Rest:
    eye = np.eye(world.d_y)
    left_out = np.linalg.matrix_power(eye - theta * world.A, Q + 1)
    back = np.linalg.solve(world.A, world.B).T  # B' A^{-1}
    used, lost = back @ (eye - left_out) @ world.D, back @ left_out @ world.D
    offset = world.y_star(world.a) - world.b
    x = world.a - np.linalg.solve(world.P + used @ back.T, used @ offset)
    away = world.y_star(x) - world.b
    floor = float(np.sum((lost @ away) ** 2))
    return Rest(x, floor, math.hypot(np.linalg.norm(x - world.a), np.linalg.norm(away)))


def bias_term(world: Quadratic, *, theta: float, Q: int, radius: float, theorem: str = "theorem-1") -> float:
    """What the theorem adds for the bias, 4 Delta_Q^2, with the constants of this ball."""
    values = {**world.constants(radius=radius), "theta": theta, "Q": Q}
    return number(paper().the(Theorem, theorem).terms["bias"], with_constants(paper(), values))


def floors(name: str, world: Json, terms: list[int]) -> Json:
    """The limit of the measure without noise, the closed form and the theorem's term, against Q."""
    problem = build(world)
    rests = [at_rest(problem, theta=THETA, Q=Q) for Q in terms]
    radius = max(rest.radius for rest in rests)
    limits = [_limit(problem, LocalBSGM(eta=ETA, Q=Q, **STEPS)) for Q in terms]
    return {
        "name": name,
        "Q": terms,
        "radius": radius,
        "mu": problem.constants(radius=radius)["mu"],
        "measured": [limit for limit, _ in limits],
        "precision": max(precision for _, precision in limits),
        "closed": [rest.floor for rest in rests],
        "bound": [bias_term(problem, theta=THETA, Q=Q, radius=radius) for Q in terms],
    }


def other_runs(world: Json, Q: int) -> Json:
    """Measure over floor for another algorithm, other steps and a finite T."""
    problem = build(world)
    floor, inside = at_rest(problem, theta=THETA, Q=Q).floor, _inside_theorem_1(problem, Q)
    solver = LocalBSGM(eta=ETA, Q=Q, **STEPS)
    start = {"x0": problem.x_star, "y0": problem.y_star(problem.x_star)}
    long = expect(problem, solver, K=K, T=2**60, times=(), **start)
    measures = {
        "LocalBSGVRM": _limit(problem, LocalBSGVRM(eta=ETA, Q=Q, **STEPS)),
        "K = 64, p = 32": _limit(problem, replace(solver, p=32), K=64),
        "steps inside Theorem 1": _limit(problem, inside),
        "average over 2^60 iterations": (long.measure(_L_tilde(problem))[0], long.precision),
    }
    return {"Q": Q, "measure over floor": {name: [m / floor, error] for name, (m, error) in measures.items()}}


def with_noise(world: Json, Q: int, etas: list[float]) -> Json:
    """The limit of the measure with noise, against eta."""
    problem = build(world)
    limits = [_limit(problem, LocalBSGM(eta=eta, Q=Q, **STEPS)) for eta in etas]
    return {
        "noisy Q": Q,
        "eta": etas,
        "measured": [limit for limit, _ in limits],
        "precision": max(precision for _, precision in limits),
        "floor": at_rest(problem, theta=THETA, Q=Q).floor,
    }


def _limit(problem: Any, solver: LocalMethod, K: int = K) -> tuple[float, float]:
    """gradient + L_tilde^2 tracking as T -> infinity, and its precision."""
    limit = stationary(problem, solver, K=K)
    return float(limit.gradient + _L_tilde(problem) ** 2 * limit.tracking), limit.precision


def _L_tilde(problem: Any) -> float:
    return with_constants(paper(), problem.constants(radius=ANY))["L_tilde"]


def _inside_theorem_1(problem: Any, Q: int) -> LocalMethod:
    given: dict[str, Any] = {"Q": Q, "radius": ANY, "paper": paper(), "fixed": {"theta": THETA}}
    return solver_of("theorem-1", admissible("theorem-1", problem, K, STEPS["p"], 10**6, **given))
