"""Lists in a terminal: nothing is cut at any width, verdicts are coloured on terminals, stars have a legend."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from ratecert.cli import verdict_list
from ratecert.cli.main import main
from ratecert.output import screen
from ratecert.output.blocks import Block, as_blocks
from ratecert.output.plain_text import as_text
from ratecert.shelf.record import WORST_FIRST
from ratecert.vocabulary import VERDICTS, WORDS

WIDTHS = (40, 60, 80, 109, 110, 140)
ENTRY: dict[str, Any] = {
    "id": "corollary-1.measured-on-a-world-with-a-long-name",
    "verdict": "refuted",
    "expected": "refuted",
    "evidence": [],
    "reason": "",
    "measured": 1.2345678,
    "predicted": 1.0,
    "relation": "<=",
    "tolerance": 0.0,
    "uncertainty": 1e-12,
}
ENTRY["checks"] = [
    {
        **ENTRY,
        "name": "measure over the claim, and its exact constant, K = 16, T = 2^56, on a world with a long name",
    }
]


def plain(text: str) -> str:
    """Without colours, frames and line breaks: the words in their order."""
    return " ".join(re.sub(r"[│┃]|\x1b\[[0-9;]*m", " ", text).split())


@pytest.fixture
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


@pytest.mark.parametrize("width", WIDTHS, indirect=True)
@pytest.mark.parametrize("arguments", [("claims", "theorem-1"), ("library",)])
def test_no_line_is_too_long_and_nothing_is_cut(
    arguments: tuple[str, ...], width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert main(list(arguments)) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    frames = {"┃": "┃", "│": "│", "┏": "┓", "└": "┘"}  # a table that is too wide loses its right side
    assert all(line[-1] == frames.get(line[0], line[-1]) for line in out.splitlines() if line)
    for record in told.get("claims", told.get("statements")):
        assert record["id"] in re.sub(r"[│┃\s]", "", out)


@pytest.mark.parametrize("width", WIDTHS, indirect=True)
def test_the_verdicts_of_a_run_are_whole(width: int) -> None:
    out = verdict_list.shown([ENTRY])
    assert max(map(len, out.splitlines())) <= width
    flat = plain(out)
    for part in ("refuted", "1.235", "1e-12", "<="):
        assert part in flat
    for word in ENTRY["checks"][0]["name"].split():
        assert word in flat
    assert ("┃" in out) is (width >= screen.FOR_TABLES)


@pytest.mark.parametrize("width", [80, 140], indirect=True)
def test_a_legend_stands_only_where_a_star_is(width: int) -> None:
    assert "*" not in verdict_list.shown([ENTRY])
    starred = verdict_list.shown([ENTRY, {**ENTRY, "expected": "not refuted"}])
    assert "refuted *" in starred
    assert verdict_list.LEGEND in starred


@pytest.mark.parametrize("width", [80, 140], indirect=True)
@pytest.mark.parametrize("verdict", VERDICTS)
def test_verdicts_are_coloured_and_nothing_else_changes(
    verdict: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {**ENTRY, "verdict": verdict}
    without = verdict_list.shown([entry])
    assert "\x1b" not in without
    monkeypatch.setattr(verdict_list, "coloured", lambda: True)
    assert "\x1b[" in verdict_list.shown([entry])
    assert plain(verdict_list.shown([entry])) == plain(without)


@pytest.mark.parametrize(
    ("terminal", "variables", "shown"),
    [(True, {}, True), (True, {"NO_COLOR": "1"}, False), (True, {"TERM": "dumb"}, False), (False, {}, False)],
)
def test_colours_are_for_terminals_that_want_them(
    terminal: bool, variables: dict[str, str], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert screen.coloured() is shown


def test_green_never_stands_on_what_is_refuted() -> None:
    assert set(screen.STYLES) == {*VERDICTS, "proved false"}
    for verdict in ("refuted", "proved false", "refuted, by the linter alone"):
        assert "red" in screen.style_of(verdict)
        assert "green" not in screen.style_of(verdict)
    assert "green" in screen.style_of("not refuted")


def test_a_name_that_is_longer_than_the_terminal_is_folded() -> None:
    shown = as_blocks([Block("a" * 50, "not refuted", ["b" * 70])], 40)
    assert isinstance(shown, Text)
    lines = as_text(shown, 40).splitlines()
    assert max(map(len, lines)) == 40
    assert "".join(line.strip() for line in lines) == "a" * 50 + "not refuted" + "b" * 70


def test_a_sentence_is_folded_in_a_terminal_and_whole_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "Wrote " + " and ".join(f"/a/long/path/{i}" for i in range(20))
    monkeypatch.setenv("COLUMNS", "60")
    lines = screen.folded(sentence).splitlines()
    assert (max(map(len, lines)) <= 60, " ".join(lines)) == (True, sentence)
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback: os.terminal_size(fallback))
    assert screen.folded(sentence) == f"{sentence}\n"


def test_the_library_sorts_by_every_word_of_the_vocabulary() -> None:
    assert set(WORST_FIRST) == set(WORDS)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["claims", "--statement", "theorem-11"],
            "no claim is on the statement 'theorem-11'; did you mean theorem-1",
        ),
        (["claims", "--paper", "federated"], "paper must be one of federated-bilevel, parallel-sgd"),
        (["claims", "zzz"], "no claim is called 'zzz'; `ratecert claims` lists them all."),
        (["library", "svgr"], "the library has nothing that is called 'svgr'; did you mean svrg"),
        (
            ["library", "--paper", "#"],
            "the library has nothing that is called '#'; `ratecert library` lists it.",
        ),
    ],
)
def test_an_unknown_name_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"ratecert: {sentence}")
    assert err.count("\n") == 1


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    return list(found.get("claims", found.get("statements")))


@pytest.mark.parametrize(
    ("option", "value", "has"),
    [
        ("--statement", "theorem-1", lambda c: "theorem-1" in c["of"]),
        ("--statement", "federated-bilevel:theorem-1", lambda c: "theorem-1" in c["of"]),
        ("--verdict", "refuted", lambda c: c["expected"] == "refuted"),
        ("--verdict", "proved false", lambda c: c["because"] and "proof in fractions" in c["evidence"]),
        ("--evidence", "sampled", lambda c: c["false_alarm"] > 0),
        ("--paper", "parallel-sgd", lambda c: c["id"].startswith("parallel-sgd:")),
    ],
)
def test_claims_are_those_that_are_asked_for(
    option: str, value: str, has: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = told(capsys, "claims")
    chosen = told(capsys, "claims", option, value)
    assert chosen == [claim for claim in everything if has(claim)]
    assert 0 < len(chosen) < len(everything)


@pytest.mark.parametrize("width", [80, 140], indirect=True)
@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("G.printed", "proved false"),
        ("remark-1.printed", "refuted"),
        ("parallel-sgd:sgd-descent", "not refuted"),
    ],
)
def test_the_expected_verdict_is_told_as_verify_tells_it(
    id: str, words: str, width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims", id]) == 0
    shown = capsys.readouterr().out
    assert re.findall(f"(?:: |│ )({'|'.join(WORDS)})", shown) == [words]


@pytest.mark.parametrize(
    ("arguments", "has"),
    [
        (["svrg"], lambda r: r["id"].startswith("svrg:")),
        (["svrg:theorem-1"], lambda r: r["id"] == "svrg:theorem-1"),
        (["--paper", "svrg"], lambda r: r["id"].startswith("svrg:")),
        (["--verdict", "refuted"], lambda r: r["verdict"] in ("refuted", "proved false")),
        (["--verdict", "proved false"], lambda r: r["verdict"] == "proved false"),
        (["--evidence", "search"], lambda r: r["ratio"] is not None),
        (["--evidence", "linter"], lambda r: r["findings"]),
        (["--after", "note"], lambda r: r["certainty"] == "note"),
    ],
)
def test_statements_of_the_library_are_those_that_are_asked_for(
    arguments: list[str], has: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = told(capsys, "library")
    chosen = told(capsys, "library", *arguments)
    assert chosen == [record for record in everything if has(record)]
    assert 0 < len(chosen) < len(everything)


def test_filters_that_leave_nothing_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "--statement", "theorem-1", "--evidence", "sampled"]) == 0
    assert capsys.readouterr().out.startswith("0 claims.")
    assert main(["library", "svrg", "--verdict", "not applicable"]) == 0
    assert capsys.readouterr().out.startswith("0 statements, 0 refuted.")


def test_an_interrupted_run_says_how_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ratecert.cli.verify.judged", interrupt)
    run = ["verify", "parallel-sgd:sgd-descent", "--out", str(tmp_path)]
    assert main(run) == 130
    assert capsys.readouterr().err == "ratecert: interrupted; the same command goes on from here\n"
    assert main([*run, "--fresh"]) == 130  # the twin: the same command would begin again
    assert capsys.readouterr().err == (
        "ratecert: interrupted; without --fresh the same command goes on from here\n"
    )
