"""What is read from a file runs nothing: a paper that data names is looked up among those that the user has named.

The walk has every command and every public function; one that is new has to be put on a list before this passes.
"""

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w

import ratecert as rc
from oracles import long_form
from ratecert.base import asked
from ratecert.cli.main import main, parser
from ratecert.explore.server import Server
from ratecert.report.results import NUMBERS, OF_CLAIM, OF_FILE

PAPER = Path(str(long_form.__file__))
NAMES = {
    "absolute": "{folder}/evil.py",
    "relative": "evil.py",
    "dotted": "evil_package.evil",
    "dotted, of a module": "evil.theorem",
    "upper case": "evil.PY",
    "at home": "~/evil.py",
    "a link": "link.py",
    "a way round": "sub/../evil.py",
    "a way out": "../{name}/evil.py",
    "with a NUL": "{folder}/evil.py\0.py",
}
Written = Callable[[str], Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paper in several places that leaves a mark when it is run."""
    mark = f"\nfrom pathlib import Path\nPath({str(tmp_path / 'mark')!r}).touch()\n"
    evil = PAPER.read_text(encoding="utf-8") + mark
    (tmp_path / "evil_package").mkdir()
    (tmp_path / "sub").mkdir()
    for path in (tmp_path / "evil.py", tmp_path / "evil_package" / "evil.py"):
        path.write_text(evil, encoding="utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "evil.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(asked, "_ASKED", {})
    return tmp_path


def witness(statement: str) -> Path:
    head = {"format": 1, "statement": statement, "variant": "printed", "place": "", "ratio": 2.0}
    return toml("w.toml", head | {"single_level": {"L": 1.0}, "run": {"K": 1, "T": 1}})


def conjecture(statement: str) -> Path:
    return toml(
        "c.toml", {"format": 1, "conjecture": statement, "variant": "printed", "factors": {"term.x": 1.0}}
    )


def toml(name: str, data: dict[str, object]) -> Path:
    Path(name).write_text(tomli_w.dumps(data), encoding="utf-8")
    return Path(name)


def results(statement: str) -> Path:
    """A folder whose results speak of the statement."""
    numbers = dict.fromkeys(NUMBERS) | {"relation": "<="}
    check = {"name": "x", "verdict": "passes", **numbers}
    words = {"id": "svrg:theorem-1.printed", "of": [statement], "verdict": "refuted", "expected": "refuted"}
    empty = {"evidence": [], "notes": [], "table": [], "figures": [], "settings": {}, "chart": None}
    claim = {**dict.fromkeys(OF_CLAIM, "x"), **words, **empty, **numbers, "checks": [check]}
    whole = dict.fromkeys(OF_FILE, "x") | {"schema": 2, "claims": [claim], "errata": []}
    Path("found").mkdir(exist_ok=True)
    Path("found/results.json").write_text(json.dumps(whole), encoding="utf-8")
    return Path("found")


READERS: dict[str, tuple[Written, Callable[[Path], list[str]]]] = {
    "check": (witness, lambda file: ["check", str(file)]),
    "prove": (witness, lambda file: ["prove", str(file)]),
    "explore": (witness, lambda file: ["explore", str(file), "--no-open"]),
    "falsify": (conjecture, lambda file: ["falsify", str(file)]),
    "report": (results, lambda file: ["report", str(file)]),
    "library": (results, lambda file: ["library", "--results", f"{file}/results.json"]),
}
NOTHING_LOOKED_UP = {"compare", "verify"}  # read results, or a store, and look up no statement of theirs
NO_READERS = {"explain", "lint", "new", "sharpen"}


def test_the_walk_has_every_command_and_every_public_function() -> None:
    (commands,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    assert set(commands.choices) == READERS.keys() | NOTHING_LOOKED_UP | NO_READERS
    functions = {name for name in rc.__all__ if "path" in str(getattr(rc, name).__annotations__).lower()}
    assert functions == {"check_witness"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", READERS)
def test_no_command_runs_what_data_names(
    command: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = NAMES[name].format(folder=folder, name=folder.name)
    write, arguments = READERS[command]
    file = write(f"{key}:theorem-1")
    assert main(arguments(file)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert file.name in said.err
    if "\0" not in key:
        assert f"{key}:theorem-1" in said.err
        assert "--paper" in said.err
    assert not (folder / "mark").exists()


@pytest.mark.parametrize("name", NAMES)
def test_no_function_runs_what_data_names(name: str, folder: Path) -> None:
    file = witness(f"{NAMES[name].format(folder=folder, name=folder.name)}:theorem-1")
    with pytest.raises(rc.errors.UserError, match=file.name):
        rc.check_witness(file)
    assert not (folder / "mark").exists()


@pytest.mark.parametrize("command", ["check", "prove", "explore", "falsify", "report"])
def test_what_the_user_names_is_run(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To type the file is consent, whatever folder the data was written in."""
    monkeypatch.setattr(Server, "serve_forever", lambda _: None)
    write, arguments = READERS[command]
    file = write("/elsewhere/evil.py:theorem-1")
    main([*arguments(file), "--paper", "evil.py"])
    assert (folder / "mark").exists()


def test_a_paper_that_a_function_was_given_is_known_to_data(folder: Path) -> None:
    shutil.copy("evil.py", "sub/other.py")
    rc.lint("sub/other.py")
    with pytest.raises(rc.errors.WitnessError, match="spread is missing"):
        rc.check_witness(witness("other.py:theorem-1"))
    with pytest.raises(rc.errors.UserError, match="have not named"):
        rc.check_witness(witness("evil.py:theorem-1"))


def test_data_that_could_mean_two_papers_is_refused(folder: Path) -> None:
    shutil.copy("evil.py", "sub/evil.py")
    for each in ("evil.py", "sub/evil.py"):
        asked.asked(each)
    with pytest.raises(rc.errors.UserError, match=r"could be any of evil\.py and sub/evil\.py"):
        rc.check_witness(witness("/elsewhere/evil.py:theorem-1"))
