"""Hypergradients at one point: the exact one, the truncated Neumann sum, and one sample of the stochastic sum."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.validation import require_point, require_whole
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.solvers.estimators.hypergradient import StochasticNeumann

Array = NDArray[np.float64]


def exact_hypergradient(problem: Problem, x: ArrayLike) -> Array:
    """Compute the hypergradient at x from the problem's own oracles; the linear system is solved, not approximated."""
    mean = StochasticNeumann(theta=1.0, Q=1).sample(problem, Silent())
    column = require_point("x", x, problem.d_x)[:, None]
    y = problem.y_star(column)
    (zeta_j,) = mean.factors
    hessian = np.hstack([problem.hessian_g(zeta_j, column, y, e[:, None]) for e in np.eye(len(y))])
    r = np.linalg.solve(hessian, problem.grad_y_f(mean.xi, column, y))
    gradient: Array = problem.grad_x_f(mean.xi, column, y) - problem.jacobian_g(mean.zeta, column, y, r)
    return gradient[:, 0]


def neumann_hypergradient(problem: Problem, x: ArrayLike, y: ArrayLike, *, theta: float, Q: int) -> Array:
    """Compute the hypergradient at (x, y) by the Neumann sum cut after Q, with every sample at its mean."""
    return _neumann(problem, x, y, StochasticNeumann(theta=theta, Q=Q), Silent())


def stochastic_hypergradient(
    problem: Problem, x: ArrayLike, y: ArrayLike, *, theta: float, Q: int, seed: int
) -> Array:
    """Draw one sample of the hypergradient at (x, y) by the Neumann sum cut after Q, with fresh Hessian samples."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    noise = Hashed(seed=require_whole("seed", seed, least=0, most=2**64 - 1), first=0, replicates=1, K=1)
    return _neumann(problem, x, y, neumann, noise.reader(0, neumann.label, 0, 0))


def _neumann(problem: Problem, x: ArrayLike, y: ArrayLike, neumann: StochasticNeumann, bits: Any) -> Array:
    neumann.check(problem)
    point = require_point("x", x, problem.d_x)[:, None], require_point("y", y, problem.d_y)[:, None]
    gradient: Array = neumann.evaluate(problem, neumann.sample(problem, bits), *point)
    return gradient[:, 0]
