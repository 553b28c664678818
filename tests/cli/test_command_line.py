"""The command: help, and ends in one sentence: mistakes, Ctrl-C, output that cannot be written."""

import errno
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import ratecert
from ratecert.base.errors import UnwritableError
from ratecert.base.files import atomic_write
from ratecert.base.terminal import echo, encodable
from ratecert.cli.main import COMMANDS, GONE, GROUPS, main, parser

CLAIM = "parallel-sgd:sgd-descent"
SEARCH = ("falsify", CLAIM, "--jobs", "1", "--out")


def command(*arguments, stdout=subprocess.PIPE, **variables):
    """The command in a process of its own, with these environment variables."""
    folder = str(Path(ratecert.__file__).resolve().parents[1])
    buffered = {"PYTHONUNBUFFERED": ""}  # unbuffered, argparse itself swallows the errors of its output
    return subprocess.run(
        [sys.executable, "-m", "ratecert", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **buffered, "PYTHONPATH": folder, **variables},
        check=False,
    )


def said(capsys):
    """The one sentence on standard error."""
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error.removeprefix("ratecert: ")


@pytest.fixture
def searched(monkeypatch):
    monkeypatch.setattr("ratecert.search.finding.falsify", lambda *_, **__: pytest.fail("work was done"))


@pytest.mark.smoke
def test_help_and_version_exit_with_0(capsys):
    for arguments in (["--help"], ["--version"], ["verify", "--help"]):
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
    assert "ratecert" in capsys.readouterr().out


def test_an_unknown_command_exits_with_2(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["conjecture"])
    assert "invalid choice: 'conjecture'" in capsys.readouterr().err


@pytest.mark.parametrize("gone", GONE)
def test_a_command_or_an_option_that_has_gone_names_what_to_use(gone, capsys):
    """And none of them is one any more."""
    command = ["prove", "theorem-1.printed-G", gone] if gone.startswith("--") else [gone, "--json"]
    assert main(command) == 2
    assert said(capsys).startswith(f"{gone} has gone: ")
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(command)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--budget", "0", "budget must be a whole number from "),
        ("--budget", "1000000000", "budget must be a whole number from "),
        ("--seed", "-1", "seed must be a whole number from 0"),
        ("--jobs", "0", "jobs must be a whole number >= 1, got 0"),
    ],
)
@pytest.mark.parametrize("search", ["falsify", "sharpen"])
def test_a_wrong_number_is_one_sentence(search, option, value, words, tmp_path, capsys):
    assert main([search, CLAIM, "--out", str(tmp_path / "out"), option, value]) == 2
    assert said(capsys).startswith(words)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("searched")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main([*SEARCH, str(tmp_path / "file" / "folder")]) == 2
    assert re.match(r".*folder.*--out", said(capsys))


@pytest.mark.usefixtures("searched")
def test_a_folder_that_refuses_files_is_refused_before_any_work(tmp_path, capsys, monkeypatch):
    def refuse(**_):
        raise PermissionError(errno.EACCES, "Permission denied", "a temporary name")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    assert main([*SEARCH, str(tmp_path)]) == 2
    assert said(capsys) == f"{tmp_path}: Permission denied; choose another folder with --out.\n"


FULL = OSError(errno.ENOSPC, "in the middle")


@pytest.mark.parametrize("failure", [RuntimeError("in the middle"), KeyboardInterrupt("in the middle"), FULL])
def test_a_file_is_written_whole_or_not_at_all(failure, tmp_path):
    seen = UnwritableError if failure is FULL else type(failure)
    path = tmp_path / "table.txt"

    def write(text, failure=None):
        with atomic_write(path) as temporary:
            temporary.write_text(text)
            assert sorted(tmp_path.iterdir()) != [path]  # there is a temporary file to remove
            if failure:
                raise failure

    for there in ([], ["whole"]):
        with pytest.raises(seen, match="in the middle"):
            write("half", failure)
        assert [each.read_text() for each in tmp_path.iterdir()] == there
        write("whole")
    assert path.read_text() == "whole"


