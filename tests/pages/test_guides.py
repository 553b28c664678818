"""The guides of docs/guides, followed literally; and the other pages' code.

A guide's blocks are of four kinds:

    python    with a first line such as `# solvers/bilevel_heavy_ball.py`: a new file; else to be executed
    diff      the name of a file, then lines of it (' '), which are there exactly once, and lines to add ('+')
    sh        commands `pytest ...` and `ratecert ...`, which must end with exit code 0
    text      what has been printed before it

Files and changes are made in a copy of the repository; then the other blocks are run there, in order, in one process
and one namespace.
"""

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COPIED = ("theory", "synthetic", "solvers", "ratecert", "tests", "witnesses", "proofs")
ALGORITHM, WORLD, CLAIM = "add_an_algorithm", "add_a_world", "add_a_claim"
pytestmark = pytest.mark.nightly

Block = tuple[str, str]  # kind and text


# What a page says.


def blocks_of(text: str) -> list[Block]:
    return re.findall(r"^```(python|diff|sh|text)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def guide(name: str) -> str:
    return (DOCS / "guides" / f"{name}.md").read_text(encoding="utf-8")


def file_of(block: Block) -> str | None:
    """The file that the block makes or changes."""
    named = re.match(r"# ([\w/]+\.py)\n", block[1])
    return named.group(1) if named and block[0] in ("python", "diff") else None


def changed(text: str, diff: str) -> str:
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if line[0] == " ") + "\n"
    after = "\n".join(line[1:] for line in lines) + "\n"
    if text.count(before) != 1:
        raise ValueError(
            f"these lines must be there exactly once, but are {text.count(before)} times:\n{before}"
        )
    return text.replace(before, after)


def make_files(blocks: list[Block], folder: Path) -> list[Block]:
    """Files and changes made; the blocks that are left to run."""
    for block in blocks:
        if name := file_of(block):
            body = block[1].split("\n", 1)[1]
            path = folder / name
            if block[0] == "python":
                assert not path.exists(), f"{name} is there already: the guide needs another example"
            path.parent.mkdir(exist_ok=True)
            path.write_text(body if block[0] == "python" else changed(path.read_text("utf-8"), body), "utf-8")
    return [block for block in blocks if not file_of(block)]


def follow(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The page followed in a copy: what is left to run, in a process that imports from the copy alone."""
    ignored = shutil.ignore_patterns("*.pyc", "*.pyc.*", "mutation")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    left = make_files(blocks_of(text), folder)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV", "PYTHON"))}
    settings = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    settings |= {"PYTEST_ADDOPTS": "-p no:cacheprovider", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-W", "error", str(folder / "tests" / "pages" / Path(__file__).name)]
    asked: dict[str, Any] = {"input": json.dumps(left), "capture_output": True, "text": True, "check": False}
    return subprocess.run(command, cwd=folder, env={**inherited, **settings}, **asked)


# In that process.


def run(blocks: list[Block]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    for kind, block in blocks:
        if kind == "python":
            with contextlib.redirect_stdout(printed):
                exec(compile(block, "guide", "exec"), names)
        elif kind == "sh":
            for line in block.splitlines():
                print(f"$ {line}", flush=True)
                if code := run_command(*shlex.split(line)):
                    raise SystemExit(f"{line} ended with exit code {code}")
        elif block not in printed.getvalue():
            raise SystemExit(f"printed was\n{printed.getvalue()}\nand not\n{block}")


def run_command(program: str, *arguments: str) -> int:
    if program == "pytest":
        return int(pytest.main([*arguments]))
    from ratecert.cli.main import main

    assert program == "ratecert", f"a guide's commands are pytest and ratecert, got {program}"
    return main([*arguments])


# The guides.


@pytest.mark.parametrize("name", [ALGORITHM, WORLD, CLAIM])
def test_the_guide_is_green(name: str, tmp_path: Path) -> None:
    done = follow(guide(name), tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE), done.stdout


def test_every_guide_is_followed() -> None:
    pages = {page.stem for page in (DOCS / "guides").glob("*.md")}
    assert pages == {ALGORITHM, WORLD, CLAIM}
    for name in pages:
        kinds = [kind for kind, _ in blocks_of(guide(name))]
        assert {"python", "sh"} <= set(kinds)
        assert guide(name).count("```") == 2 * len(kinds), f"{name} has a block of an unknown kind"


# Negative tests: the same page with one mistake.


@pytest.mark.parametrize(
    ("name", "right", "wrong", "seen"),
    [
        (*(ALGORITHM, "x = s.x - self.alpha * u\n", "s.x -= self.alpha * u\n        x = s.x\n"), "read-only"),
        (WORLD, "B=mu * eye", "B=2 * mu * eye", "FAILED .*test_truth_by_hand"),
    ],
)  # fmt: skip
def test_a_mistake_is_seen(name: str, right: str, wrong: str, seen: str, tmp_path: Path) -> None:
    assert guide(name).count(right) == 1
    done = follow(guide(name).replace(right, wrong), tmp_path)
    assert done.returncode == 1
    assert re.search(seen, done.stdout)
    assert "ended with exit code 1" in done.stderr


if __name__ == "__main__":
    from ratecert import solvers

    assert Path(solvers.__file__).is_relative_to(Path.cwd()), "the copy is not what runs"
    run([(kind, text) for kind, text in json.load(sys.stdin)])
