"""A coordinate of a search stands for a number over its decades, and back."""

import math

import pytest

import ratecert as rc
from ratecert.binding.families import counted, numbers

s = rc.statements
WIDE, WHOLE = (
    s.Level(name="L", low=1e-2, high=1e4, says="L/mu"),
    s.Level(name="K", low=1.0, high=64.0, whole=True),
)
POINT = s.Level(name="d", low=2.0, high=2.0)


@pytest.mark.parametrize(("u", "number"), [(0.0, 1e-2), (1 / 6, 1e-1), (0.5, 10.0), (1.0, 1e4)])
def test_numbers_are_even_in_their_logarithms(u: float, number: float) -> None:
    assert WIDE.value(u) == pytest.approx(number)
    assert WIDE.place(number) == pytest.approx(u)


def test_whole_numbers_are_rounded() -> None:
    assert [WHOLE.value(u) for u in (0.0, 0.26, 0.5, 1.0)] == [1.0, 3.0, 8.0, 64.0]  # 64^0.26 is 2.95


def test_a_number_beyond_an_end_has_the_place_of_that_end() -> None:
    assert [WIDE.place(number) for number in (0.0, 1e-2, 1e9)] == [0.0, 0.0, 1.0]
    assert [POINT.place(number) for number in (1.0, 2.0, 3.0)] == [0.0, 0.0, 0.0]
    assert POINT.value(0.7) == 2.0


def test_readers_see_the_range_under_the_name_that_they_know() -> None:
    assert [str(WIDE), str(WHOLE)] == ["L/mu from 0.01 to 10000", "K from 1 to 64"]


def test_a_point_is_numbers_by_name_and_counts_are_whole() -> None:
    found = numbers([WIDE, WHOLE], [0.5, 0.5])
    assert found == {"L": pytest.approx(10.0), "K": 8.0}
    whole = counted([WIDE, WHOLE], {"L": 3.0, "K": 8.0})
    assert (whole, type(whole["K"]), type(whole["L"])) == ({"L": 3.0, "K": 8}, int, float)
    assert counted([WHOLE], {"K": math.inf}) == {"K": math.inf}


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (2.0, 1.0), (1.0, math.inf)])
def test_a_range_that_has_no_logarithms_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="the level L"):
        s.Level(name="L", low=low, high=high)
