"""Finished pieces on disk: what is computed lands at once, and a run that is killed loses at most the pieces in hand.

One SQLite file in write-ahead mode: a piece is there whole or not at all, and two runs may use it at once. A piece is
found again by its function, its arguments and the version of the code that matters for it, so an entry can be out of
date but never wrong. A file that is damaged or has another layout is refused and left as it is.
"""

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from ratecert.claim.claim import Piece
from ratecert.errors import StoreError, UnwritableError
from ratecert.run.code_version import code_version
from ratecert.run.running import key

APPLICATION = 0x52436572  # "RCer": marks the file as ours
LAYOUT = 1
PATIENCE = 60.0  # seconds to wait while another run writes


class DiskStore:
    """Pieces by name; `fresh` finds nothing, and replaces what it saves."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path, self.fresh = path, fresh
        self.reused = self.computed = 0
        with self._speaking():
            self.connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._speaking():
                self._prepare()
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self) -> "DiskStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def load(self, piece: Piece) -> str | None:
        if self.fresh:
            return None
        with self._speaking():
            query = "SELECT value, digest FROM pieces WHERE name = ?"
            value, digest = self.connection.execute(query, (name(piece),)).fetchone() or (None, "")
        if value is None or digest != _digest(name(piece), value):
            return None
        self.reused += 1
        return str(value)

    def save(self, piece: Piece, value: str) -> None:
        self.computed += 1
        with self._speaking():
            self.connection.execute(
                "INSERT OR REPLACE INTO pieces (name, what, value, digest) VALUES (?, ?, ?, ?)",
                (name(piece), key(piece), value, _digest(name(piece), value)),
            )

    def _prepare(self) -> None:
        """Make the table in a new file; refuse a file that is damaged or not ours. One run at a time."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self._require_ours()
            self.connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self.connection.execute(f"PRAGMA user_version = {LAYOUT}")
            self.connection.execute(
                "CREATE TABLE IF NOT EXISTS pieces "
                "(name TEXT PRIMARY KEY, what TEXT NOT NULL, value TEXT NOT NULL, digest TEXT NOT NULL)"
            )
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")
        self._switch_to_write_ahead()

    def _require_ours(self) -> None:
        application, layout = (self._pragma(p) for p in ("application_id", "user_version"))
        empty = self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if not empty and (application, layout) != (APPLICATION, LAYOUT):
            raise StoreError(
                f"{self.path} was written by another version of ratecert, or is none of its files (layout {layout}, "
                f"this version reads {LAYOUT}); choose another folder with --out, or move the file away."
            )
        found = str(self._pragma("quick_check"))
        if found != "ok":
            raise sqlite3.DatabaseError(found.splitlines()[0])

    def _switch_to_write_ahead(self) -> None:
        """SQLite does not wait for another run when it changes the mode, so we do."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def _pragma(self, what: str) -> object:
        return self.connection.execute(f"PRAGMA {what}").fetchone()[0]

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """SQLite's errors as one sentence that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise UnwritableError(None, f"the store cannot be used ({error})", str(self.path)) from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{self.path} is damaged ({error}) and was left as it is; move it away, or choose another folder with "
                f"--out."
            ) from error


def name(piece: Piece) -> str:
    """What is computed, and by which code."""
    text = f"{code_version(piece.function.__module__)} {key(piece)}"
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(name: str, value: str) -> str:
    """A value that was changed in the file is computed again."""
    return hashlib.sha256(f"{name} {value}".encode()).hexdigest()
