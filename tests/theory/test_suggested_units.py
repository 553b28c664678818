"""What the linter suggests for a product with the wrong units: another exponent, another letter, one more factor."""

from typing import Any

import pytest
import sympy

import ratecert as rc
from ratecert.theory.lint.suggest import suggest
from ratecert.theory.orders.monomials import ONE
from ratecert.theory.units import Misfit, units_of

s = rc.statements
L, sigma, alpha, T = s.letters("L sigma alpha T")
KNOWN = {"L": units_of("f x^-2"), "sigma": units_of("f x^-1"), "alpha": units_of("x^2 f^-1"), "T": ONE}


def suggested(piece: Any, has: str, needs: str, *candidates: str, beside: Any = 0) -> str:
    among = sympy.Add(piece, beside, evaluate=False) if beside else piece
    return suggest(Misfit(piece, units_of(has), units_of(needs), among), KNOWN, candidates)


@pytest.mark.parametrize(
    ("piece", "has", "needs", "candidates", "edits"),
    [
        (sigma**3, "f^3 x^-3", "f^2 x^-2", (), "sigma**2"),  # another exponent
        (L * T, "f x^-2", "f^2 x^-4", (), "L**2*T"),
        (sigma * T, "f x^-1", "f^2 x^-2", ("sigma",), "T*sigma**2"),  # the same by another way, said once
        (T / 2, "1", "f x^-1", ("sigma",), "T*sigma/2"),  # one more factor
        (T / 2, "1", "f^2 x^-2", ("L", "sigma"), "T*sigma**2/2"),  # squared
    ],
)
def test_the_smallest_edit_is_suggested(
    piece: Any, has: str, needs: str, candidates: tuple[str, ...], edits: str
) -> None:
    assert suggested(piece, has, needs, *candidates) == edits


def test_a_factor_that_only_cancels_a_letter_is_not_suggested() -> None:
    """L sigma needs the units of sigma: to write sigma alone would drop the letter; alpha gives them, too."""
    assert suggested(L * sigma, "f^2 x^-3", "f x^-1", "L", "alpha") == "L*alpha*sigma"


def test_without_an_edit_the_missing_units_are_named() -> None:
    assert suggested(T / 2, "1", "f x^-1") == "(T/2) times something in units f/x"
