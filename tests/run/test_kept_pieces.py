"""What tests keep of the claims: one computation for all workers of a session, and never another piece's value."""

from pathlib import Path

import pytest

from oracles.kept_pieces import KeptPieces
from oracles.toy_claims import LOG, computed, square
from ratecert.claims.claim import Piece
from ratecert.run.tasks import run_pieces


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    return tmp_path


def asked(store: KeptPieces, *numbers: int) -> list[object]:
    pieces = [Piece(square, {"number": n}) for n in numbers]
    return [outcome.value for outcome in run_pieces(pieces, store=store).values()]


def test_a_second_worker_computes_only_what_is_new(folder: Path) -> None:
    assert asked(KeptPieces(folder), 2, 3) == asked(KeptPieces(folder), 2, 3)
    assert computed() == [2, 3]
    assert asked(KeptPieces(folder), 4) == [[{"square": 16.1}]]
    assert computed() == [2, 3, 4]


def test_without_a_folder_each_process_keeps_its_own(folder: Path) -> None:
    first, second = KeptPieces(), KeptPieces()
    assert asked(first, 2) == asked(first, 2) == asked(second, 2)
    assert computed() == [2, 2]
