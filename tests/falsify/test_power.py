"""The verifier sees wrong things, and the lists of wrong things fit what they change."""

import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ratecert.claim.claim import Budget, Piece
from ratecert.cli import power as command
from ratecert.errors import BrokenCopyError, StaleEditError, UndecidedError, UntriedError
from ratecert.from_data.claims import claims
from ratecert.papers.federated_bilevel.wrong import MISTAKES, statement_rows, statement_trials
from ratecert.papers.federated_bilevel.wrong.reached import BOTH, BSGM, BSGVRM
from ratecert.papers.federated_bilevel.wrong.statement_trials import (
    Runs,
    claims_on,
    measured,
    pieces_on,
    seen,
)
from ratecert.papers.federated_bilevel.wrong.substituted_paper import substituted
from ratecert.papers.federated_bilevel.wrong.wrong_statements import THEOREMS, Slip, powers, slips, with_slip
from ratecert.power import algorithm_trials, tables
from ratecert.power import isolated_run as in_a_copy
from ratecert.power.edits import Edit, Mistake, copy_with, require_fitting
from ratecert.power.isolated_run import tried
from ratecert.registry import VARIANTS, paper
from ratecert.report import entries as report_entries
from ratecert.run.store import DiskStore
from ratecert.run.tasks import run_pieces
from ratecert.theory.language.statements import Theorem
from ratecert.theory.numbers.evaluation import number
from tools.markdown import with_tables
from tools.power_page import tables_of

DOCS = Path(__file__).parents[2] / "docs"
ONE = "solvers/methods/local_bsgm.py"


def as_json(mistake: Mistake) -> list[list[str]]:
    return [[edit.file, edit.line, edit.wrong] for edit in mistake.edits]


def called(what: str) -> Mistake:
    (found,) = [mistake for mistake in MISTAKES if mistake.what == what]
    return found


# The list of wrong algorithms


