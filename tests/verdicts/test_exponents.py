"""Exponents that are measured along a corollary, on rows whose exponents are known."""

import math

import numpy as np
import pytest
import sympy

import ratecert as rc
from ratecert.claims.rows import Row
from ratecert.verdicts.corollary import bounded, over_logs, over_shown_logs

TIMES = [2.0**n for n in (28, 32, 36, 40)]


def rows(measure: float, bound: float) -> list[Row]:
    return [{"T": T, "measure": T**measure, "bound": 10 * T**bound} for T in TIMES]


@pytest.mark.parametrize(
    ("measure", "bound", "verdict"),
    [
        (-0.5, -0.5, "passes"),
        (-0.5, -0.2, "passes"),  # the bound is asked only where something fails
        (-0.45, -0.5, "fails"),  # below a bound that falls as claimed, and settled: it will not stay there
        (-0.4, -0.5, "fails"),  # above it in the end
        (-0.2, -0.3, "undecided"),  # neither has come to its rate
        (-0.2, -0.6, "fails"),
    ],
)
def test_a_rate_is_refuted_only_above_a_bound_that_has_come_to_it(
    measure: float, bound: float, verdict: str
) -> None:
    check = bounded("exponent", rows(measure, bound), "T", "measure", -0.5, "bound")
    assert check.verdict == verdict
    assert ("the bound itself has not come to it" in check.name) is (measure == -0.2 and bound == -0.3)


@pytest.mark.parametrize(
    ("slopes", "said", "verdict"),
    [
        ((-0.42, -0.45, -0.47), "that of the bound, which it is below", "passes"),  # on its way
        ((-0.64, -0.58, -0.53), "that of the bound, which it is below", "passes"),  # it may still pass it by
        ((-0.49, -0.48, -0.46), "which moves away from it", "undecided"),
        ((-0.44, -0.459, -0.46), "exponent", "fails"),  # nearly settled, and not there
    ],
)
def test_what_lies_below_the_bound(slopes: tuple[float, ...], said: str, verdict: str) -> None:
    logs = np.cumsum([-20.0, *(slope * math.log(16) for slope in slopes)])
    points: list[Row] = [
        {"T": T, "measure": math.exp(log), "bound": T**-0.5} for T, log in zip(TIMES, logs, strict=True)
    ]
    check = bounded("exponent", points, "T", "measure", -0.5, "bound")
    assert check.verdict == verdict
    assert said in check.name


def test_logarithms_of_the_claim_are_no_part_of_its_exponents() -> None:
    """T^-1/2 log(KT)^4 is measured as T^-1/2, and fails as what it is without its logarithms."""
    T, K = rc.statements.letters("T K")
    order = sympy.log(K * T) ** 4 / sympy.sqrt(K * T)
    points = [{"T": t, "K": 4, "measure": math.log(4 * t) ** 4 / math.sqrt(4 * t)} for t in TIMES]
    plain = over_logs(points, order, "measure")
    assert bounded("exponent", plain, "T", "measure", -0.5).verdict == "passes"
    assert plain[0]["measure"] == pytest.approx((4 * TIMES[0]) ** -0.5)
    assert bounded("exponent", points, "T", "measure", -0.5).verdict == "fails"
    assert over_logs(points, 1 / sympy.sqrt(K * T), "measure") == points


@pytest.mark.parametrize(("bound", "verdict"), [(0.5, "fails"), (0.2, "undecided")])
def test_an_exponent_of_eps_may_be_too_small(bound: float, verdict: str) -> None:
    points: list[Row] = [{"eps": 1 / T, "measure": T**-0.1, "bound": T**-bound} for T in TIMES]
    assert bounded("exponent", points, "eps", "measure", 0.5, "bound").verdict == verdict


@pytest.mark.parametrize(("power", "verdict"), [(1.5, "passes"), (1.49, "passes"), (1.51, "fails")])
@pytest.mark.parametrize("log", [0, 1, 6])
def test_orders_up_to_logarithms_forgive_these_alone(power: float, log: int, verdict: str) -> None:
    points: list[Row] = [{"eps": 1 / T, "samples": T**power * math.log(T) ** log} for T in TIMES]
    plain = over_shown_logs(points, "eps", "samples")
    assert bounded("exponent", plain, "eps", "samples", -1.5).verdict == verdict
    if log:
        assert bounded("exponent", points, "eps", "samples", -1.5).verdict == "fails"
