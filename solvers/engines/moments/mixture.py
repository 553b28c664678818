"""Estimators that draw whole numbers, such as where to cut a series: a mixture over all their values.

Given the numbers k the estimate has a mean L_k z and a covariance of its own (forms.py). Without them, L the mean of
the L_k,

    mean = L z,        covariance = mean over k of [covariance given k + (L_k - L) X (L_k - L)'],    X = E[z z']

where the second part is what the choice of k alone contributes. Nothing is sampled, and no squares are subtracted.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.moments.forms import Centre, EstimatorMoments, at_centre

Array = NDArray[np.float64]


class Mixture:
    """The moments of an estimate over equally likely cases."""

    def __init__(self, cases: Sequence[EstimatorMoments]) -> None:
        self.cases = cases
        self.dimensions = cases[0].dimensions
        self.mean: Array = np.mean([case.mean for case in cases], axis=0)

    def covariance(self, X: Array, centre: Centre = ()) -> Array:
        return self._over_cases(X, centre, lambda case: case.covariance(X, centre))

    def cross_covariance(self, X: Array, centre: Centre = ()) -> Array:
        return self._over_cases(X, centre, lambda case: case.cross_covariance(X, centre))

    def _over_cases(self, X: Array, centre: Centre, within: Callable[[EstimatorMoments], Array]) -> Array:
        parts = [(at_centre(case.mean - self.mean, centre), case) for case in self.cases]
        covariances: Array = np.array([L @ X @ L.T + within(case) for L, case in parts])
        mean: Array = covariances.mean(axis=0)
        return mean

    @property
    def silent(self) -> bool:
        return all(case.silent and np.array_equal(case.mean, self.mean) for case in self.cases)


Moments = EstimatorMoments | Mixture


def moments_of(problem: SampledProblem, estimator: Estimator, dimensions: Sequence[int]) -> Moments:
    """Mean and covariance of one estimator at a random point, for one sample."""
    longest = EstimatorMoments(problem, estimator, dimensions)
    if not longest.bases:
        return longest
    given = product(*(range(n) for n in longest.bases))
    return Mixture([EstimatorMoments(problem, estimator, dimensions, case) for case in given])
