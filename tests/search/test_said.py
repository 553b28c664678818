"""What is said of a search that found nothing: what it tried, where it came nearest, and whether that says anything."""

import pytest

from ratecert.catalogue.cases import bound_case
from ratecert.search.case import Case
from ratecert.search.finding import Outcome, falsify
from ratecert.search.rendering import as_lines


@pytest.fixture(scope="module")
def case() -> Case:
    return bound_case("ghadimi-lan", "constant-steps", "printed")


@pytest.fixture(scope="module")
def outcome(case: Case) -> Outcome:
    return falsify(case, budget=32, seed=0, jobs=1, advance=lambda _: None)


def test_the_range_of_every_number_and_of_every_letter_is_named(case: Case, outcome: Outcome) -> None:
    said = as_lines(outcome, {})
    for family in case.families:
        assert str(family) in said
    for part in ("T from 1 to 2^62", "gamma from 1e-06 to 1 of its largest", "signs from 1 to 16"):
        assert part in said


def test_the_nearest_world_is_shown_with_its_numbers(outcome: Outcome) -> None:
    assert "largest at single_level L = 1, spread = 1, x_off = 1, s = 0; K = 1, T = " in as_lines(outcome, {})


def test_a_run_that_hardly_moves_is_said_to(case: Case) -> None:
    numbers = {**case.simple[0], "T": 4.0}
    assert (
        case.hardly_moves({**numbers, "of gamma": 1e-6, "s": 0.0, "x_off": 1.0}) is False
    )  # an average has no start
    momentum = bound_case("pep-gradient-descent", "contraction", "printed")
    numbers = {**momentum.simple[0], "T": 1.0}
    assert momentum.hardly_moves({**numbers, "of gamma": 1e-6})
    assert not momentum.hardly_moves({**numbers, "of gamma": 0.5})
