"""Finished tasks on disk, a file for each, so that a run that is killed loses only what it was computing.

The name of the file is a digest of the function, its arguments and the version of the code, so that a value can be out
of date but never wrong. Its first line is a digest of the rest. A file that is damaged, cut or not ours is a miss: the
task is computed again, and its file replaced. A file is on the disk, and whole, before it has its name; so two runs may
use one store at once, and a machine that loses its power leaves a file that is whole, or none.
"""

import hashlib
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

from ratecert.base.errors import UnwritableError
from ratecert.claims.claim import Task
from ratecert.run.tasks import key


class DiskStore:
    """Values of tasks in a folder; `fresh` finds nothing, and replaces what it saves."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self.folder, self.fresh = folder, fresh
        self.reused = self.computed = 0
        with self._usable():
            folder.mkdir(parents=True, exist_ok=True)

    def load(self, task: Task) -> str | None:
        """The value, where a whole file has it."""
        path = self.path(task)
        try:
            stated, _, value = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        if self.fresh or stated != _sum(path.name, value):
            return None
        self.reused += 1
        return value.decode()

    def save(self, task: Task, value: str) -> None:
        path, text = self.path(task), value.encode()
        own = path.with_suffix(f".{os.getpid()}")
        with self._usable():
            with own.open("wb") as file:
                file.write(_sum(path.name, text) + b"\n" + text)
                file.flush()
                os.fsync(file.fileno())
            own.replace(path)
            if os.name == "posix":  # the new name too; Windows has no way to ask for it, and needs none
                folder = os.open(self.folder, os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)
        self.computed += 1

    def path(self, task: Task) -> Path:
        """Where the value of a task is, or would be."""
        return self.folder / hashlib.sha256(f"{digest()} {key(task)}".encode()).hexdigest()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = error.strerror or str(error)
            said = f"the store cannot be used ({why}); choose another folder with --out"
            raise UnwritableError(None, said, str(self.folder)) from error


def _sum(name: str, value: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + value).hexdigest().encode()


# The version of everything that numbers depend on: Python, the libraries that compute, and the sources of ratecert. All
# sources count, also those that a task never runs: which of them it runs cannot be read off their text.

LIBRARIES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
SOURCES = "the sources of ratecert"


@cache
def about() -> dict[str, str]:
    """What -> its version, as it was when this process first looked."""
    found = {"Python": platform.python_version()} | {library: version(library) for library in LIBRARIES}
    return found | {SOURCES: _digest_of(sources())}


@cache
def digest() -> str:
    """One text for all of it."""
    return hashlib.sha256(repr(sorted(about().items())).encode()).hexdigest()


def sources() -> dict[str, Path]:
    """Every source of the package, by its path inside; links to folders are followed."""
    root = Path(__file__).parents[1]
    files = (Path(folder) / name for folder, _, names in os.walk(root, followlinks=True) for name in names)
    return {p.relative_to(root).as_posix(): p for p in sorted(files) if p.suffix == ".py"}


def _digest_of(files: dict[str, Path]) -> str:
    found = hashlib.sha256()
    for name, path in files.items():
        text = path.read_bytes()
        found.update(f"{name} {len(text)}\0".encode() + text)
    return found.hexdigest()[:12]
