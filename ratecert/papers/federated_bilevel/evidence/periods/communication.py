"""What the claims about the communication period share: worlds and methods by name, exact runs, local exponents."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.periods.two_kinds import two_kinds
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import ALGORITHMS, expect
from ratecert.solvers.methods.local_method import LocalMethod
from ratecert.theory.numbers.evaluation import with_constants

METHODS: dict[str, dict[str, str]] = {
    "LocalBSGM": {"method": "LocalBSGM"},
    "LocalBSGVRM": {"method": "LocalBSGVRM"},
    "LocalBSGVRM, averaged": {"method": "LocalBSGVRM", "previous": "averaged"},
    "LocalBSGVRM, fresh": {"method": "LocalBSGVRM", "momenta": "fresh"},
}
"""Algorithm 2 as printed keeps every device's own previous point through an average; two other readings do not."""


def world_of(spec: Mapping[str, Any]) -> Any:
    """{"two_kinds": {"K": 2, ...}} (two_kinds.py), or a world that ratecert.claim.worlds.build knows."""
    return two_kinds(**spec["two_kinds"]) if "two_kinds" in spec else build(spec)


def method_of(name: str, steps: Mapping[str, Any], **more: Any) -> LocalMethod:
    """One of METHODS with these steps."""
    reading = dict(METHODS[name])
    solver: LocalMethod = ALGORITHMS[reading.pop("method")](**{**reading, **steps, **more})
    return solver


@dataclass(frozen=True)
class Exact:
    """A run in exact moments."""

    measure: float
    precision: float  # of the measure, relative
    rounds: int
    drift_y: float


def exact(world: Any, solver: LocalMethod, *, K: int, T: int, away: float = 0.0) -> Exact:
    """From x_star + away and y*(x_star + away)."""
    x0 = world.x_star + away
    result = expect(world, solver, K=K, T=T, x0=x0, y0=world.y_star(x0), times=[])
    value, _ = result.measure(L_tilde_of(world))
    return Exact(value, result.precision, int(result.counts.rounds), result.drift_y)


def L_tilde_of(world: Any) -> float:
    """The weight of the lower level's error in the measure. On quadratic worlds the radius plays no part in it."""
    return with_constants(paper("repaired"), world.constants(radius=1.0))["L_tilde"]


@dataclass(frozen=True)
class Exponent:
    value: float
    uncertainty: float


def exponent(x: Sequence[float], y: Sequence[float], error: float = 0.0) -> Exponent:
    """d log y / d log x between the first and the last point, with `error` the relative error of each y.

    Where y is not positive there is none: nan, which confirms nothing.
    """
    if not (y[0] > 0 and y[-1] > 0):
        return Exponent(math.nan, math.nan)
    width = math.log(x[-1] / x[0])
    return Exponent(math.log(y[-1] / y[0]) / width, 2 * error / abs(width))


def drawable(values: Sequence[float]) -> list[float]:
    """For a logarithmic axis; numbers that went wrong are drawn at the bottom, as the figure of a failure is of use."""
    positive = [v for v in values if 0 < v < math.inf]
    return [v if 0 < v < math.inf else min(positive, default=1.0) for v in values]


def norm(vector: Any) -> float:
    return float(np.linalg.norm(vector))