def test_every_mistake_fits_the_sources_and_has_a_name_of_its_own() -> None:
    for mistake in MISTAKES:
        require_fitting(mistake.edits)
        assert all(edit.line != edit.wrong for edit in mistake.edits)
    assert len({(mistake.what, mistake.algorithms) for mistake in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (Edit(ONE, "u = gone", "u = wrong"), "has 'u = gone' 0 times"),
        (Edit(ONE, "self.alpha", "self.beta"), "'self.alpha' 2 times"),
        (Edit("solvers/gone.py", "u", "v"), "does not exist"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(edit: Edit, sentence: str) -> None:
    with pytest.raises(StaleEditError, match=sentence):
        require_fitting([edit])


def test_edits_of_one_file_apply_one_after_the_other(tmp_path: Path) -> None:
    copy_with(
        [Edit(ONE, "weight_power = 1", "weight_power = 2"), Edit(ONE, "weight_power = 2", "odd = 3")],
        tmp_path,
    )
    assert "    odd = 3\n" in (tmp_path / "ratecert" / ONE).read_text(encoding="utf-8")


def test_a_mistake_is_tried_on_the_claims_that_run_its_algorithm() -> None:
    both, one, two = (algorithm_trials.measured(names) for names in (BOTH, BSGM, BSGVRM))
    assert set(both) == set(one) | set(two)
    assert "linear-speedup.corollary-1" in one
    assert "linear-speedup.corollary-1" not in two
    assert not {"statements", "algorithm-1", "corollary-1.exponents"} & set(both)
    assert algorithm_trials.transcribed(BSGM) == ["algorithm-1"]
    assert algorithm_trials.transcribed(BOTH) == ["algorithm-1", "algorithm-2"]


def test_cheap_claims_are_tried_first_and_those_that_are_expected_to_fail_last() -> None:
    found = [claims()[id] for id in algorithm_trials.measured(BOTH)]
    order = [(bool(claim.because), claim.seconds(Budget())) for claim in found]
    assert order == sorted(order)
    assert found[-1].because


# Wrong algorithms on trial

PANEL = ["delta-q.unbiased", "lemma-1", "communication-period.fixed-T"]


@pytest.mark.parametrize(
    ("what", "claim"),
    [
        ("the sign of the implicit term", "delta-q.unbiased"),
        ("period off by one: a round takes p + 1 steps", "communication-period.fixed-T"),
    ],
)
def test_a_mistake_is_caught_by_the_first_claim_that_sees_it(what: str, claim: str) -> None:
    entries = tried(as_json(called(what)), [], PANEL)
    assert [entry["id"] for entry in entries] == PANEL[: PANEL.index(claim) + 1]
    row = algorithm_trials.row(called(what), entries)
    assert row["measured"]["claim"] == claim
    assert row["measured"]["verdict"] == "refuted"
    strain = row["measured"]["strain"]
    assert strain is None or strain > 1  # None: nothing was allowed, as where a count is off


@pytest.mark.untraced
def test_nothing_wrong_is_caught_by_nothing() -> None:
    harmless = Mistake("a word of a docstring", BOTH, (Edit(ONE, "a moving average", "an average"),))
    row = algorithm_trials.row(harmless, tried(as_json(harmless), [], PANEL))
    assert list(row["verdicts"]) == PANEL
    assert not row["letter"]
    assert not row["undecided"]
    assert row["measured"] is None


def test_a_copy_that_cannot_run_is_no_catch() -> None:
    with pytest.raises(BrokenCopyError, match="SyntaxError"):
        tried([[ONE, "weight_power = 1", "weight_power = = 1"]], [], PANEL)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a clock of the process")
def test_a_claim_without_end_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_a_copy, "LONGEST", 0.05)

    def judged(*_: Any) -> Any:
        while True:
            pass

    monkeypatch.setattr(report_entries, "judged", judged)
    (entry,) = in_a_copy.entries([], ["lemma-1"])
    assert (entry["verdict"], entry["expected"]) == ("undecided", "not refuted")
    assert "no end after 0.05 s" in entry["reason"]


def test_a_mistake_that_cannot_be_tried_is_an_error_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stand_in(edits: Any, letter: Any, measured: Any) -> list[Any]:
        if edits == as_json(MISTAKES[1]):
            raise BrokenCopyError("no reason")
        return []

    monkeypatch.setattr(algorithm_trials, "tried", stand_in)
    store = DiskStore(tmp_path / "power")
    with pytest.raises(UntriedError, match=r"1 mistakes could not be tried.*no reason"):
        algorithm_trials.try_all(MISTAKES[:3], jobs=1, store=store)
    assert store.computed == 2


@pytest.mark.untraced
def test_a_finished_mistake_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithm_trials, "transcribed", lambda _: [])
    monkeypatch.setattr(algorithm_trials, "measured", lambda _: PANEL[:1])
    rows = []
    for computed in (1, 0):
        store = DiskStore(tmp_path / "power")
        rows.append(algorithm_trials.try_all(MISTAKES[:1], jobs=1, store=store))
        assert store.computed == computed
    assert rows[0] == rows[1]


CATCH = {"claim": "c", "verdict": "refuted", "expected": "not refuted", "check": "n", "measured": 2.0, "predicted": 1.0,
         "relation": "=", "tolerance": 0.1, "uncertainty": 0.0, "strain": 10.0, "reason": "r"}  # fmt: skip
ROW: dict[str, Any] = {
    "what": "w",
    "algorithms": ["LocalBSGM"],
    "edits": [["f", "a", "b"]],
    "letter": [{**CATCH, "claim": "algorithm-1"}],
    "measured": CATCH,
    "undecided": [],
    "unseen": "",
    "verdicts": {"algorithm-1": "refuted"},
}


def test_a_row_is_well_if_letter_and_measurement_see_it() -> None:
    assert algorithm_trials.problem(ROW) == ""
    assert algorithm_trials.problem({**ROW, "measured": None, "unseen": "because"}) == ""
    assert algorithm_trials.problem({**ROW, "edits": [], "letter": [], "measured": None}) == ""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"letter": []}, "not caught by algorithm-1"),
        (
            {"letter": [{**CATCH, "claim": "algorithm-1", "verdict": "undecided"}]},
            "not caught by algorithm-1",
        ),
        ({"measured": None}, "the list does not say why"),
        ({"unseen": "because"}, "is said to be unseen"),
        ({"edits": []}, "changed, and nothing is wrong"),
    ],
)
def test_a_row_that_is_not_well_says_so(change: dict[str, Any], sentence: str) -> None:
    assert sentence in algorithm_trials.problem({**ROW, **change})


# The list of wrong statements


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("theorem", THEOREMS)
def test_every_term_is_dropped_once_and_every_slip_is_another_formula(theorem: str, variant: str) -> None:
    terms = paper(variant).the(Theorem, theorem).terms
    found = slips(theorem, variant)
    assert [slip.term for slip in found if slip.kind == "dropped"] == list(terms)
    assert len({slip.name for slip in found}) == len(found)
    values = {
        letter.name: 1.1 + 0.1 * i
        for i, letter in enumerate(sorted(sum(terms.values()).free_symbols, key=str))
    }
    for slip in found:
        if slip.instead is not None:
            assert abs(number(slip.instead, values) / number(terms[slip.term], values) - 1) > 1e-9


