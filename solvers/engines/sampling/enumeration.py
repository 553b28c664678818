"""Exact expectations of short runs: every outcome of every sign, each exactly once.

The engine is the one that samples; only the signs come from somewhere else. A run that uses n signs has 2^n
equally likely outcomes, times n for every random whole number below n, and the mean over them is the expectation, to
rounding. Where cases are drawn with probabilities of their own, outcomes have weights.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.errors import UserError
from ratecert.solvers.contract.measures import Measure
from ratecert.solvers.contract.problem import AnyProblem
from ratecert.solvers.contract.result import Result
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.engines.experiment import prepare, require_room
from ratecert.solvers.engines.sampling.noise import Array, Reader, Whole
from ratecert.solvers.engines.sampling.simulate import merge_both, result
from ratecert.solvers.engines.sampling.tile import LANES, run_tile

Cases = tuple[float, ...]  # their probabilities
MOST_SIGNS = 22  # with more, outcomes take minutes and their sums lose digits
HOPELESS = 1000  # signs and cases that nobody counts to the end


class Outcomes:
    """Outcome number i: its lowest digits, to the bases n, are the random whole numbers below n, the bits of the rest
    are the signs: sign j is (-1)^(bit j). Signs get their number j when first used."""

    every_case = False

    def __init__(
        self, first: int, size: int, K: int, numbers: dict[Any, int], bases: Mapping[Any, Cases] | None = None
    ) -> None:
        self.K = K
        self.numbers = numbers
        self.outcome = np.arange(first, first + size)
        self.digits: dict[Any, Whole] = {}
        self.weights: Array | None = None
        for key, cases in (bases or {}).items():
            self.outcome, self.digits[key] = np.divmod(self.outcome, len(cases))
            if len(set(cases)) > 1:
                weights = np.ones(size) if self.weights is None else self.weights
                self.weights = weights * (np.array(cases) * len(cases))[self.digits[key]]

    def case(self, key: Any, cases: Cases) -> Whole:
        """(outcomes,)"""
        return self.digits[key]

    def common(self, t: int, label: str, probabilities: Sequence[float]) -> Whole:
        return self.case((label, t), tuple(probabilities))

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        def source(start: int, count: int) -> Array:
            rows = np.empty((count, self.K, len(self.outcome)), dtype=int)  # fractions take no doubles
            for i in range(count):
                for k in range(self.K):
                    j = self.numbers.setdefault((t, label, member, start + i, k), len(self.numbers))
                    rows[i, k] = 1 - 2 * ((self.outcome >> j) & 1)
            return rows.reshape(count, self.K * len(self.outcome))

        def case(k: int, number: int, cases: Cases) -> Whole:
            return self.case((t, label, member, k, number), cases)

        return OutcomeReader(source, case, self.K)


class OutcomeReader(Reader):
    """Numbers of cases come from the outcome as well, not from signs."""

    def __init__(
        self,
        source: Callable[[int, int], Array],
        case: Callable[[int, int, Cases], Whole],
        K: int,
    ) -> None:
        """case(k, i, cases): the i-th number that device k draws. Nothing is made ahead: a sign that is made counts."""
        super().__init__(source, 0)
        self._case, self.K = case, K
        self._drawn = 0

    def whole(self, n: int) -> Whole:
        return self.case((1 / n,) * n)

    def whole_of_device(self, offset: int, n: int, k: int, columns: slice) -> Whole:
        return self._case(k, self.used + offset, (1 / n,) * n)

    def case(self, probabilities: Sequence[float]) -> Whole:
        self._drawn += 1
        cases = [self._case(k, -self._drawn, tuple(probabilities)) for k in range(self.K)]
        return np.concatenate(cases)


class LongestOutcome(Outcomes):
    """The one outcome in which all numbers are as large as can be and all moves are made: it uses every sign.

    It ends where there are far too many of them.
    """

    every_case = True

    def __init__(self, K: int, numbers: dict[Any, int], bases: dict[Any, Cases]) -> None:
        super().__init__(0, 1, K, numbers)
        self.bases = bases

    def case(self, key: Any, cases: Cases) -> Whole:
        self.bases[key] = cases
        self.require_few()
        return np.array([len(cases) - 1])

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        self.require_few()
        return super().reader(t, label, member, ahead)

    def require_few(self) -> None:
        """Refuse what could never be enumerated before all of it is gone through."""
        if len(self.numbers) + len(self.bases) > HOPELESS:
            raise UserError(_too_many(f"more than 2^{HOPELESS}"))


def enumerate_outcomes(
    problem: AnyProblem,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    times: Sequence[int] | None = None,
    measures: Mapping[str, Measure] | None = None,
) -> Result:
    """Compute exact expectations of a short run by going through all outcomes of its noise, at most 2^22.

    problem       a world, or anything with its methods
    solver        an algorithm, such as LocalBSGM(...)
    K, T          devices and iterations
    x0, y0        where all devices start; plain numbers where the dimension is 1; no y0 on one level
    start         the same by name, such as {"x": 1.0}
    times         the t at which the curves are read (default: 0, T and powers of two between)
    measures      what is measured, by name (default: as in `expect`)

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=0)
    >>> run = {"K": 1, "T": 3, "x0": 1.0, "y0": 1.0}
    >>> world = rc.worlds.scalar(s_f=0.5, s_g=0.5)
    >>> exact = rc.expect(world, solver, **run).gradient
    >>> print(f"{rc.enumerate_outcomes(world, solver, **run).gradient:.6f} {exact:.6f}")
    159.003860 159.003860
    """
    experiment = prepare(
        problem, solver, K=K, T=T, x0=x0, y0=y0, start=start, times=times, measures=measures, exact=False
    )
    require_room(experiment.problem, experiment.solver, exact=False, lanes=experiment.K)
    numbers: dict[Any, int] = {}
    bases: dict[Any, Cases] = {}
    run_tile(experiment, LongestOutcome(experiment.K, numbers, bases), 0, 1)
    outcomes = math.prod(map(len, bases.values())) * 2 ** len(numbers)
    if outcomes > 2**MOST_SIGNS:
        raise UserError(_too_many(f"2^{math.log2(outcomes):.3g}"))
    size = max(1, 16 * LANES // experiment.K)
    tiles = ((first, min(size, outcomes - first)) for first in range(0, outcomes, size))
    spreads = (
        run_tile(experiment, Outcomes(first, n, experiment.K, numbers, bases), first, n) for first, n in tiles
    )
    averages, curves = reduce(merge_both, spreads)
    return result(
        experiment, averages, curves, np.zeros_like(averages.scatter), np.zeros_like(curves.scatter)
    )


def _too_many(outcomes: str) -> str:
    return (
        f"this run has {outcomes} outcomes, at most 2^{MOST_SIGNS} are enumerated; make T, K, Q, N or B smaller, or "
        f"switch sources of noise off."
    )