def test_a_full_disk_under_out_names_the_file(tmp_path, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")  # as a write fails: without a name

    monkeypatch.setattr(Path, "write_text", full)
    assert main(["new", "my_paper", "--out", str(tmp_path)]) == 2
    assert said(capsys).startswith(f"{tmp_path / 'my_paper.py'}: No space left on device; choose")
    assert not list(tmp_path.iterdir())


def test_an_interrupt_is_one_line_and_exit_code_130(tmp_path, capsys, monkeypatch):
    """A run of verify says how it goes on, too: with --fresh the same command would begin again."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("ratecert.search.finding.falsify", interrupt)
    monkeypatch.setattr("ratecert.report.judge.judged", interrupt)
    assert main([*SEARCH, str(tmp_path)]) == 130
    assert said(capsys) == "interrupted\n"
    for fresh, how in (([], ""), (["--fresh"], "without --fresh ")):
        assert main(["verify", CLAIM, "--out", str(tmp_path), *fresh]) == 130
        assert said(capsys) == f"interrupted; {how}the same command goes on from here\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE to imitate")
@pytest.mark.parametrize("arguments", [["--help"], ["new", "my_paper", "--out"]], ids=["help", "new"])
def test_a_reader_who_has_gone_is_met_with_silence(arguments, tmp_path):
    """Files are written first."""
    reader, writer = os.pipe()
    os.close(reader)
    written = arguments[-1] == "--out"
    ended = command(*arguments, *([str(tmp_path)] if written else []), stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, b"")
    assert len(list(tmp_path.iterdir())) == 2 * written


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["new", "my_paper", "--out"]], ids=["version", "new"])
def test_a_full_standard_output_is_one_sentence_that_does_not_blame_the_folder(arguments, tmp_path):
    folder = [str(tmp_path)] if arguments[-1] == "--out" else []
    with Path("/dev/full").open("w") as full:
        ended = command(*arguments, *folder, stdout=full)
    assert ended.returncode == 2
    assert re.fullmatch(r"ratecert: standard output: [^\n]+\.\n", ended.stderr.decode())
    assert "--out" not in ended.stderr.decode()


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.nightly), "utf-8"])
def test_a_table_does_not_depend_on_the_terminal(encoding):
    ended = command("library", PYTHONIOENCODING=encoding, COLUMNS="140", FORCE_COLOR="1")
    assert ended.returncode == 0
    out = ended.stdout.decode(encoding).replace(os.linesep, "\n")
    assert ("┃ statement" in out) == (encoding == "utf-8")
    assert out.isascii() is (encoding != "utf-8")
    assert "\x1b" not in out


def test_ascii_keeps_the_columns_and_escapes_the_rest():
    table = "┏━━━┳━━━━━━━┓\n┃ K ┃ 1 ± 2 ┃\n│ 4 │ 3 ± 4 │\n└───┴───────┘\n"
    plain = encodable(table, "ascii")
    assert plain.isascii()
    assert {len(line) for line in plain.splitlines()} == {13}
    assert "| K | 1 +-2 |" in plain
    assert encodable("Wrote é.svg\n", "ascii") == "Wrote \\xe9.svg\n"
    assert encodable(table, "utf-8") == table


def test_a_name_of_a_file_moves_no_cursor(capsys):
    """Colours are ours and stay; what else a received name has in it is shown as an escape."""
    echo("Wrote \x1b[32mr\x1b[2J\u2028\u202e.html\x1b[0m\n")
    assert capsys.readouterr().out == "Wrote \x1b[32mr\\x1b[2J\\u2028\\u202e.html\x1b[0m\n"


def test_the_command_alone_shows_five_lines_and_its_help_every_command(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("  ratecert ") for line in said) == 5
    assert max(map(len, said)) <= 80
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if re.match("  [a-z]", line)] == [
        name for own in GROUPS.values() for name in own
    ]
    assert {name for own in GROUPS.values() for name in own} == {*COMMANDS}
    with pytest.raises(SystemExit):
        main(["falsify", "--help"])
    assert "--budget" in capsys.readouterr().out.split("options:")[1]
    assert max(map(len, shown.splitlines())) <= 80


def test_shtab_completes_commands_and_options():
    """As docs/start.md has it; what is no option is not completed."""
    shtab = [sys.executable, "-m", "shtab", "--shell", "bash", "ratecert.cli.main.parser"]
    script = subprocess.run(shtab, capture_output=True, text=True, check=True).stdout
    assert all(word in script for word in ("verify", "--scheduler", "falsify", "--budget", "repaired"))
    assert "--no-such-option" not in script


def test_the_command_starts_without_heavy_imports():
    code = (
        "import sys, ratecert.cli.main as main, theory; main.parser(); "
        "print([name for name in ('numpy', 'sympy', 'scipy.stats', 'rich.table') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"
