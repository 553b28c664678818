"""Families of worlds: quadratics by one direction, numbers outside their ranges, measures that letters make."""

import math

import numpy as np
import pytest

import ratecert as rc
from oracles.small_papers import descent, small_paper
from ratecert.binding.families import QUADRATICS, counted, numbers
from ratecert.binding.setting import Setting
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import paper
from ratecert.errors import OutsideConditionsError, PaperError

s = rc.statements
NUMBERS = {"L": 4.0, "spread": 8.0, "depth": 2.0, "x_off": 3.0}


@pytest.mark.parametrize(("depth", "felt"), [(1.0, 4.0), (2.0, 2.0), (8.0, 0.5), (1e3, 0.5)])
def test_a_run_on_a_quadratic_feels_one_curvature_between_mu_and_L(depth, felt):
    numbers = {**NUMBERS, "depth": depth}
    world = QUADRATICS.member(numbers)
    start = QUADRATICS.begin(world, numbers)
    constants = Setting(world, 1, 1, start).constants
    assert (constants["L"], constants["mu"], constants["distance"]) == (4.0, 0.5, 3.0)
    assert constants["gap"] == felt / 2 * 9
    assert np.array_equal(world.gradient(start["x"]), felt * start["x"])


def test_a_number_outside_its_range_may_have_no_world_and_that_is_no_mistake_of_the_paper():
    with pytest.raises(OutsideConditionsError, match="no world with spread = 0"):
        QUADRATICS.member({**NUMBERS, "spread": 0.0})
    line = s.Family(
        name="line",
        levels=(s.Level(name="h", low=1.0, high=2.0),),
        world=lambda numbers: rc.worlds.SingleLevel(H=1 / (numbers["h"] - 1)),
    )
    with pytest.raises(PaperError, match="ZeroDivisionError"):
        line.member({"h": 1.0})


def test_a_measured_letter_may_be_a_function_of_the_letters():
    made = s.Measured(lambda values: values["L"] ** 2 * rc.measures.distance())
    run = s.Binding(
        **descent(measure=rc.measures.gradient().last(), constants={"L": "L"}, measured={"V": made})
    )
    source = small_paper("of-letters", terms={"start": s.letter("V")}, letters="alpha L V T")
    world = QUADRATICS.member(NUMBERS)
    setting = Setting(world, 1, 1, QUADRATICS.begin(world, NUMBERS))
    values = {**run.given_by(setting), "alpha": 0.25}
    sides = run.run(source, source.the(s.Theorem, "theorem-1"), setting, values)
    assert sides.letters()["V"] == pytest.approx(16 * 9)
    assert sides.left == pytest.approx((2 * 3 * (1 - 0.25 * 2)) ** 2)


def test_a_bound_of_zero_is_broken_and_confirmed():
    case = bound_case("pep-fixed-point", "long-steps", "printed")
    instance = {"rotations": {"angle": 3.0, "x_off": 1.0}, "run": {"K": 1, "T": 2}, "letters": {"gamma": 1.0}}
    source = paper("printed", "pep-fixed-point")
    tried = case.attempt(instance, source)
    assert tried.bound == case.again(instance, tried).bound == 0.0
    assert case.ratio_in(tried, source) == float("inf")


# A coordinate of a search stands for a number over its decades, and back.

WIDE, WHOLE = (
    s.Level(name="L", low=1e-2, high=1e4, says="L/mu"),
    s.Level(name="K", low=1.0, high=64.0, whole=True),
)
POINT = s.Level(name="d", low=2.0, high=2.0)


@pytest.mark.parametrize(("u", "number"), [(0.0, 1e-2), (1 / 6, 1e-1), (0.5, 10.0), (1.0, 1e4)])
def test_numbers_are_even_in_their_logarithms(u: float, number: float) -> None:
    assert WIDE.value(u) == pytest.approx(number)
    assert WIDE.place(number) == pytest.approx(u)


def test_whole_numbers_are_rounded_and_a_number_beyond_an_end_has_the_place_of_that_end() -> None:
    assert [WHOLE.value(u) for u in (0.0, 0.26, 0.5, 1.0)] == [1.0, 3.0, 8.0, 64.0]  # 64^0.26 is 2.95
    assert [WIDE.place(number) for number in (0.0, 1e-2, 1e9)] == [0.0, 0.0, 1.0]
    assert [POINT.place(number) for number in (1.0, 2.0, 3.0)] == [0.0, 0.0, 0.0]
    assert POINT.value(0.7) == 2.0
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
