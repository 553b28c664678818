"""Completion, asked of the shells themselves; `check NAME` and `report --open`."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ratecert as rc
from ratecert.cli.main import main

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
function=$(complete -p ratecert | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" ratecert "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_choices_and_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ratecert.bash"
    file.write_text(script("bash", capsys), encoding="utf-8")

    def asked(*words: str) -> set[str]:
        run = ["bash", "--norc", "-c", ASK, "bash", str(file), "ratecert", *words]
        return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())

    assert asked("ex") == {"expect", "explain", "explore"}
    assert asked("expect", "LocalB") == {"LocalBSGM", "LocalBSGVRM"}
    assert asked("expect", "SGD", "--world", "sc") == {"scalar"}
    assert asked("expect", "SGD", "--cert") == {"--certified"}
    assert asked("claims", "--verdict", "not-") == {"not-refuted", "not-applicable"}
    assert asked("check", "sg-noise-reduction.sv") == {"sg-noise-reduction.svrg-rate.printed-start.simple"}
    assert "theorem-1.repaired" in asked("verify", "theorem-1.")
    assert asked("completion", "") >= {"bash", "zsh", "fish"}
    assert asked("report", str(tmp_path)[:-1]) >= {str(tmp_path)}
    assert asked("no-such-command-") == set()  # the twin: nothing is completed that is not there


@pytest.mark.parametrize(("shell", "check"), [("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_other_shells_take_their_scripts(
    shell: str, check: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script(shell, capsys)
    assert {"zsh": "#compdef ratecert", "fish": "complete -c ratecert"}[shell] in text
    for name in ("expect", "LocalBSGM", "not-refuted", "--certified"):
        assert name.removeprefix("--" if shell == "fish" else "") in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its script is written, and not read by it")
    file = tmp_path / "script"
    file.write_text(text, encoding="utf-8")
    subprocess.run([shell, *check, str(file)], check=True)


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["completion", "dos"])
    assert "invalid choice: 'dos'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["theorem-1.printed-noise_u.simple", "federated-bilevel.theorem-1.printed-noise_u.simple"]
)
def test_a_kept_witness_is_checked_by_its_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name]) == 0
    assert f"{name}: confirmed by two ways" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("theorem-2", "did you mean theorem-2.printed-G.simple or theorem-2.printed-G? "),
        ("theorem-1.printed-noise-u.simple", "did you mean theorem-1.printed-noise_u.simple"),
        ("federated-bilevel.theorm-2", "did you mean theorem-2.printed-G.simple or "),
        ("pep-itm", "did you mean pep-item.item.printed.simple"),
        ("nothing", "kept; `ratecert check` lists those.\n"),
    ],
)
@pytest.mark.parametrize("command", ["check", "prove"])
def test_an_unknown_witness_is_one_sentence(
    command: str, name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, name]) == 2
    err = capsys.readouterr().err
    start = f"ratecert: {name} is neither a file nor one of the counterexamples that are kept; "
    assert err.startswith(start)
    assert hint in err
    assert err.count("\n") == 1


def test_check_without_a_name_lists_the_kept_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr().out.splitlines() == rc.witnesses()


@pytest.mark.parametrize("opens", [True, False])
def test_a_report_is_shown_in_the_browser_or_says_where_it_is(
    opens: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    def write(folder: Path, explored: object) -> int:
        (folder / "index.html").write_text("a page", encoding="utf-8")
        return 0

    def browse(address: str) -> Any:
        shown.append(address)
        return opens

    monkeypatch.setattr("ratecert.report.report.print_report", write)
    monkeypatch.setattr("webbrowser.open", browse)
    assert main(["report", str(tmp_path)]) == 0
    assert shown == []
    assert main(["report", str(tmp_path), "--open"]) == (0 if opens else 2)
    assert shown == [(tmp_path / "index.html").resolve().as_uri()]
    assert ("no browser was found here; open file://" in capsys.readouterr().err) is not opens
