"""Which mistake an instance shows: cured by one erratum, and not by all the others together."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.small_papers import small_paper
from ratecert.base.lists import BEYOND
from ratecert.search import case
from ratecert.search.blame import (
    Ratios,
    Showing,
    cured,
    of_terms,
    places_of,
    ratio_without,
    source_of,
)
from ratecert.search.case import Trial
from ratecert.theory.paper import Erratum

s = rc.statements
FIRST, SECOND = "theorem-1.term.first", "theorem-1.term.second"
a, b = s.letters("a b")
# Printed a + b, where 4 a + 2 b is right.
PRINTED = small_paper("two-mistakes", terms={"first": a, "second": b}, letters="a b")
ERRATA = (
    Erratum(place=FIRST, printed=a, read=4 * a, reason="a factor is lost", evidence="algebra"),
    Erratum(place=SECOND, printed=b, read=2 * b, reason="a factor is lost", evidence="algebra"),
)
REPAIRED = PRINTED.repaired(ERRATA)


def terms(source: Any) -> list[Any]:
    return [*source["theorem-1"].terms.values()]


@dataclass(frozen=True)
class Case:
    """The bound of a version of the paper, of what was measured."""

    source: Any = PRINTED
    printed: Any = PRINTED
    repaired: Any = REPAIRED
    statement: str = "theorem-1"
    ratio_in = case.Case.ratio_in

    def right_side(self, values: Mapping[str, float], source: Any) -> float:
        return math.fsum(self.right_terms(values, source))

    def right_terms(self, values: Mapping[str, float], source: Any) -> list[float]:
        return [float(term.subs({a: values["a"], b: values["b"]})) for term in terms(source)]


def score(measured: float, place: str, **values: float) -> float:
    """Of an instance that was tried with all errata but the one at the place."""
    bound = Case().right_side(values, source_of(Case(), place))
    return Showing(Case(), place).score(Trial(measured=measured, bound=bound, precision=0.0, values=values))


def test_the_paper_around_a_mistake() -> None:
    """Conditions are those of all errata but the one at its place; it alone cures the print."""
    assert terms(source_of(Case(), "")) == [a, b]
    assert terms(source_of(Case(), FIRST)) == [a, 2 * b]
    assert terms(source_of(Case(), SECOND)) == [4 * a, b]
    assert terms(cured(Case(), (FIRST,))) == [4 * a, b]
    assert terms(source_of(Case(source=REPAIRED), "")) == [4 * a, 2 * b]
    assert places_of(Case()) == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("itself", "others", "alone", "shows"),
    [
        (1.5, 1.2, 0.5, True),
        (1.5, 1.0, 0.5, False),  # the others cure it, too
        (1.0, 1.5, 0.5, False),  # it is not violated as printed
        (1.5, 0.5, 0.9, False),
        (0.5, 1.5, 0.9, False),
        (1.5, 1.2, 1.1, False),  # not cured
        (1.5, 1.2, 1.0, True),  # what is attained is not violated
    ],
)
def test_an_instance_shows_a_mistake_if_it_is_cured_there_and_nowhere_else(
    itself: float, others: float, alone: float, shows: bool
) -> None:
    assert Ratios(itself, alone=alone, others=others).shows is shows


def test_the_score_is_the_smaller_of_the_two_ratios_that_have_to_exceed_one() -> None:
    """At a = b = 1 it is 3.6/2 as printed, 3.6/3 with the second erratum, and 3.6/5, below one, with the first."""
    assert score(3.6, FIRST, a=1.0, b=1.0) == pytest.approx(3.6 / 3)
    assert score(3.6, "", a=1.0, b=1.0) == pytest.approx(3.6 / 2)


def test_below_one_it_counts_for_what_the_erratum_takes_off_beside_the_others() -> None:
    """2.4/3 with the others alone, and 3 of the 6 of the repaired bound are the erratum's; where b = 0, nothing is."""
    assert score(2.4, FIRST, a=1.0, b=1.0) == pytest.approx(2.4 / 3 * 0.5)
    assert score(2.4, SECOND, a=1.0, b=0.0) == 0.0


@pytest.mark.parametrize(("measured", "score_"), [(4.999, 4.999 / 3), (5.0, 1.0 * 0.5), (6.0, 5 / 6 * 0.5)])
def test_an_instance_that_the_erratum_does_not_cure_has_no_score_above_one(
    measured: float, score_: float
) -> None:
    """With the first erratum alone the bound is 5: at 5 it is attained, which is no cure, and beyond it broken."""
    assert score(measured, FIRST, a=1.0, b=1.0) == pytest.approx(score_)


