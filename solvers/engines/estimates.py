"""Mean, covariance and cost of one estimate at a point, by ways that sample nothing.

moments     the estimator's own code on symbols, which knows means and covariances of products
outcomes    the estimator's own code on arrays, one column for every outcome of every sign and every whole number
products    the estimator's own code on dimensions, which counts
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.exact import working_precision
from ratecert.base.validation import require_instance, shown
from ratecert.solvers.contract.counts import Size, Tally, TallyOracle
from ratecert.solvers.contract.problem import AnyProblem, AnySampled, require_problem
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.enumeration import Cases, LongestOutcome, Outcomes
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS
from ratecert.solvers.engines.moments.mixture import moments_of

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
    estimator.sample(
        problem, LongestOutcome(1, numbers, bases).reader(0, label, 0, 0)
    )  # gives every sign its number
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
    tally = Tally(problem)
    TallyOracle(tally).sample(estimator, 0)(*(Size(len(v)) for v in point))
    return Fraction(tally.total.hessian_products)


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
