"""A theorem on trial: what a search and the linter decide, what stays undecided, and what is said beside a verdict."""

import math
from typing import Any

import pytest

import ratecert as rc
from oracles.small_papers import Given, descent, small_paper
from ratecert.catalogue import load
from ratecert.catalogue.version import version_of
from ratecert.claims.check import verdict_of
from ratecert.claims.claim import Budget, Claim
from ratecert.claims.rows import Row, Rows
from ratecert.errors import UndecidedError
from ratecert.search.blame import NOTHING_LEFT
from ratecert.verdicts.collect import claims_of
from ratecert.verdicts.statement import findings
from ratecert.verdicts.theorem import searched

s = rc.statements
T, alpha, h, R_2 = s.letters("T alpha h R_2")
KEY = "theorem-by-hand"
ROUNDED = 1 - 1e-9  # what a measure counts, since constants of worlds are doubles


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_HELD", {})


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
    "certified": False,
}
FOUND: Row = {"finding": "units", "place": "theorem-1.term.all", "says": "x; what fits: x^2"}


def verdict(*rows: Row, **search: Any) -> str:
    return verdict_of(claim().checks(Rows([{**SEARCH, **search}, *rows])), exact=False)


@pytest.mark.parametrize(
    ("largest", "found"),
    [
        (0.5, "not refuted"),
        (1.0, "not refuted"),
        (1 - 1e-9, "not refuted"),
        (1 + 1e-9, "refuted"),
        (1.005, "refuted"),
        (2.0, "refuted"),
        (NOTHING_LEFT, "refuted"),
    ],
)
def test_a_ratio_above_one_refutes_however_near_it_is(largest: float, found: str) -> None:
    assert verdict(largest=largest) == found


def test_one_finding_of_the_linter_refutes_without_a_world() -> None:
    assert verdict(FOUND) == "refuted"
    assert verdict(FOUND, FOUND) == "refuted"
    assert verdict({"finding": "none", "place": "theorem-1"}) == "not refuted"


def test_a_disagreement_of_two_statements_refutes_neither() -> None:
    assert verdict({**FOUND, "finding": "beside"}) == "not refuted"


def test_a_statement_without_a_derivable_order_stays_undecided() -> None:
    """Unless runs measure its exponents."""
    unknown = {**FOUND, "finding": "not known"}
    assert verdict(unknown) == "undecided"
    assert verdict(unknown, {"measure": 1.0}) == "not refuted"
    assert verdict(unknown, FOUND) == "refuted"


# The search itself.


def search(**binding: Any) -> Row:
    claim(**binding)
    row, *_ = searched(KEY, "theorem-1", "printed", 8, 0, code=version_of(KEY))
    return row


def test_a_ratio_that_no_second_way_confirms_leaves_the_theorem_undecided() -> None:
    with pytest.raises(UndecidedError, match=r"one has measured/bound [\d.]+, which no second way confirms"):
        search(rough=(1.5, 1.5), balls=(1.5, 1.5), again=(0.5, 0.5))


def test_a_confirmed_counterexample_with_an_enclosure_is_certain() -> None:
    row = search(rough=(1.5, 1.5), balls=(1.5, 1.5))
    assert row["largest"] > 1.4
    assert row["certified"]
    assert row["broken after"] >= 1


def test_a_counterexample_without_an_enclosure_is_not_certain() -> None:
    refused = rc.errors.UndecidedError("too many states.")
    row = search(rough=(1.5, 1.5), balls=(1.5, 1.5), again=refused)
    assert row["largest"] > 1.4
    assert not row["certified"]


def test_without_a_counterexample_the_largest_ratio_is_kept() -> None:
    """R_2 = far^2 lies between 1/4 and 4, so that 0.2/R_2 is 0.8 at most, and 0.2 where far is 1."""
    row = search(rough=(0.2, 0.2))
    assert 0.2 * ROUNDED <= row["largest"] <= 0.8
    assert (row["certified"], row["broken after"]) == (False, 0)


