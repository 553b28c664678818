"""Lists in a terminal: nothing is cut at any width, verdicts are coloured on terminals, filters leave what fits."""

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from ratecert.base import lists
from ratecert.base import terminal as screen
from ratecert.base.lists import Block, as_blocks, as_text
from ratecert.base.words import REFUTED, VERDICTS, WORDS
from ratecert.cli import verify
from ratecert.cli.main import main, parser
from ratecert.report.library import WORST_FIRST

PAGE = Path(__file__).parents[2] / "docs" / "start.md"
LIST = ("verify", "--list")
WIDTHS = (40, 60, 80, 109, 110, 140)
ENTRY: dict[str, Any] = {
    "id": "corollary-1.measured-on-a-world-with-a-long-name",
    "verdict": "refuted",
    "expected": "refuted",
    "because": "",
    "of": ["corollary-1"],
    "evidence": [],
    "reason": "",
    "measured": 1.2345678,
    "predicted": 1.0,
    "relation": "<=",
    "tolerance": 0.0,
    "uncertainty": 1e-12,
}
NAME = "measure over the claim, and its exact constant, K = 16, T = 2^56, on a world with a long name"
ENTRY["checks"] = [{**ENTRY, "name": NAME}]


def plain(text):
    """Without colours, frames and line breaks: the words in their order."""
    return " ".join(re.sub(r"[│┃]|\x1b\[[0-9;]*m", " ", text).split())