def test_slips_of_one_term_are_what_one_would_write_down() -> None:
    names = [slip.what for slip in slips("theorem-1", "repaired") if slip.term == "noise_u"]
    letters = [
        f"{a}^{n + shift} for {a}^{n}"
        for a, n in (("alpha", 1), ("eta", 1), ("G", 2), ("K", -1))
        for shift in (1, -1)
    ]
    assert sorted(names) == sorted(
        ["dropped", "1/K dropped", *(what for what in letters if what != "K^0 for K^-1")]
    )


def test_a_letter_that_stands_twice_has_two_exponents() -> None:
    term = paper("repaired").the(Theorem, "theorem-3").terms["start_x"]
    assert [base.name for _, base, _ in powers(term)].count("T") == 2


def test_a_substituted_paper_is_looked_up_and_taken_back() -> None:
    before = paper("repaired")
    wrong = with_slip(before, slips("theorem-1", "repaired")[0])
    with substituted(wrong):
        assert paper("repaired") is wrong
        assert paper("printed") is not wrong
    assert paper("repaired") is before
    with pytest.raises(ValueError, match="variant must be one of"), substituted(wrong):
        paper("amended")
    assert paper("repaired") is before


# Wrong statements on trial


def slip(name: str, theorem: str = "theorem-1", variant: str = "repaired") -> Slip:
    (found,) = [each for each in slips(theorem, variant) if each.name == name]
    return found


def unchanged(term: str, variant: str = "repaired") -> Slip:
    instead = paper(variant).the(Theorem, "theorem-1").terms[term]
    return Slip("theorem-1", variant, term, "none", "unchanged", instead)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_dropped_1_over_K_is_seen_by_letter_and_derivation(variant: str) -> None:
    found = seen(slip("noise_v: 1/K dropped", variant=variant))
    assert found["letter"]["claim"] == "statements"
    assert {catch["claim"].partition(".")[0] for catch in found["derivation"]} == {
        "corollary-1",
        "corollary-2",
    }
    assert not found["units"]  # K has none


def test_a_shifted_letter_with_units_is_seen_by_letter_and_units() -> None:
    found = seen(slip("start_y: L_tilde^3 for L_tilde^2"))
    assert found["letter"]
    assert found["units"]
    assert not found["derivation"]


def test_an_unchanged_statement_is_seen_by_nothing() -> None:
    for variant in VARIANTS:
        assert seen(unchanged("start_y", variant)) == {"letter": None, "derivation": [], "units": False}


@pytest.fixture(scope="module")
def tight() -> Runs:
    """The runs of theorem-1.repaired in which a term is needed, and those of its figure."""
    (pieces,) = pieces_on("theorem-1", "repaired").values()
    chosen = [piece for piece in pieces if piece.arguments["role"] in ("sharp", "sweep")]
    outcomes = run_pieces(chosen)
    assert not any(outcome.failure for outcome in outcomes.values())
    return {"theorem-1.repaired": (chosen, [outcome.value for outcome in outcomes.values()])}


def test_a_dropped_start_x_is_refuted_by_measurement(tight: Runs) -> None:
    found = measured(slip("start_x: dropped"), tight)
    assert found["bound"] == "smaller"
    (catch,) = found["measured"]
    assert (catch["claim"], catch["verdict"]) == ("theorem-1.repaired", "refuted")
    assert "start_x" in catch["check"]
    assert catch["measured"] > 1


def test_a_weaker_statement_is_not_refuted_and_is_called_weaker(tight: Runs) -> None:
    assert measured(slip("start_x: T^0 for T^-1"), tight) == {"measured": [], "bound": "weaker"}


def test_an_unchanged_statement_is_not_refuted(tight: Runs) -> None:
    same = unchanged("start_x")
    pieces, rows = tight["theorem-1.repaired"]
    beside = [[{**run, f"terms.{same.name}": run["terms.start_x"]} for run in some] for some in rows]
    assert measured(same, {"theorem-1.repaired": (pieces, beside)}) == {"measured": [], "bound": "equal"}


def without_sense(kind: str) -> list[Any]:
    raise {"no number": UndecidedError("it diverges"), "bug": KeyError("no such column")}[kind]


def test_what_cannot_be_computed_is_told_and_a_bug_is_not_hidden() -> None:
    (claim,) = claims_on("theorem-1", "repaired")

    def tried(kind: str) -> Any:
        pieces = [Piece(without_sense, {"kind": kind})]
        return statement_trials._again(replace(claim, pieces=lambda _: pieces), [[]], lambda _: True)

    assert tried("no number")["verdict"] == "undecided"
    with pytest.raises(KeyError, match="no such column"):
        tried("bug")


