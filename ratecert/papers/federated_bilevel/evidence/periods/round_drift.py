"""How far devices drift apart within a round of p steps, in closed form.

Write w = alpha eta (LocalBSGM) or alpha eta^2 (LocalBSGVRM) for the weight of a sample in u. After m steps a sample's
part of u is w (1 - w)^(m-1), so its part of x is rho_1 eta r_m with r_m = 1 - (1 - w)^m: about m w in short rounds
(p w << 1), about 1 in long ones. As long as p eta rho ||J|| << 1 nothing else happens, and after j steps of a round

    alike       x_k - xbar = -rho_1 eta sum_{m <= j} r_m n_m                n_m independent, of variance (1 - 1/K) V_h
    different   x_k - xbar = -rho_1 eta sum_{m <= j} r_m F_k                F_k what a device misses at the solution

Noise adds squares, a difference adds up. Averaged over the states j = 0, ..., p - 1 of a round the drift is

    alike       rho_1^2 eta^2 (1 - 1/K) V_h  (1/p) sum_{j<p} sum_{m<=j} r_m^2        short: w^2 p^3/12     long: p/2
    different   rho_1^2 eta^2 F^2            (1/p) sum_{j<p} (sum_{m<=j} r_m)^2      short: w^2 p^4/20     long: p^2/3

and that of y is the same with beta, rho_2, V_g and its F. This is for momenta `carry`.
"""

import math
from typing import Any

import numpy as np

from ratecert.papers.federated_bilevel.evidence.periods.two_kinds import own_field
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Heterogeneous, Quadratic

EXPONENTS = {("alike", "short"): 3, ("different", "short"): 4, ("alike", "long"): 1, ("different", "long"): 2}


def drift_of_noise(world: Quadratic, solver: LocalMethod, K: int) -> float:
    """Of x, on a scalar world whose devices are alike, without Hessian noise."""
    return _step(solver) * (1 - 1 / K) * _variance(world, solver) * _mean(np.cumsum(_parts(solver) ** 2))


def drift_of_difference(world: Heterogeneous, solver: LocalMethod) -> float:
    """Of x, on devices of two kinds, without noise."""
    return _step(solver) * float(own_field(world, solver)[0]) ** 2 * _mean(np.cumsum(_parts(solver)) ** 2)


def _parts(solver: LocalMethod) -> Any:
    """r_1, ..., r_{p-1}."""
    weight = solver.alpha * solver.schedule.largest**solver.weight_power
    return -np.expm1(np.arange(1, solver.p) * math.log1p(-weight))


def _mean(sums: Any) -> float:
    """Over the p states of a round, the first of which has no drift."""
    return float(np.sum(sums)) / (len(sums) + 1)


def _step(solver: LocalMethod) -> float:
    return (solver.rho_1 * solver.schedule.largest) ** 2


def _variance(world: Quadratic, solver: LocalMethod) -> float:
    """V_h = s_f^2 (1 + (B Hhat)^2), as h = grad_x f + B Hhat grad_y f, both with noise s_f."""
    A, B = float(world.A[0, 0]), float(world.B[0, 0])
    inverse = (1 - (1 - solver.theta * A) ** (solver.Q + 1)) / A
    return float(world.s_f**2 * (1 + (B * inverse) ** 2))
