"""How many Neumann terms Corollary 1 needs: runs along its scalings, with the floor and the noise told apart.

On a quadratic world without noise in A and B the measure of a run is a sum: the measure of the same run without noise,
which tends to the floor of evidence/bias/bias_floor.py, and a variance. Along Corollary 1 the variance is of
order (KT)^{-1/2} and the floor of order (1 - theta mu)^{2Q+2}. So the floor is a given share of the noise part at

    Q = log(KT) / (4 log(1/(1 - theta mu))) + constant,

which is O(log sqrt(KT)), as the corollary says, with the unit 1/(2 log(1/(1 - theta mu))), about 1/(2 theta mu). With
Q = unit log sqrt(KT) the floor is of order (KT)^(unit log(1 - theta mu)): for unit = 1 that is larger than (KT)^{-1/2}
unless theta mu >= 1 - exp(-1/2) = 0.393, and as theta < 1/L_1, unless L_1/mu < 2.54.
"""

import math
from typing import Any

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.errors import UserError
from ratecert.papers.federated_bilevel.evidence.bias.bias_floor import at_rest, bias_term
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run, along
from ratecert.solvers import expect
from ratecert.theory.numbers.evaluation import with_constants

SHARE = 0.01  # of the noise part: a smaller floor does not matter
ENOUGH = 45.0  # terms times log(1/(1 - theta mu)) after which the floor is below rounding
CASES = {0.1: 9.0, 0.2: 4.0, 0.45: 2.0}  # theta mu and L_1, with mu = 1 and theta < 1/L_1


def world_of(theta: float, *, noise: bool = True) -> Json:
    """mu = 1, and P much larger than what D adds to the Hessian of Phi, so that the floor is a pure power of Q."""
    L_1, levels = CASES[theta], {"s_f": 0.3, "s_g": 1e-3} if noise else {}
    return {"world": "scalar", "mu": 1.0, "L_1": L_1, "P": L_1, "D": 1e-3, "b": 100.0, **levels}


def units_of(theta: float) -> dict[str, float]:
    return {"rho_1": 0.1 / CASES[theta], "rho_2": 1 / CASES[theta]}


def rate(theta: float) -> float:
    """log(1/(1 - theta mu)), with mu = 1."""
    return -math.log1p(-theta)


def needed(theta: float, K: int, T: int) -> Json:
    """The first Q at which the floor is at most SHARE of the noise part, and the crossing, between Q - 1 and Q."""
    noisy, quiet = world_of(theta), world_of(theta, noise=False)

    def measured(world: Json, Q: int) -> float:
        return measure(world, along("corollary-1", K=K, T=T, theta=theta, units=units_of(theta), Q=Q))[0]

    noise = measured(noisy, math.ceil(ENOUGH / rate(theta)))
    problem, Q = build(quiet), 2
    while at_rest(problem, theta=theta, Q=Q).floor > SHARE * noise:
        Q += 1
    before, here, after = (math.log(measured(quiet, q) / (SHARE * noise)) for q in (Q - 1, Q, Q + 1))
    inside, outside = Q - 1 + before / (before - here), Q + here / (here - after)
    return {
        "theta": theta,
        "K": K,
        "T": T,
        "Q": Q,
        "crossing": inside,
        "error": abs(outside - inside),  # the two lines agree where the floor is a pure power of Q
        "noise": noise,
        "excess": measured(noisy, Q) / noise - 1,
    }


def with_unit(theta: float, K: int, unit: float, terms: list[int]) -> Json:
    """The measure along Corollary 1 with Q = unit log sqrt(KT), at the T where that is these whole numbers."""
    totals, measured, precision = [], [], 0.0
    for Q in terms:
        T = int(math.exp(2 * Q / unit) * (1 - 1e-12) / K)
        run = along("corollary-1", K=K, T=T, theta=theta, units={**units_of(theta), "Q": unit})
        if run.solver.Q != Q:
            raise UserError(f"Corollary 1 was to take Q = {Q} at K = {K}, T = {T}, got {run.solver.Q}.")
        value, error = measure(world_of(theta), run)
        totals.append(float(K * T))
        measured.append(value)
        precision = max(precision, error)
    return {
        "theta": theta,
        "K": K,
        "unit": unit,
        "Q": terms,
        "KT": totals,
        "measured": measured,
        "precision": precision,
        "bound": _bias_terms(theta, terms),
    }


def measure(world: Json, run: Run) -> tuple[float, float]:
    """The left side of Theorem 1 for a run from the solution, and its precision."""
    problem = build(world)
    start: dict[str, Any] = {"x0": problem.x_star, "y0": problem.y_star(problem.x_star), "times": ()}
    exact = expect(problem, run.solver, K=run.K, T=run.T, **start)
    L_tilde = with_constants(paper(), problem.constants(radius=1.0))["L_tilde"]
    return exact.measure(L_tilde)[0], exact.precision


def _bias_terms(theta: float, terms: list[int]) -> list[float]:
    """4 Delta_Q^2 on the ball that holds every point of rest."""
    problem = build(world_of(theta))
    radius = max(at_rest(problem, theta=theta, Q=Q).radius for Q in terms)
    return [bias_term(problem, theta=theta, Q=Q, radius=radius) for Q in terms]
