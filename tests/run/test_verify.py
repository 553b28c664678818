"""`ratecert verify`: what is run, written, said and returned, on claims that cost nothing."""

import json
import re
from pathlib import Path

import pytest

from oracles.toy_claims import LOG, buggy, computed, failing, nan, square, toy
from ratecert.claims.claim import Budget, Task
from ratecert.cli.main import main
from ratecert.cli.verify import default_folder
from ratecert.errors import UndecidedError, UserError
from ratecert.report.judge import judged
from ratecert.report.results import OF_CLAIM, OF_FILE, read
from ratecert.run.tasks import key, run_tasks
from ratecert.verdicts import collect as known
from ratecert.verdicts.collect import select


@pytest.fixture
def claims(monkeypatch, tmp_path):
    """Two sound claims, of which two tasks are the same, in place of the paper's."""
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    toys = {claim.id: claim for claim in (toy("small.one", [1, 2, 3]), toy("small.two", [2, 3, 4]))}
    monkeypatch.setattr(known, "claims", lambda: toys)
    monkeypatch.setattr(known, "of_package", lambda _: toys)
    return toys


def verify(tmp_path, *names, jobs=1):
    return main(["verify", *names, "--out", str(tmp_path / "out"), "--jobs", str(jobs)])


def results(tmp_path):
    return read(tmp_path / "out" / "results.json")


def test_every_claim_gets_a_verdict_and_a_figure_and_a_task_that_two_claims_need_runs_once(claims, tmp_path):
    assert verify(tmp_path) == 0
    assert sorted(computed()) == [1, 2, 3, 4]
    found = results(tmp_path)
    assert list(found) == [*OF_FILE, "digest"]
    assert [c["id"] for c in found["claims"]] == list(claims)
    for claim in found["claims"]:
        assert list(claim) == list(OF_CLAIM)
        assert claim["verdict"] == claim["expected"] == "not refuted"
        (figure,) = claim["figures"]
        assert (tmp_path / "out" / figure).read_text(encoding="utf-8").count("<svg") == 1
        assert "Section 4.1" in claim["statement"]


def test_one_and_two_jobs_write_the_same_bytes(claims, tmp_path):
    written = []
    for jobs in (1, 2):
        assert main(["verify", "--out", str(tmp_path / str(jobs)), "--jobs", str(jobs)]) == 0
        written.append((tmp_path / str(jobs) / "results.json").read_bytes())
    assert written[0] == written[1]


def test_a_changed_verdict_is_named_and_ends_with_1(claims, tmp_path, capsys):
    claims["wrong"] = toy("wrong", [1], because="it was so once")
    assert verify(tmp_path) == 1
    err = capsys.readouterr().err
    assert err.startswith("ratecert: wrong is not refuted, expected was refuted: square of 1")
    assert "small" not in err


def test_a_failing_task_makes_its_claim_inconclusive_and_no_other(claims, tmp_path, capsys):
    claims["open"] = toy("open", [7], failing)
    assert verify(tmp_path) == 1
    verdicts = {c["id"]: c["verdict"] for c in results(tmp_path)["claims"]}
    assert verdicts == {"small.one": "not refuted", "small.two": "not refuted", "open": "undecided"}
    assert re.search(r"open is undecided.*: 7 is too much", capsys.readouterr().err)


def no_limit(rows):
    raise UndecidedError(f"no limit at {rows[0]['number']}")


