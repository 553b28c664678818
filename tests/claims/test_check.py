"""Checks: what one decides, which row of many does, what it is called, and that the worst makes a verdict."""

import math
from typing import Any

import pytest

from ratecert.base.lists import as_ratio
from ratecert.claims.check import (
    Check,
    above,
    at_least,
    at_most,
    decisive,
    difference,
    equal,
    gap,
    in_words,
    overall,
    verdict_of,
)
from ratecert.claims.rows import Rows
from ratecert.claims.slope import exponent, slope

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


# Checks of columns.


def xy(*pairs: tuple[float, float], **more: Any) -> Rows:
    return Rows({"x": x, "y": y, **more} for x, y in pairs)


def power(exponent_: float, *x: float, **more: Any) -> Rows:
    return xy(*((each, each**exponent_) for each in x), **more)


ROUGH = (
    "",
    xy((1.0, 1.05), precision=0.1) + xy((1.0, 0.5), precision=1e-9),
    "y",
    "x",
)  # in the row that decides
FINE = ("", xy((1.0, 1.05), precision=1e-9) + xy((1.0, 0.5), precision=0.5), "y", "x")
OWN = xy((1.0, 1.2), own=0.5, precision=1e-9)
UNEVEN = xy((1.0, 1.0), (1.25, 1.0), (3.0, 3.0))
ROOT = power(-0.5, 1, 4, 64)


@pytest.mark.parametrize(
    ("check", "measured", "verdict"),
    [
        (above("", xy((2.0, 3.0), (10.0, 8.0), (4.0, 1.0)), "y", "x"), 1.5, "fails"),  # the product is largest at 80
        (above("", xy((2.0, 2.0), (10.0, 8.0)), "y", "x"), 1.0, "passes"),
        (above(*ROUGH), 1.05, "undecided"),
        (above(*FINE), 1.05, "fails"),
        (above(*FINE, error=0.1), 1.05, "undecided"),
        (above(*FINE, tolerance=0.1), 1.05, "passes"),
        (difference("", UNEVEN, "y", "x", 0.1), 0.25, "fails"),
        (difference("", UNEVEN, "y", "x", 0.25), 0.25, "passes"),
        (gap("", xy((1.0, 1.1), (2.0, 1.4)), "y", "x", 0.35), -0.3, "passes"),  # with the sign of the farthest
        (gap("", xy((1.0, 1.4), (2.0, 1.8)), "y", "x", 0.35), 0.4, "fails"),
        (gap("", xy((1.0, 1.2), precision=0.0) + xy((1.0, 1.0), precision=0.5), "y", "x", 0.1), 0.2, "undecided"),
        (gap("", OWN, "y", "x", 0.1, error="own"), 0.2, "undecided"),
        (gap("", OWN, "y", "x", 0.1, error="none"), 0.2, "fails"),
        (gap("", OWN, "y", "x", 0.1), 0.2, "fails"),
        (exponent("", ROOT, "y", "x", -0.5, 0.02), -0.5, "passes"),
        (exponent("", ROOT, "y", "x", -0.6, 0.02), -0.5, "fails"),
        (exponent("", power(-0.5, 1, 4, precision=0.1), "y", "x", -0.5, 0.01), -0.5, "undecided"),
        (exponent("", power(-0.5, 1, 4, precision=0.1), "y", "x", -0.5, 0.01, error=0.0), -0.5, "passes"),
    ],
)  # fmt: skip
def test_which_row_decides_and_with_what_uncertainty(check: Check, measured: float, verdict: str) -> None:
    assert (check.measured, check.verdict) == (pytest.approx(measured), verdict)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.inf, math.nan])
@pytest.mark.parametrize("column", ["x", "y"])
def test_where_a_number_has_no_logarithm_there_is_no_slope(wrong: float, column: str) -> None:
    """Nor is the claim refused: it is not confirmed."""
    points = Rows([{"x": 1.0, "y": 1.0}, {"x": 2.0, "y": 2.0, column: wrong}])
    value, uncertainty = slope(points, "y", "x")
    assert (math.isnan(value), uncertainty) == (True, math.inf)
    assert exponent("slope", points, "y", "x", 1.0, 0.1).verdict == "undecided"


