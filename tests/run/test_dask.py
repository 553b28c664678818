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
from pathlib import Path

import pytest

from oracles.cluster_tasks import FOLDER, ask, deadly, deadly_once, nested, process, slow, undrawn
from oracles.toy_claims import started, toy
from ratecert.claims.claim import Claim, Task
from ratecert.cli.main import main
from ratecert.errors import ClusterError
from ratecert.run import dask
from ratecert.run.store import DiskStore
from ratecert.run.tasks import as_finished, run_tasks
from ratecert.verdicts import collect as known

distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra `cluster`)")

pytestmark = pytest.mark.nightly  # schedulers and workers of their own, which wait for one another
NUMBERS = range(12)


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
        soon = {"distributed.comm.timeouts.connect": "5s"}  # of a dead worker; else 30 s
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
    assert run["tasks"].startswith("12 computed, 0 stored")
    assert "cluster" in run["machine"]


@pytest.mark.usefixtures("without_figures")
def test_without_a_second_try_the_task_would_be_missed(address, two_workers, claims, tmp_path, monkeypatch):
    """The negative of the test above: nobody sends a task again whose worker has died."""
    two_workers.scheduler.allowed_failures = 0
    monkeypatch.setattr(dask, "is_given_up", lambda _: False)
    claims["toys"] = toy("toys", NUMBERS, deadly_once)
    ask("once").touch()
    assert verify(tmp_path, "--scheduler", address) == 1
    (claim,) = json.loads(written(tmp_path))["claims"]
    assert claim["verdict"] == "undecided"


@pytest.mark.usefixtures("without_figures")
def test_a_task_that_kills_its_workers_fails_alone(address, two_workers, claims, tmp_path, capsys):
    """With no failure allowed Dask gives up what waited at the dead worker, too; those tasks get their values."""
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
        r"ratecert: deadly is undecided.*cluster_tasks\.deadly: every worker that had it died.*\n", err
    )


def test_an_interrupt_leaves_nothing_on_the_cluster_and_is_resumed(address, two_workers, tmp_path):
    ask("slow").touch()
    given = ("--out", tmp_path, "--scheduler", address)
    run = started("cluster_tasks.slow", "range(6)", *given, stderr=subprocess.PIPE)
    store = DiskStore(tmp_path / "store")
    tasks = [Task(slow, {"number": n}) for n in range(6)]
    while sum(store.load(task) is not None for task in tasks) != 4:
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=120)
    assert (run.returncode, err.decode()) == (
        130,
        "ratecert: interrupted; the same command goes on from here\n",
    )
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=20)
        for worker in list(client.nthreads()):  # each has one thread, which a slow task would hold
            assert client.submit(os.getpid, workers=[worker], pure=False).result(timeout=20)
    assert not two_workers.scheduler.tasks
    ask("slow").unlink()
    store = DiskStore(tmp_path / "store")
    with dask.workers(address) as jobs:
        outcomes = run_tasks(tasks, jobs=jobs, store=store)
    assert [outcome.value[0]["square"] for outcome in outcomes.values()] == [n**2 + 0.1 for n in range(6)]
    assert (store.computed, store.reused) == (2, 4)


def test_calls_run_on_workers_also_where_there_is_one(address):
    with dask.workers(address) as jobs:
        assert os.getpid() not in set(as_finished(process, [(n,) for n in range(8)], jobs))
        assert os.getpid() not in set(as_finished(process, [(0,)], 1))
    assert list(as_finished(process, [(0,)], 1)) == [os.getpid()]


def test_parallel_calls_inside_a_call_stay_in_its_process(address):
    with dask.workers(address) as jobs:
        assert all(len(found) == 1 for found in as_finished(nested, [(n,) for n in range(2)], jobs))


# What is refused, in one sentence, before anything is made.


@pytest.fixture
def refusal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(dask, "PATIENCE", 0.3)
    monkeypatch.setattr(dask, "ARRIVAL", 0.3)

    def of(address, *more):
        assert verify(tmp_path / "out", "--scheduler", address, *more) == 2
        err = capsys.readouterr().err
        assert err.startswith("ratecert: ")
        assert err.count("\n") == 1
        assert not (tmp_path / "out").exists()
        return err.removeprefix("ratecert: ")

    return of


def test_a_scheduler_that_does_not_answer(refusal):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # whoever connects waits for ever
        port = silent.getsockname()[1]
        assert "does not answer" in refusal(f"127.0.0.1:{port}")
    assert f"the scheduler at 127.0.0.1:{port} does not answer within 0.3 s" in refusal(f"127.0.0.1:{port}")


@pytest.mark.parametrize("wrong", ["", "127.0.0.1", "127.0.0.1:x", "nothing://127.0.0.1:1"])
def test_what_is_no_address(wrong, refusal):
    said = refusal(wrong)
    assert said.startswith(f"scheduler must be an address such as tcp://host:8786, got {wrong!r}")


def test_jobs_beside_a_scheduler_and_a_scheduler_without_dask(refusal, monkeypatch):
    assert "leave one of them out" in refusal("127.0.0.1:1", "--jobs", "2")
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "needs Dask, which is not installed" in refusal("127.0.0.1:1")


def test_workers_that_are_none_or_cannot_do_the_work(address, two_workers, refusal, monkeypatch):
    worker = next(iter(two_workers.scheduler.workers))
    assert f"at {worker} is a Worker" in refusal(worker)
    with local(n_workers=0) as empty:
        assert "has no worker after 0.3 s" in refusal(empty.scheduler_address)
    with local(n_workers=1, threads_per_worker=2, processes=False) as threaded:
        assert "has 2 threads and must have 1" in refusal(threaded.scheduler_address)
    for what in ("numpy", "the sources of ratecert"):
        changed = {**dask.versions(), what: "0.0"}
        with monkeypatch.context() as patch:
            patch.setattr(dask, "versions", lambda changed=changed: changed)
            said = refusal(address)
        assert re.match(rf"worker tcp://\S+ has another version of {what} \(.*, here 0.0\)", said)


def test_a_worker_that_comes_later_is_asked_as_well(address, monkeypatch):
    changed = {**dask.versions(), "numpy": "0.0"}
    with dask.workers(address):
        monkeypatch.setattr(dask, "versions", lambda: changed)
        with pytest.raises(ClusterError, match="has another version of numpy"):
            run_tasks([Task(slow, {"number": 1})])


@pytest.mark.parametrize(
    ("heading", "hosts", "protocol"),
    [("On one machine", "127.0.0.1", "tcp"), ("On other machines", "10.0.0", "tls")],
)
def test_documented_processes_listen_at_one_address(heading, hosts, protocol):
    """Their pages on this machine alone; between machines they speak TLS."""
    page = (Path(__file__).parents[2] / "docs" / "speed.md").read_text(encoding="utf-8")
    section = page.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
    scheduler, worker = (line.split() for line in section.splitlines() if line.startswith("dask "))
    assert worker[2].startswith(f"{protocol}://")
    assert protocol == "tcp" or scheduler[scheduler.index("--protocol") + 1] == protocol
    assert protocol == "tcp" or "REQUIRE_ENCRYPTION=True" in section
    for command in (scheduler, worker):
        assert command[command.index("--host") + 1].startswith(hosts)
        assert command[command.index("--dashboard-address") + 1].startswith("127.0.0.1:")
