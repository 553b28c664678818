"""The checks that claims are made of, on rows by hand: which row decides, and with what uncertainty."""

import math
from typing import Any

import pytest

from ratecert.claims.check import Check, above, at_least, at_most, difference, equal, gap
from ratecert.claims.rows import Row, Rows
from ratecert.claims.slope import exponent, slope


def rows(*pairs: tuple[float, float], **more: Any) -> Rows:
    return Rows({"y": y, "x": x, **more} for y, x in pairs)


def test_above_is_the_largest_ratio_not_that_of_the_largest_numbers() -> None:
    """3/2 and not 8/10; the product would choose the second."""
    check = above("y over x", rows((3.0, 2.0), (8.0, 10.0), (1.0, 4.0)), "y", "x")
    assert (check.measured, check.verdict) == (1.5, "fails")
    assert above("y over x", rows((2.0, 2.0), (8.0, 10.0)), "y", "x").verdict == "passes"


def test_the_error_of_the_row_that_decides_counts() -> None:
    """1.05 with an error of 10 % may be below 1; that of the other row is no matter."""
    wide = rows((1.05, 1.0), precision=0.1) + rows((0.5, 1.0), precision=1e-9)
    assert above("y over x", wide, "y", "x").verdict == "undecided"
    narrow = rows((1.05, 1.0), precision=1e-9) + rows((0.5, 1.0), precision=0.5)
    assert above("y over x", narrow, "y", "x").verdict == "fails"
    assert above("y over x", narrow, "y", "x", error=0.1).verdict == "undecided"
    assert above("y over x", narrow, "y", "x", tolerance=0.1).verdict == "passes"


def test_a_difference_is_the_largest_of_all_rows() -> None:
    check = difference("y and x", rows((1.0, 1.0), (1.0, 1.25), (3.0, 3.0)), "y", "x", 0.1)
    assert (check.measured, check.verdict) == (0.25, "fails")
    assert difference("y and x", rows((1.0, 1.0), (1.0, 1.25)), "y", "x", 0.25).verdict == "passes"


@pytest.mark.parametrize(("y", "measured"), [((1.1, 0.7), -0.3), ((1.4, 0.9), 0.4)])
def test_a_gap_keeps_the_sign_of_the_farthest(y: tuple[float, float], measured: float) -> None:
    check = gap("y and x", rows((y[0], 1.0), (2 * y[1], 2.0)), "y", "x", 0.35)
    assert check.measured == pytest.approx(measured)
    assert check.verdict == ("passes" if abs(measured) < 0.35 else "fails")


def test_the_largest_error_is_that_of_a_gap() -> None:
    wide = rows((1.2, 1.0), precision=1e-9) + rows((1.0, 1.0), precision=0.5)
    assert gap("y and x", wide, "y", "x", 0.1).verdict == "undecided"
    assert gap("y and x", wide, "y", "x", 0.1, error=0.0).verdict == "fails"


def test_an_error_is_that_of_its_column() -> None:
    wide = rows((1.2, 1.0), own=0.5, precision=1e-9)
    assert gap("y and x", wide, "y", "x", 0.1, error="own").verdict == "undecided"
    assert gap("y and x", wide, "y", "x", 0.1).verdict == "fails"
    assert gap("y and x", wide, "y", "x", 0.1, error="none").verdict == "fails"


def power(exponent_: float, *x: float, **more: Any) -> Rows:
    return rows(*((each**exponent_, each) for each in x), **more)


@pytest.mark.parametrize("predicted", [-0.5, -0.49, -0.6])
def test_an_exponent_is_the_slope_of_logarithms(predicted: float) -> None:
    check = exponent("slope", power(-0.5, 1, 4, 64), "y", "x", predicted, 0.02)
    assert check.measured == pytest.approx(-0.5)
    assert check.verdict == ("passes" if predicted > -0.55 else "fails")


def test_precision_makes_an_exponent_uncertain() -> None:
    assert exponent("slope", power(-0.5, 1, 4, precision=0.1), "y", "x", -0.5, 0.01).verdict == "undecided"
    assert (
        exponent("slope", power(-0.5, 1, 4, precision=0.1), "y", "x", -0.5, 0.01, error=0.0).verdict
        == "passes"
    )


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.inf, math.nan])
@pytest.mark.parametrize("column", ["x", "y"])
def test_where_a_number_has_no_logarithm_there_is_no_slope(wrong: float, column: str) -> None:
    """Nor is the claim refused: it is not confirmed."""
    points: list[Row] = [{"x": 1.0, "y": 1.0}, {"x": 2.0, "y": 2.0, column: wrong}]
    value, uncertainty = slope(Rows(points), "y", "x")
    assert math.isnan(value)
    assert uncertainty == math.inf
    assert exponent("slope", Rows(points), "y", "x", 1.0, 0.1).verdict == "undecided"


def test_a_curve_that_bends_is_uncertain_unless_it_is_taken_to_be_straight() -> None:
    bent = rows((1.0, 1.0), (2.0, 2.0), (8.0, 4.0))  # slopes 1 and 2
    assert slope(bent, "y", "x") == (pytest.approx(1.5), pytest.approx(0.0))
    assert slope(bent, "y", "x", straight=False) == (pytest.approx(1.5), pytest.approx(0.5))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (at_most("ratio", 0.5, 1.0), "ratio: 0.5 <= 1 passes"),
        (at_most("ratio", 1.5, 1.0), "ratio: 1.5 <= 1 fails"),
        (at_most("ratio", 1 + 3e-9, 1.0), "ratio: 1 + 3e-09 <= 1 fails"),  # not "1 <= 1 fails"
        (at_least("ratio", 1 - 3e-9, 1.0), "ratio: 1 - 3e-09 >= 1 fails"),
        (equal("slope", 1.0, 1.0, 0.01), "slope: 1 = 1 within 0.01 passes"),
        (equal("slope", 1.0, 1.0, 0.01, 1.0), "slope: 1 = 1 within 0.01 undecided"),
    ],
)
def test_a_check_is_a_sentence_in_which_no_rounding_hides_the_failure(check: Check, text: str) -> None:
    assert str(check) == text


# How near a check is to failing: 1 at the edge of what is allowed.


@pytest.mark.parametrize(
    ("check", "used"),
    [
        (equal("", 1.25, 1.0, 0.5), 0.5),  # half of the tolerance
        (equal("", 1.25, 8.0, 13.5), 0.5),  # 6.75 of 13.5: in units of the tolerance, whatever is predicted
        (equal("", 1.5, 1.0, 0.5), 1.0),
        (equal("", 2.0, 1.0, 0.5), 2.0),
        (equal("", 1.25, 1.0, 0.5, 0.25), 1.0),  # the uncertainty uses it as well
        (equal("", 1.0, 1.0, 0.0), 0.0),
        (equal("", 1.1, 1.0, 0.0), math.inf),
        (at_most("", 1.0, 4.0), 0.25),  # without a tolerance in units of the bound
        (at_most("", 6.0, 4.0), 1.5),
        (at_least("", 6.0, 4.0), 0.5),
        (at_most("", 0.25, 0.0), 1.25),  # and of 1 where that is zero
        (at_most("", 1.0, 4.0, math.inf), math.inf),
    ],
)
def test_the_part_of_the_tolerance_that_is_used(check: Check, used: float) -> None:
    assert check.used_tolerance == pytest.approx(used)
    assert (check.verdict == "passes") is (used <= 1.0)
