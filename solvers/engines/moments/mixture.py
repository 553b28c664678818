"""Estimators that draw whole numbers, such as where to cut a series: a mixture over all their values.

Given the numbers k the estimate has a mean L_k z and a covariance of its own (pairs.py). Without them, L the mean of
the L_k,

    mean = L z,        covariance = mean over k of [covariance given k + (L_k - L) X (L_k - L)'],    X = E[z z']

where the second part is what the choice of k alone contributes. Nothing is sampled, and no squares are subtracted.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Protocol

from numpy.typing import NDArray

from ratecert.base.arrays import Balls, Numbers, like, summed
from ratecert.base.exact import working_precision
from ratecert.solvers.contract.problem import AnySampled
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.moments.estimator_moments import EstimatorMoments
from ratecert.solvers.engines.moments.pairs import Centre, at_centre

Array = NDArray[Any]  # of doubles, balls or rationals


class Mixture:
    """The moments of an estimate over equally likely cases."""

    def __init__(self, cases: Sequence[EstimatorMoments]) -> None:
        self.cases = cases
        self.dimensions = cases[0].dimensions
        self.mean: Array = summed(case.mean for case in cases) / len(cases)
        self._off: dict[tuple[Centre, bool], list[Array]] = {}

    def covariance(self, X: Array, centre: Centre = ()) -> Array:
        return self._over_cases(X, centre, lambda case: case.covariance(X, centre))

    def cross_covariance(self, X: Array, centre: Centre = ()) -> Array:
        return self._over_cases(X, centre, lambda case: case.cross_covariance(X, centre))

    def _over_cases(self, X: Array, centre: Centre, within: Callable[[EstimatorMoments], Array]) -> Array:
        parts = zip(self._means_off(X, centre), self.cases, strict=True)
        total = summed(L @ X @ L.T + within(case) for L, case in parts)
        return total / len(self.cases)

    def _means_off(self, X: Array, centre: Centre) -> list[Array]:
        """By how much each case's mean is off, for deviations from the centre, in the kind of numbers of X."""
        key = centre, isinstance(X, Numbers)
        if key not in self._off:
            with working_precision(self.cases[0].bits):
                self._off[key] = [like(at_centre(case.mean - self.mean, centre), X) for case in self.cases]
        return self._off[key]

    @property
    def silent(self) -> bool:
        first = self.cases[0].mean
        return all(case.silent and (case.mean == first).all() for case in self.cases)

    @property
    def additive(self) -> bool:
        return False


Moments = EstimatorMoments | Mixture


class Noise(Protocol):
    """What a step asks of the zero-mean part of a sample."""

    @property
    def additive(self) -> bool:
        """Whether it is the same at every point."""

    def covariance(self, X: Array, centre: Centre = ()) -> Array:
        """Its covariance at a point z with E[z z'] = X, or of deviations from a centre."""

    def cross_covariance(self, X: Array, centre: Centre = ()) -> Array:
        """The covariance at two points with E[z_1 z_2'] = X."""


def moments_of(
    problem: AnySampled, estimator: Estimator, dimensions: Sequence[int], numbers: type[Numbers] = Balls
) -> Moments:
    """Mean and covariance of one estimator at a random point, for one sample."""
    longest = EstimatorMoments(problem, estimator, dimensions, (), numbers)
    if not longest.bases:
        return longest
    given = product(*(range(n) for n in longest.bases))
    return Mixture([EstimatorMoments(problem, estimator, dimensions, case, numbers) for case in given])
