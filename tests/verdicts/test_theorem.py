"""A theorem on trial: what a search and the linter decide, what stays undecided, and what is said beside a verdict."""

import math
from typing import Any

import pytest

import ratecert as rc
from oracles.small_papers import Given, descent, small_paper
from ratecert.base.lists import BEYOND
from ratecert.catalogue.load import version_of
from ratecert.claims.check import verdict_of
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Row, Rows
from ratecert.errors import UndecidedError
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.statement import findings
from ratecert.verdicts.theorem import searched

s = rc.statements
alpha, h, R_2 = s.letters("alpha h R_2")
KEY = "theorem-by-hand"
ROUNDED = 1 - 1e-9  # what a measure counts, since constants of worlds are doubles


def claim(**binding: Any) -> Claim:
    """At most R_2, which is 1 at the simplest start."""
    conditions = {"alpha": s.Condition(alpha, "<=", (1 / h,))}
    paper = small_paper(KEY, terms={"all": R_2}, conditions=conditions, letters="T alpha h R_2")
    rc.register(paper, {"theorem-1": Given(**descent(**binding))})
    return claims_of(KEY)[f"{KEY}:theorem-1"]


SEARCH: Row = {
    "largest": 0.5,
    "at the start": None,
    "attained": False,
    "at the end of": "",
    "family": "quadratics",
    "certified": False,
}
FOUND: Row = {"finding": "units", "place": "theorem-1.term.all", "says": "x; what fits: x^2"}
NONE, UNKNOWN, BESIDE = ({**FOUND, "finding": kind} for kind in ("none", "not known", "beside"))


def verdict(*rows: Row, **search: Any) -> str:
    return verdict_of(claim().checks(Rows([{**SEARCH, **search}, *rows])), exact=False)


@pytest.mark.parametrize(
    ("largest", "found"),
    [
        *((ratio, "not refuted") for ratio in (0.5, 1.0, 1 - 1e-9)),
        *((ratio, "refuted") for ratio in (1 + 1e-9, 1.005, 2.0, BEYOND)),
    ],
)
def test_a_ratio_above_one_refutes_however_near_it_is(largest: float, found: str) -> None:
    assert verdict(largest=largest) == found


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([FOUND], "refuted"),  # without a world
        ([FOUND, FOUND], "refuted"),
        ([NONE], "not refuted"),
        ([BESIDE], "not refuted"),  # a disagreement of two statements refutes neither
        ([UNKNOWN], "undecided"),  # unless runs measure its exponents
        ([UNKNOWN, {"measure": 1.0}], "not refuted"),
        ([UNKNOWN, FOUND], "refuted"),
    ],
)
def test_what_the_linter_decides(rows: list[Row], found: str) -> None:
    assert verdict(*rows) == found


# The search itself.


def search(**binding: Any) -> Row:
    claim(**binding)
    row, *_ = searched(KEY, "theorem-1", "printed", 8, 0, code=version_of(KEY))
    return row


def test_a_ratio_that_no_second_way_confirms_leaves_the_theorem_undecided() -> None:
    with pytest.raises(UndecidedError, match=r"one has measured/bound [\d.]+, which no second way confirms"):
        search(rough=(1.5, 1.5), balls=(1.5, 1.5), again=(0.5, 0.5))


def test_nothing_is_computed_with_other_files_than_the_run_began_with() -> None:
    claim()
    with pytest.raises(UndecidedError, match=f"{KEY} has changed since this run began"):
        searched(KEY, "theorem-1", "printed", 8, 0, code="another")


def test_a_counterexample_is_certain_with_an_enclosure_and_undecided_without() -> None:
    row = search(rough=(1.5, 1.5), balls=(1.5, 1.5))
    assert row["largest"] > 1.4
    assert row["certified"]
    assert (row["ways"], row["interpreted"]) == (1, "")  # what is given has no outcomes
    assert row["broken after"] >= 1
    with pytest.raises(rc.errors.UndecidedError, match="which no second way confirms"):
        search(rough=(1.5, 1.5), again=rc.errors.UndecidedError("too many states."))


def test_without_a_counterexample_the_largest_ratio_stands_and_the_limit_of_long_runs_is_a_text() -> None:
    """R_2 = far^2 lies between 1/4 and 4, so that 0.2/R_2 is 0.8 at most, and 0.2 where far is 1."""
    row = search(rough=(0.2, 0.2), most_iterations=2**62)
    assert 0.2 * ROUNDED <= row["largest"] <= 0.8
    assert (row["certified"], row["broken after"]) == (False, 0)
    assert all(not isinstance(value, float) or math.isfinite(value) for value in row.values())