def test_what_gives_no_number_is_undecided():
    toys = toy("nothing", [7], nan), toy("unforeseen", [3], checks=no_limit)
    entries = judged(toys, Budget())
    for entry, why in zip(entries, ("gave a number that is not finite", "no limit at 3"), strict=True):
        assert (entry["verdict"], why in entry["reason"]) == ("undecided", True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bug_in_a_task_looks_like_a_bug_and_the_other_tasks_are_kept(claims, tmp_path, capsys, jobs):
    claims["broken"] = toy("broken", [7], buggy)
    assert verify(tmp_path, jobs=jobs) == 70
    err = capsys.readouterr().err
    assert (
        "a bug in ratecert, no mistake of yours: oracles.toy_claims.buggy: KeyError: 'no such column'." in err
    )
    assert "Traceback" not in err
    assert not (tmp_path / "out" / "results.json").exists()
    del claims["broken"]
    assert verify(tmp_path, jobs=jobs) == 0
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert run["tasks"].startswith("0 computed, 4 stored")


def test_a_users_mistake_inside_a_claim_is_a_bug_too(claims, tmp_path, capsys):
    """The user of the command has not made it."""

    def checks(_):
        raise UserError("K must be a whole number >= 1, got 0.")

    claims["broken"] = toy("broken", [7], checks=checks)
    assert main(["verify", "broken", "--debug", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 70
    err = capsys.readouterr().err
    assert "claim broken: UserError: K must be a whole number >= 1, got 0" in err
    assert "Traceback" in err
    assert "--debug shows" not in err


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ([], ["small.one", "small.two"]),
        (["small"], ["small.one", "small.two"]),
        (["small.two"], ["small.two"]),
        (["federated-bilevel:small.two"], ["small.two"]),
        (["small.two", "small"], ["small.one", "small.two"]),
    ],
)
def test_claims_are_chosen_by_id_or_by_statement(claims, names, chosen):
    assert [claim.id for claim in select(names)] == chosen


def test_a_mistake_is_one_sentence(claims, tmp_path, capsys):
    assert main(["verify", "smal.one", "--out", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("ratecert: no claim is called 'smal.one'; did you mean small.one")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_refused_before_work(claims, tmp_path, capsys):
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    assert verify(tmp_path) == 2
    assert re.fullmatch(
        r"ratecert: \S+/out: .*; choose another folder with --out\.\n", capsys.readouterr().err
    )
    assert computed() == []


def test_keys_tell_tasks_apart_and_long_tasks_start_first(claims):
    tasks = [Task(square, {"number": 1}), Task(square, {"number": 2}), Task(failing, {"number": 1})]
    assert len({key(task) for task in tasks}) == 3
    assert key(Task(square, {"a": 1, "b": 2})) == key(Task(square, {"b": 2, "a": 1}))
    run_tasks(Task(square, {"number": n}, seconds=n) for n in (1, 5, 3))
    assert computed() == [5, 3, 1]


def test_what_is_expected_follows_from_the_evidence_and_from_a_known_mistake():
    assert toy("measured", [1]).expected == "not refuted"
    assert toy("mistaken", [1], because="it was so once").expected == "refuted"
    derived = toy("derived", [1], evidence=("derivation",))
    assert derived.expected == judged([derived], Budget())[0]["verdict"] == "proved"
    both = toy("both", [1], evidence=("derivation", "bound in numbers"))
    assert both.expected == judged([both], Budget())[0]["verdict"] == "not refuted"


@pytest.mark.parametrize(
    ("evidence", "false_alarm"),
    [((), 0.0), (("hearsay",), 0.0), (("sampled",), 0.0), (("search",), 1e-6), (("sampled",), 0.05)],
)
def test_a_claim_says_what_it_rests_on(evidence, false_alarm):
    with pytest.raises(UserError, match=r"evidence|those that sample|false_alarm must be in"):
        toy("silent", [1], evidence=evidence, false_alarm=false_alarm)


@pytest.mark.parametrize(
    ("names", "folder"),
    [
        ([], "results"),
        (["theorem-1"], "results/chosen"),
        (["my_paper.py"], "results/my_paper"),
        (["a/my_paper.py:theorem-1", "a/my_paper.py:corollary-1"], "results/my_paper"),
        (["my_paper.py", "other.py"], "results/chosen"),
        (["my_paper.py", "theorem-1"], "results/chosen"),
        (["package.python_paper:theorem-1"], "results/chosen"),
    ],
)
def test_every_paper_in_a_file_has_a_folder_of_its_own(names, folder):
    assert default_folder(names) == Path(folder)
