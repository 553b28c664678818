"""Both sides of a statement are read at the ends that speak for it: the left one low, letters of the right one high."""

import math
from typing import Any

import pytest

import ratecert as rc
from oracles.small_papers import result
from ratecert.binding.binding import Measured, Sides

GAP = rc.measures.gap()


def sides(*, certified: bool, before: int = 0, power: float = 1.0, **ends: Any) -> Sides:
    """The left side, and one measured letter V, by the ends of what is known of them."""
    left, V = ends.get("left", (1.0, 3.0)), ends.get("V", (2.0, 6.0))
    results = {0: result(certified, left=left, V=(0.0, 0.0) if before else V)}
    results |= {before: result(certified, V=V)} if before else {}
    return Sides(results, {"V": Measured(GAP, power=power, before=before)})


@pytest.mark.parametrize("certified", [True, False], ids=["enclosed", "in doubles"])
@pytest.mark.parametrize("ends", [(1.0, 3.0), (0.5, 0.625)])
def test_the_left_side_counts_by_its_lower_end(certified: bool, ends: tuple[float, float]) -> None:
    found = sides(certified=certified, left=ends)
    assert found.left_low == ends[0]
    assert found.left == sum(ends) / 2


@pytest.mark.parametrize("certified", [True, False], ids=["enclosed", "in doubles"])
def test_a_measured_letter_counts_by_its_upper_end_rounded_up(certified: bool) -> None:
    assert sides(certified=certified, V=(2.0, 6.0)).letters() == {"V": math.nextafter(6.0, math.inf)}


@pytest.mark.parametrize("certified", [True, False], ids=["enclosed", "in doubles"])
def test_a_power_is_taken_of_the_upper_end(certified: bool) -> None:
    """The root of 9 is 3 in doubles; one of 3, of which the double is too small, is made large enough."""
    assert sides(certified=certified, V=(4.0, 9.0), power=0.5).letters()["V"] == math.nextafter(3.0, math.inf)
    root = sides(certified=certified, V=(1.0, 3.0), power=0.5).letters()["V"]
    assert 0 < root - math.sqrt(3.0) < 1e-15


def test_a_letter_is_read_before_the_end_where_it_says_so() -> None:
    found = sides(certified=True, before=1, V=(2.0, 6.0))
    assert found.letters()["V"] == math.nextafter(6.0, math.inf)


def test_a_letter_that_is_zero_is_not_rounded_up() -> None:
    """An upper end below zero is a rounding of zero."""
    assert sides(certified=True, V=(0.0, 0.0)).letters() == {"V": 0.0}
    assert sides(certified=True, V=(-2e-20, -1e-20), power=0.5).letters() == {"V": 0.0}


def test_letters_of_a_ball_stand_beside_the_measured_ones() -> None:
    of_ball = Sides({0: result(True, left=(1.0, 1.0), V=(2.0, 2.0))}, {"V": Measured(GAP)}, {"L_0": 7.0}, 4.0)
    assert of_ball.letters() == {"L_0": 7.0, "V": math.nextafter(2.0, math.inf)}


def test_the_precision_is_the_worst_of_all_that_was_measured() -> None:
    """Of the left side it is 1/2 here, of the letter 3/4."""
    found = Sides(
        {0: result(True, left=(1.0, 3.0)), 1: result(True, V=(1.0, 7.0))}, {"V": Measured(GAP, before=1)}
    )
    assert found.precision == 0.75
