"""How long a run along a corollary takes to reach eps: iterations, samples and rounds of each device, exactly.

Along a corollary in T every hyperparameter follows T, so that the measure is a function of T and K. The T at which it
equals eps is found by Newton's method in logarithms: with the local exponent r, T <- T (measure/eps)^(1/r). The search
ends when the measure is within CLOSE of eps; the last step then corrects T by less than CLOSE/r, and what it misses is
of second order. T is a whole number of rounds. p is rounded: by how much is part of the error of every row.

Along a corollary in eps everything, T included, follows eps, and there is nothing to search: the measure over eps is
reported.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.errors import UndecidedError
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.scalings import Run, along
from ratecert.solvers import expect
from ratecert.solvers.contract.counts import count
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number
from ratecert.theory.orders.derivation import as_monomial

CLOSE = 2e-3
MOST_STEPS = 40
PERIOD_MOVES_T = 2.0  # d log T / d log p is below this: the floor of a decaying step contains p^3
WRONG_SLOPE = 0.1  # the local exponent is taken to be known up to this factor, in the estimate of the error


@dataclass(frozen=True)
class Setting:
    """A world as JSON, where runs start, and the units of the scalings."""

    world: Mapping[str, Any]
    x0: float
    y0: float
    theta: float
    units: Mapping[str, float]

    def at(self, corollary: str, **where: Any) -> Run:
        """The run at K and T, or K and eps, lengthened to whole rounds."""
        run = along(corollary, theta=self.theta, units=self.units, **where)
        return replace(run, T=run.T + -run.T % run.solver.p)

    def rounding_of_p(self, corollary: str, run: Run, **large: float) -> float:
        """|log| of the whole number p over its real scaling at T or eps."""
        order = paper().the(Corollary, corollary).scalings["p"].order
        period = self.units.get("p", 1.0) * number(order, {"K": run.K, **large})
        return abs(math.log(run.solver.p / period))

    def measure(self, run: Run) -> tuple[float, float]:
        """The theorems' measure, and its relative precision."""
        problem = build(self.world)
        x0, y0 = [self.x0] * problem.d_x, [self.y0] * problem.d_y
        result = expect(problem, run.solver, K=run.K, T=run.T, x0=x0, y0=y0, times=[])
        return result.measure(L_tilde(problem))[0], result.precision


def L_tilde(problem: Any) -> float:
    """On a quadratic world, where L_21 = L_22 = 0 and the ball does not matter."""
    constants = problem.constants(radius=1.0)
    return float(constants["L_1"] + constants["L_1"] ** 2 / constants["mu"])


def times_to_accuracy(
    corollary: str, setting: Json, K: int, epsilons: Sequence[float], first: float
) -> list[Json]:
    """One row per eps; `first` is where the search begins. A good one saves time and changes nothing."""
    here, exponent = Setting(**setting), -_claimed_exponent(corollary)
    rows: list[Json] = []
    guess = first
    for eps in epsilons:
        rows.append(_row(corollary, here, K, eps, guess, exponent))
        following = epsilons[len(rows)] if len(rows) < len(epsilons) else eps
        guess = rows[-1]["iterations"] * (eps / following) ** (1 / exponent)
    return rows


def _claimed_exponent(corollary: str) -> float:
    return float(as_monomial(paper().the(Corollary, corollary).claim.order).exponent("T"))


def _row(corollary: str, here: Setting, K: int, eps: float, T: float, exponent: float) -> Json:
    before: tuple[float, float] | None = None
    for _ in range(MOST_STEPS):
        run = here.at(corollary, K=K, T=math.ceil(T))
        measure, precision = here.measure(run)
        excess = math.log(measure / eps)
        if before is not None and abs(math.log(run.T) - before[0]) > CLOSE:
            exponent = -(excess - before[1]) / (math.log(run.T) - before[0])
        if not 0.05 < exponent < 2:
            raise UndecidedError(
                f"the measure does not fall with T at K = {K}, T = {run.T}: exponent {exponent:.3g}."
            )
        T, before = run.T * math.exp(excess / exponent), (math.log(run.T), excess)
        if abs(excess) <= CLOSE:
            run, missed = here.at(corollary, K=K, T=math.ceil(T)), WRONG_SLOPE * abs(excess) / exponent
            return {"eps": eps, "K": K, **_costs(corollary, here, run, precision + missed)}
    raise UndecidedError(f"no T with a measure of {eps:.3g} at K = {K} was found in {MOST_STEPS} steps.")


def _costs(corollary: str, here: Setting, run: Run, error: float) -> Json:
    counts = count(build(here.world), run.solver, run.T)
    samples = counts.samples_f + counts.samples_g
    rounding = here.rounding_of_p(corollary, run, T=float(run.T))
    return {
        "iterations": float(run.T),
        "samples": float(samples),
        "samples/(Q + 3)": samples / (run.solver.Q + 3),
        "rounds": float(counts.rounds),
        "p": run.solver.p,
        "Q": run.solver.Q,
        "error": error + PERIOD_MOVES_T * rounding,
        "rounding of p": rounding,
    }


def measures_in_eps(corollary: str, setting: Json, K: int, epsilons: Sequence[float]) -> list[Json]:
    """The measure at the T, p and eta that the corollary gives for eps; one row per eps."""
    here, rows = Setting(**setting), []
    for eps in epsilons:
        run = here.at(corollary, K=K, eps=eps)
        measure, precision = here.measure(run)
        error = precision + PERIOD_MOVES_T * here.rounding_of_p(corollary, run, eps=eps)
        rows.append({"eps": eps, "K": K, "iterations": float(run.T), "measure": measure, "error": error})
    return rows
