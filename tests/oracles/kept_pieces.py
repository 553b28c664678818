"""Values of the pieces of claims, each computed once in a session, whichever test and whichever worker asks first.

A value lies in a folder of the session, in a file named by what it computes; `tests/conftest.py` names the folder.
Without one, as under coverage, which has to see the lines run, each process keeps its own. Values are those of the
sources as they are: a test that substitutes something asks before it does, or computes for itself.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ratecert.claims.claim import Budget, Claim, Piece, rows_of
from ratecert.claims.rows import Rows
from ratecert.run.tasks import key, run_pieces


class KeptPieces:
    """A store for `run_pieces`. A file is there whole or not at all, so two workers may write the same one."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.own: dict[str, str] = {}  # of this process

    def load(self, piece: Piece) -> str | None:
        path = self._path(piece)
        if path and path.exists():
            return path.read_text("utf-8")
        return self.own.get(key(piece))

    def save(self, piece: Piece, value: str) -> None:
        self.own[key(piece)] = value
        path = self._path(piece)
        if path:
            own = path.with_suffix(f".{os.getpid()}")
            own.write_text(value, "utf-8")
            own.replace(path)

    def _path(self, piece: Piece) -> Path | None:
        return self.folder and self.folder / hashlib.sha256(key(piece).encode()).hexdigest()


KEPT = KeptPieces()


def values_of(pieces: Iterable[Piece]) -> list[Any]:
    """Piece by piece, so that what another worker finishes meanwhile is not computed again."""
    outcomes = [outcome for piece in pieces for outcome in run_pieces([piece], store=KEPT).values()]
    assert not [outcome.failure for outcome in outcomes if outcome.failure]
    return [outcome.value for outcome in outcomes]


def rows_from(claim: Claim, budget: Budget) -> Rows:
    """All rows of a claim at this budget."""
    pieces = claim.pieces(budget)
    return rows_of(pieces, values_of(pieces))
