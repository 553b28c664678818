"""A random half of the sound statements of the library, each with one seeded mistake, which is caught.

Where a world comes within a factor of 2 of the bound, the whole bound is halved, and the search has to refute it. Where
none does, one term loses a power of a letter with units, and the linter has to see it.
"""

import random
from dataclasses import replace
from typing import Any

import pytest
import sympy

from ratecert.counterexamples.search import search
from ratecert.counterexamples.theorem_case import TheoremCase
from ratecert.registry import paper, split
from ratecert.shelf.record import read
from ratecert.theory.language.paper import Paper
from ratecert.theory.language.statements import Theorem
from ratecert.theory.lint import lint

SOUND = sorted(
    (record["id"], record["ratio"])
    for record in read()
    if record["verdict"] == "not refuted" and record["ratio"] and record["variant"] == "printed"
)
HALF = sorted(random.Random(2026).sample(SOUND, len(SOUND) // 2))
HALVED = [id for id, ratio in HALF if ratio > 0.6]
UNITS = [id for id, ratio in HALF if ratio <= 0.6]


def changed(id: str, change: Any) -> tuple[Paper, Theorem]:
    """The paper with other terms in one theorem."""
    key, inside = split(id)
    source = paper(key=key)
    own = source.the(Theorem, inside)
    theorem = replace(own, terms=change(own.terms))
    return replace(source, statements={**source.statements, inside: theorem}), theorem


def largest_ratio(id: str, source: Paper) -> float:
    case = TheoremCase(*split(id), "printed")

    def score(numbers: Any) -> float:
        try:
            return case.draw(numbers, source).ratio
        except (ArithmeticError, ValueError):
            return -1.0

    return search(score, case.levels, case.subspaces, budget=300, seed=1, jobs=1, enough=1.0).score


def test_there_is_a_half_of_both_kinds() -> None:
    assert len(HALVED) >= 12
    assert len(HALVED) + len(UNITS) == len(SOUND) // 2


@pytest.mark.nightly
@pytest.mark.parametrize("id", HALVED)
def test_half_a_bound_is_refuted(id: str) -> None:
    source, _ = changed(id, lambda terms: {name: term / 2 for name, term in terms.items()})
    assert largest_ratio(id, source) > 1


@pytest.mark.parametrize("id", HALVED[:3])
def test_half_a_bound_is_refuted_by_day_too(id: str) -> None:
    source, _ = changed(id, lambda terms: {name: term / 2 for name, term in terms.items()})
    assert largest_ratio(id, source) > 1


@pytest.mark.parametrize("id", UNITS)
def test_a_lost_power_is_seen_by_the_linter(id: str) -> None:
    key, inside = split(id)
    with_units = {n for n, s in paper(key=key).notation.items() if s.units not in ("1", "", None)}

    def lost(terms: dict[str, Any]) -> dict[str, Any]:
        name, term = next(iter(terms.items()))
        letter = min((l for l in term.free_symbols if l.name in with_units), key=str)
        return {**terms, name: term * letter}

    source, theorem = changed(id, lost)
    before = [f for f in lint(paper(key=key)) if f.kind == "units" and f.place.startswith(f"{inside}.")]
    after = [f for f in lint(source) if f.kind == "units" and f.place.startswith(f"{inside}.")]
    assert isinstance(theorem.bound, sympy.Basic)
    assert (len(before), len(after)) == (0, 1)
