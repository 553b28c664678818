"""What counts as found: both sides by two ways that agree, above the bound by either; all else is unconfirmed."""

from pathlib import Path
from typing import Any

import pytest

from ratecert.base.asked import FIRST
from ratecert.base.lists import BEYOND
from ratecert.catalogue.cases import bound_case
from ratecert.search.blame import Ratios
from ratecert.search.case import Again, Trial
from ratecert.search.finding import Confirmed, Finding, Outcome
from ratecert.search.rendering import as_lines, as_object, verdict_of
from ratecert.search.witness import Witness

WITNESS = Witness(statement="theorem-1", variant="printed", place="", ratio=2.0, instance={})
NO_CASE: Any = None  # what is confirmed does not depend on it
Sides = tuple[float, float]  # the left one, and the bound


def confirmed(first: Sides, second: tuple[float | None, float | None], precision: float = 0.0) -> bool:
    """Two ways to compute both sides; None where the second way has nothing to say."""
    tried = Trial(measured=first[0], bound=first[1], precision=precision, values={})
    again = Again(measured=second[0], bound=second[1], how="by hand")
    return Confirmed(WITNESS, tried, Ratios(tried.ratio), again, NO_CASE).confirmed


@pytest.mark.parametrize("second", [(2.0, 1.0), (2.0, None)])
def test_two_ways_that_agree_above_the_bound_confirm(second: tuple[float | None, float | None]) -> None:
    assert confirmed((2.0, 1.0), second)


@pytest.mark.parametrize("bound", [1.0, None])
def test_doubles_alone_confirm_nothing(bound: float | None) -> None:
    """Without an enclosure of the measure all outcomes of a short run are needed."""
    assert not confirmed((2.0, 1.0), (None, bound))
    tried = Trial(measured=2.0, bound=1.0, precision=0.0, values={})
    again = Again(measured=None, bound=bound, how="no enclosure", counted=(2.0, 1.0))
    assert Confirmed(WITNESS, tried, Ratios(2.0), again, NO_CASE).word == "refuted"


@pytest.mark.parametrize("off", [1.1, 0.9, 1.01, 0.99, 1 + 1e-5, 1 - 1e-5])
def test_two_ways_that_differ_confirm_nothing_though_both_exceed(off: float) -> None:
    """Not even where they do by 10 %: one of the two is wrong."""
    assert not confirmed((2.0, 1.0), (2.0 * off, 1.0))
    assert not confirmed((2.0, 1.0), (2.0, 1.0 * off))


def test_ways_may_differ_by_their_rounding_and_by_twice_the_precision() -> None:
    """What was measured is at the lower end of its precision, and the truth may be at the upper one."""
    assert confirmed((2.0, 1.0), (2.0 * (1 + 5e-7), 1.0))
    assert confirmed((2.0, 1.0), (2.0 * (1 + 1.9e-3), 1.0), precision=1e-3)
    assert not confirmed((2.0, 1.0), (2.0 * (1 + 2.5e-3), 1.0), precision=1e-3)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((1 + 3e-7, 1.0), (1 - 3e-7, 1.0)),  # the second measure is below
        ((1 + 3e-7, 1.0), (1.0, 1.0)),  # equal is not above
        ((1 + 3e-7, 1.0), (1 + 3e-7, 1 + 6e-7)),  # the second bound is above
        ((1 + 3e-7, 1.0), (None, 1 + 6e-7)),
        ((1 + 3e-7, 1.0), (1 - 3e-7, None)),
        ((1 - 3e-7, 1.0), (1 + 3e-7, 1.0)),  # the first measure is below
        ((1.0, 1.0), (1 + 3e-7, 1.0)),
        ((0.5, 1.0), (0.5, 1.0)),
    ],
)
def test_what_one_of_two_ways_finds_below_the_bound_is_not_confirmed(first: Sides, second: Any) -> None:
    assert not confirmed(first, second)


