"""A mistake as a change of the sources: a line as it is, and a wrong one in its place.

The package is copied, wherever it is installed, and the copy is changed. A line must occur exactly once in
its file; otherwise the list of mistakes has grown old, and that is an error.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ratecert.base.errors import StaleEditError

PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Edit:
    file: str  # inside the package, such as solvers/methods/local_bsgm.py
    line: str  # as it is; a part of a line or several lines will do
    wrong: str


@dataclass(frozen=True)
class Mistake:
    """Something wrong with these algorithms.

    `unseen` says why no measurement notices, where that is so: what is measured is then as it would be without the
    mistake, or differs by less than any claim resolves.
    """

    what: str
    algorithms: tuple[str, ...]
    edits: tuple[Edit, ...]
    unseen: str = ""


def mistake(algorithms: tuple[str, ...], file: str, what: str, *lines: str, unseen: str = "") -> Mistake:
    """A mistake in one file; `lines` are, in turn, a line as it is and the wrong one in its place."""
    edits = (Edit(file, line, wrong) for line, wrong in zip(lines[::2], lines[1::2], strict=True))
    return Mistake(what, algorithms, tuple(edits), unseen)


def changed(edit: Edit, text: str) -> str:
    """The text of the file with the edit applied."""
    found = text.count(edit.line)
    if found != 1:
        raise StaleEditError(
            f"{edit.file} has {edit.line!r} {found} times, and an edit needs it exactly once; bring the list "
            f"up to date."
        )
    return text.replace(edit.line, edit.wrong)


def source_of(file: str) -> Path:
    """Where a file of the package is installed."""
    return PACKAGE / file


def require_fitting(edits: Iterable[Edit]) -> None:
    """Refuse edits that do not fit the sources, before any work. Edits of one file apply one after the other."""
    texts: dict[str, str] = {}
    for edit in edits:
        if edit.file not in texts:
            texts[edit.file] = _read(source_of(edit.file), edit.file)
        texts[edit.file] = changed(edit, texts[edit.file])


def copy_with(edits: Iterable[Edit], folder: Path) -> None:
    """The package in the folder, with the edits applied."""
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in edits:
        path = folder / PACKAGE.name / edit.file
        path.write_text(changed(edit, _read(path, edit.file)), encoding="utf-8")


def _read(path: Path, file: str) -> str:
    if not path.is_file():
        raise StaleEditError(f"an edit speaks of {file!r}, which does not exist; bring the list up to date.")
    return path.read_text(encoding="utf-8")
