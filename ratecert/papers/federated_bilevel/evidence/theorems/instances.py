"""A theorem's algorithm at the theorem's values, and the ball on which the constants of its bound hold.

A quadratic f is Lipschitz on bounded sets only, so L_0 (and sigma, where E or F is not zero) are those of a ball around
(a, b). It has to hold every point at which they are used: the iterates of all devices, their means, which a ball holds
with them, and (xbar, y*(xbar)). `reachable_radius` certifies the iterates, for every outcome, at constant steps and,
where E = F = 0, at decaying ones.

Small steps leave no certificate where noise grows with the iterates (E or F is not zero), and at times where a mode
shrinks by no more than rounding. The radius is then assumed: twice the root mean square of ||(x - a, y - b)||,
from exact moments at the powers of two. Proofs use the constants inside expectations, for which that is the right size;
it bounds neither every outcome nor every t.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.errors import NoCertificateError
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, reachable_radius
from ratecert.solvers.contract.result import Curves
from ratecert.solvers.engines.certificates.reach import rounded_up
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.synthetic import Quadratic
from ratecert.synthetic.algebra.units import norm
from ratecert.theory.numbers.admissible import Admissible

Array = NDArray[np.float64]

ROUNDING = 1 + 1e-9  # else rounding could make a radius a little smaller than what it bounds
SMALLEST = 1e-12  # radius, for a run that stays where it is


def solver_of(theorem: str, inside: Admissible) -> LocalMethod:
    """The algorithm that the theorem speaks about, with these steps."""
    values = inside.bound.values
    common: dict[str, Any] = {n: values[n] for n in ("alpha", "beta", "rho_1", "rho_2", "theta")}
    common |= {n: round(values[n]) for n in ("p", "Q")}
    if theorem == "theorem-1":
        return LocalBSGM(eta=values["eta"], **common)
    eta = CubeRoot(**inside.schedule) if inside.schedule else values["eta"]
    return LocalBSGVRM(eta=eta, B=round(values["B"]), **common)


@dataclass(frozen=True)
class Ball:
    """||(x - a, y - b)|| <= radius for the iterates and for (xbar, y*(xbar)), and whether that was shown."""

    radius: float
    certified: bool
    iterates: float  # the radius for the iterates alone


def certified_ball(
    world: Quadratic,
    solver: LocalMethod,
    K: int,
    x0: Array,
    y0: Array,
    interpreter: Interpreter | None = None,
) -> Ball | None:
    """A ball for the constants: iterates and means of every outcome, and y*(xbar) with them."""
    try:
        radius = reachable_radius(world, solver, K, x0=x0, y0=y0, interpreter=interpreter)
    except NoCertificateError:
        return None
    return Ball(_with_y_star(world, radius), certified=True, iterates=radius)


def assumed_ball(world: Quadratic, curves: Curves) -> Ball:
    """Where nothing is certified."""
    reach = 2 * _root_mean_square(world, curves)
    return Ball(_with_y_star(world, reach), certified=False, iterates=reach)


def _with_y_star(world: Quadratic, reach: float) -> float:
    """||y*(x) - b|| <= ||y*(a) - b|| + ||A^{-1}B|| ||x - a||."""
    slope, _ = _truth(world)
    away = math.hypot(reach, norm(world.y_star(world.a) - world.b) + norm(slope) * reach)
    return max(SMALLEST, rounded_up(arb(away * ROUNDING)))


def _truth(world: Quadratic) -> tuple[Array, Array]:
    """The slope of y* and the Hessian of Phi."""
    origin, directions = np.zeros((world.d_x, 1)), np.eye(world.d_x)
    slope = world.y_star(directions) - world.y_star(origin)
    return slope, world.hypergradient(directions) - world.hypergradient(origin)


def _root_mean_square(world: Quadratic, curves: Curves) -> float:
    """Device - mean, y - y*(x), x - x_star and the solution - (a, b), by the triangle inequality."""
    slope, hessian = _truth(world)
    least = float(np.linalg.eigvalsh(hessian)[0])
    squares = (curves.drift_x + curves.drift_y, curves.tracking, curves.gradient)
    apart, error, slopes = (np.sqrt(np.maximum(square, 0.0)) for square in squares)
    solution = math.hypot(norm(world.x_star - world.a), norm(world.y_star(world.x_star) - world.b))
    # a flat Phi holds nothing: the radius is refused later
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = slopes / least * math.hypot(1.0, norm(slope))
    return float(np.max(apart + error + distance)) + solution