@pytest.mark.parametrize(
    ("measured", "a_", "b_"), [(2.4, 1.0, 1.0), (3.6, 1.0, 1.0), (6.0, 1.0, 1.0), (0.5, 0.25, 2.0)]
)
@pytest.mark.parametrize("place", ["", FIRST, SECOND])
def test_the_score_is_a_function_of_the_measure_and_the_terms(
    measured: float, a_: float, b_: float, place: str
) -> None:
    """A search climbs this function, which it knows between the worlds that it has tried."""
    showing, values = Showing(Case(), place), {"a": a_, "b": b_}
    bound = Case().right_side(values, source_of(Case(), place))
    tried = Trial(measured=measured, bound=bound, precision=0.0, values=values)
    parts = [np.array(part)[:, None] for part in showing.parts(tried)]
    (found,) = showing.of(parts)
    alone = Case().right_side(values, cured(Case(), (place,)))
    if not place or measured < alone:  # beyond the cure the function counts how far it is, too
        assert found == pytest.approx(showing.score(tried))
    else:
        assert found <= 1


def test_worlds_tried_for_another_mistake_are_ranked() -> None:
    """The clearest come first; refused worlds, and those with a measure of zero, are left out."""

    def tried(measured: float) -> Trial:
        return Trial(measured=measured, bound=1.0, precision=0.0, values={"a": 1.0, "b": 1.0})

    archive = [
        ({"n": 1.0}, tried(3.3)),
        ({"n": 2.0}, None),
        ({"n": 3.0}, tried(3.9)),
        ({"n": 4.0}, tried(0.0)),
    ]
    found = Showing(Case(), FIRST).ranked(archive)
    assert [numbers["n"] for _, numbers in found] == [3.0, 1.0]
    assert [each for each, _ in found] == pytest.approx([1.3, 1.1])


# The terms of a bound: which are needed, and where each of them is the larger part.


def with_terms(measured: float, **terms: float) -> Trial:
    return Trial(measured=measured, bound=sum(terms.values()), precision=0.0, values={}, terms=terms)


def rows(*trials: Trial) -> dict[str, Any]:
    """Every term is needed at some of these worlds already, so that no search is made."""
    theorem = SimpleNamespace(terms=trials[0].terms)
    case = SimpleNamespace(archive=[({}, trial) for trial in trials], theorem=theorem)
    return {row["term"]: row for row in of_terms(case, budget=0, seed=0)}  # type: ignore[arg-type]


def test_a_term_leads_where_it_is_more_than_half_of_the_bound() -> None:
    """0.6 of it, exactly one half, and 0.4; the largest ratio counts among its own worlds alone."""
    found = rows(with_terms(0.9, a=0.6, b=0.4), with_terms(1.5, a=1.0, b=1.0), with_terms(0.5, a=0.8, b=0.2))
    assert (found["a"]["leads in"], found["a"]["largest there"]) == (2, 0.9)
    assert (found["b"]["leads in"], found["b"]["largest there"]) == (0, 0.0)


def test_of_three_terms_none_may_lead() -> None:
    found = rows(with_terms(2.9, a=1.4, b=1.3, c=0.3), with_terms(2.9, a=1.3, b=1.4, c=0.3))
    assert {name: row["leads in"] for name, row in found.items()} == {"a": 0, "b": 0, "c": 0}


def test_without_a_term_the_largest_ratio_of_all_worlds_counts() -> None:
    """0.9/0.4 and 1.9/0.5 without a; 0.9/0.6 and 1.9/1.5 without b."""
    found = rows(with_terms(0.9, a=0.6, b=0.4), with_terms(1.9, a=1.5, b=0.5))
    assert found["a"]["without it"] == pytest.approx(3.8)
    assert found["b"]["without it"] == pytest.approx(1.5)


def test_without_the_only_term_nothing_is_left() -> None:
    assert rows(with_terms(0.9, a=1.0))["a"]["without it"] == BEYOND


@pytest.mark.parametrize(
    ("measured", "rest", "ratio"),
    [
        (3.0, 2.0, 1.5),
        (1.0, 4.0, 0.25),
        (0.0, 2.0, 0.0),
        (-1.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (1e-9, 0.0, BEYOND),
        (1.0, 5e-324, BEYOND),  # more than a double can hold
    ],
)
def test_the_ratio_without_a_term_is_to_the_sum_of_the_others(
    measured: float, rest: float, ratio: float
) -> None:
    assert ratio_without(with_terms(measured, a=7.0, b=rest / 2, c=rest - rest / 2), "a") == ratio
    assert not math.isinf(ratio_without(with_terms(measured, a=7.0), "a"))