def told(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    return list(found.get("claims", found.get("statements")))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("arguments", [(*LIST, "theorem-1"), ("library",)])
def test_no_line_is_too_long_and_nothing_is_cut(arguments, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    records = told(capsys, *arguments)
    assert main(list(arguments)) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    frames = {"┃": "┃", "│": "│", "┏": "┓", "└": "┘"}  # a table that is too wide loses its right side
    assert all(line[-1] == frames.get(line[0], line[-1]) for line in out.splitlines() if line)
    assert all(record["id"] in re.sub(r"[│┃\s]", "", out) for record in records)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdicts_of_a_run_are_whole(width, monkeypatch):
    """With a legend only where there is a star."""
    monkeypatch.setenv("COLUMNS", str(width))
    out = verify.verdicts([ENTRY])
    assert max(map(len, out.splitlines())) <= width
    found = ">" if width >= screen.FOR_TABLES else "<="  # a table has the relation between the two numbers
    for part in ("refuted", "1.235", "1e-12", found, *NAME.split()):
        assert part in plain(out)
    assert "<=" in plain(verify.verdicts([{**ENTRY, "verdict": "not refuted"}]))
    endless = {"measured": 1e300, "checks": [{**ENTRY["checks"][0], "measured": 1e300}]}
    infinite = plain(verify.verdicts([{**ENTRY, **endless}]))
    assert "∞" in infinite
    assert "e+300" not in infinite
    assert ("┃" in out) is (width >= screen.FOR_TABLES)
    assert "*" not in out
    starred = verify.verdicts([ENTRY, {**ENTRY, "expected": "not refuted"}])
    assert "refuted *" in plain(starred)
    assert verify.LEGEND in plain(starred)


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("verdict", VERDICTS)
def test_verdicts_are_coloured_and_nothing_else_changes(verdict, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    entry = {**ENTRY, "verdict": verdict}
    without = verify.verdicts([entry])
    assert "\x1b" not in without
    monkeypatch.setattr(lists, "coloured", lambda: True)
    assert "\x1b[" in verify.verdicts([entry])
    assert plain(verify.verdicts([entry])) == plain(without)


@pytest.mark.parametrize(
    ("terminal", "variables", "shown"),
    [(True, {}, True), (True, {"NO_COLOR": "1"}, False), (True, {"TERM": "dumb"}, False), (False, {}, False)],
)
def test_colours_are_for_terminals_that_want_them(terminal, variables, shown, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert screen.coloured() is shown


def test_green_never_stands_on_what_is_refuted():
    assert set(screen.STYLES) == {*WORDS}
    for verdict in (*REFUTED, "refuted, by the linter alone"):
        assert "red" in screen.style_of(verdict)
        assert "green" not in screen.style_of(verdict)
    assert "green" in screen.style_of("proved")


def test_long_names_and_sentences_are_folded_and_whole_in_a_file(monkeypatch):
    shown = as_blocks([Block("a" * 50, "not refuted", ["b" * 70])], 40)
    assert isinstance(shown, Text)
    lines = as_text(shown, 40).splitlines()
    assert max(map(len, lines)) == 40
    assert "".join(line.strip() for line in lines) == "a" * 50 + "not refuted" + "b" * 70
    sentence = "Wrote " + " and ".join(f"/a/long/path/{i}" for i in range(20))
    monkeypatch.setenv("COLUMNS", "60")
    lines = screen.folded(sentence).splitlines()
    assert (max(map(len, lines)) <= 60, " ".join(lines)) == (True, sentence)
    assert [line[:5] for line in screen.folded(f"  {sentence}").splitlines()][:2] == ["  Wro", "    a"]
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback: os.terminal_size(fallback))
    assert screen.folded(sentence) == f"{sentence}\n"


def test_the_library_sorts_by_every_word_of_the_vocabulary():
    assert set(WORST_FIRST) == set(WORDS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*LIST, "--statement", "theorem-11"), "no claim is on the statement 'theorem-11'; did you mean theorem"),
        ((*LIST, "--paper", "federated"), "paper must be one of federated-bilevel, parallel-sgd"),
        ((*LIST, "zzz"), "no claim is called 'zzz'; `ratecert verify --list` lists"),
        (("verify", "--evidence", "search"), "--evidence belongs to the list; add --list"),
        (("library", "svgr"), "the library has nothing that is called 'svgr'; did you mean svrg"),
        (("library", "--paper", "#"), "the library has nothing that is called '#'; `ratecert library` lists"),
    ],
)  # fmt: skip
def test_a_filter_that_cannot_be_meant_is_one_sentence(arguments, words, capsys):
    assert main(list(arguments)) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"ratecert: {words}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "has"),
    [
        ((*LIST, "--statement", "federated-bilevel:theorem-1"), lambda c: "theorem-1" in c["of"]),
        ((*LIST, "--verdict", "refuted"), lambda c: c["expected"] == "refuted"),
        ((*LIST, "--verdict", "proved false"), lambda c: c["because"] and "proof in fractions" in c["evidence"]),
        ((*LIST, "--evidence", "sampled"), lambda c: c["false_alarm"] > 0),
        ((*LIST, "--paper", "parallel-sgd"), lambda c: c["id"].startswith("parallel-sgd:")),
        (("library", "svrg"), lambda r: r["id"].startswith("svrg:")),
        (("library", "svrg:theorem-1"), lambda r: r["id"] == "svrg:theorem-1"),
        (("library", "--paper", "svrg"), lambda r: r["id"].startswith("svrg:")),
        (("library", "--verdict", "refuted"), lambda r: r["verdict"] in REFUTED),
        (("library", "--verdict", "proved false"), lambda r: r["verdict"] == "proved false"),
        (("library", "--evidence", "search"), lambda r: r["ratio"] is not None),
        (("library", "--evidence", "linter"), lambda r: r["findings"]),
        (("library", "--after", "note"), lambda r: r["certainty"] == "note"),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_listed_and_nothing_else(arguments, has, capsys):
    everything = told(capsys, *(LIST if arguments[0] == "verify" else ("library",)))
    chosen = told(capsys, *arguments)
    assert chosen == [record for record in everything if has(record)]
    assert 0 < len(chosen) < len(everything)


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    ("id", "words"),
    [("G.printed", "proved false"), ("remark-1.printed", "refuted"), ("parallel-sgd:sgd-rate", "not refuted")],
)  # fmt: skip
def test_the_expected_verdict_is_told_as_verify_tells_it(id, words, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    assert main([*LIST, id]) == 0
    shown = capsys.readouterr().out
    assert re.findall(f"(?:: |│ )({'|'.join(map(re.escape, WORDS))})", shown) == [words]


def test_filters_that_leave_nothing_say_so(capsys):
    assert main([*LIST, "--statement", "theorem-1", "--evidence", "sampled"]) == 0
    assert capsys.readouterr().out.startswith("0 claims.")
    assert main(["library", "svrg", "--verdict", "not applicable"]) == 0
    assert capsys.readouterr().out.startswith("0 statements, 0 refuted.")


def test_every_command_of_the_page_is_one():
    commands = re.findall(r"^ratecert (\S.*?)(?: {3,}.*)?$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(commands) >= 6
    for each in commands:
        parser().parse_args(shlex.split(each))
    assert "shtab --shell=bash ratecert.cli.main.parser" in PAGE.read_text("utf-8")
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(["library", "--verdict", "true"])
