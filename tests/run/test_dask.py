"""Beyond one machine: sweeps on a Dask cluster, here two workers on this machine, and what happens when they die."""

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
from functools import partialmethod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oracles.cluster_pieces import FOLDER, ask, deadly, deadly_once, nested, process, score, slow, undrawn
from oracles.toy_claims import toy
from ratecert.binding.families import Level
from ratecert.claims.claim import Claim, Piece
from ratecert.cli.main import main
from ratecert.errors import ClusterError
from ratecert.run import dask
from ratecert.run.store import DiskStore
from ratecert.run.tasks import as_finished, run_pieces
from ratecert.search.climb import search
from ratecert.verdicts import collect as known

distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra `cluster`)")

pytestmark = pytest.mark.nightly  # schedulers and workers of their own, which wait for one another
ROOT = Path(__file__).parents[2]
NUMBERS = range(12)
PROGRAM = """
import sys
from oracles.cluster_pieces import slow
from oracles.toy_claims import toy
from ratecert.verdicts import collect as known
known.claims = lambda: {"toys": toy("toys", range(6), slow)}
from ratecert.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def local(**more):
    given = {
        "host": "127.0.0.1",
        "protocol": "tcp",
        "dashboard_address": "127.0.0.1:0",
        "threads_per_worker": 1,
    }
    return distributed.LocalCluster(**{**given, "silence_logs": logging.CRITICAL + 1, **more})


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(tmp_path_factory.mktemp("asked")))
        soon = {
            "distributed.comm.timeouts.connect": "5s"
        }  # for a scheduler that asks a dead worker; else 30 s
        with pytest.importorskip("dask").config.set(soon), local(n_workers=2, processes=True) as started:
            yield started


@pytest.fixture
def address(two_workers):
    two_workers.scheduler.allowed_failures = 3
    return str(two_workers.scheduler_address)


@pytest.fixture
def claims(monkeypatch):
    toys: dict[str, Claim] = {}
    monkeypatch.setattr(known, "claims", lambda: toys)
    return toys


@pytest.fixture
def without_figures(monkeypatch):
    monkeypatch.setattr("ratecert.report.figures._draw", undrawn)


def verify(out, *more):
    return main(["verify", "--out", str(out), *more])


def written(out):
    return (out / "results.json").read_bytes()


def test_a_worker_killed_in_the_middle_changes_nothing(address, claims, tmp_path):
    claims["toys"] = toy("toys", NUMBERS, deadly_once)
    assert verify(tmp_path / "one", "--jobs", "1") == 0
    ask("once").touch()
    assert verify(tmp_path / "two", "--scheduler", address) == 0
    assert not ask("once").exists()  # a worker was killed
    assert written(tmp_path / "one") == written(tmp_path / "two")
    run = json.loads((tmp_path / "two" / "run.json").read_text(encoding="utf-8"))
    assert run["pieces"].startswith("12 computed, 0 kept")
    assert "cluster" in run["machine"]


@pytest.mark.usefixtures("without_figures")
def test_without_a_second_try_the_piece_would_be_missed(address, two_workers, claims, tmp_path, monkeypatch):
    """The negative of the test above: nobody sends a piece again whose worker has died."""
    two_workers.scheduler.allowed_failures = 0
    monkeypatch.setattr(dask.Workers, "__init__", partialmethod(dask.Workers.__init__, again=False))
    claims["toys"] = toy("toys", NUMBERS, deadly_once)
    ask("once").touch()
    assert verify(tmp_path, "--scheduler", address) == 1
    (claim,) = json.loads(written(tmp_path))["claims"]
    assert claim["verdict"] == "undecided"


@pytest.mark.usefixtures("without_figures")
def test_a_piece_that_kills_its_workers_fails_alone(address, two_workers, claims, tmp_path, capsys):
    """With no failure allowed Dask gives up what waited at the dead worker, too; those pieces get their values."""
    two_workers.scheduler.allowed_failures = 0
    claims["deadly"] = toy("deadly", [3], deadly)
    claims["toys"] = toy("toys", [1, 2, 4, 5, 6, 7], deadly)
    assert verify(tmp_path, "--scheduler", address) == 1
    found = json.loads(written(tmp_path))["claims"]
    assert {claim["id"]: claim["verdict"] for claim in found} == {
        "deadly": "undecided",
        "toys": "not refuted",
    }
    err = capsys.readouterr().err
    assert re.fullmatch(
        r"ratecert: deadly is undecided.*cluster_pieces\.deadly: every worker that had it died.*\n", err
    )


def test_an_interrupt_leaves_nothing_on_the_cluster_and_is_resumed(address, two_workers, tmp_path):
    ask("slow").touch()
    command = [sys.executable, "-c", PROGRAM, "verify", "--out", str(tmp_path), "--scheduler", address]
    tests = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([tests, *filter(None, sys.path)])}
    run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while (kept := _kept(tmp_path)) != 4:
        assert run.poll() is None, f"ended with {kept} pieces"
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=30)
    assert (run.returncode, err.decode()) == (
        130,
        "ratecert: interrupted; the same command goes on from here\n",
    )
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=20)
        for worker in list(client.nthreads()):  # each has one thread, which a slow piece would hold
            assert client.submit(os.getpid, workers=[worker], pure=False).result(timeout=20)
    assert not two_workers.scheduler.tasks
    ask("slow").unlink()
    store = DiskStore(tmp_path / "store")
    with dask.workers(None, address) as jobs:
        outcomes = run_pieces([Piece(slow, {"number": n}) for n in range(6)], jobs=jobs, store=store)
    assert [outcome.value[0]["square"] for outcome in outcomes.values()] == [n**2 + 0.1 for n in range(6)]
    assert (store.computed, store.reused) == (2, 4)


def _kept(out):
    store = DiskStore(out / "store")
    return sum(store.load(Piece(slow, {"number": n})) is not None for n in range(6))


def test_a_search_finds_the_same_on_a_cluster(address):
    """Its processes are held over many generations."""
    given: dict[str, Any] = {"subspaces": [{}, {"b": 1.0}], "budget": 256, "seed": 1}
    levels = [Level(name="a", low=1.0, high=10.0), Level(name="b", low=1.0, high=2.0)]
    here = search(score, levels, jobs=1, **given)
    with dask.workers(None, address) as jobs:
        assert jobs == 2
        there = search(score, levels, jobs=jobs, **given)
    assert here == there


def test_calls_run_on_workers_also_where_there_is_one(address):
    with dask.workers(None, address) as jobs:
        assert os.getpid() not in set(as_finished(process, [(n,) for n in range(8)], jobs))
        assert os.getpid() not in set(as_finished(process, [(0,)], 1))
    assert list(as_finished(process, [(0,)], 1)) == [os.getpid()]


def test_parallel_calls_inside_a_call_stay_in_its_process(address):
    with dask.workers(None, address) as jobs:
        assert all(len(found) == 1 for found in as_finished(nested, [(n,) for n in range(2)], jobs))


def refusal(capsys, out, address, *more):
    """The one sentence, said before anything is made."""
    assert verify(out, "--scheduler", address, *more) == 2
    err = capsys.readouterr().err
    assert err.startswith("ratecert: ")
    assert err.count("\n") == 1
    assert not out.exists()
    return err.removeprefix("ratecert: ")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(dask, "PATIENCE", 0.3)
    monkeypatch.setattr(dask, "ARRIVAL", 0.3)


@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_does_not_answer(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # whoever connects waits for ever
        port = silent.getsockname()[1]
        assert "does not answer" in refusal(capsys, tmp_path / "out", f"127.0.0.1:{port}")
    closed = refusal(capsys, tmp_path / "out", f"127.0.0.1:{port}")
    assert closed.startswith(f"the scheduler at 127.0.0.1:{port} does not answer within 0.3 s")


@pytest.mark.parametrize("wrong", ["", "127.0.0.1", "127.0.0.1:x", "nothing://127.0.0.1:1"])
def test_what_is_no_address(wrong, tmp_path, capsys):
    said = refusal(capsys, tmp_path / "out", wrong)
    assert said.startswith(f"scheduler must be an address such as tcp://host:8786, got {wrong!r}")


def test_jobs_and_a_scheduler_are_one_too_many(tmp_path, capsys):
    assert "leave one of them out" in refusal(capsys, tmp_path / "out", "127.0.0.1:1", "--jobs", "2")


def test_no_dask(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "needs Dask, which is not installed" in refusal(capsys, tmp_path / "out", "127.0.0.1:1")


def test_the_address_of_a_worker(address, two_workers, tmp_path, capsys):
    worker = next(iter(two_workers.scheduler.workers))
    assert f"at {worker} is a Worker" in refusal(capsys, tmp_path / "out", worker)


@pytest.mark.usefixtures("impatient")
def test_no_workers(tmp_path, capsys):
    with local(n_workers=0) as empty:
        assert "has no worker after 0.3 s" in refusal(capsys, tmp_path / "out", empty.scheduler_address)


def test_a_worker_with_two_threads(tmp_path, capsys):
    with local(n_workers=1, threads_per_worker=2, processes=False) as threaded:
        said = refusal(capsys, tmp_path / "out", threaded.scheduler_address)
    assert "has 2 threads and must have 1" in said
    assert "--nthreads 1" in said


def other(what):
    return {**dask.versions(), what: "0.0"}


@pytest.mark.parametrize("what", ["numpy", "the sources of ratecert"])
def test_a_worker_with_another_version(what, address, tmp_path, capsys, monkeypatch):
    changed = other(what)
    monkeypatch.setattr(dask, "versions", lambda: changed)
    said = refusal(capsys, tmp_path / "out", address)
    assert re.match(rf"worker tcp://\S+ has another version of {what} \(.*, here 0.0\)", said)


def test_a_worker_that_comes_later_is_asked_as_well(address, monkeypatch):
    changed = other("numpy")
    with dask.workers(None, address):
        monkeypatch.setattr(dask, "versions", lambda: changed)
        with pytest.raises(ClusterError, match="has another version of numpy"):
            run_pieces([Piece(slow, {"number": 1})])


def test_the_worker_that_may_work():
    """And the sources are read, not guessed."""
    worker = SimpleNamespace(state=SimpleNamespace(nthreads=1), address="tcp://here")
    assert dask.unfit(dask.versions(), worker) == ""
    assert re.fullmatch(r"[0-9a-f]{12}", dask.versions()["the sources of ratecert"])


def commands_of(page, heading):
    """What a section of docs/cluster.md tells to type."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line.split() for line in section.splitlines() if line.startswith("dask ")]


