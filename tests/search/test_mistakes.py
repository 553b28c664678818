"""Which mistake an instance shows: cured by one erratum, and not by all the others together."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.small_papers import small_paper
from ratecert.search import case
from ratecert.search.blame import Ratios, Showing, cured, places_of, source_of
from ratecert.search.case import Trial
from ratecert.theory.language.paper import Erratum

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
        (1.5, 1.2, 1.0, False),
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
