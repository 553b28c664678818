"""The same definition on Flower's engine: 20 rounds, held against the simulator. `make test-flower` runs it."""

import json
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from ratecert.federate.experiment import FederatedRun
from ratecert.federate.on_flower import experiment_of
from ratecert.federate.rounds import largest_difference, simulated_means

pytestmark = pytest.mark.skipif(
    find_spec("flwr") is None or find_spec("ray") is None,
    reason="Flower and its simulation engine are not installed; make test-flower installs them in .venv-flower",
)

ROUNDS = 20


@pytest.mark.parametrize(
    ("solver", "world"),
    [
        ("LocalBSGM", "random_quadratic"),
        ("FedNest", "heterogeneous"),
        ("FedAvg", "federated"),
        ("ProxSkip", "federated"),
    ],
)
def test_twenty_rounds_on_flower_are_the_simulators(solver: str, world: str) -> None:
    """And another seed, or one round too few, is seen."""
    command = [
        sys.executable,
        "-m",
        "ratecert.federate.on_flower",
        solver,
        "--world",
        world,
        "--replicates=2",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    means = [np.array(mean) for mean in said["means"]]
    assert len(means) == ROUNDS
    experiment = experiment_of(FederatedRun(solver=solver, K=3, replicates=2, world=world), rounds=ROUNDS)
    right = simulated_means(experiment, rounds=ROUNDS)
    wrong = simulated_means(
        FederatedRun(**{**vars(experiment), "seed": 1}),
        rounds=ROUNDS,
    )
    assert largest_difference(means, right) <= 1e-12
    assert largest_difference(means, wrong) > 1e-3
    assert largest_difference(means[:-1], right) == np.inf