# What is said beside a verdict.


def notes(rests: str = "", **cells: Any) -> list[str]:
    term = {"term": "all", "without it": NOTHING_LEFT, "leads in": 3, "largest there": 0.5}
    found = claim(rests=rests).notes
    assert callable(found)
    return [*found(Rows([{**SEARCH, **cells}, term]))]


def test_a_bound_is_attained_approached_or_missed() -> None:
    near = 1 - 1e-9
    assert notes(largest=near, attained=True)[0].startswith("The bound is attained")
    assert notes(largest=near)[0].startswith("The bound is approached as steps become small")
    assert notes(largest=0.999)[0] == "The nearest world has measured/bound 0.999."
    assert notes(largest=1 - 3e-6)[0] == "The nearest world has measured/bound 1 - 3e-06."
    assert "It stands at an end of what is searched, in spread" in notes(**{"at the end of": "spread"})[0]


def test_where_runs_that_rest_have_a_ratio_of_one_it_says_nothing() -> None:
    resting = "a run at rest has it"
    assert notes(rests=resting, largest=1.0)[0] == f"A ratio of 1 says nothing here: {resting}."
    assert notes(rests=resting, largest=0.75)[0] == "The nearest world has measured/bound 0.75."


def test_a_counterexample_has_no_note_on_the_nearest_world() -> None:
    assert not [note for note in notes(largest=1.5) if "nearest" in note or "Not refuted" in note]
    assert any("Not refuted is not proved" in note for note in notes(largest=0.5))


def test_a_note_gives_the_ratio_before_any_step() -> None:
    assert any(
        "before any step, measured/bound is up to 0.75" in note for note in notes(**{"at the start": 0.75})
    )


def test_a_term_is_needed_where_the_bound_without_it_is_exceeded() -> None:
    def said(**cells: Any) -> str:
        term = {"term": "noise", "without it": 2.0, "leads in": 3, "largest there": 0.5, **cells}
        found = claim().notes
        assert callable(found)
        (note,) = [note for note in found(Rows([SEARCH, term])) if note.startswith("Term noise")]
        return note

    assert "needed: without it measured/bound is 2 at some world" in said()
    assert "not needed by any world that was tried" in said(**{"without it": 1.0})
    assert "nothing is left of the bound" in said(**{"without it": NOTHING_LEFT})
    assert "leads in 3 worlds, measured/bound there up to 0.5" in said()
    assert "never tested: it is nowhere the larger part" in said(**{"leads in": 0})


LINTED = {"finding": "none", "place": "theorem-1"}


def test_what_is_not_quadratic_is_said_to_be_unseen_unless_a_world_attains_the_bound() -> None:
    unseen = [any("not quadratic" in note for note in notes(**cells)) for cells in ({}, {"largest": 1.5})]
    assert unseen == [True, False]
    assert not any("not quadratic" in note for note in notes(largest=1 - 1e-9, attained=True))


def test_the_linter_alone_is_said_to_speak_against_a_statement_that_no_world_breaks() -> None:
    def said(row: Row, **cells: Any) -> bool:
        found = claim().notes
        assert callable(found)
        return any(note.startswith("The linter alone") for note in found(Rows([{**SEARCH, **cells}, row])))

    assert said(FOUND)
    assert not said(LINTED)
    assert not said(FOUND, largest=1.5)


def test_the_reason_for_an_expected_refutation_is_told() -> None:
    found = claim(because="a factor is lost").notes
    assert callable(found)
    assert "Why: a factor is lost." in found(Rows([{**SEARCH, "largest": 1.5}]))
    assert claim(because="a factor is lost").expected == "refuted"
    assert claim().expected == "not refuted"


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


def test_the_limit_of_long_runs_is_written_as_a_text() -> None:
    """JSON has no infinity."""
    row = search(rough=(0.2, 0.2), most_iterations=2**62)
    assert all(not isinstance(value, float) or math.isfinite(value) for value in row.values())
