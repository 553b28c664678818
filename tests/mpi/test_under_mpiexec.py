"""Devices as real processes, by MPI: `make test-mpi` installs one and runs this."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratecert.errors import NoMPIError
from ratecert.federate.launching import mpiexec, require_mpi

FAULTY = Path(__file__).parent / "faulty_device.py"
LAUNCH = "import sys; from ratecert.federate.launching import *; sys.exit(launch(mpiexec(), 3, sys.argv[1:]))"


def missing() -> str | None:
    try:
        require_mpi()
        mpiexec()
    except NoMPIError as error:
        return f"{error} make test-mpi does so in .venv-mpi"
    return None


pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def done(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=os.environ | environment
    )


def federate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return done(sys.executable, "-m", "ratecert", "federate", *arguments)


@pytest.mark.parametrize(
    ("solver", "K", "options"),
    [
        ("LocalBSGM", 2, []),
        ("LocalBSGVRM", 3, ["--replicates=5"]),
        ("FedNest", 2, ["--world=heterogeneous", "--replicates=3"]),
        ("FedBiOAcc", 3, ["--world=heterogeneous"]),
        ("LFedNest", 2, ["--world=wavy"]),
        ("SGD", 2, []),
        ("FedAvg", 3, ["--replicates=2"]),
        ("FedAvg", 3, ["--world=single_level", "--set=replacement=False"]),
        ("ProxSkip", 3, ["--replicates=3"]),
        ("SAGA", 2, ["--world=federated_sums"]),
    ],
)
def test_processes_take_the_simulators_path(solver: str, K: int, options: list[str]) -> None:
    """To 1e-12 at every step, for the same seed; and the counts on the wire are those of the definition."""
    run = federate(solver, f"--devices={K}", "--iterations=90", "--seed=3", "--json", *options)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["difference"] <= 1e-12
    assert found["agree"] is True
    rounds, floats = found["rounds"], found["floats_sent"]
    assert rounds["wire"] == [rounds["definition"]] * K
    if solver == "FedAvg":  # its devices are drawn
        assert floats["wire"] == floats["definition"]
        assert len(set(floats["wire"])) > 1
    else:
        assert floats["wire"] == [floats["definition"]] * K
    assert found["rounds"]["definition"] > 5
    assert found["seed"] == 3


def test_the_page_shows_what_is_printed() -> None:
    """All but the difference, which is rounding."""
    page = (Path(__file__).parents[2] / "docs" / "federate.md").read_text(encoding="utf-8")
    shown = page.split("```\n")[3].splitlines()
    printed = federate("LocalBSGM", "--devices", "2").stdout.splitlines()
    assert len(shown) == len(printed) > 10
    assert [a for a, b in zip(shown, printed, strict=True) if a != b and not a.startswith("path ")] == []


def test_started_by_hand_it_is_the_same_run() -> None:
    arguments = ["LocalBSGM", "--devices=2", "--iterations=20"]
    by_hand = done(
        str(mpiexec()),
        "-n",
        "2",
        sys.executable,
        "-m",
        "ratecert",
        "federate",
        *arguments,
        PYTHONIOENCODING="utf-8",
    )
    assert by_hand.returncode == 0, by_hand.stderr
    assert by_hand.stdout == federate(*arguments).stdout
    assert "(equal to 1e-12)" in by_hand.stdout


def test_another_number_of_processes_is_refused_in_one_sentence() -> None:
    command = [sys.executable, "-m", "ratecert", "federate", "LocalBSGM", "--devices=3"]
    wrong = done(str(mpiexec()), "-n", "2", *command)
    assert wrong.returncode == 2
    assert wrong.stderr.count("ratecert: ") == 1
    assert "ratecert: --devices must be 2, the number of processes that MPI sees, got 3;" in wrong.stderr


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize(
    ("what", "code", "cause"),
    [
        ("raises", 1, "ZeroDivisionError: a cause."),
        ("is-killed", 1, "its process ended without a word"),
        ("ends-with-3", 1, "its process ended without a word"),
        ("ends-with-0", 1, "its process ended without a word"),
        (
            "diverges",
            2,
            "Faulty diverged on device 1: iteration 31, step size eta = 0.02; make the step size",
        ),
    ],
)
def test_a_device_that_dies_is_named_with_its_round(what: str, code: int, cause: str, by_hand: bool) -> None:
    """Within the time limit, in one sentence. Started by hand, mpiexec adds its own words and has its own exit code."""
    device = [sys.executable, str(FAULTY), what, "1"]
    run = done(str(mpiexec()), "-n", "3", *device) if by_hand else done(sys.executable, "-c", LAUNCH, *device)
    sentence = f"ratecert: the device of rank 1 failed in round 8, and the run ended with it: {cause}"
    assert run.stderr.count("ratecert: ") == 1
    assert "Traceback" not in run.stderr
    if by_hand:
        if what != "ends-with-0":  # of which mpiexec sometimes makes its own exit code (docs/federate.md)
            assert run.returncode != 0
        assert sentence in run.stderr
    else:
        assert run.returncode == code
        assert run.stderr.startswith(sentence)
        assert run.stderr.count("\n") == 1
        assert run.stdout == ""


def test_the_faulty_device_is_sound_if_no_one_has_its_rank() -> None:
    run = done(sys.executable, "-c", LAUNCH, sys.executable, str(FAULTY), "raises", "7")
    assert (run.returncode, run.stdout) == (0, "all is well\n")
