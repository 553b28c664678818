"""Who really gets linear speedup: the exponent of K in the measure along each corollary, and the K at which it ends.

T is fixed, K grows: along a corollary's scalings the measure should fall as a power of K. It does so until a condition
refuses the steps, the window closes, or another term takes over. A corollary may promise nothing for more devices:
there, too, linear speedup would be the power of K that is the corollary's of T.

    PYTHONPATH=tests python -m oracles.speedup docs/speedup.json    some minutes
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from ratecert.base.errors import RatecertError
from ratecert.base.files import write_text
from ratecert.catalogue import find
from ratecert.catalogue.load import library
from ratecert.claims.claim import Json
from ratecert.theory.orders.derivation import as_monomial
from ratecert.theory.statements import Corollary
from ratecert.verdicts.corollary_runs import devices_of, runs_along

T = 2**40
FACTOR = 4  # from one number of devices to the next
DEVICES = tuple(FACTOR**n for n in range(20))


def rows() -> Iterator[Json]:
    """One row for each corollary in T whose runs may have any number of devices, and each K.

    The measure, and the exponent to the next K; `linear` is the exponent of linear speedup.
    """
    for key in (*find.KEYS, *library()):
        for corollary in find.paper(key=key).of_kind(Corollary):
            measure = _measure(key, corollary)
            if measure and "T" not in corollary.scalings:
                order = as_monomial(corollary.claim.order)
                promised = order.exponent("K") != 0
                linear = float(order.exponent("K" if promised else "T"))
                for row in _of_one(measure):
                    yield {
                        "corollary": f"{key}:{corollary.id}",
                        **row,
                        "linear": linear,
                        "promised": promised,
                    }


def _of_one(measure: Callable[[int], float]) -> Iterator[Json]:
    points = []
    for K in DEVICES:
        try:
            points.append((K, measure(K)))
        except RatecertError:
            break  # a condition refuses the steps
    for (K, value), (more, less) in pairwise(points):
        exponent = math.log(less / value) / math.log(more / K)
        yield {"K": K, "measure": value, "exponent": exponent}


def _measure(key: str, corollary: Corollary) -> Callable[[int], float] | None:
    """The measure at K devices, along the corollary; None where nothing binds it to a run of any number of them."""
    run = find.bindings(key).get(corollary.theorem)
    if run and devices_of(run, DEVICES) == DEVICES:
        runs = runs_along(key, corollary.id)
        return lambda K: float(runs.row(K, float(T))["measure"])
    return None


if __name__ == "__main__":
    write_text(Path(sys.argv[1]), json.dumps(list(rows()), indent=1) + "\n")
