"""At one point: the mean, covariance and cost of an estimate, by ways that sample nothing, and hypergradients.

moments     the estimator's own code on symbols, which knows means and covariances of products
outcomes    the estimator's own code on arrays, one column for every outcome of every sign and every whole number
products    the estimator's own code on a problem that counts what it is asked

Hypergradients are the exact one, the truncated Neumann sum, and one sample of the stochastic sum.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.arrays import Balls, doubles
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.exact import working_precision
from ratecert.base.validation import require_instance, require_point, require_whole, shown
from ratecert.solvers.contract.problem import AnyProblem, AnySampled, Problem, require_problem
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.counting import CountingOracle
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS
from ratecert.solvers.engines.moments.mixture import moments_of
from ratecert.solvers.engines.sampling.enumeration import Cases, LongestOutcome, Outcomes
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.solvers.estimators.hypergradient import StochasticNeumann

Array = NDArray[np.float64]


def estimate_moments(
    problem: AnySampled, estimator: Estimator, point: Sequence[Array]
) -> tuple[Array, Array]:
    """Compute the exact mean (d_x,) and covariance (d_x, d_x) of an estimate at a point of a quadratic world.

    problem     a quadratic world
    estimator   such as StochasticNeumann(theta=0.2, Q=4)
    point       the vectors that the estimator takes: (x, y) for a hypergradient

    >>> import numpy as np
    >>> import ratecert as rc
    >>> world = rc.worlds.scalar(s_f=0.5)
    >>> mean, covariance = rc.contract.estimate_moments(world, rc.contract.LowerGradient(), (np.ones(1), np.ones(1)))
    >>> covariance
    array([[0.]])
    """
    _require(problem, estimator, point)
    z = np.concatenate([*point, [1.0]])
    with working_precision(ASSEMBLY_BITS):
        moments = moments_of(problem, estimator, [len(v) for v in point])
        return doubles(moments.mean @ Balls.of(z)), moments.covariance(np.outer(z, z))


def estimate_outcomes(
    problem: AnySampled, estimator: Estimator, point: Sequence[Array]
) -> tuple[Array, Array, int]:
    """Average an estimate at a point over all outcomes of its noise: mean, covariance, and how many outcomes there are.

    The arguments are those of `estimate_moments`; the problem need not be quadratic.

    >>> import numpy as np
    >>> import ratecert as rc
    >>> world = rc.worlds.scalar(s_g=0.5)
    >>> _, covariance, outcomes = rc.contract.estimate_outcomes(
    ...     world, rc.contract.LowerGradient(), (np.ones(1), np.ones(1)))
    >>> covariance, outcomes
    (array([[0.25]]), 2)
    """
    _require(problem, estimator, point)
    numbers: dict[Any, int] = {}
    bases: dict[Any, Cases] = {}
    label = estimator.label
    longest = LongestOutcome(1, numbers, bases)
    estimator.sample(problem, longest.reader(0, label, 0, 0))  # gives every sign its number
    n = math.prod(map(len, bases.values())) * 2 ** len(numbers)
    sample = estimator.sample(problem, Outcomes(0, n, 1, numbers, bases).reader(0, label, 0, 0))
    values = estimator.evaluate(problem, sample, *(np.repeat(v[:, None], n, axis=1) for v in point))
    mean = values.mean(axis=1)
    off = values - mean[:, None]
    return mean, off @ off.T / n, n


def estimate_products(problem: AnyProblem, estimator: Estimator, point: Sequence[Array]) -> Fraction:
    """Count the products with a Hessian that an estimate takes, on average over the whole numbers that it draws.

    >>> import numpy as np
    >>> import ratecert as rc
    >>> world, here = rc.worlds.scalar(), (np.ones(1), np.ones(1))
    >>> print(rc.contract.estimate_products(world, rc.contract.RandomTruncation(theta=0.2, N=4), here))
    3/2
    """
    _require(problem, estimator, point)
    oracle = CountingOracle(problem)
    oracle.sample(estimator, 0)(*(v[:, None] for v in point))
    return Fraction(oracle.problem.total.hessian_products)


def _require(problem: Any, estimator: Any, point: Any) -> None:
    """Refuse what is no problem, no estimator, or no point of one vector for each argument of the estimator."""
    require_problem(problem)
    require_instance("estimator", estimator)
    missing = [name for name in ("label", "sample", "evaluate") if not hasattr(estimator, name)]
    if missing:
        raise UserTypeError(f"estimator must have a label, sample and evaluate, got {shown(estimator)}.")
    vectors = isinstance(point, Sequence) and all(isinstance(v, np.ndarray) and v.ndim == 1 for v in point)
    if not vectors or not point:
        raise UserError(f"point must be a tuple of vectors of numpy such as (x, y), got {shown(point)}.")


# Hypergradients.


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
