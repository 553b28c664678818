"""`docs/on_flower.py`: the devices on Flower's engine end where they end in one process. `make test-flower` runs it.

By day the script's own round is carried by a loop here, so that what it does on a node is tested without Flower.
"""

import importlib.util
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "on_flower.py"
NAMES = ("LocalBSGM", "FedNest", "FedAvg", "ProxSkip")


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("on_flower", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def carried(script: Any, name: str, rounds: int, *, skipped: int = 0) -> dict[str, Any]:
    """The mean of the last states; every round begins with new devices. So many moves are skipped after the first."""
    nodes: list[tuple[Any, int]] = [(None, 0)] * script.K
    mean = np.zeros(1)
    for i in range(rounds + 1):
        ends = [
            script.next_round(script.device(name, k), kept, moves, mean)
            for k, (kept, moves) in enumerate(nodes)
        ]
        nodes = [(fields, moves + skipped * (i == 0)) for fields, moves, _ in ends]
        means = {field: np.mean([sent[field] for *_, sent in ends], axis=0) for field in ends[0][2]}
        mean = means.get(script.VECTOR)
    return means


@pytest.mark.parametrize("name", NAMES)
def test_devices_that_begin_anew_in_every_round_end_as_those_in_one_process(name: str, script: Any) -> None:
    """With other signs, or where a round is missing, they do not."""
    expected, rounds = script.in_one_process(name)
    assert rounds > 3
    means = carried(script, name, rounds)
    assert script.difference(means, expected) <= 1e-14
    assert script.difference(means, script.in_one_process(name, seed=1)[0]) > 1e-3
    assert script.VECTOR in carried(script, name, rounds - 1)  # which has not ended


def test_a_device_that_skips_a_move_is_seen(script: Any) -> None:
    expected, rounds = script.in_one_process("LocalBSGM")
    wrong = carried(script, "LocalBSGM", rounds, skipped=1)
    assert script.difference(wrong, expected) > 1e-3


@pytest.mark.skipif(
    find_spec("flwr") is None or find_spec("ray") is None,
    reason="Flower and its simulation engine are not installed; make test-flower installs them in .venv-flower",
)
@pytest.mark.parametrize("name", NAMES)
def test_on_flower_they_end_there_too(name: str, script: Any) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, name], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    found = {field: np.array(mean) for field, mean in said["fields"].items()}
    expected, rounds = script.in_one_process(name)
    assert said["rounds"] == rounds
    assert script.difference(found, expected) <= 1e-12
    assert script.difference(found, script.in_one_process(name, seed=1)[0]) > 1e-3
