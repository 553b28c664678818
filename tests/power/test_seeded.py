"""A random half of the sound statements of the library, each with one seeded mistake, which is caught.

The mistake is drawn from those that can be seen: half of the bound, where a world comes within a factor of 2 of it; an
iteration more than are made, or a root of T too much, where a world attains it; one letter with units too many. Where
quadratics fall faster than the bound, as in FedAvg's, a root of T too much is not seen. Units are for the linter, all
else is for the search.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
import sympy

from ratecert.catalogue.cases import bound_case
from ratecert.catalogue.find import bindings, paper, split
from ratecert.report.library import Record, read
from ratecert.search.climb import search
from ratecert.theory.lint import lint
from ratecert.theory.notation import letter
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem

Terms = Mapping[str, Any]
Change = Callable[[Terms], Terms]
CLOSE = 0.6  # measured/bound, for which half of the bound is too little
BY_DAY = 2  # of each kind, but what takes long


def terms_of(id: str) -> Terms:
    key, inside = split(id)
    return paper(key=key).the(Theorem, inside).terms


def of_each(change: Callable[[Any], Any]) -> Change:
    return lambda terms: {name: change(term) for name, term in terms.items()}


def with_units(id: str) -> Any:
    """A letter of the first term that has units."""
    known = paper(key=split(id)[0]).notation
    first = next(iter(terms_of(id).values()))
    return min((l for l in first.free_symbols if known[l.name].units not in ("1", "", None)), key=str)


def mistakes(record: Record) -> dict[str, Change]:
    """The kinds that can be seen in a statement, each with what it does to the terms of the bound."""
    id, found = record["id"], dict[str, Change]()
    T = letter(bindings(split(id)[0])[split(id)[1]].iterations)
    everywhere = all(T in term.free_symbols for term in terms_of(id).values())
    if record["ratio"] > CLOSE:
        found["half"] = of_each(lambda term: term / 2)
    if everywhere and record["tight"]:
        found["root of T"] = of_each(lambda term: term / sympy.sqrt(T))
        found["index"] = of_each(lambda term: term.subs(T, T + 1))
    more = with_units(id)
    found["units"] = lambda terms: {**terms, **{name: term * more for name, term in [*terms.items()][:1]}}
    return found


SOUND = [
    record
    for record in sorted(read(), key=lambda record: str(record["id"]))
    if record["verdict"] == "not refuted" and record["ratio"] and record["variant"] == "printed"
]
DRAW = random.Random(2026)
HALF = sorted(DRAW.sample(SOUND, len(SOUND) // 2), key=lambda record: str(record["id"]))
DRAWN = [(record["id"], DRAW.choice([*mistakes(record)])) for record in HALF]
BY_SEARCH = [(id, kind) for id, kind in DRAWN if kind != "units"]
SOME = [
    pair
    for kind in ("half", "root of T", "index")
    for pair in [pair for pair in BY_SEARCH if pair[1] == kind][:BY_DAY]
]


def changed(id: str, kind: str) -> Paper:
    """The paper with the mistake in one theorem."""
    key, inside = split(id)
    source, record = paper(key=key), next(record for record in SOUND if record["id"] == id)
    own = source.the(Theorem, inside)
    theorem = replace(own, terms=mistakes(record)[kind](own.terms))
    return replace(source, statements={**source.statements, inside: theorem})


def largest_ratio(id: str, source: Paper) -> float:
    case = bound_case(*split(id), "printed")

    def score(numbers: Any) -> float:
        try:
            return case.draw(numbers, source).ratio
        except (ArithmeticError, ValueError):
            return -1.0

    same: dict[str, Any] = {"budget": 300, "seed": 1, "jobs": 1, "enough": 1.0}
    return search(score, case.levels, case.subspaces, simple=case.simple, **same).score


def test_every_kind_could_be_drawn() -> None:
    assert len(DRAWN) == len(SOUND) // 2
    assert {kind for record in HALF for kind in mistakes(record)} == {"half", "root of T", "index", "units"}


@pytest.mark.parametrize(
    ("id", "kind"),
    [pytest.param(*pair, marks=() if pair in SOME else pytest.mark.nightly) for pair in BY_SEARCH],
)
def test_a_world_breaks_the_bound(id: str, kind: str) -> None:
    """Some by day, the others at night."""
    assert largest_ratio(id, changed(id, kind)) > 1


@pytest.mark.parametrize(
    "id", [pytest.param(id, marks=() if i == 1 else pytest.mark.nightly) for i, (id, _) in enumerate(SOME)]
)
def test_no_world_breaks_the_bound_without_the_mistake(id: str) -> None:
    assert largest_ratio(id, paper(key=split(id)[0])) <= 1


@pytest.mark.parametrize("id", [id for id, kind in DRAWN if kind == "units"])
def test_the_linter_sees_units(id: str) -> None:
    key, inside = split(id)

    def findings(source: Paper) -> int:
        return len([f for f in lint(source) if f.kind == "units" and f.place.startswith(f"{inside}.")])

    assert (findings(paper(key=key)), findings(changed(id, "units"))) == (0, 1)