# What is said beside a verdict.


def notes(*rows: Row, binding: Any = None, **cells: Any) -> list[str]:
    found = claim(**(binding or {})).notes
    assert callable(found)
    return [*found(Rows([{**SEARCH, **cells}, *rows]))]


def test_an_assumption_that_is_interpreted_stands_beside_a_refutation() -> None:
    read = "Bounded gradients: G = 2 (interpreted: along this run)"
    assert f"{read}." in notes(largest=1.5, ways=1, interpreted=read)
    assert not any("interpreted" in said for said in notes(largest=1.5, ways=1, interpreted=""))


NEAR, RESTING = 1 - 1e-9, {"rests": "a run at rest has it"}


@pytest.mark.parametrize(
    ("cells", "binding", "first"),
    [
        ({"largest": NEAR, "attained": True}, {}, "The bound is attained: measured/bound is 1 at a world of the fam"),
        ({"largest": NEAR}, {}, "The bound is approached as steps become small"),
        ({"largest": 0.999}, {}, "The nearest world has measured/bound 0.999."),
        ({"largest": 1 - 3e-6}, {}, "The nearest world has measured/bound 1 - 3e-06."),
        ({"at the end of": "spread"}, {}, "The nearest world has measured/bound 0.5. It stands at an end of what"),
        ({"largest": 1.0}, RESTING, "A ratio of 1 says nothing here: a run at rest has it."),
        ({"largest": 0.75}, RESTING, "The nearest world has measured/bound 0.75."),
    ],
)  # fmt: skip
def test_a_bound_is_attained_approached_or_missed(cells: Any, binding: Any, first: str) -> None:
    assert notes(binding=binding, **cells)[0].startswith(first)


@pytest.mark.parametrize(
    ("part", "rows", "cells", "said"),
    [
        ("Not refuted is not proved", [], {}, True),
        ("Not refuted is not proved", [], {"largest": 1.5}, False),
        ("nearest", [], {"largest": 1.5}, False),
        ("before any step, measured/bound is up to 0.75", [], {"at the start": 0.75}, True),
        ("before any step", [], {}, False),
        ("not quadratic", [], {}, True),  # unless a world attains the bound, or breaks it
        ("not quadratic", [], {"largest": 1.5}, False),
        ("not quadratic", [], {"largest": NEAR, "attained": True}, False),
        ("The linter alone speaks against it", [FOUND], {}, True),
        ("The linter alone", [NONE], {}, False),
        ("The linter alone", [FOUND], {"largest": 1.5}, False),
    ],
)
def test_what_else_is_said(part: str, rows: list[Row], cells: dict[str, Any], said: bool) -> None:
    assert any(part in note for note in notes(*rows, **cells)) is said


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({}, "needed: without it measured/bound is 2 at some world"),
        ({"without it": 1.0}, "not needed by any world that was tried"),
        ({"without it": BEYOND}, "nothing is left of the bound"),
        ({}, "leads in 3 worlds, measured/bound there up to 0.5"),
        ({"leads in": 0}, "never tested: it is nowhere the larger part"),
    ],
)
def test_a_term_is_needed_where_the_bound_without_it_is_exceeded(cells: dict[str, Any], said: str) -> None:
    term = {"term": "noise", "without it": 2.0, "leads in": 3, "largest there": 0.5, **cells}
    (note,) = [note for note in notes(term) if note.startswith("Term noise")]
    assert said in note


def test_the_reason_for_an_expected_refutation_is_told() -> None:
    wrong = {"because": "a factor is lost"}
    assert "Why: a factor is lost." in notes(binding=wrong, largest=1.5)
    assert [claim(**wrong).expected, claim().expected] == ["refuted", "not refuted"]


@pytest.mark.parametrize(("quick", "worlds"), [(True, 40), (False, 256)])
def test_a_quick_search_tries_fewer_worlds(quick: bool, worlds: int) -> None:
    first, *_ = claim().tasks(Budget(quick=quick))
    assert first.arguments["budget"] == worlds


def test_what_the_linter_finds_in_the_statement_is_a_row_notes_aside() -> None:
    """No step is above 2 and below 1."""
    conditions = {"least": s.Condition(alpha, ">", (2,)), "most": s.Condition(alpha, "<", (1,))}
    for given, found in ((conditions, ["consistency"]), ({}, ["none"])):
        paper = small_paper(KEY, terms={"all": R_2 * alpha}, conditions=given, letters="T alpha h R_2")
        rc.register(paper, {})
        rows = findings(KEY, "theorem-1", "printed", code=version_of(KEY))
        assert [row["finding"] for row in rows] == found
