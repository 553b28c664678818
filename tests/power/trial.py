"""A mistake on trial: a line of the sources is changed in a copy of the package, and claims run in a process there.

A line must occur exactly once in its file; otherwise the list of mistakes has grown old, and that is an error.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ratecert

PACKAGE = Path(ratecert.__file__).parent
LONGEST = 300  # seconds for a trial: some mistakes make a search for a step or a period endless
JUDGE = """
import json, sys
from pathlib import Path
import ratecert
assert Path(ratecert.__file__).resolve().is_relative_to(Path.cwd().resolve()), "the copy is not what runs"
from ratecert.claims.claim import Budget
from ratecert.verdicts.collect import claims
from ratecert.report.judge import judged
for entry in judged([claims()[name] for name in sys.argv[1:]], Budget()):
    print(json.dumps([entry["id"], entry["verdict"], entry["expected"]]))
"""


@dataclass(frozen=True)
class Edit:
    file: str  # inside the package, such as solvers/methods/local.py
    line: str  # as it is; a part of a line or several lines will do
    wrong: str


def edited(edits: Iterable[Edit], folder: Path = PACKAGE) -> dict[Path, str]:
    """The texts of the changed files; edits of one file apply one after the other."""
    texts: dict[Path, str] = {}
    for edit in edits:
        path = folder / edit.file
        text = texts.get(path) or path.read_text(encoding="utf-8")
        assert text.count(edit.line) == 1, f"{edit.file} has not {edit.line!r} once: the edit has grown old."
        texts[path] = text.replace(edit.line, edit.wrong)
    return texts


def verdicts(edits: Sequence[Edit], claims: Sequence[str], folder: Path) -> dict[str, tuple[str, str]]:
    """The verdict and the expected one of each claim, with the edits, in a copy of the package in the folder."""
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    for stored in ("witnesses", "proofs"):  # which the claims on printed mistakes read
        shutil.copytree(PACKAGE.parent / stored, folder / stored)
    for path, text in edited(edits, folder / PACKAGE.name).items():
        path.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", JUDGE, *claims]
    run = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert run.returncode == 0, run.stderr  # the edit is wrong, not the algorithm
    return {id: (verdict, expected) for id, verdict, expected in map(json.loads, run.stdout.splitlines())}
