"""Work that survives: what is finished is kept, found again by the right code only, and never spoiled.

The run that is killed is the command itself in a process of its own, on claims whose pieces take 30 milliseconds and
write down that they were computed.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oracles.toy_claims import LOG, PAUSE, computed, square, toy
from ratecert.claim.claim import Piece
from ratecert.cli.main import main
from ratecert.errors import StoreError
from ratecert.from_data import claims as known
from ratecert.run import code_version, store
from ratecert.run.store import DiskStore

PIECE = Piece(square, {"number": 3})
PROGRAM = """
import sys, types
from oracles.toy_claims import toy
from ratecert.from_data import claims as known
known.claims = lambda: {"toys": toy("toys", range(40))}
from ratecert.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_what_was_saved_is_found_again(tmp_path: Path) -> None:
    with DiskStore(tmp_path / "s") as first:
        assert first.load(PIECE) is None
        first.save(PIECE, "9.1")
    with DiskStore(tmp_path / "s") as second:
        assert second.load(PIECE) == "9.1"
        assert second.load(Piece(square, {"number": 4})) is None


def test_fresh_finds_nothing_and_replaces(tmp_path: Path) -> None:
    with DiskStore(tmp_path / "s") as first:
        first.save(PIECE, "old")
    with DiskStore(tmp_path / "s", fresh=True) as second:
        assert second.load(PIECE) is None
        second.save(PIECE, "new")
    with DiskStore(tmp_path / "s") as third:
        assert third.load(PIECE) == "new"


def test_other_code_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with DiskStore(tmp_path / "s") as kept:
        kept.save(PIECE, "9.1")
        monkeypatch.setattr(store, "code_version", lambda module: "another")
        assert kept.load(PIECE) is None


def test_the_code_that_matters() -> None:
    """The piece's module, what it imports, what is imported by name; not the claims beside it."""
    found = code_version.reachable("ratecert.papers.federated_bilevel.claims.complexity_table")
    assert {
        "ratecert.papers.federated_bilevel.claims.complexity_table",
        "ratecert.solvers.contract.signs",
        "ratecert.synthetic.worlds.wavy",
        "ratecert.theory.language.statements",
    } <= found
    assert "ratecert.papers.federated_bilevel.claims" not in found


def test_a_changed_file_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(changed: str, module: str) -> str:
        real = code_version._source

        def source(name: str) -> bytes:
            return real(name) + (b"# changed" if name == changed else b"")

        with monkeypatch.context() as patch:
            patch.setattr(code_version, "_source", source)
            return code_version.code_version.__wrapped__(module)

    module = "ratecert.solvers.estimators.hypergradient"
    assert version("ratecert.solvers.contract.signs", module) != version("nothing", module)
    assert version("ratecert.theory.lint.units", module) == version("nothing", module)


def test_two_runs_at_once_do_no_harm(tmp_path: Path) -> None:
    with DiskStore(tmp_path / "s") as one, DiskStore(tmp_path / "s") as two:
        for n in range(20):
            (one if n % 2 else two).save(Piece(square, {"number": n}), str(n))
        assert all(one.load(Piece(square, {"number": n})) == str(n) for n in range(20))


def test_many_runs_may_start_on_a_new_store_at_once(tmp_path: Path) -> None:
    """Threads stand in for processes: a connection each, and all wait for the same moment."""
    for round_ in range(5):
        start = threading.Barrier(4)

        def open_and_save(
            n: int, start: threading.Barrier = start, path: Path = tmp_path / f"s{round_}"
        ) -> None:
            start.wait()
            with DiskStore(path) as kept:
                kept.save(Piece(square, {"number": n}), str(n))

        with ThreadPoolExecutor(4) as runs:
            list(runs.map(open_and_save, range(4)))
        with DiskStore(tmp_path / f"s{round_}") as kept:
            assert [kept.load(Piece(square, {"number": n})) for n in range(4)] == list("0123")


def test_a_value_that_was_changed_in_the_file_is_not_used(tmp_path: Path) -> None:
    with DiskStore(tmp_path / "s") as kept:
        kept.save(PIECE, "9.1")
        kept.connection.execute("UPDATE pieces SET value = '9.2'")
        assert kept.load(PIECE) is None