def test_every_documented_process_listens_on_loopback_alone(tmp_path):
    """Typed as they stand, but for the ports, which somebody may have."""
    psutil = pytest.importorskip("psutil")
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    started, listening = [], set()
    try:
        for command in commands_of(page, "On one machine"):
            typed = [word.replace("8786", port).replace(":8787", ":0") for word in command]
            with (tmp_path / typed[1]).open("w") as log:
                started.append(subprocess.Popen([sys.executable, "-m", *typed], stdout=log, stderr=log))
        deadline = time.monotonic() + 60
        while (
            len(listening) < 8 and time.monotonic() < deadline
        ):  # 2 of the scheduler, 2 of its nanny's, 2 a worker
            family = [
                each
                for one in started
                for each in (psutil.Process(one.pid), *psutil.Process(one.pid).children(True))
            ]
            sockets = (
                s for each in family for s in each.net_connections("inet") if s.status == psutil.CONN_LISTEN
            )
            listening |= {s.laddr for s in sockets}
            time.sleep(0.5)
    finally:
        for one in reversed(started):
            one.terminate()
            one.wait(30)
    assert len(listening) >= 8
    assert {address.ip for address in listening} == {"127.0.0.1"}


def test_processes_on_other_machines_speak_tls_at_one_address():
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    scheduler, worker = commands_of(page, "On other machines")
    assert scheduler[scheduler.index("--protocol") + 1] == "tls"
    assert worker[2].startswith("tls://")
    for command in (scheduler, worker):
        assert not command[command.index("--host") + 1].startswith("0.")
        assert command[command.index("--dashboard-address") + 1].startswith("127.0.0.1:")
    assert "REQUIRE_ENCRYPTION=True" in page
