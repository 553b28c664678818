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


@pytest.mark.parametrize(
    "binding",
    [
        {}, {"at_least": {"p": 1}}, {"at_least": {"p": 2}},
        {"hyperparameters": {"alpha": lambda values: values["alpha"], "p": p}},
        {"hyperparameters": {"alpha": 1 / kappa, "p": p}},  # kappa = 1/alpha is a hyperparameter: alpha is bound, too
    ],
)  # fmt: skip
def test_a_binding_with_every_letter_is_taken(binding: dict[str, Any]) -> None:
    require(**binding)


BOUND, COUNTS = R_2 * alpha * h * p, "at_least must have whole numbers >= 1"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"hyperparameters": {"alpha": alpha}}, "the letter p is bound to no field and to no constant"),
    ({"hyperparameters": {"alpha": 0.5, "p": p}}, "the letter alpha is bound to no field"),
    ({"constants": {"h": "L", "R_2": "squared_distance", "q": "mu"}}, "q is no letter of the paper's notation"),
    ({"hyperparameters": {"alpha": alpha, "p": p * s.letter("q")}}, "q is no letter of the paper's notation"),
    ({"hyperparameters": {"alpha": alpha, "p": p, "beta": 1}}, "name 'beta', which is no field of SGD; those are"),
    ({"letters": "T h R_2 alpha p", "bound": BOUND}, "K is no letter of the paper's notation"),
    ({"letters": "K h R_2 alpha p", "bound": BOUND}, "T is no letter of the paper's notation"),
    ({"at_least": {"p": 0}}, f"{COUNTS} for counts that are chosen.*'p': 0"),
    ({"at_least": {"p": 1.5}}, COUNTS),
    *(({"at_least": {name: number}}, f"{COUNTS}.*'{name}': {number}")
      for name, number in (("alpha", 1), ("T", 2), ("q", 2))),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
def test_a_binding_that_misses_or_invents_a_letter_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        require(**wrong)


LEVEL = s.Level(name="h", low=1.0, high=2.0)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        *(({"name": name}, "the name of a family must be a text") for name in ("", 3)),
        *(({"levels": levels}, "levels of the family line must be a tuple") for levels in ([], (LEVEL, "far"))),
        ({"held": ({"far": 1.0},)}, "held of the family line must name its levels, K or T, got 'far'"),
    ],
)  # fmt: skip
def test_a_family_without_a_name_or_with_other_levels_is_refused(
    wrong: dict[str, Any], sentence: str
) -> None:
    given: dict[str, Any] = {"name": "line", "levels": (LEVEL,), "world": lambda numbers: None}
    s.Family(**given, held=({"h": 1.0, "K": 1.0, "T": 2.0},))
    with pytest.raises((UserError, UserTypeError), match=sentence):
        s.Family(**given | wrong)