NEAR = 1 + 3e-7, 1.0
SECOND_WAYS = [  # of both sides, by the first way and by the second, and what is said
    ((2.0, 1.0), None, "refuted (one way)"),
    ((2.0, 1.0), (2.0, 1.0), "refuted"),
    *(((2.0, 1.0), (2.0 * off, 1.0), "not confirmed") for off in (1.1, 0.9, 1 + 1e-5, 1 - 1e-5)),
    *(((2.0, 1.0), (2.0, off), "not confirmed") for off in (1.1, 0.9, 1 + 1e-5, 1 - 1e-5)),
    ((1.005, 1.0), (1.005, 1.0), "refuted"),  # above 1 is above 1
    (NEAR, (1 + 3e-7, 1.0), "refuted"),
    (NEAR, (1.0, 1.0), "not confirmed"),  # equality breaks nothing
    (NEAR, (1 - 3e-7, 1.0), "not confirmed"),
    ((2.0, 0.0), (2.0, 0.0), "refuted"),  # a bound of zero, which both ways find
    ((2.0, 0.0), (2.0, 1e-30), "not confirmed"),
    ((1e-34, 0.0), (0.0, 0.0), "not confirmed"),  # what is left of zero by rounding
]


@pytest.mark.parametrize(("first", "second", "word"), SECOND_WAYS)
def test_a_second_way_has_to_agree_and_to_break_the_bound_itself(
    first: Sides, second: Sides | None, word: str
) -> None:
    tried = Trial(measured=first[0], bound=first[1], precision=0.0, values={})
    again = Again(measured=first[0], bound=first[1], how="enclosed", counted=second)
    found = Confirmed(WITNESS, tried, Ratios(tried.ratio), again, NO_CASE)
    assert (found.word, found.confirmed) == (word, word != "not confirmed")


def test_a_second_way_that_finds_a_constant_or_a_condition_broken_confirms_nothing() -> None:
    tried = Trial(measured=2.0, bound=1.0, precision=0.0, values={})
    again = Again(measured=2.0, bound=1.0, how="enclosed", objection="L = 1 is not L of this world")
    found = Confirmed(WITNESS, tried, Ratios(2.0), again, NO_CASE)
    assert found.word == "not confirmed"
    assert "L = 1 is not L of this world" in verdict_of(found, 2.0)[1]


def test_near_the_bound_both_ways_above_it_are_enough() -> None:
    assert confirmed((1 + 3e-7, 1.0), (1 + 6e-7, 1 + 1e-7))


def outcome(largest: float, *findings: Any, case: Any = NO_CASE) -> Outcome:
    return Outcome(case=case, largest=largest, tried=8, findings=findings, inside=8)


def test_a_ratio_above_one_without_a_finding_is_unconfirmed() -> None:
    tried = Trial(measured=2.0, bound=1.0, precision=0.0, values={})
    sure = Confirmed(WITNESS, tried, Ratios(2.0), Again(measured=2.0, bound=1.0, how="by hand"), NO_CASE)
    cases = (outcome(1.5), outcome(1.5, Finding(sure, sure)), outcome(1.0), outcome(0.5))
    assert [each.unconfirmed for each in cases] == [True, False, False, False]
    words = ["undecided", "refuted (one way)", "not refuted", "not refuted"]
    assert [each.word for each in cases] == words
    case = bound_case(FIRST, "theorem-1", "printed")
    assert ": undecided (largest ratio 1.5 after" in as_lines(outcome(1.5, case=case), {})
    assert [each.falsified for each in cases] == [False, True, False, False]


@pytest.mark.parametrize("zero", [float("inf"), BEYOND])
def test_a_bound_of_zero_is_told_with_one_sign_and_stored_as_one_number(zero: float) -> None:
    """JSON has no infinity."""
    case = bound_case(FIRST, "theorem-1", "printed")
    tried = Trial(measured=2.0, bound=0.0, precision=0.0, values={})
    sure = Confirmed(WITNESS, tried, Ratios(zero), Again(measured=2.0, bound=0.0, how="once"), case)
    found = outcome(zero, Finding(sure, sure), case=case)
    files = {WITNESS.name: Path("one"), f"{WITNESS.name}.simple": Path("two")}
    told = [repr(sure), repr(found), as_lines(found, files), verdict_of(sure, 1.0)[1]]
    assert ["∞" in text and "inf" not in text and "e+300" not in text for text in told] == [True] * 4
    assert "since the bound is 0 there" in told[2]
    row = as_object(found, files)
    assert (row["ratio"], row["simplified_ratio"], row["findings"][0]["ratio"]) == (BEYOND,) * 3
