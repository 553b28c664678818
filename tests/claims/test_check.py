"""A check decides only what its uncertainty lets it decide; the worst of several decides a claim."""

import math
from typing import Any

import pytest

from ratecert.claims.check import Check, above, decisive, difference, gap, overall, verdict_of
from ratecert.claims.rows import Rows

pytestmark = pytest.mark.smoke


def check(measured: float, predicted: float = 1.0, **more: Any) -> Check:
    return Check(name="a number", measured=measured, predicted=predicted, **more)


@pytest.mark.parametrize(
    ("measured", "more", "verdict"),
    [
        (1.0, {}, "passes"),
        (1.0 + 1e-15, {}, "fails"),
        (1.05, {"tolerance": 0.1}, "passes"),
        (0.95, {"tolerance": 0.1}, "passes"),
        (1.15, {"tolerance": 0.1}, "fails"),
        (0.85, {"tolerance": 0.1}, "fails"),
        (1.05, {"tolerance": 0.1, "uncertainty": 0.04}, "passes"),
        (1.05, {"tolerance": 0.1, "uncertainty": 0.06}, "undecided"),
        (1.15, {"tolerance": 0.1, "uncertainty": 0.06}, "undecided"),
        (1.15, {"tolerance": 0.1, "uncertainty": 0.04}, "fails"),
        (0.5, {"relation": "<="}, "passes"),
        (1.5, {"relation": "<="}, "fails"),
        (0.9, {"relation": "<=", "uncertainty": 0.2}, "undecided"),
        (1.1, {"relation": "<=", "uncertainty": 0.2}, "undecided"),
        (1.5, {"relation": ">="}, "passes"),
        (0.5, {"relation": ">="}, "fails"),
        (1.1, {"relation": ">=", "uncertainty": 0.2}, "undecided"),
        (math.nan, {"tolerance": 1e9}, "undecided"),
        (math.inf, {"relation": "<="}, "undecided"),
        (-math.inf, {"relation": "<="}, "undecided"),
        (1.0, {"tolerance": 0.1, "uncertainty": math.inf}, "undecided"),
    ],
)
def test_what_a_check_shows(measured: float, more: dict[str, Any], verdict: str) -> None:
    assert check(measured, **more).verdict == verdict


def test_a_slope_of_the_wrong_sign_is_violated() -> None:
    assert check(0.5, -0.5, tolerance=1e-3).verdict == "fails"


@pytest.mark.parametrize("name", ["tolerance", "uncertainty"])
@pytest.mark.parametrize("value", [-1e-9, math.nan])
def test_a_negative_width_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} of the check 'a number' must be a number >= 0"):
        check(1.0, **{name: value})


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(ValueError, match="relation of the check"):
        check(1.0, relation="<")


@pytest.mark.parametrize("of_rows", [gap, difference, above])
@pytest.mark.parametrize("column", ["measured", "predicted", "precision"])
@pytest.mark.parametrize("lost", [0, 1])
def test_what_is_no_number_is_not_hidden_by_its_neighbours(of_rows: Any, column: str, lost: int) -> None:
    """max(0.1, nan) is 0.1."""
    rows = [{"measured": 1.0, "predicted": 1.1, "precision": 0.0} for _ in range(3)]
    assert of_rows("all", Rows(rows), "measured", "predicted", tolerance=0.2).verdict == "passes"
    rows[lost][column] = math.nan
    assert of_rows("all", Rows(rows), "measured", "predicted", tolerance=0.2).verdict == "undecided"


HOLDS, NEAR = check(1.0, tolerance=0.1), check(1.09, tolerance=0.1)
OPEN, WRONG, WORSE = check(1.0, uncertainty=1.0), check(1.2, tolerance=0.1), check(9.0, tolerance=0.1)


@pytest.mark.parametrize(
    ("checks", "verdict", "decides"),
    [
        ([HOLDS, NEAR], "passes", NEAR),
        ([HOLDS, OPEN, NEAR], "undecided", OPEN),
        ([OPEN, WRONG, HOLDS], "fails", WRONG),
        ([WRONG, WORSE, OPEN], "fails", WORSE),
    ],
)
def test_the_worst_check_decides(checks: list[Check], verdict: str, decides: Check) -> None:
    assert (overall(checks), decisive(checks)) == (verdict, decides)


def test_without_checks_nothing_applies() -> None:
    assert overall([]) is None
    assert verdict_of([], exact=True) == "not applicable"
