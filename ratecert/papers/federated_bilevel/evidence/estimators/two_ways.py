"""Mean and covariance of an estimate at a point, by two ways that sample nothing.

    moments     the estimator's own code on symbols (solvers/moments), which knows means and covariances of products
    outcomes    the estimator's own code on arrays, one column for every outcome of every sign and every whole number

The numbers of Hessian products come from the estimator's own code as well, run on dimensions instead of numbers.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ratecert.papers.federated_bilevel.evidence.estimators.three import Array
from ratecert.solvers.contract.counts import Size, Tally, TallyOracle
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.enumeration import LongestOutcome, Outcomes
from ratecert.solvers.engines.moments.mixture import moments_of


def by_moments(problem: Any, h: Estimator, point: Sequence[Array]) -> tuple[Array, Array]:
    """Mean (d_x,) and covariance (d_x, d_x)."""
    z = np.concatenate([*point, [1.0]])
    moments = moments_of(problem, h, [len(v) for v in point])
    return moments.mean @ z, moments.covariance(np.outer(z, z))


def over_outcomes(problem: Any, h: Estimator, point: Sequence[Array]) -> tuple[Array, Array, int]:
    """The same, and the number of outcomes."""
    numbers: dict[Any, int] = {}
    bases: dict[Any, int] = {}
    h.sample(
        problem, LongestOutcome(1, numbers, bases).reader(0, h.label, 0, 0)
    )  # gives every sign its number
    n = math.prod(bases.values()) * 2 ** len(numbers)
    sample = h.sample(problem, Outcomes(0, n, 1, numbers, bases).reader(0, h.label, 0, 0))
    values = h.evaluate(problem, sample, *(np.repeat(v[:, None], n, axis=1) for v in point))
    mean = values.mean(axis=1)
    off = values - mean[:, None]
    return mean, off @ off.T / n, n


def hessian_products(problem: Any, h: Estimator, point: Sequence[Array]) -> Fraction:
    """On average over the whole numbers that it draws."""
    tally = Tally(problem)
    TallyOracle(tally).sample(h, 0)(*(Size(len(v)) for v in point))
    return Fraction(tally.total.hessian_products)
