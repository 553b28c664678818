"""Processes that work for a command end with it, however it ends, and run the papers that it was asked for."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ratecert.base import asked
from ratecert.run.tasks import as_finished

PROGRAM = """
import os, sys, time
from pathlib import Path
from ratecert.run.tasks import as_finished
def work(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(3600)
list(as_finished(work, [(sys.argv[1],)] * 2, 2))
"""
PATIENCE = 240.0  # seconds, of which two idle cores need one; a worker that nobody ends lives for an hour


def lives(pid):
    """What has ended and was not waited for is a zombie, whose command line is empty."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc to see processes")
def test_no_worker_outlives_a_command_that_is_killed(tmp_path):
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)])
    try:
        deadline = time.monotonic() + PATIENCE
        while len(workers := [int(path.name) for path in tmp_path.iterdir()]) < 2:
            assert time.monotonic() < deadline, parent.poll()
            time.sleep(0.05)
        assert all(map(lives, workers))
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + PATIENCE
    while any(map(lives, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(lives, workers))


def known(name):
    return bool(asked.meant_by(name))


def test_workers_have_the_parents_list(tmp_path):
    asked.asked(str(tmp_path / "only_here.py"))
    names = ["only_here.py", "nowhere.py"] * 2
    assert sorted(as_finished(known, [(name,) for name in names], 2)) == [False, False, True, True]
