"""The bound of the same form that no world exceeds, and that is smallest in the geometric mean over the worlds.

    minimise   sum over worlds of log(sum_j r_j t_j)     over r >= 0
    such that  sum_j r_j t_j >= m                        at every world

A sum of concave functions on a polyhedron, smallest at a vertex of it. Each linear program minimises the tangent at the
last point, above which the sum cannot lie: the mean falls from step to step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from ratecert.sharpening.exploring import Book

Array = NDArray[np.float64]

RANGE = 1e12  # of a program's coefficients: a larger one counts as this, which is on the safe side
SMALL = 1e-14  # solvers refuse programs with numbers that are further apart
STEPS, STARTS = 40, 12
WORTH = 0.05  # a term that saves less than this of the bound, in the geometric mean, is left out
DIGITS = 3


@dataclass(frozen=True)
class Smallest:
    """Factors at the terms, and what they come to."""

    factors: dict[str, float]
    gain: float  # printed over sharpened, in the geometric mean over the worlds
    largest: float  # measured/bound, of all worlds


def smallest(book: Book, rng: np.random.Generator) -> Smallest:
    """Over the worlds of the book, each factor at most 1 where the print holds at all of them."""
    names = book.names
    part = book.terms / book.measured[:, None]
    shares = book.terms / book.terms.sum(axis=1, keepdims=True)
    most = 1.0 if (part.sum(axis=1) >= 1).all() else None
    kept, best = list(range(len(names))), _solved(part, shares, list(range(len(names))), most, rng)
    while best is not None and len(kept) > 1:
        trials = [(_solved(part, shares, [k for k in kept if k != j], most, rng), j) for j in kept]
        possible = [(_mean(shares, r), r, j) for r, j in trials if r is not None]
        least = min(possible, default=None, key=lambda each: each[0])
        if least is None or least[0] > _mean(shares, best) + np.log1p(WORTH):
            break
        best, kept = least[1], [k for k in kept if k != least[2]]
    if best is None:  # no factors are large enough, as where all terms vanish and something is measured
        best = np.ones(len(names))
    factors = np.minimum([rounded_up(r) for r in best], np.inf if most is None else most)
    return weighed(book, dict(zip(names, factors.tolist(), strict=True)))


def weighed(book: Book, factors: dict[str, float]) -> Smallest:
    """What these factors come to over the worlds of the book."""
    r = np.array([factors[name] for name in book.names])
    shares = book.terms / book.terms.sum(axis=1, keepdims=True)
    return Smallest(factors, float(np.exp(-_mean(shares, r))), float(book.ratios(r).max()))


def _solved(
    part: Array, shares: Array, kept: Sequence[int], most: float | None, rng: np.random.Generator
) -> Array | None:
    """The best of several descents, with these terms alone; None where they do not suffice."""
    found = []
    starts = [np.ones(len(kept)), *(10.0 ** rng.uniform(-6, 0, size=(STARTS - 1, len(kept))))]
    for start in starts:
        if (r := _descended(part[:, kept], shares[:, kept], start, most)) is not None:
            whole = np.zeros(part.shape[1])
            whole[list(kept)] = r
            found.append(whole)
    return min(found, default=None, key=lambda r: _mean(shares, r))


def _descended(part: Array, shares: Array, r: Array, most: float | None) -> Array | None:
    for _ in range(STEPS):
        weights = (shares / np.maximum(shares @ r, 1e-300)[:, None]).sum(axis=0)
        unit = 1 / np.clip(weights, SMALL, 1 / SMALL)  # in which the objective is a plain sum
        result = linprog(
            np.minimum(weights * unit, 1 / SMALL),
            A_ub=-np.clip(part * unit, 0.0, RANGE),
            b_ub=-np.ones(len(part)),
            bounds=[(0.0, None if most is None else min(most / u, 1 / SMALL)) for u in unit],
        )
        if result.x is None:
            return None
        lifted = result.x * unit / min(1.0, float((part @ (result.x * unit)).min()))
        if np.allclose(lifted, r, rtol=1e-9, atol=0.0):
            break
        r = lifted
    return r


def _mean(shares: Array, r: Array) -> float:
    """The logarithm of sharpened over printed, in the mean."""
    return float(np.log(np.maximum(shares @ r, 1e-300)).mean())


def rounded_up(value: float, digits: int = DIGITS) -> float:
    """To so many digits; a rounding above one of them is that."""
    if not value > 0:
        return 0.0
    unit = 10.0 ** (floor(log10(value)) - digits + 1)
    return float(f"{ceil(value / unit - 1e-6) * unit:.{digits}g}")
