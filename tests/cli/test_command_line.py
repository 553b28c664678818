"""The command: help, the demonstration, and ends in one sentence: mistakes, Ctrl-C, output that cannot be written."""

import errno
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import ratecert
from ratecert.base.files import atomic_write, require_writable
from ratecert.base.terminal import encodable
from ratecert.claim.claim import Piece
from ratecert.cli.main import main
from ratecert.errors import UnwritableError, UserError
from ratecert.papers.federated_bilevel import demonstration
from ratecert.run.tasks import run_pieces
from ratecert.solvers.engines.engine_choice import preferred

SHORT = (
    "import ratecert.papers.federated_bilevel.demonstration as d; d.T, d.DEVICES = 8, (1,)\n"  # in a second
)


def command(*arguments: str, before: str = "", stdout: Any = subprocess.PIPE, **variables: str) -> Any:
    """The command in a process of its own, after some preparation, with these environment variables."""
    code = f"{before}import sys; from ratecert.cli.main import main; raise SystemExit(main(sys.argv[1:]))"
    folder = str(Path(ratecert.__file__).resolve().parents[1])
    buffered = {"PYTHONUNBUFFERED": ""}  # unbuffered, argparse itself swallows the errors of its output
    environment = {**os.environ, **buffered, "PYTHONPATH": folder, **variables}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment,
        check=False,
    )


@pytest.mark.smoke
def test_help_and_version_exit_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--help", "--version"):
        with pytest.raises(SystemExit, match="0"):
            main([option])
    assert "ratecert" in capsys.readouterr().out


def test_an_unknown_command_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["conjecture"])
    assert "invalid choice: 'conjecture'" in capsys.readouterr().err


