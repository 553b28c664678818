"""Work that survives: what is finished is kept, found again by the right code only, and never spoiled.

The run that is killed is the command itself in a process of its own, on claims whose tasks take 30 milliseconds and
write down that they were computed.
"""

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oracles.toy_claims import LOG, PAUSE, computed, square, toy
from ratecert.claims.claim import Task
from ratecert.cli.main import main
from ratecert.errors import UnwritableError
from ratecert.run import store, version
from ratecert.run.store import DiskStore
from ratecert.run.tasks import key, run_tasks
from ratecert.verdicts import collect as known

PIECE = Task(square, {"number": 3})
PROGRAM = """
import sys, types
from oracles.toy_claims import toy
from ratecert.verdicts import collect as known
known.claims = lambda: {"toys": toy("toys", range(40))}
from ratecert.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def kept(tmp_path):
    return DiskStore(tmp_path / "s")


def test_what_was_saved_is_found_again(kept):
    assert kept.load(PIECE) is None
    kept.save(PIECE, "9.1")
    again = DiskStore(kept.folder)
    assert again.load(PIECE) == "9.1"
    assert again.load(Task(square, {"number": 4})) is None
    assert (kept.computed, again.reused, again.computed) == (1, 1, 0)


def test_fresh_finds_nothing_and_replaces(kept):
    kept.save(PIECE, "old")
    fresh = DiskStore(kept.folder, fresh=True)
    assert fresh.load(PIECE) is None
    fresh.save(PIECE, "new")
    assert kept.load(PIECE) == "new"


def test_other_code_finds_nothing(kept, monkeypatch):
    kept.save(PIECE, "9.1")
    monkeypatch.setattr(store, "digest", lambda: "another")
    assert kept.load(PIECE) is None


def test_every_source_and_every_library_is_in_the_version(monkeypatch):
    """A file that is changed, renamed or cut into two gives another version; so does a library, or one that comes."""
    here = version.about()
    assert {"papers/parallel_sgd.py", "solvers/contract/signs.py", "synthetic/worlds/wavy.py"} <= {
        *version.sources()
    }
    assert {"Python", "numpy", "scipy", "sympy", "mpmath", "python-flint", "numba", version.SOURCES} == {
        *here
    }
    for what in here:
        with monkeypatch.context() as patch:
            patch.setattr(version, "about", lambda what=what: {**here, what: "0"})
            assert version.digest.__wrapped__() != version.digest()


def test_names_and_texts_of_sources_are_told_apart(tmp_path):
    found = set()
    texts = {"a": "one", "b": "two"}
    for files in (texts, {"a": "on", "b": "etwo"}, {"a": "one", "c": "two"}, {"a": "one", "b": "tw0"}):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        found.add(version._digest({name: tmp_path / name for name in files}))
    assert len(found) == 4


def test_many_runs_may_start_on_a_new_store_at_once(tmp_path):
    """Threads stand in for processes: a store each, and all wait for the same moment."""
    for round_ in range(5):
        start = threading.Barrier(4)

        def open_and_save(n, start=start, path=tmp_path / f"s{round_}"):
            start.wait()
            DiskStore(path).save(Task(square, {"number": n}), str(n))

        with ThreadPoolExecutor(4) as runs:
            list(runs.map(open_and_save, range(4)))
        kept = DiskStore(tmp_path / f"s{round_}")
        assert [kept.load(Task(square, {"number": n})) for n in range(4)] == list("0123")


def damages(whole):
    """Every byte changed, missing or doubled, every cut, and what was never a value."""
    for at in range(len(whole)):
        for bit in (0, 5, 7):
            yield whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
        yield whole[:at] + whole[at + 1 :]
        yield whole[:at]
        yield whole[: at + 1] + whole[at:]
    yield from (b"\0" * len(whole), b"\0" * 10**6, b"SQLite format 3\0" + whole, whole + b"\n", whole * 2)


def test_every_damage_is_a_miss_and_is_mended(kept):
    """None is believed, none stops a run, and what is computed again replaces it."""
    kept.save(PIECE, '[{"square": 9.1}]')
    path = kept.path(PIECE)
    whole = path.read_bytes()
    tried = 0
    for damaged in damages(whole):
        path.write_bytes(damaged)
        assert damaged == whole or kept.load(PIECE) is None
        tried += damaged != whole
    assert tried > 400
    assert run_tasks([PIECE], store=kept)[key(PIECE)].value == [{"square": 9.1}]
    assert path.read_bytes() == whole
    assert kept.load(PIECE) == '[{"square": 9.1}]'


def test_the_value_of_another_task_is_a_miss(kept):
    """A file that was copied over another one, which is whole."""
    other = Task(square, {"number": 4})
    kept.save(PIECE, "9.1")
    kept.path(other).write_bytes(kept.path(PIECE).read_bytes())
    assert kept.load(other) is None


def test_a_value_is_on_the_disk_before_it_has_its_name(kept, monkeypatch):
    """The file is synced, then renamed, then its folder is synced; and only then the task counts as computed."""
    done: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(file):
        sync(file)
        done.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else f"{os.fstat(file).st_size} bytes")

    def renamed(path, target):
        done.append("renamed")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    kept.save(PIECE, "9.1")
    assert done == ["68 bytes", "renamed", "folder"]  # 64 of the digest, one line end, three of the value


def test_a_machine_that_stops_in_the_middle_leaves_nothing_or_all(kept, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    for moment in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, moment, stop)
            with pytest.raises(KeyboardInterrupt):
                kept.save(PIECE, "9.1")
        assert DiskStore(kept.folder).load(PIECE) is None
    assert kept.computed == 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
def test_a_full_disk_is_one_sentence(number, tmp_path, monkeypatch, capsys):
    def full(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(known, "claims", lambda: {"toys": toy("toys", range(4))})
    assert main(["verify", "--out", str(tmp_path / "out"), "--jobs", "1"]) == 2
    err = capsys.readouterr().err
    assert f"store: the store cannot be used ({os.strerror(number)}); choose another folder with --out" in err
    assert err.count("\n") == 1


def test_a_file_where_the_store_would_be_is_one_sentence(tmp_path):
    (tmp_path / "s").touch()
    with pytest.raises(UnwritableError, match=r"the store cannot be used .*/s'$"):
        DiskStore(tmp_path / "s")


NIGHT = pytest.mark.nightly


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("jobs", "kills"), [(1, 2), pytest.param(1, 10, marks=NIGHT), pytest.param(2, 10, marks=NIGHT)]
)
def test_a_run_that_is_killed_again_and_again_ends_like_an_undisturbed_one(
    jobs, kills, tmp_path, monkeypatch
):
    """Two kills by day, ten with one and with two jobs by night, from before the first task to after the last."""
    monkeypatch.setenv(PAUSE, "0.03")
    undisturbed = _start(tmp_path / "calm", tmp_path / "calm.log", jobs)
    assert undisturbed.wait() == 0
    moments = random.Random(jobs)
    for _ in range(kills):
        run = _start(tmp_path / "out", tmp_path / "log", jobs)
        first = _tasks(tmp_path / "out")
        deadline = time.monotonic() + 60
        while _tasks(tmp_path / "out") == first and run.poll() is None and time.monotonic() < deadline:
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
    )  # of a kill, the tasks in hand and on their way are lost
    monkeypatch.setenv(LOG, str(tmp_path / "calm.log"))
    assert Counter(computed()) == Counter(range(40))


def _start(out, log, jobs):
    command = [sys.executable, "-c", PROGRAM, "verify", "--out", str(out), "--jobs", str(jobs)]
    tests = str(Path(__file__).parent)
    environment = {
        **os.environ,
        LOG: str(log),
        "PYTHONPATH": os.pathsep.join([tests, *filter(None, sys.path)]),
    }
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere, start_new_session=True)


def _tasks(out):
    """How many tasks are in the store; 0 where there is none yet."""
    folder = out / "store"
    return sum(not path.suffix for path in folder.iterdir()) if folder.is_dir() else 0
