"""The terms of a bound: which are needed, and where each of them is the larger part."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from ratecert.search.blame import NOTHING_LEFT, of_terms, ratio_without
from ratecert.search.case import Trial


def trial(measured: float, **terms: float) -> Trial:
    return Trial(measured=measured, bound=sum(terms.values()), precision=0.0, values={}, terms=terms)


def rows(*trials: Trial) -> dict[str, Any]:
    """Every term is needed at some of these worlds already, so that no search is made."""
    theorem = SimpleNamespace(terms=trials[0].terms)
    case = SimpleNamespace(archive=[({}, trial) for trial in trials], theorem=theorem)
    return {row["term"]: row for row in of_terms(case, budget=0, seed=0)}  # type: ignore[arg-type]


def test_a_term_leads_where_it_is_more_than_half_of_the_bound() -> None:
    """0.6 of it, exactly one half, and 0.4; the largest ratio counts among its own worlds alone."""
    found = rows(trial(0.9, a=0.6, b=0.4), trial(1.5, a=1.0, b=1.0), trial(0.5, a=0.8, b=0.2))
    assert (found["a"]["leads in"], found["a"]["largest there"]) == (2, 0.9)
    assert (found["b"]["leads in"], found["b"]["largest there"]) == (0, 0.0)


def test_of_three_terms_none_may_lead() -> None:
    found = rows(trial(2.9, a=1.4, b=1.3, c=0.3), trial(2.9, a=1.3, b=1.4, c=0.3))
    assert {name: row["leads in"] for name, row in found.items()} == {"a": 0, "b": 0, "c": 0}


def test_without_a_term_the_largest_ratio_of_all_worlds_counts() -> None:
    """0.9/0.4 and 1.9/0.5 without a; 0.9/0.6 and 1.9/1.5 without b."""
    found = rows(trial(0.9, a=0.6, b=0.4), trial(1.9, a=1.5, b=0.5))
    assert found["a"]["without it"] == pytest.approx(3.8)
    assert found["b"]["without it"] == pytest.approx(1.5)


def test_without_the_only_term_nothing_is_left() -> None:
    assert rows(trial(0.9, a=1.0))["a"]["without it"] == NOTHING_LEFT


@pytest.mark.parametrize(
    ("measured", "rest", "ratio"),
    [
        (3.0, 2.0, 1.5),
        (1.0, 4.0, 0.25),
        (0.0, 2.0, 0.0),
        (-1.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (1e-9, 0.0, NOTHING_LEFT),
        (1.0, 5e-324, NOTHING_LEFT),  # more than a double can hold
    ],
)
def test_the_ratio_without_a_term_is_to_the_sum_of_the_others(
    measured: float, rest: float, ratio: float
) -> None:
    assert ratio_without(trial(measured, a=7.0, b=rest / 2, c=rest - rest / 2), "a") == ratio
    assert not math.isinf(ratio_without(trial(measured, a=7.0), "a"))