def test_a_curve_that_bends_is_uncertain_unless_it_is_taken_to_be_straight() -> None:
    bent = xy((1.0, 1.0), (2.0, 2.0), (4.0, 8.0))  # slopes 1 and 2
    assert slope(bent, "y", "x") == (pytest.approx(1.5), pytest.approx(0.0))
    assert slope(bent, "y", "x", straight=False) == (pytest.approx(1.5), pytest.approx(0.5))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (at_most("ratio", 0.5, 1.0), "ratio: 0.5 <= 1 passes"),
        (at_most("ratio", 1.5, 1.0), "ratio: 1.5, more than 1 allowed: fails"),
        (
            at_most("ratio", 1 + 3e-9, 1.0),
            "ratio: 1 + 3e-09, more than 1 allowed: fails",
        ),  # not "1, more than 1"
        (at_least("ratio", 1 - 3e-9, 1.0), "ratio: 1 - 3e-09, less than 1 allowed: fails"),
        (at_most("ratio", 1e300, 1.0), "ratio: ∞, more than 1 allowed: fails"),
        (at_most("ratio", 1.5, 1.0, tolerance=0.1), "ratio: 1.5, more than 1 allowed within 0.1: fails"),
        (equal("slope", 1.0, 1.0, 0.01), "slope: 1 = 1 within 0.01 passes"),
        (equal("slope", 1.0, 1.0, 0.01, 1.0), "slope: 1 = 1 within 0.01 undecided"),
    ],
)
def test_a_check_is_a_sentence_in_which_no_rounding_hides_the_failure(check: Check, text: str) -> None:
    assert str(check) == text


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
def test_the_part_of_the_tolerance_that_is_used_is_1_at_the_edge(check: Check, used: float) -> None:
    assert check.used_tolerance == pytest.approx(used)
    assert (check.verdict == "passes") is (used <= 1.0)


# A verdict in words: what is certain is called so, and no rounding hides that 1 is exceeded or not attained.


@pytest.mark.parametrize(
    ("verdict", "evidence", "row", "words"),
    [
        ("refuted", "proof in fractions", {}, "proved false"),
        ("refuted", "search", {"largest": 1.5, "certified": True}, "refuted"),  # enclosed is not yet proved
        ("refuted", "search", {"largest": 1.5, "certified": False}, "refuted"),
        ("refuted", "search", {"largest": 1.5}, "refuted"),
        ("refuted", "search", {"largest": 1.5, "ways": 1}, "refuted (one way)"),
        ("refuted", "search", {"largest": 1.5, "ways": 2}, "refuted"),
        ("refuted", "proof in fractions", {"largest": 1.5, "ways": 1}, "proved false"),
        ("not refuted", "search", {"largest": 0.5, "ways": 0}, "not refuted"),
        ("refuted", "derivation", {"certified": True}, "refuted"),  # a row that no search has made
        ("refuted", "derivation", {}, "refuted"),
        ("not refuted", "search", {"largest": 0.5, "certified": True}, "not refuted"),
        ("undecided", "proof in fractions", {}, "undecided"),
        ("proved", "derivation", {}, "proved"),
    ],
)
def test_only_what_is_refuted_for_certain_is_proved_false(
    verdict: str, evidence: str, row: dict[str, Any], words: str
) -> None:
    entry = {"verdict": verdict, "evidence": [evidence], **({"table": [row]} if row else {})}
    assert in_words(entry) == words
    by_derivation = [{"name": "findings of the linter", "verdict": "fails"}]
    assert in_words({**entry, "checks": by_derivation}) == words.removesuffix(" (one way)")


HOLDS, NEAR = check(1.0, tolerance=0.1), check(1.09, tolerance=0.1)
OPEN, WRONG, WORSE = check(1.0, uncertainty=1.0), check(1.2, tolerance=0.1), check(9.0, tolerance=0.1)


@pytest.mark.parametrize(
    ("checks", "worst", "verdict", "decides"),
    [
        ([HOLDS, NEAR], "passes", "not refuted", NEAR),
        ([HOLDS, OPEN, NEAR], "undecided", "undecided", OPEN),
        ([OPEN, WRONG, HOLDS], "fails", "refuted", WRONG),
        ([WRONG, WORSE, OPEN], "fails", "refuted", WORSE),
        ([], None, "not applicable", None),
    ],
)
def test_the_worst_check_decides(checks: Any, worst: Any, verdict: str, decides: Any) -> None:
    """What is checked in exact arithmetic alone is proved where it passes."""
    assert (overall(checks), verdict_of(checks, exact=False)) == (worst, verdict)
    assert verdict_of(checks, exact=True) == ("proved" if worst == "passes" else verdict)
    assert not checks or decisive(checks) == decides


RATIOS = {1.0: "1", 1 + 3e-6: "1 + 3e-06", 1 + 4e-15: "1 + 4e-15", 1.5: "1.5", 1.0001: "1.0001", 0.99999: "0.99999",
          1e300: "∞", 0.0: "0", None: ""}  # fmt: skip


@pytest.mark.parametrize("attained", [True, False])
def test_no_ratio_is_shown_as_1_that_is_above_it_or_below_and_not_attained(attained: bool) -> None:
    assert {value: as_ratio(value, attained=attained) for value in RATIOS} == RATIOS
    assert as_ratio(1 - 3e-6, attained=attained) == ("1" if attained else "1 - 3e-06")
    assert [as_ratio(1.23456, digits) for digits in (2, 4)] == ["1.2", "1.235"]
    assert as_ratio(1.0004, 3) == "1 + 0.0004"
