"""Theorems of two levels from their data alone: those of the federated bilevel paper, as its runs.py binds them."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.binding.binding import letters_read
from ratecert.binding.families import TWO_LEVEL, numbers
from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import bindings, paper
from ratecert.errors import OutsideConditionsError, UserError
from ratecert.search.case import Case
from ratecert.theory.numbers.evaluation import complete
from ratecert.theory.statements import Theorem

FILE = "federated-bilevel"
THEOREMS = ("theorem-1", "theorem-2")
# f alone is noisy and small: G, which is squared once too often in the print, is of the order of f^2
SMALL_F = {
    "two_level": {level.name: 0.0 for level in TWO_LEVEL.levels}
    | {"d": 1.0, "A": 1.0, "P/A": 1.0, "s_f": 1e-10},
    "run": {"K": 1, "T": 4},
    "letters": {"p": 2.0, "alpha": 1.0, "beta": 1000.0, "theta": 0.999, "Q": 1.0}
    | {"rho_1": 0.004, "rho_2": 0.16, "eta": 0.0009},
}


def case(theorem: str, variant: str = "printed") -> Case:
    return bound_case(FILE, theorem, variant)


def test_an_instance_that_breaks_the_print_and_not_the_repaired_theorem() -> None:
    printed, repaired = case(THEOREMS[0]), case(THEOREMS[0], "repaired")
    tried = printed.attempt(SMALL_F, paper("printed", FILE))
    again = printed.again(SMALL_F, tried)
    assert tried.ratio > 1.5
    assert again.measured is not None
    assert again.bound is not None
    assert again.measured > again.bound
    assert repaired.attempt(SMALL_F, paper("repaired", FILE)).ratio < 1


def test_letters_of_a_ball_are_those_of_where_the_run_can_go() -> None:
    """And the witness says so; on the ball that steps were chosen for the constant is another."""
    setting, letters = case(THEOREMS[0]).setting_and_letters(SMALL_F)
    tried = case(THEOREMS[0]).attempt(SMALL_F, paper("printed", FILE))
    solver = case(THEOREMS[0]).binding.solver(paper("printed", FILE), tried.values)
    least = rc.reachable_radius(setting.world, solver, 1, x0=setting.x0, y0=setting.start["y"])
    assert tried.radius >= least > 0
    assert tried.values["L_0"] == setting.world.constants(radius=tried.radius)["L_0"] != letters["L_0"]
    said, *_ = case(THEOREMS[0]).standings(tried)
    assert f"radius {tried.radius:.6g}" in said


def test_theorem_3_is_run_with_the_steps_that_it_says() -> None:
    tried, source = case("theorem-3"), paper("printed", FILE)
    middle = numbers(tried.levels, [0.5] * len(tried.levels)) | {"family": 1.0, "K": 2.0, "T": 100.0}
    found = tried.draw(middle, source)
    full = complete(source, source.the(Theorem, "theorem-3"), found.values)
    solver = tried.binding.solver(source, full)
    K, p, L_hat = full["K"], full["p"], full["L_hat"]
    assert solver.alpha == solver.beta == pytest.approx(L_hat**2 / (3 * K**2 * p) + L_hat**2 / K, rel=1e-12)
    assert solver.eta(0) == pytest.approx(K ** (2 / 3) / L_hat / (200 * K ** (2 / 3) * p), rel=1e-12)
    assert solver.eta(10**12) == pytest.approx(K ** (2 / 3) / L_hat / 1e4, rel=1e-10)
    assert 0 < found.ratio < 1


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("variant", ["printed", "repaired"])
def test_steps_are_chosen_inside_the_conditions_whatever_their_order(theorem: str, variant: str) -> None:
    """rho_1 comes before rho_2 in the notation, and is bounded by it."""
    tried = case(theorem, variant)
    source, rng = paper(variant, FILE), np.random.default_rng(0)
    for held in tried.subspaces[:3]:
        point = {**numbers(tried.levels, rng.uniform(size=len(tried.levels)).tolist()), **held}
        found = tried.draw(point, source)
        assert all(condition["margin"] is None or condition["margin"] >= 1 for condition in found.conditions)
        assert found.values["p"] >= (2 if variant == "printed" else 1)


def test_a_letter_that_only_has_to_be_positive_is_on_a_scale_of_its_own() -> None:
    tried = case(THEOREMS[0])
    levels = numbers(tried.levels, [0.5] * len(tried.levels))
    found = tried.draw({**levels, "of alpha": 0.25, "family": 1.0}, paper("printed", FILE))
    assert found.values["alpha"] == pytest.approx(250.0)


def test_which_letters_a_function_reads() -> None:
    def some(letters: Any) -> float:
        return float(letters["a"] + letters.get("b", 0.0) + letters.get("z", 0.0))

    assert letters_read(some, "abc") == {"a", "b"}
    assert letters_read(lambda letters: dict(**letters), "abc") == {"a", "b", "c"}
    assert letters_read(lambda letters: math.log(letters["a"] - 2), "abc") is None


def test_a_letter_that_nothing_reads_is_refused_beside_functions_too() -> None:
    """With sigma_H left open a search would choose it as it likes, and find any bound sound."""
    run, source = bindings(FILE)[THEOREMS[0]], paper("repaired", FILE)
    run.require(source, source[THEOREMS[0]])
    constants = {letter: each for letter, each in run.constants.items() if letter != "sigma_H"}
    with pytest.raises(UserError, match="the letter sigma_H is bound to no field and to no constant"):
        replace(run, constants=constants).require(source, source[THEOREMS[0]])


def test_a_count_below_what_the_algorithm_asks_is_outside() -> None:
    """p > 1 is printed, and p = 1 is the simplest number there is."""
    other = {**SMALL_F, "letters": {**SMALL_F["letters"], "p": 1.0}}
    with pytest.raises(OutsideConditionsError, match=r"letters\.p must be a whole number >= 2, .* got 1\."):
        case(THEOREMS[0]).attempt(other, paper("printed", FILE))
