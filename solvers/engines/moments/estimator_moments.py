"""An estimator's exact mean and covariance at a random point.

A covariance is of the kind of numbers of X: for doubles every matrix is moved to the centre exactly and rounded once,
with the bits that it was made with whenever that is: with 53 a minimiser far from the origin would leave a rounding of
itself in every sample.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, Numbers, doubles, identity_like, like
from ratecert.base.errors import NotAffineError, UserError
from ratecert.base.exact import bits_at_work, is_zero, working_precision
from ratecert.solvers.contract.problem import AnySampled
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.moments import pairs
from ratecert.solvers.engines.moments.forms import Book, Form
from ratecert.solvers.engines.moments.packing import packing
from ratecert.solvers.engines.moments.pairs import Centre, Plan, at_centre

Array = NDArray[Any]  # of doubles, balls or rationals

LARGEST_TABLE = 30  # entries of (arguments, 1) up to which the covariance is kept as a matrix on packed X
SMALL_TABLE = 60  # packed moments; a larger table costs more than the few covariances that balls ask for
LARGEST_EXACT_TABLE = (
    12  # up to which that matrix is made exactly and rounded once; exact ones cost the sixth power
)


def _evaluated(
    problem: AnySampled,
    estimator: Estimator,
    dimensions: tuple[int, ...],
    given: tuple[int, ...],
    numbers: type[Numbers],
) -> Form:
    """The estimate as a form, by the estimator's own code."""
    book = Book(dimensions, given, numbers)
    drawn = False
    try:
        sample, drawn = estimator.sample(problem, book), True
        return book.vector(estimator.evaluate(problem, sample, *book.point))
    except NotAffineError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        if isinstance(error, UserError) and not isinstance(error, TypeError) and not drawn:
            raise  # what cannot be sampled at all, such as a term of what is no sum
        raise NotAffineError(
            f"{type(estimator).__name__} on {type(problem).__name__} is not affine in the point, so exact "
            f"moments do not apply ({error}); use simulate."
        ) from error


class EstimatorMoments:
    """Mean and covariance of one estimator at a random point, for one sample with given whole numbers."""

    def __init__(
        self,
        problem: AnySampled,
        estimator: Estimator,
        dimensions: Sequence[int],
        given: Sequence[int] = (),
        numbers: type[Numbers] = Balls,
    ) -> None:
        self.dimensions = tuple(dimensions)
        self.bits = bits_at_work()
        self._evaluate = partial(_evaluated, problem, estimator, self.dimensions, tuple(given), numbers)
        out = self._evaluate()
        self.bases = tuple(out.book.bases)  # of its whole numbers
        self.mean = out.mean
        self.silent = not out.bits  # no noise at all
        self._plans: dict[tuple[Centre, bool], Plan] = {
            ((), False): pairs.plan_of(out.book.forms, out.number)
        }
        self._tables: dict[tuple[Centre, bool], Array] = {}
        out.book.close()

    def out(self) -> Form:
        """The estimate with all that it is made of, evaluated anew: a thousand devices have no room for theirs."""
        with working_precision(self.bits):
            return self._evaluate()

    def covariance(self, X: Array, centre: Centre = ()) -> Array:
        """Covariance of the estimate for E[z z'] = X; X may be a stack (..., m, m), symmetric.

        With a centre c the z of X are deviations from it, z = (arguments - c, 1): near the centre a small covariance is
        then not the difference of large squares.
        """
        if self.additive:
            return X[..., -1:, -1:] * self._constant(X)
        once = X.ndim == 2 and isinstance(X, Numbers) and packing(X.shape[-1]).size > SMALL_TABLE
        if X.shape[-1] > LARGEST_TABLE or once:
            return self._run_plan(X, 1, centre)
        return packing(len(self.mean)).unpack(packing(X.shape[-1]).pack(X) @ self._table(X, centre))

    def _constant(self, X: Array) -> Array:
        """The covariance where the noise is the same everywhere, in the numbers of X."""
        key = ((), not isinstance(X, Numbers))
        if key not in self._tables:
            exactly = isinstance(X, Numbers) or self.mean.shape[1] <= LARGEST_EXACT_TABLE
            with working_precision(self.bits):
                self._tables[key] = like(self._at_origin(self.mean if exactly else X), X)
        return self._tables[key]

    def _at_origin(self, pattern: Array) -> Array:
        """The covariance where all arguments are 0, in the numbers of the pattern."""
        one = 0 * identity_like(pattern, self.mean.shape[1])
        one[-1, -1] = identity_like(pattern, 1)[0, 0]
        return self._run_plan(one, 1, ())

    def _table(self, X: Array, centre: Centre) -> Array:
        """The covariance as a matrix on packed X."""
        rounded = not isinstance(X, Numbers)
        if (centre, rounded) not in self._tables:
            pack = packing(self.mean.shape[1])
            exactly = not rounded or pack.n <= LARGEST_EXACT_TABLE
            with working_precision(self.bits):
                if exactly and centre:
                    table = self._moved(centre) @ self._table(self.mean, ())
                else:
                    numbers = self.mean if exactly else np.zeros(0)
                    table = pairs.table(self.plan(centre, not exactly), numbers, pack.n)
            self._tables[centre, rounded] = doubles(table) if rounded else table
        return self._tables[centre, rounded]

    def has_table(self, centre: Centre) -> bool:
        """Whether there is a table in doubles around this centre: it is the same in all units."""
        return (centre, True) in self._tables

    def keep_table(self, centre: Centre, table: Array) -> None:
        """A table in doubles that was made elsewhere (tables.py)."""
        self._tables[centre, True] = table

    def _moved(self, centre: Centre) -> Array:
        """E[z z'] from that of deviations from a centre, both packed."""
        pack, z = packing(self.mean.shape[1]), at_centre(identity_like(self.mean, self.mean.shape[1]), centre)
        return pack.pack(z @ like(pack.basis, self.mean) @ z.T)

    def cross_covariance(self, X: Array, centre: Centre = ()) -> Array:
        """Covariance of two estimates with one sample, at points with E[z_1 z_2'] = X."""
        turned = np.swapaxes(X, -1, -2)
        even = self._run_plan((X + turned) / 2, 1, centre)
        return even + self._run_plan((X - turned) / 2, -1, centre)

    def _run_plan(self, X: Array, parity: int, centre: Centre) -> Array:
        """X' = parity X, and then cov(g, f) = parity cov(f, g)'."""
        return pairs.covariance(self.plan(centre, not isinstance(X, Numbers)), X, parity)

    def plan(self, centre: Centre, rounded: bool) -> Plan:
        """The rules of the covariance with their numbers, for deviations from a centre."""
        if (centre, rounded) not in self._plans:
            with working_precision(self.bits):
                self._plans[centre, rounded] = self._plans[(), False].at(centre, rounded)
        return self._plans[centre, rounded]

    @cached_property
    def additive(self) -> bool:
        """The noise is the same at every point."""
        squares = self._plans[(), False].squares.values()
        return all(is_zero(entry) for L in squares for entry in L[:, :-1].ravel())
