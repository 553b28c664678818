"""What the linter suggests for a product with the wrong units: another exponent, another letter, one more factor."""

from dataclasses import replace
from typing import Any

import pytest
import sympy

from ratecert.catalogue.find import paper
from ratecert.theory.lint.units import lint_units, suggest
from ratecert.theory.notation import letter, letters
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Definition
from ratecert.theory.units import Misfit, units_of

L, sigma, alpha, T, a, b = letters("L sigma alpha T a b")
UNITS = {"L": "f x^-2", "sigma": "f x^-1", "alpha": "x^2 f^-1", "T": "1", "a": "x", "b": "x"}
KNOWN = {name: units_of(units) for name, units in UNITS.items()}
REPAIRED = paper("repaired")
RIGHT = REPAIRED.the(Definition, "constant.G").right


@pytest.mark.parametrize(
    ("piece", "has", "needs", "candidates", "edits"),
    [
        (sigma**3, "f^3 x^-3", "f^2 x^-2", (), "sigma**2"),  # another exponent
        (L * T, "f x^-2", "f^2 x^-4", (), "L**2*T"),
        (b**3 / a**4, "x^-1", "1", (), "b**3/a**3 or b**4/a**4"),  # that which becomes smaller is likelier
        (sigma * T, "f x^-1", "f^2 x^-2", ("sigma",), "T*sigma**2"),  # the same by another way, said once
        (T / 2, "1", "f x^-1", ("sigma",), "T*sigma/2"),  # one more factor
        (T / 2, "1", "f^2 x^-2", ("L", "sigma"), "T*sigma**2/2"),  # squared
        (T / 2, "1", "f x^-1", (), "(T/2) times something in units f/x"),
        # to write sigma alone would drop the letter L, which it only cancels; alpha gives the units, too
        (L * sigma, "f^2 x^-3", "f x^-1", ("L", "alpha"), "L*alpha*sigma"),
    ],
)
def test_the_smallest_edit_is_suggested(
    piece: Any, has: str, needs: str, candidates: tuple[str, ...], edits: str
) -> None:
    assert suggest(Misfit(piece, units_of(has), units_of(needs), piece), KNOWN, candidates) == edits


def with_G(**parts: Any) -> Paper:
    definition = replace(REPAIRED["constant.G"], **parts)
    return replace(REPAIRED, statements={**REPAIRED.statements, "constant.G": definition})


def test_a_definition_is_told_the_power_that_it_defines() -> None:
    """The square of what is G^2 is G^4; where the notation gives G the units of L_0, the root of it is G."""
    (squared,) = lint_units(with_G(right=RIGHT**2))
    assert (squared.place, squared.fits.partition(" ")[0]) == ("constant.G", "G**4")
    of_L_0 = replace(REPAIRED.notation["G"], units=REPAIRED.notation["L_0"].units)
    wrong = with_G(left=letter("G") ** 4, right=sympy.sqrt(RIGHT))
    (too_high,) = lint_units(replace(wrong, notation={**REPAIRED.notation, "G": of_L_0}))
    assert (too_high.place, too_high.fits) == ("constant.G", f"G = {sympy.sqrt(RIGHT)}")


def test_a_wrong_exponent_is_likelier_than_a_missing_factor() -> None:
    (found,) = (f for f in lint_units(paper(key="storm")) if f.place == "theorem-1.term.noise")
    assert found.fits == (
        "2*sigma/T**(1/3) or 2*sigma**(1/3)*w**(1/3)/T**(1/3) or 2*sqrt(M)*sigma**(1/3)/T**(1/3)"
    )
