"""Who really gets linear speedup: the exponent of K in the measure along each corollary, and the K at which it ends.

T is fixed, K grows: along a corollary's scalings the measure should fall as a power of K. It does so until a condition
refuses the steps, the window closes, or another term takes over.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from ratecert import registry
from ratecert.claim.claim import Json
from ratecert.errors import RatecertError
from ratecert.from_data.along import along
from ratecert.outside import library
from ratecert.theory.language.statements import Corollary
from ratecert.theory.orders.derivation import as_monomial

T = 2**40
DEVICES = tuple(4**n for n in range(20))


def rows() -> Iterator[Json]:
    """One row for each corollary in T with K in its rate, and each K: the measure, and the exponent to the next K."""
    for key in (*registry.KEYS, *library()):
        for corollary in registry.paper(key=key).of_kind(Corollary):
            claimed = float(as_monomial(corollary.claim.order).exponent("K"))
            measure = _measure(key, corollary)
            if claimed < 0 and "T" not in corollary.scalings and measure:
                yield from _of_one(f"{key}:{corollary.id}", claimed, measure)


def _of_one(id: str, claimed: float, measure: Callable[[int], float]) -> Iterator[Json]:
    points = []
    for K in DEVICES:
        try:
            points.append((K, measure(K)))
        except RatecertError:
            break  # a condition refuses the steps
    for (K, value), (more, less) in pairwise(points):
        exponent = math.log(less / value) / math.log(more / K)
        yield {"corollary": id, "K": K, "measure": value, "exponent": exponent, "claimed": claimed}


def _measure(key: str, corollary: Corollary) -> Callable[[int], float] | None:
    """The measure at K devices, along the corollary; None where nothing binds it to a run."""
    if corollary.theorem in registry.executables(key):
        runs = along(key, corollary.id)
        return lambda K: float(runs.row(K, float(T))["measure"])
    own = registry.part(key, "ordinary_runs")
    if own and corollary.id in own.COROLLARIES:
        return partial(own.measure, corollary.id, T=T)
    return None
