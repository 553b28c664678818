"""A binding gives every letter of its theorem, and names no letter or field that is not there."""

from typing import Any

import pytest

import ratecert as rc
from oracles.small_papers import descent, small_paper
from ratecert.errors import UserError, UserTypeError

s = rc.statements
T, K, L, R_2, alpha, p, kappa, h = s.letters("T K L R_2 alpha p kappa h")
KAPPA = s.Definition(id="kappa", title="Inverse step", source="1", left=kappa, right=1 / alpha)
LETTERS = "T K h R_2 alpha p"
FINE: dict[str, Any] = {"hyperparameters": {"alpha": alpha, "p": p}, "devices": "K"}


def require(letters: str = LETTERS, bound: Any = R_2 * alpha * h * p / K, **binding: Any) -> None:
    paper = small_paper("required-by-hand", terms={"all": bound}, letters=letters, more=(KAPPA,))
    s.Binding(**descent(**{**FINE, **binding})).require(paper, paper.the(s.Theorem, "theorem-1"))


def test_a_binding_with_every_letter_is_taken() -> None:
    require()
    require(at_least={"p": 1})
    require(at_least={"p": 2})
    require(hyperparameters={"alpha": lambda values: values["alpha"], "p": p})


def test_a_letter_may_be_bound_by_one_that_it_defines() -> None:
    """kappa = 1/alpha is a hyperparameter here, so that alpha is bound, too."""
    require(hyperparameters={"alpha": 1 / kappa, "p": p})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"hyperparameters": {"alpha": alpha}}, "the letter p is bound to no field and to no constant"),
        ({"hyperparameters": {"alpha": 0.5, "p": p}}, "the letter alpha is bound to no field"),
        (
            {"constants": {"h": "L", "R_2": "squared_distance", "q": "mu"}},
            "q is no letter of the paper's notation",
        ),
        (
            {"hyperparameters": {"alpha": alpha, "p": p * s.letter("q")}},
            "q is no letter of the paper's notation",
        ),
        (
            {"hyperparameters": {"alpha": alpha, "p": p, "beta": 1}},
            "name 'beta', which is no field of SGD; those are",
        ),
        (
            {"letters": "T h R_2 alpha p", "bound": R_2 * alpha * h * p},
            "K is no letter of the paper's notation",
        ),
        (
            {"letters": "K h R_2 alpha p", "bound": R_2 * alpha * h * p},
            "T is no letter of the paper's notation",
        ),
        ({"at_least": {"p": 0}}, "at_least must have whole numbers >= 1 for counts that are chosen.*'p': 0"),
        ({"at_least": {"p": 1.5}}, "at_least must have whole numbers >= 1"),
        ({"at_least": {"alpha": 1}}, "at_least must have whole numbers >= 1.*'alpha': 1"),
        ({"at_least": {"T": 2}}, "at_least must have whole numbers >= 1.*'T': 2"),
        ({"at_least": {"q": 2}}, "at_least must have whole numbers >= 1.*'q': 2"),
    ],
)
def test_a_binding_that_misses_or_invents_a_letter_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        require(**wrong)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": ""}, "the name of a family must be a text"),
        ({"name": 3}, "the name of a family must be a text"),
        ({"levels": []}, "levels of the family line must be a tuple"),
        (
            {"levels": (s.Level(name="h", low=1.0, high=2.0), "far")},
            "levels of the family line must be a tuple",
        ),
        ({"held": ({"far": 1.0},)}, "held of the family line must name its levels, K or T, got 'far'"),
    ],
)
def test_a_family_without_a_name_or_with_other_levels_is_refused(
    wrong: dict[str, Any], sentence: str
) -> None:
    given: dict[str, Any] = {"name": "line", "levels": (s.Level(name="h", low=1.0, high=2.0),)}
    s.Family(**given, world=lambda numbers: None, held=({"h": 1.0, "K": 1.0, "T": 2.0},))
    with pytest.raises((UserError, UserTypeError), match=sentence):
        s.Family(**{**given, **wrong}, world=lambda numbers: None)