def test_a_store_of_another_layout_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _store_with_a_piece(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    _refused_and_untouched(path, capsys, "was written by another version of ratecert")


def test_a_foreign_database_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "store.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    _refused_and_untouched(path, capsys, "or is none of its files")


@pytest.mark.parametrize("left", [0.9, 0.5, 0.1])
def test_a_truncated_store_is_refused_and_left_alone(
    left: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _store_with_a_piece(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(left * len(whole))])
    _refused_and_untouched(path, capsys, "is damaged")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("not a database, but long enough to be read as one" * 100, encoding="utf-8")
    with pytest.raises(StoreError, match="is damaged"):
        DiskStore(tmp_path / "s")


def test_a_full_disk_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite's own limit on the pages of a file stands in for a disk that is full."""
    prepare = DiskStore._prepare

    def small(self: DiskStore) -> None:
        prepare(self)
        self.connection.execute("PRAGMA max_page_count = 1")

    monkeypatch.setattr(DiskStore, "_prepare", small)
    toys = {"toys": toy("toys", range(400))}
    monkeypatch.setattr(known, "claims", lambda: toys)
    assert main(["verify", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 2
    err = capsys.readouterr().err
    assert "store.sqlite: the store cannot be used (database or disk is full)" in err
    assert err.count("\n") == 1


NIGHT = pytest.mark.nightly


@pytest.mark.parametrize(
    ("jobs", "kills"), [(1, 2), pytest.param(1, 10, marks=NIGHT), pytest.param(2, 10, marks=NIGHT)]
)
def test_a_run_that_is_killed_again_and_again_ends_like_an_undisturbed_one(
    jobs: int, kills: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two kills by day, ten with one and with two jobs by night, from before the first piece to after the last."""
    monkeypatch.setenv(PAUSE, "0.03")
    undisturbed = _start(tmp_path / "calm", tmp_path / "calm.log", jobs)
    assert undisturbed.wait() == 0
    moments = random.Random(jobs)
    for _ in range(kills):
        run = _start(tmp_path / "out", tmp_path / "log", jobs)
        first = _pieces(tmp_path / "out")
        deadline = time.monotonic() + 60
        while _pieces(tmp_path / "out") == first and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.1))
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    last = _start(tmp_path / "out", tmp_path / "log", jobs)
    assert last.wait() == 0
    calm, killed = ((tmp_path / name / "results.json").read_bytes() for name in ("calm", "out"))
    assert killed == calm
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    times = Counter(computed())
    assert set(times) == set(range(40))
    assert (
        sum(times.values()) - 40 <= jobs * kills * 2
    )  # of a kill, the pieces in hand and on their way are lost
    monkeypatch.setenv(LOG, str(tmp_path / "calm.log"))
    assert Counter(computed()) == Counter(range(40))


def _start(out: Path, log: Path, jobs: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, "verify", "--out", str(out), "--jobs", str(jobs)]
    tests = str(Path(__file__).parent)
    environment = {
        **os.environ,
        LOG: str(log),
        "PYTHONPATH": os.pathsep.join([tests, *filter(None, sys.path)]),
    }
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere, start_new_session=True)


def _pieces(out: Path) -> int:
    """How many pieces are in the store; 0 where there is none yet."""
    try:
        connection = sqlite3.connect(f"file:{out / 'store.sqlite'}?mode=ro", uri=True)
        (number,) = connection.execute("SELECT count(*) FROM pieces").fetchone()
    except sqlite3.Error:
        return 0
    connection.close()
    return int(number)


def _store_with_a_piece(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "store.sqlite"
    with DiskStore(path) as kept:
        for n in range(100):
            kept.save(Piece(square, {"number": n}), json.dumps("x" * 100))
    return path


def _refused_and_untouched(path: Path, capsys: pytest.CaptureFixture[str], sentence: str) -> None:
    before = path.read_bytes()
    assert main(["verify", "parallel-sgd:sgd-descent", "--out", str(path.parent)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"ratecert: {path}")
    assert sentence in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before
    assert not (path.parent / "results.json").exists()