@pytest.mark.smoke
def test_the_demonstration_writes_a_table_and_a_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "T", 8)
    assert main(["demo", "--out", str(tmp_path / "new" / "folder"), "--replicates", "2"]) == 0
    out = capsys.readouterr().out
    assert "LocalBSGM" in out
    assert "LocalBSGVRM" in out
    figure = (tmp_path / "new" / "folder" / "demonstration.svg").read_text()
    assert figure.rstrip().endswith("</svg>")
    assert sorted(p.name for p in (tmp_path / "new" / "folder").iterdir()) == [
        "demonstration.png",
        "demonstration.svg",
        "demonstration.txt",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--replicates", "0"], "replicates must be a whole number >= 2, got 0"),
        (["--seed", "-1"], "seed must be a whole number"),
    ],
)
def test_a_wrong_number_is_one_sentence(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", str(tmp_path), *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert main(["demo", "--out", str(file / "folder")]) == 2
    error = capsys.readouterr().err
    assert "folder" in error
    assert "--out" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("engine", ["auto", "numpy", "numba"])
def test_the_engine_reaches_the_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    """In `demo`, and in `verify` through pieces in processes of their own; outside, auto."""
    if engine == "numba":
        pytest.importorskip("numba", reason="the extra `fast` is not installed")
    seen: list[str] = []

    def look(*_: Any, **__: Any) -> None:
        seen.append(preferred())
        raise UserError("seen")

    monkeypatch.setattr(demonstration, "simulate", look)
    chosen = [] if engine == "auto" else ["--engine", engine]
    assert main(["demo", "--out", str(tmp_path), *chosen]) == 2
    assert (seen, preferred()) == ([engine], "auto")

    def judged(*_: Any, **__: Any) -> None:
        there, process = (o.value for o in run_pieces([Piece(preferred), Piece(os.getpid)], jobs=2).values())
        seen.append(there if process != os.getpid() else "in this process")
        raise UserError("seen")

    monkeypatch.setattr("ratecert.cli.verify.judged", judged)
    assert main(["verify", "parallel-sgd:sgd-descent", "--out", str(tmp_path), *chosen]) == 2
    assert seen == [engine, engine]


def test_an_engine_that_is_not_installed_is_refused_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratecert.solvers.engines.engine_choice.find_spec", lambda _: None)
    monkeypatch.setattr(demonstration, "simulate", lambda *_, **__: pytest.fail("work was done"))
    assert main(["demo", "--out", str(tmp_path), "--engine", "numba"]) == 2
    assert capsys.readouterr().err == (
        "ratecert: engine must be 'auto' or 'numpy' where numba cannot be used (it is not installed), got 'numba'; "
        "install ratecert[fast].\n"
    )


def test_a_folder_that_refuses_files_is_refused_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "a temporary name")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    monkeypatch.setattr(demonstration, "simulate", lambda *_, **__: pytest.fail("work was done"))
    assert main(["demo", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"ratecert: {tmp_path}: Permission denied; choose another folder with --out.\n"
    )


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    require_writable(tmp_path)
    tmp_path.chmod(0o500)
    with pytest.raises(UnwritableError, match="Permission denied"):
        require_writable(tmp_path)


@pytest.mark.parametrize(
    ("failure", "seen"),
    [
        (RuntimeError("in the middle"), RuntimeError),
        (KeyboardInterrupt("in the middle"), KeyboardInterrupt),
        (OSError(errno.ENOSPC, "in the middle"), UnwritableError),
    ],
)
def test_a_file_is_written_whole_or_not_at_all(
    failure: BaseException, seen: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "table.txt"

    def write(text: str, failure: BaseException | None = None) -> None:
        with atomic_write(path) as temporary:
            temporary.write_text(text)
            assert sorted(tmp_path.iterdir()) != [path]  # the twin: there is a temporary file to remove
            if failure:
                raise failure

    with pytest.raises(seen, match="in the middle"):
        write("half", failure)
    assert list(tmp_path.iterdir()) == []
    write("whole")
    with pytest.raises(seen, match="in the middle"):
        write("half", failure)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "whole"


def test_a_full_disk_under_out_names_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")  # as a write fails: without a name

    monkeypatch.setattr(demonstration, "T", 8)
    monkeypatch.setattr(Path, "write_text", full)
    assert main(["demo", "--out", str(tmp_path), "--replicates", "2"]) == 2
    error = capsys.readouterr().err
    assert f"{tmp_path / 'demonstration.txt'}: No space left on device; choose" in error
    assert not list(tmp_path.iterdir())


def test_an_interrupt_is_one_line_and_exit_code_130(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demonstration, "simulate", interrupt)
    assert main(["demo", "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "ratecert: interrupted\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE to imitate")
@pytest.mark.parametrize("command", ["demo", "tightness"])
def test_what_a_paper_does_not_bring_is_told(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A paper that has it is taken without being named; the tests above do that."""
    assert main([command, "--paper", "parallel-sgd"]) == 2
    assert "ratecert: paper must be one of federated-bilevel, which has the part" in capsys.readouterr().err


@pytest.mark.by_night("arguments1")
@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--replicates", "2", "--out"]])
def test_a_reader_who_has_gone_is_met_with_silence(arguments: list[str], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    if arguments[0] == "demo":
        arguments = [*arguments, str(tmp_path)]
    ended = command(*arguments, before=SHORT, stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, b"")
    if arguments[0] == "demo":
        assert len(list(tmp_path.iterdir())) == 3  # the files are written first


@pytest.mark.by_night("arguments1")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["demo", "--replicates", "2", "--out"]])
def test_a_full_standard_output_is_one_sentence_that_does_not_blame_the_folder(
    arguments: list[str], tmp_path: Path
) -> None:
    if arguments[0] == "demo":
        arguments = [*arguments, str(tmp_path)]
    with Path("/dev/full").open("w") as full:
        ended = command(*arguments, before=SHORT, stdout=full)
    assert ended.returncode == 2
    assert re.fullmatch(r"ratecert: standard output: [^\n]+\.\n", ended.stderr.decode())
    assert "--out" not in ended.stderr.decode()


@pytest.mark.by_night("utf-8")
@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.nightly), "utf-8"])
def test_the_table_does_not_depend_on_the_terminal(encoding: str, tmp_path: Path) -> None:
    arguments = ("demo", "--replicates", "2", "--out", str(tmp_path))
    ended = command(*arguments, before=SHORT, PYTHONIOENCODING=encoding, COLUMNS="40", FORCE_COLOR="1")
    assert ended.returncode == 0
    table = (tmp_path / "demonstration.txt").read_text(encoding="utf-8")
    assert "┃ sampled ± standard error ┃" in table
    out = ended.stdout.decode(encoding).replace(os.linesep, "\n")
    assert out.startswith(encodable(table, encoding))
    assert out.isascii() is (encoding != "utf-8")


def test_ascii_keeps_the_columns_and_escapes_the_rest() -> None:
    table = "┏━━━┳━━━━━━━┓\n┃ K ┃ 1 ± 2 ┃\n│ 4 │ 3 ± 4 │\n└───┴───────┘\n"
    plain = encodable(table, "ascii")
    assert plain.isascii()
    assert {len(line) for line in plain.splitlines()} == {13}
    assert "| K | 1 +-2 |" in plain
    assert encodable("Wrote é.svg\n", "ascii") == "Wrote \\xe9.svg\n"
    assert encodable(table, "utf-8") == table


def test_the_command_starts_without_heavy_imports() -> None:
    code = (
        "import sys, ratecert.cli.main, theory; print('sympy' in sys.modules, 'scipy.stats' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]
