"""Output folders and files: refused early if they cannot be written, and never left half-written."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratecert.base.errors import UnwritableError


def require_writable(folder: Path) -> None:
    """Make the folder, and try it, before any work is done."""
    with _naming(folder):
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "this is a file, not a folder")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends well, and vanishes when not."""
    with _naming(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """The whole text or nothing of it, with the same line ends on every system."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """The system's errors name a temporary file, or (a full disk) none at all; the user knows only `path`."""
    try:
        yield
    except OSError as error:
        raise UnwritableError(error.errno, error.strerror or str(error), str(path)) from error
