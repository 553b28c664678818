"""Work that survives: what is finished is stored, found again by the right code only, and never spoiled.

The run that is killed is the command itself in a process of its own, on claims whose tasks take 30 milliseconds and
write down that they were computed.
"""

import errno
import os
import random
import signal
import stat
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from oracles.toy_claims import LOG, PAUSE, computed, square, started, toy
from ratecert.claims.claim import Task
from ratecert.cli.main import main
from ratecert.errors import UnwritableError
from ratecert.run import store
from ratecert.run.store import DiskStore
from ratecert.run.tasks import key, run_tasks
from ratecert.verdicts import collect as known

TASK = Task(square, {"number": 3})


@pytest.fixture
def disk(tmp_path):
    return DiskStore(tmp_path / "s")


def test_what_was_saved_is_found_again(disk):
    assert disk.load(TASK) is None
    disk.save(TASK, "9.1")
    again = DiskStore(disk.folder)
    assert again.load(TASK) == "9.1"
    assert again.load(Task(square, {"number": 4})) is None
    assert (disk.computed, again.reused, again.computed) == (1, 1, 0)


def test_fresh_finds_nothing_and_replaces(disk):
    disk.save(TASK, "old")
    fresh = DiskStore(disk.folder, fresh=True)
    assert fresh.load(TASK) is None
    fresh.save(TASK, "new")
    assert disk.load(TASK) == "new"


def test_other_code_finds_nothing(disk, monkeypatch):
    disk.save(TASK, "9.1")
    monkeypatch.setattr(store, "digest", lambda: "another")
    assert disk.load(TASK) is None


def test_every_source_and_every_library_is_in_the_version(monkeypatch):
    """A file that is changed, renamed or cut into two gives another version; so does a library, or one that comes."""
    here = store.about()
    assert {"papers/parallel_sgd.py", "solvers/contract/signs.py", "synthetic/wavy.py"} <= {*store.sources()}
    assert {"Python", "numpy", "scipy", "sympy", "mpmath", "python-flint", store.SOURCES} == {*here}
    for what in here:
        with monkeypatch.context() as patch:
            patch.setattr(store, "about", lambda what=what: {**here, what: "0"})
            assert store.digest.__wrapped__() != store.digest()


def test_names_and_texts_of_sources_are_told_apart(tmp_path):
    found = set()
    texts = {"a": "one", "b": "two"}
    for files in (texts, {"a": "on", "b": "etwo"}, {"a": "one", "c": "two"}, {"a": "one", "b": "tw0"}):
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        found.add(store._digest_of({name: tmp_path / name for name in files}))
    assert len(found) == 4


def test_many_runs_may_start_on_a_new_store_at_once(tmp_path):
    """Threads stand in for processes: a store each, and all wait for the same moment."""
    start, tasks = threading.Barrier(4), [Task(square, {"number": n}) for n in range(4)]

    def open_and_save(task):
        start.wait()
        DiskStore(tmp_path / "s").save(task, str(task.arguments["number"]))

    with ThreadPoolExecutor(4) as runs:
        list(runs.map(open_and_save, tasks))
    assert [DiskStore(tmp_path / "s").load(task) for task in tasks] == list("0123")


def damages(whole):
    """Every byte changed, missing or doubled, every cut, and what was never a value."""
    for at in range(len(whole)):
        for bit in (0, 5, 7):
            yield whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
        yield whole[:at] + whole[at + 1 :]
        yield whole[:at]
        yield whole[: at + 1] + whole[at:]
    yield from (b"\0" * len(whole), b"\0" * 10**6, b"SQLite format 3\0" + whole, whole + b"\n", whole * 2)


def test_every_damage_is_a_miss_and_is_mended(disk):
    """None is believed, none stops a run, and what is computed again replaces it."""
    disk.save(TASK, '[{"square": 9.1}]')
    path = disk.path(TASK)
    whole = path.read_bytes()
    tried = 0
    for damaged in damages(whole):
        path.write_bytes(damaged)
        assert damaged == whole or disk.load(TASK) is None
        tried += damaged != whole
    assert tried > 400
    assert run_tasks([TASK], store=disk)[key(TASK)].value == [{"square": 9.1}]
    assert path.read_bytes() == whole
    assert disk.load(TASK) == '[{"square": 9.1}]'


def test_the_value_of_another_task_is_a_miss(disk):
    """A file that was copied over another one, which is whole."""
    other = Task(square, {"number": 4})
    disk.save(TASK, "9.1")
    disk.path(other).write_bytes(disk.path(TASK).read_bytes())
    assert disk.load(other) is None


def test_a_value_is_on_the_disk_before_it_has_its_name(disk, monkeypatch):
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
    disk.save(TASK, "9.1")
    assert done == ["68 bytes", "renamed", "folder"]  # 64 of the digest, one line end, three of the value


def test_a_machine_that_stops_in_the_middle_leaves_nothing_or_all(disk, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    for moment in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, moment, stop)
            with pytest.raises(KeyboardInterrupt):
                disk.save(TASK, "9.1")
        assert DiskStore(disk.folder).load(TASK) is None
    assert disk.computed == 0


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


@pytest.mark.nightly
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_killed_again_and_again_ends_like_an_undisturbed_one(jobs, tmp_path, monkeypatch):
    """Ten times, from before the first task to after the last."""

    def run(name):
        given = ("--out", tmp_path / name, "--jobs", jobs)
        return started(
            "toy_claims.square", "range(40)", *given, **{PAUSE: "0.03", LOG: str(tmp_path / f"{name}.log")}
        )

    def done():
        """How many tasks are in the store; 0 where there is none yet."""
        folder = tmp_path / "killed" / "store"
        return sum(not path.suffix for path in folder.iterdir()) if folder.is_dir() else 0

    assert run("calm").wait() == 0
    moments = random.Random(jobs)
    for _ in range(10):
        killed, first, deadline = run("killed"), done(), time.monotonic() + 60
        while done() == first and killed.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.1))
        with suppress(ProcessLookupError):  # it may have ended by itself
            os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
    assert run("killed").wait() == 0
    calm, last = ((tmp_path / name / "results.json").read_bytes() for name in ("calm", "killed"))
    assert last == calm
    times = {}
    for name in ("calm", "killed"):
        monkeypatch.setenv(LOG, str(tmp_path / f"{name}.log"))
        times[name] = Counter(computed())
        assert set(times[name]) == set(range(40))
    assert times["calm"].total() == 40
    assert (
        times["killed"].total() - 40 <= jobs * 10 * 2
    )  # of a kill, the tasks in hand and on their way are lost
