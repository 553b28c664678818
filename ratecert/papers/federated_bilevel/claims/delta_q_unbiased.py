"""The stochastic Neumann sum is unbiased for the truncated one, because every factor has a sample of its own.

    E[theta sum_{q<=Q} prod_{j<=q} (I - theta H(zeta_j))] = theta sum_{q<=Q} (I - theta E[H])^q

as the zeta_j are independent of one another, of the sample of the Jacobian and of xi. Both sides are exact here: the
left one is the mean of the algorithm's own estimate over all outcomes of all signs. With one sample for all factors
this is false, although each factor has the right mean. For Q = 2 and H = A + e E with a random sign e,

    E[(I - theta H)^2] = (I - theta A)^2 + theta^2 E^2,

so the hypergradient is then off by B' theta^3 E^2 grad_y f. The worlds have noise in f, in A and in B, and E does not
commute with A: the order of the factors matters for the variance, and not for the mean.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ratecert.claim.chart import Chart, Panel, Series
from ratecert.claim.check import Check
from ratecert.claim.claim import Budget, Claim, Json, Judgement, Piece
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.evidence.bias.neumann_bias import Array
from ratecert.solvers import StochasticNeumann, neumann_hypergradient
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


def means(name: str, world: Json, terms: list[int]) -> Json:
    """The mean over all outcomes, with fresh samples and with one sample for all factors, off the truncated sum."""
    problem = build(world)
    x, y = problem.a + 1.0, problem.b - 0.5
    fresh, reused, outcomes = [], [], []
    for Q in terms:
        truncated = neumann_hypergradient(problem, x, y, theta=THETA, Q=Q)
        own, n = mean_over_outcomes(problem, x, y, Q)
        once, _ = mean_over_outcomes(problem, x, y, Q, one_for_all=True)
        fresh.append(float(np.linalg.norm(own - truncated) / np.linalg.norm(truncated)))
        reused.append(float(np.linalg.norm(once - truncated) / np.linalg.norm(truncated)))
        outcomes.append(n)
    A, (E,) = problem.A, problem.E
    return {
        "name": name,
        "Q": terms,
        "fresh": fresh,
        "reused": reused,
        "outcomes": outcomes,
        "commutator": float(np.linalg.norm(A @ E - E @ A)),
        "second order": _second_order_gap(problem, x, y),
    }


def mean_over_outcomes(
    problem: Any, x: Array, y: Array, Q: int, *, one_for_all: bool = False
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


def _second_order_gap(problem: Any, x: Array, y: Array) -> float:
    """With one sample for both factors of Q = 2, measured bias against B' theta^3 E^2 grad_y f."""
    once, _ = mean_over_outcomes(problem, x, y, 2, one_for_all=True)
    measured = once - neumann_hypergradient(problem, x, y, theta=THETA, Q=2)
    (E,) = problem.E
    predicted = THETA**3 * problem.B.T @ E @ E @ problem.D @ (y - problem.b)
    return float(np.linalg.norm(measured - predicted) / np.linalg.norm(once))


def pieces(budget: Budget) -> list[Piece]:
    terms = list(TERMS[:4] if budget.quick else TERMS)
    return [
        Piece(means, {"name": name, "world": world, "terms": terms}, 0.1) for name, world in WORLDS.items()
    ]


def judge(values: Sequence[Json]) -> Judgement:
    return Judgement(
        checks=[check for v in values for check in _checks(v)],
        regime=f"theta = {THETA} < 1/L_1; one point per world, away from the solution",
        settings={"worlds": WORLDS, "theta": THETA, "Q": values[0]["Q"], "point": "x = a + 1, y = b - 1/2"},
        method=f"enumeration of all outcomes, up to {max(max(v['outcomes']) for v in values)} of them",
        chart=_chart(values),
        notes=[
            "With one sample for all factors the mean is off by terms of order theta^2 E^2, whatever Q >= 2 is."
        ],
        table=[
            {"world": v["name"], "Q": Q, "outcomes": n, "fresh samples": fresh, "one sample": reused}
            for v in values
            for Q, n, fresh, reused in zip(v["Q"], v["outcomes"], v["fresh"], v["reused"], strict=True)
        ],
    )


def _checks(v: Json) -> list[Check]:
    zero: dict[str, Any] = {"predicted": 0.0, "tolerance": EXACT, "uncertainty": ROUNDING}
    at_least: dict[str, Any] = {"predicted": APART, "relation": ">="}
    return [
        Check(
            name=f"bias for the truncated sum, fresh samples, {v['name']}", measured=max(v["fresh"]), **zero
        ),
        Check(name=f"bias, one sample for all factors, {v['name']}", measured=v["reused"][-1], **at_least),
        Check(
            name=f"that bias against theta^3 B'E^2 grad_y f at Q = 2, {v['name']}",
            measured=v["second order"],
            **zero,
        ),
        Check(name=f"||AE - EA||, {v['name']}", measured=v["commutator"], **at_least),
    ]


def _chart(values: Sequence[Json]) -> Chart:
    series = []
    for i, v in enumerate(values):
        later = [(Q, bias) for Q, bias in zip(v["Q"], v["reused"], strict=True) if Q > 1]
        fresh = [max(bias, 1e-17) for bias in v["fresh"]]
        series += [
            Series(label=f"one sample for all, {v['name']}", x=[q for q, _ in later], y=[b for _, b in later],
                   kind="contrast", colour=i),
            Series(label=f"fresh samples, {v['name']}", x=v["Q"], y=fresh, colour=i),
        ]  # fmt: skip
    allowed = Series(
        label="what is allowed", x=[v["Q"][0], v["Q"][-1]], y=[EXACT] * 2, kind="bound", colour=6
    )
    return Chart(
        caption="Distance of the mean over all outcomes from the truncated sum: rounding with a fresh sample in every "
        "factor, a few per cent with one sample for all factors.",
        panels=[
            Panel(
                x_label="$Q$",
                y_label="relative bias for the truncated sum",
                series=[*series, allowed],
                x_scale="linear",
            )
        ],
    )


CLAIMS = (
    Claim(
        id="delta-q.unbiased",
        of=("estimator-stochastic", "estimator-hat"),
        sentence="The stochastic hypergradient with a fresh sample in every factor has the truncated hypergradient as "
        "its mean.",
        pieces=pieces,
        judge=judge,
    ),
)
