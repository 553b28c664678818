"""How tight the theorems are: the left side of a theorem, exactly, over its bound.

    left side   1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2, from exact moments
    bound       the theorem's, term by term, with the world's constants on a ball that holds the run (instances.py)

On a quadratic world L_21 = L_22 = 0: L_0 and sigma enter no condition, so steps do not depend on the ball. They are
chosen first, the ball follows from them, and evaluating the bound with its constants checks the conditions once more.
A ratio above 1 refutes a theorem. A ratio of 1/2 is within reach: start_x charges twice what descent can spend.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import NoCertificateError, PrecisionWarning
from ratecert.papers.federated_bilevel.evidence.theorems.grid import TheoremSetting
from ratecert.papers.federated_bilevel.evidence.theorems.instances import (
    Ball,
    assumed_ball,
    certified_ball,
    solver_of,
)
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import expect, stationary
from ratecert.solvers.contract.result import ExactResult
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.stationary import Limit
from ratecert.synthetic import Quadratic
from ratecert.theory.language.paper import Paper
from ratecert.theory.numbers.admissible import Admissible, admissible
from ratecert.theory.numbers.evaluation import Bound, evaluate

ROUNDINGS = 1e-14  # of a sum of two products in doubles
ANY = 1e12  # radius that holds every start of the grid; no step depends on it
# stands for infinity on the right side: what is divided by it is zero beside anything else
BEYOND = 2.0**1000


@dataclass(frozen=True)
class Sides:
    setting: TheoremSetting
    measured: float
    low: float  # the lower end of what is measured
    precision: float  # relative: proved where the sides are enclosed, else estimated
    enclosed: bool
    bound: Bound
    ball: Ball

    @property
    def ratio(self) -> float:
        """Measured over bound, the measured value as large as its precision allows."""
        return (self.measured + abs(self.measured) * self.precision) / self.bound.total


def measure(
    theorem: str,
    setting: TheoremSetting,
    variant: str | Paper = "repaired",
    certified: bool | None = None,
) -> Sides:
    """Both sides of the theorem's inequality; in the limit T -> infinity what falls with T is left out."""
    source = variant if isinstance(variant, Paper) else paper(variant)
    world = setting.problem()
    x0, y0 = setting.start(world)
    inside = steps_of(theorem, source, setting, world)
    solver = solver_of(theorem, inside)
    once = Interpreter(world, solver, probed=True)  # both algorithms are, wherever else they run
    ball = certified_ball(world, solver, setting.K, x0, y0, once)
    left: Limit | ExactResult
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)  # the row keeps the precision
        if math.isinf(setting.T):
            left = stationary(world, solver, K=setting.K, interpreter=once, certified=certified)
        else:
            run: dict[str, Any] = {
                "K": setting.K,
                "T": int(setting.T),
                "x0": x0,
                "y0": y0,
                "times": [] if ball else None,
            }
            left = expect(world, solver, **run, interpreter=once, certified=certified)
            ball = ball or assumed_ball(world, left.curves)
    if ball is None:
        raise NoCertificateError(
            "no certificate: in the limit T -> infinity no ball is assumed to hold the run"
        )
    bound = evaluate(source, theorem, {**inside.values, **world.constants(radius=ball.radius)})
    measured = left.gradient + bound.values["L_tilde"] ** 2 * left.tracking
    low = measured * (1 - left.precision - ROUNDINGS)
    return Sides(setting, measured, low, left.precision, left.certified, bound, ball)


def steps_of(theorem: str, source: Paper, s: TheoremSetting, world: Quadratic) -> Admissible:
    """The steps of a setting, as large as it asks for, inside the theorem's conditions."""
    x0, y0 = s.start(world)
    given: dict[str, Any] = {"Q": s.Q, "B": s.B, "x0": x0, "y0": y0, "radius": ANY, "paper": source}
    T = BEYOND if math.isinf(s.T) else s.T
    return admissible(theorem, world, s.K, s.p, T, **given, fixed=s.fixed, fractions=s.fractions)
