"""Exponents that are measured along a corollary, on rows whose exponents are known."""

import pytest

from ratecert.claim.rows import Row
from ratecert.from_data.exponents import bounded

TIMES = [2.0**n for n in (28, 32, 36, 40)]


def rows(measure: float, bound: float) -> list[Row]:
    return [{"T": T, "measure": T**measure, "bound": 10 * T**bound} for T in TIMES]


@pytest.mark.parametrize(
    ("measure", "bound", "verdict"),
    [
        (-0.5, -0.5, "passes"),
        (-0.5, -0.2, "passes"),  # the bound is asked only where something fails
        (-0.4, -0.5, "fails"),
        (-0.2, -0.3, "undecided"),  # neither has come to its rate
        (-0.2, -0.6, "fails"),
    ],
)
def test_a_rate_is_refuted_only_where_the_bound_has_come_to_it(
    measure: float, bound: float, verdict: str
) -> None:
    check = bounded("exponent", rows(measure, bound), "T", "measure", -0.5, "bound")
    assert check.verdict == verdict
    assert ("the bound itself still has -0.3" in check.name) is (verdict == "undecided")


@pytest.mark.parametrize(("bound", "verdict"), [(0.5, "fails"), (0.2, "undecided")])
def test_an_exponent_of_eps_may_be_too_small(bound: float, verdict: str) -> None:
    points = [{"eps": 1 / T, "measure": T**-0.1, "bound": T**-bound} for T in TIMES]
    assert bounded("exponent", points, "eps", "measure", 0.5, "bound").verdict == verdict
