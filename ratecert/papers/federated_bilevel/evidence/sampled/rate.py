"""The exponent of a corollary's rate where second moments do not close: sampled runs along its scalings.

    measure = 1/T sum_{t<T} (E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2)

Every K and T is one piece: a pilot with a seed of its own estimates the spread of one run, and from that follow the
replicates with which the interval of the slope has the half-width h that the claim asks for
(ratecert/rates/planning.py). Whenever the intervals cover, a slope whose true value is within tolerance - 2h of the
prediction is found to hold, and one that is off by more than tolerance + 2h is found to be violated.

False alarms. Every interval has the error probability 1e-6: q = 4.9 standard errors by Student's law, see
ratecert/claim/slope.py. The two claims have five and three slopes, together 5e-6 and 3e-6. One run's measure, an
average over t < T, has a skewness s of about 0.6 (wavy) and 1 (ridge; 1.4 at T = 32, where n is larger), and there are
n >= 512 replicates. That raises the two numbers by the parts s^2 q^6/(18 n) = 0.6 and 1.5, to 8e-6, as the tests work
out. So much for the probability that an interval does not cover; for the verdict to change the slope has to be off by
the interval and by what is left of the tolerance besides.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ratecert.claim.claim import Json, Piece
from ratecert.claim.slope import Slope, fit_slope
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import along
from ratecert.rates.planning import PILOT, relative_error_for, replicates_for
from ratecert.solvers import ALGORITHMS, simulate
from ratecert.solvers.contract.result import Result
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import with_constants
from ratecert.theory.orders.derivation import as_monomial

CONFIDENCE = 1 - 1e-6  # of the interval of every slope
FALSE_ALARM = 1e-5
OVERHEAD, PER_DEVICE = 500.0, 500.0  # microseconds per iteration, roughly: longer pieces start first


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A world and a corollary's algorithm on it, up to K and T."""

    world: Mapping[str, Json]
    corollary: str
    units: Mapping[str, float]
    theta: float
    x0: Sequence[float]
    y0: Sequence[float] | None = None  # y*(x0)
    radius: float  # of the ball around (a, b) on which L_tilde holds
    instead: Mapping[str, Json] = field(default_factory=dict)  # fields of the algorithm
    algorithm: str = ""  # another algorithm with the same fields

    @property
    def settings(self) -> dict[str, Json]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True)
class Point:
    K: int
    T: int


def planned(points: Sequence[Point], half_width: float) -> dict[str, float]:
    """The plan for a slope over these points with this half-width, as arguments of `sampled_point`."""
    return {
        "relative_error": relative_error_for(varying(points), half_width=half_width, confidence=CONFIDENCE)
    }


def pieces_along(
    setup: Callable[[Point], Setup],
    points: Sequence[Point],
    *,
    role: str,
    seed: int,
    plan: Mapping[str, float],
    cost: float = 1.0,
) -> list[Piece]:
    """One piece per point. A plan is a relative error, or a number of replicates where any will do.

    `cost` is about that of an iteration, relative to one of LocalBSGM.
    """
    return [
        Piece(
            sampled_point,
            {"setup": setup(point).settings, "K": point.K, "T": point.T, "role": role, "seed": seed, **plan},
            seconds=1e-6 * cost * point.T * (OVERHEAD + PER_DEVICE * point.K),
        )
        for point in points
    ]


def varying(points: Sequence[Point]) -> list[int]:
    """The T of the points, or their K where T is the same."""
    return [p.T for p in points] if len({p.T for p in points}) > 1 else [p.K for p in points]


def sampled_point(
    *,
    setup: dict[str, Json],
    K: int,
    T: int,
    role: str,
    seed: int,
    relative_error: float = math.inf,
    replicates: int | None = None,
) -> Json:
    """The measure and its parts at one K and T, each with its standard error."""
    chosen, world = Setup(**setup), build(setup["world"])
    solver, L_tilde = solver_of(chosen, K, T), L_tilde_of(chosen, world)
    x0 = np.array(chosen.x0)
    y0 = world.y_star(x0) if chosen.y0 is None else np.array(chosen.y0)

    def run(replicates: int, seed: int) -> Result:
        return simulate(world, solver, K=K, T=T, x0=x0, y0=y0, replicates=replicates, seed=seed, times=[])

    pilot_seed, run_seed = np.random.SeedSequence([seed, K, T]).generate_state(2, np.uint64).tolist()
    if replicates is None:
        value, error = run(PILOT, pilot_seed).measure(L_tilde)
        replicates = replicates_for(error / value * math.sqrt(PILOT), relative_error)
    result = run(replicates, run_seed)
    measure, measure_error = result.measure(L_tilde)
    return {
        "role": role,
        "K": K,
        "T": T,
        "p": solver.p,
        "Q": solver.Q,
        "eta": float(solver.step_size(0)),
        "replicates": replicates,
        "L_tilde": L_tilde,
        "measure": measure,
        "measure_error": measure_error,
        "gradient": result.gradient,
        "gradient_error": result.standard_error.gradient,
    }


def solver_of(setup: Setup, K: int, T: int) -> Any:
    run = along(setup.corollary, K=K, T=T, theta=setup.theta, units=setup.units, **setup.instead)
    if not setup.algorithm:
        return run.solver
    other: Any = ALGORITHMS[setup.algorithm]
    return other(**{f.name: getattr(run.solver, f.name) for f in fields(other)})


def L_tilde_of(setup: Setup, world: Any) -> float:
    return with_constants(paper(), world.constants(radius=setup.radius))["L_tilde"]


def slope_of(rows: Sequence[Mapping[str, Any]], quantity: str) -> Slope:
    """Of one quantity over the rows' T, or over their K."""
    return fit_slope(
        varying([Point(row["K"], row["T"]) for row in rows]),
        [row[quantity] for row in rows],
        standard_error=[row[f"{quantity}_error"] for row in rows],
        replicates=min(row["replicates"] for row in rows),
        confidence=CONFIDENCE,
    )


def claimed_exponent(corollary: str, letter: str) -> float:
    """Of T or K in the rate that the corollary claims."""
    claim = paper().the(Corollary, corollary).claim
    return float(as_monomial(claim.order).exponent(letter))
