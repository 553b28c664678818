"""Conditions that admit nothing are reported, and conditions that admit a single value are not."""

from typing import Any

import pytest
import sympy

import ratecert as rc
from oracles.small_papers import small_paper
from ratecert.theory.lint import lint

s = rc.statements
L, alpha = s.letters("L alpha")
PAIRS = [(above, below) for above in (">=", ">") for below in ("<=", "<")]


def reported(least: Any, above: str, most: Any, below: str, of: type = sympy.Min) -> bool:
    """Whether alpha is said to have no value above the one and below the other."""
    clauses = most if isinstance(most, tuple) else (most,)
    conditions = {
        "least": s.Condition(alpha, above, (least,)),
        "most": s.Condition(alpha, below, clauses, of=of),
    }
    paper = small_paper("empty-by-hand", terms={"all": alpha * L}, conditions=conditions, letters="L alpha")
    found = [finding.place for finding in lint(paper) if "admit nothing" in finding.because]
    assert found in ([], ["theorem-1.condition.most"])
    return bool(found)


@pytest.mark.parametrize(("above", "below"), PAIRS)
def test_a_range_of_values_is_not_reported(above: str, below: str) -> None:
    assert not reported(1 / L, above, 2 / L, below)


@pytest.mark.parametrize(("above", "below"), PAIRS)
def test_a_least_value_above_the_most_is_reported(above: str, below: str) -> None:
    assert reported(2 / L, above, 1 / L, below)


@pytest.mark.parametrize(("above", "below"), PAIRS)
def test_equal_ends_admit_one_value_if_both_count(above: str, below: str) -> None:
    assert reported(1 / L, above, 1 / L, below) is ((above, below) != (">=", "<="))


@pytest.mark.parametrize("below", ["<=", "<"])
def test_a_positive_letter_is_not_below_zero(below: str) -> None:
    assert reported(1 / L, ">", -L, below)


def test_ends_that_other_letters_decide_are_not_reported() -> None:
    """1/L < L where L > 1."""
    assert not reported(1 / L, ">", L, "<")


def test_the_smaller_of_two_ends_counts_and_the_larger_does_not() -> None:
    """Below min(1, 1/L) nothing is above 2/L; below max(1, 1/L) something is, where L is large."""
    assert reported(2 / L, ">", (sympy.Integer(1), 1 / L), "<")
    assert not reported(2 / L, ">", (sympy.Integer(1), 1 / L), "<", of=sympy.Max)
