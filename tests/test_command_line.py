"""The command: help, the demonstration, and mistakes that end in one sentence and exit code 2."""

import subprocess
import sys
from pathlib import Path

import pytest

from ratecert.command_line import main


@pytest.mark.smoke
def test_help_and_version_exit_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--help", "--version"):
        with pytest.raises(SystemExit, match="0"):
            main([option])
    assert "ratecert" in capsys.readouterr().out


def test_an_unknown_command_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["prove"])
    assert "invalid choice: 'prove'" in capsys.readouterr().err


@pytest.mark.smoke
def test_the_demonstration_writes_a_table_and_a_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", str(tmp_path / "new" / "folder"), "--replicates", "2"]) == 0
    out = capsys.readouterr().out
    assert "LocalBSGM" in out
    assert "LocalBSGVRM" in out
    figure = (tmp_path / "new" / "folder" / "demonstration.svg").read_text()
    assert figure.rstrip().endswith("</svg>")
    assert sorted(p.name for p in (tmp_path / "new" / "folder").iterdir()) == [
        "demonstration.png",
        "demonstration.svg",
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


def test_the_command_starts_without_heavy_imports() -> None:
    code = "import sys, ratecert.command_line, theory; print('sympy' in sys.modules, 'scipy.stats' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]
