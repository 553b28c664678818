"""Both sides of Lemma 1 at a point: the formula, and a difference quotient of Phi that knows nothing of it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.solvers.contract.problem import CentredProblem, Problem, SampledProblem
from ratecert.solvers.contract.signs import Silent
from ratecert.theory.numbers.assumptions import WithMinimiser

STEP = 1e-3
POINTS = 8
ROUNDING = 2.0**-53

Array = NDArray[np.float64]


def formula(problem: SampledProblem, x: Array, y: Array) -> Array:
    """The right side at (x, y), from oracles whose samples are at their means."""
    mean, at = Silent(), (x[:, None], y[:, None])
    xi, zeta, zeta_j = problem.sample_f(mean), problem.sample_jacobian(mean), problem.sample_hessian(mean)
    hessian = np.hstack([problem.hessian_g(zeta_j, *at, e[:, None]) for e in np.eye(len(y))])
    inverse = np.linalg.solve(hessian, problem.grad_y_f(xi, *at))
    gradient: Array = problem.grad_x_f(xi, *at) - problem.jacobian_g(zeta, *at, inverse)
    return gradient[:, 0]


def difference_quotient(function: Any, x: Array, step: float = STEP) -> Array:
    """The gradient by central differences at two steps, combined so that the error is of order step^4."""

    def central(h: float) -> Array:
        return np.array([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(len(x))])

    return (4 * central(step) - central(2 * step)) / 3


def points(problem: CentredProblem) -> list[Array]:
    """Around the centre of the world, at distances of order 1."""
    return list(problem.a + np.random.default_rng(0).standard_normal((POINTS, problem.d_x)))


def off(vector: ArrayLike, gradient: ArrayLike) -> float:
    """The relative distance; below one rounding it is not known."""
    return max(ROUNDING, float(np.linalg.norm(np.subtract(vector, gradient)) / np.linalg.norm(gradient)))


def slope_at_y_star(problem: Problem, x: Array) -> float:
    """||grad_y g(x, y*(x))||, which is zero if y*(x) is the minimiser, in units of that beside it."""
    zeta, column, y = problem.sample_g(Silent()), x[:, None], problem.y_star(x)[:, None]
    here, beside = problem.grad_y_g(zeta, column, y), problem.grad_y_g(zeta, column, y + 1.0)
    return float(np.linalg.norm(here) / np.linalg.norm(beside))


def uncertainty(problem: WithMinimiser, x: Array) -> float:
    """Of the quotient at x, relative: what changes with twice the step."""
    return off(difference_quotient(problem.objective, x, 2 * STEP), difference_quotient(problem.objective, x))
