"""What is said of a search that found nothing: what it tried, where it came nearest, and whether that says anything."""

import math

import pytest

from ratecert.binding.outcomes import FAMILIES
from ratecert.binding.setting import Setting
from ratecert.catalogue.cases import bound_case
from ratecert.search.case import Case
from ratecert.search.finding import Outcome, falsify
from ratecert.search.in_words import in_words
from ratecert.search.rendering import as_lines
from ratecert.synthetic.one_level import SingleLevel
from ratecert.synthetic.sums import FiniteSum


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
    assert "in numbers: single_level L = 1, spread = 1, x_off = 1, s = 0; K = 1, T = " in as_lines(
        outcome, {}
    )


def test_a_run_that_hardly_moves_is_said_to(case: Case) -> None:
    numbers = {**case.simple[0], "T": 4.0}
    assert (
        case.hardly_moves({**numbers, "of gamma": 1e-6, "s": 0.0, "x_off": 1.0}) is False
    )  # an average has no start
    momentum = bound_case("pep-gradient-descent", "contraction", "printed")
    numbers = {**momentum.simple[0], "T": 1.0}
    assert momentum.hardly_moves({**numbers, "of gamma": 1e-6})
    assert not momentum.hardly_moves({**numbers, "of gamma": 0.5})


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_words(name: str) -> None:
    family = FAMILIES[name]
    numbers = family.ordinary()
    world = family.member(numbers)
    said = in_words(Setting(world, 2, 1, family.begin(world, numbers)))
    assert ("F has the Hessian " in said) != ("g(x, y) = " in said)
    assert said.endswith("on 2 devices, for 1 iteration")


def test_a_world_is_told_by_what_it_is() -> None:
    """Outcomes that are the same are one; without noise gradients are exact; what is no world of ours has its run."""
    kinds = FiniteSum(H=[1.0, 1.0, 4.0], g=[1.0, 1.0, -2.0])
    assert in_words(Setting(kinds, 1, 7, {"x": [0.5]})) == (
        "F has the Hessian 2 and its minimum at 0; a sampled gradient is 1 x + 1 with probability 2/3, or 4 x + -2 "
        "with probability 1/3; a run from x = 0.5 on one device, for 7 iterations"
    )
    noisy = SingleLevel(H=[[2.0, 1.0], [1.0, 2.0]], a=[1.0, 0.0], E=[[[0.5, 0.0], [0.0, 0.5]]], s=0.1)
    assert in_words(Setting(noisy, 1, math.inf, {"x": [0.0, 0.0]})) == (
        "F has the Hessian [(2, 1), (1, 2)] and its minimum at (1, 0); a sampled gradient is grad F(x) "
        "+-(diag(0.5, 0.5) (x - x*) + (0, 0)) +-0.1 in every coordinate, every sign with probability 1/2; a run from "
        "x = (0, 0) on one device, without end"
    )
    assert "gradients are exact" in in_words(Setting(SingleLevel(H=1.0), 1, 1, {"x": 1.0}))
    assert in_words(Setting(object(), 1, 1, {"x": 1.0})) == "a run from x = 1 on one device, for 1 iteration"
