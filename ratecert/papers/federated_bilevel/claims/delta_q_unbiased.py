"""The stochastic Neumann sum is unbiased for the truncated one, because every factor has a sample of its own.

    E[theta sum_{q<=Q} prod_{j<=q} (I - theta H(zeta_j))] = theta sum_{q<=Q} (I - theta E[H])^q

as the zeta_j are independent of one another, of the sample of the Jacobian and of xi. Both sides are exact here: the
left one is the mean of the algorithm's own estimate over all outcomes of all signs. With one sample for all factors
this is false, although each factor has the right mean. For Q = 2 and H = A + e E with a random sign e,

    E[(I - theta H)^2] = (I - theta A)^2 + theta^2 E^2,

so the hypergradient is then off by B' theta^3 E^2 grad_y f. The worlds have noise in f, in A and in B, and E does not
commute with A: the order of the factors matters for the variance, and not for the mean.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ratecert.claims import Budget, Chart, Check, Claim, Json, Piece, Rows
from ratecert.claims.checks import at_least, difference
from ratecert.claims.claim import build
from ratecert.claims.lines import figure, level, line
from ratecert.claims.rows import entries
from ratecert.papers.federated_bilevel.evidence.bias.neumann_bias import Array
from ratecert.solvers import StochasticNeumann, neumann_hypergradient
from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.engines.enumeration import Outcomes
from ratecert.solvers.estimators.hypergradient import NeumannSample

EXACT = 1e-13
ROUNDING = 4e-16  # of a mean over outcomes, each of them a few sums; relative
APART = 1e-3  # relative; a bias of this size is no rounding
NOISE: dict[str, Any] = {"sigma_H": 0.6, "sigma_J": 0.3, "s_f": 0.5}
WORLDS: dict[str, dict[str, Any]] = {
    "2 x 3": {"world": "random_quadratic", "d_x": 2, "d_y": 3, "seed": 0, **NOISE},
    "3 x 2": {"world": "random_quadratic", "d_x": 3, "d_y": 2, "seed": 5, **NOISE},
}
THETA = 0.2
TERMS = (1, 2, 3, 4, 6, 8)


def means(world: str, terms: list[int]) -> list[Json]:
    """The mean over all outcomes, with fresh samples and with one sample for all factors, off the truncated sum."""
    problem = build(WORLDS[world])
    x, y = problem.a + 1.0, problem.b - 0.5
    A, (E,) = problem.A, problem.E
    rows: list[Json] = [{"commutator": float(np.linalg.norm(A @ E - E @ A))}]
    for Q in terms:
        truncated = neumann_hypergradient(problem, x, y, theta=THETA, Q=Q)
        size = float(np.linalg.norm(truncated))
        own, outcomes = mean_over_outcomes(problem, x, y, Q)
        once, _ = mean_over_outcomes(problem, x, y, Q, one_for_all=True)
        fresh, reused = (float(np.linalg.norm(mean - truncated)) / size for mean in (own, once))
        rows.append({"Q": Q, "outcomes": outcomes, "fresh samples": fresh, "one sample": reused})
        rows += entries(own, truncated, size, of="fresh samples")
        if Q == 2:
            predicted = THETA**3 * problem.B.T @ E @ E @ problem.D @ (y - problem.b)
            rows += entries(once - truncated, predicted, float(np.linalg.norm(once)), of="second order")
    return rows


def mean_over_outcomes(
    problem: SampledProblem, x: Array, y: Array, Q: int, *, one_for_all: bool = False
) -> tuple[Array, int]:
    """The mean of the stochastic hypergradient and the number of outcomes."""
    neumann = StochasticNeumann(theta=THETA, Q=Q)
    numbers: dict[Any, int] = {}

    def sample(outcomes: int) -> NeumannSample:
        bits = Outcomes(0, outcomes, 1, numbers).reader(0, neumann.label, 0, 0)
        drawn = neumann.sample(problem, bits)
        return replace(drawn, factors=drawn.factors[:1] * Q) if one_for_all else drawn

    sample(1)  # gives every sign its number
    n = 2 ** len(numbers)
    columns = (np.repeat(v[:, None], n, axis=1) for v in (x, y))
    mean: Array = neumann.evaluate(problem, sample(n), *columns).mean(axis=1)
    return mean, n


def pieces(budget: Budget) -> list[Piece]:
    terms = list(TERMS[:4] if budget.quick else TERMS)
    return [Piece(means, {"world": world, "terms": terms}, 0.1) for world in WORLDS]


def checks(rows: Rows) -> Iterator[Check]:
    exact: dict[str, Any] = {
        "measured": "measured",
        "predicted": "predicted",
        "tolerance": EXACT,
        "error": ROUNDING,
    }
    for world, here in rows.by("world"):
        name = f"bias for the truncated sum, fresh samples, {world}"
        yield difference(name, here.where(of="fresh samples"), **exact)
        last = here.having("one sample")[-1]
        yield at_least(f"bias, one sample for all factors, {world}", last["one sample"], APART)
        name = f"that bias against theta^3 B'E^2 grad_y f at Q = 2, {world}"
        yield difference(name, here.where(of="second order"), **exact)
        yield at_least(f"||AE - EA||, {world}", here.having("commutator").only()["commutator"], APART)


def chart(rows: Rows) -> Chart:
    series = []
    for i, (world, here) in enumerate(rows.having("Q").by("world")):
        later = Rows(row for row in here if row["Q"] > 1)
        series += [
            line(f"one sample for all, {world}", later, "Q", "one sample", kind="contrast", colour=i),
            line(
                f"fresh samples, {world}", here, "Q", lambda row: max(row["fresh samples"], 1e-17), colour=i
            ),
        ]
    allowed = level("what is allowed", rows.cells("Q"), EXACT, kind="bound", colour=6)
    return figure(
        "Distance of the mean over all outcomes from the truncated sum: rounding with a fresh sample in every "
        "factor, a few per cent with one sample for all factors.",
        "$Q$",
        "relative bias for the truncated sum",
        [*series, allowed],
        x_scale="linear",
    )


CLAIMS = (
    Claim(
        id="delta-q.unbiased",
        of=("estimator-stochastic", "estimator-hat"),
        sentence="The stochastic hypergradient with a fresh sample in every factor has the truncated hypergradient as "
        "its mean.",
        pieces=pieces,
        checks=checks,
        regime=f"theta = {THETA} < 1/L_1; one point per world, away from the solution",
        method=lambda rows: f"enumeration of all outcomes, up to {max(rows.cells('outcomes'))} of them",
        evidence=("enumeration",),
        settings=lambda rows: {
            "worlds": WORLDS,
            "theta": THETA,
            "Q": rows.cells("Q"),
            "point": "x = a + 1, y = b - 1/2",
        },
        chart=chart,
        notes=[
            "With one sample for all factors the mean is off by terms of order theta^2 E^2, whatever Q >= 2 is."
        ],
        table=("world", "Q", "outcomes", "fresh samples", "one sample"),
        runs=("LocalBSGM", "LocalBSGVRM"),
        blind_to={
            "one sample": "a bias of any size above the bound is one",
            "commutator": "matrices that are twice as far from commuting do not commute either",
        },
    ),
)