def test_the_print_is_held_against_the_claims_that_refute_it() -> None:
    assert [claim.expected for claim in claims_on("theorem-1", "printed")] == ["refuted", "refuted"]
    assert [claim.expected for claim in claims_on("theorem-1", "repaired")] == ["not refuted"]


def test_a_slip_that_was_read_is_not_read_again(tmp_path: Path) -> None:
    piece = statement_rows.reading(slip("bias: dropped"))
    for computed in (1, 0):
        store = DiskStore(tmp_path / "power")
        run_pieces([piece], store=store)
        assert store.computed == computed


def test_a_slip_that_nothing_sees_is_a_problem() -> None:
    row = {"theorem": "theorem-1", "variant": "repaired", "term": "bias", "what": "w", "letter": None,
           "derivation": [], "units": False, "measured": []}  # fmt: skip
    assert statement_rows.problem(row) == "theorem-1 (repaired), bias: w is not caught"
    for way, found in (("letter", CATCH), ("derivation", [CATCH]), ("units", True), ("measured", [CATCH])):
        assert statement_rows.problem({**row, way: found}) == ""


# The command


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    rows = [ROW]

    def try_all(*_: Any, jobs: int, store: Any, finished: Any) -> Sequence[Any]:
        return rows

    monkeypatch.setattr(algorithm_trials, "try_all", try_all)
    return rows


def test_the_exit_code_says_whether_everything_was_caught(
    tmp_path: Path, stand_in: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.power(["algorithms"], out=tmp_path, jobs=1) == 0
    assert "all caught" in capsys.readouterr().out
    stand_in[:] = [{**ROW, "letter": []}]
    assert command.power(["algorithms"], out=tmp_path, jobs=1) == 1
    assert "not caught by algorithm-1" in capsys.readouterr().err


def test_parts_that_are_not_asked_for_stay_in_the_file(tmp_path: Path, stand_in: list[Any]) -> None:
    (tmp_path / "power.json").write_text('{"schema": 1, "statements": [{"kept": 1}]}', encoding="utf-8")
    command.power(["algorithms"], out=tmp_path, jobs=1)
    results = command.read(tmp_path / "power.json")
    assert results["statements"] == [{"kept": 1}]
    assert results["algorithms"] == stand_in


def test_a_wrong_part_and_a_file_of_another_kind_are_refused(tmp_path: Path, stand_in: list[Any]) -> None:
    with pytest.raises(
        ValueError, match="what must be one of algorithms, statements, false-alarms, got 'theorems'"
    ):
        command.power(["theorems"], out=tmp_path)
    for text in ("[", '{"schema": 2}'):
        (tmp_path / "power.json").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="move it away"):
            command.power(["algorithms"], out=tmp_path, jobs=1)


# The page

needs_docs = pytest.mark.skipif(not DOCS.is_dir(), reason="needs the repository, not the wheel")


@needs_docs
def test_page_and_results_agree() -> None:
    page, results = (DOCS / "power.md").read_text(encoding="utf-8"), command.read(DOCS / "power.json")
    assert page.count("<!-- table: ") == 4
    assert with_tables(page, tables_of(results)) == page
    results["algorithms"][1]["measured"] = None
    assert with_tables(page, tables_of(results)) != page


@needs_docs
def test_the_kept_results_are_those_of_the_lists_and_all_is_well() -> None:
    results = command.read(DOCS / "power.json")
    kept = [(row["what"], tuple(row["algorithms"]), row["unseen"]) for row in results["algorithms"]]
    listed = (algorithm_trials.control(MISTAKES), *MISTAKES)
    assert kept == [(mistake.what, mistake.algorithms, mistake.unseen) for mistake in listed]
    assert [algorithm_trials.problem(row) for row in results["algorithms"]] == [""] * len(kept)
    names = [
        (row["theorem"], row["variant"], f"{row['term']}: {row['what']}") for row in results["statements"]
    ]
    assert sorted(names) == sorted((t, v, s.name) for t in THEOREMS for v in VARIANTS for s in slips(t, v))
    assert not any(statement_rows.problem(row) for row in results["statements"])


def test_a_page_with_a_table_that_nobody_makes_is_refused() -> None:
    with pytest.raises(ValueError, match="a table must be one of terms, got 'others'"):
        with_tables("<!-- table: others -->\n<!-- end -->\n", {"terms": ""})


def test_a_table_is_one_line_per_row_and_keeps_its_columns() -> None:
    lines = (
        tables.of_algorithms([{**ROW, "what": "a|b"}, {**ROW, "measured": None}]).as_markdown().splitlines()
    )
    assert {line.count("|") for line in lines} == {7}
    assert "none of 0" in lines[-1]
