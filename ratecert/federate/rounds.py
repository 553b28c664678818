"""What the devices agree on in each round, according to the simulator: its path, read where averages end."""

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ratecert.federate.experiment import FederatedRun
from ratecert.federate.path import simulated
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.federation import FederatedDevice, Round

Array = NDArray[np.float64]


def simulated_means(experiment: FederatedRun, *, rounds: int) -> list[Array]:
    """The vector that device 0 has after each of the first rounds."""
    setting = experiment.setting()
    path = simulated(setting, seed=experiment.seed, replicates=experiment.replicates)
    device = FederatedDevice(setting, 0, seed=experiment.seed, replicates=experiment.replicates)
    ends = ((i, move) for i, move in enumerate(device.moves(), start=1) if move.averaged)
    own = [State(**{name: v[:, : experiment.replicates] for name, v in fields.items()}) for _, fields in path]
    return [Round(i, move, own[i]).held for i, move in islice(ends, rounds)]


def largest_difference(means: list[Array], others: list[Array]) -> float:
    """Relative to the largest number in any of the others; inf if they cannot be compared."""
    if [a.shape for a in means] != [b.shape for b in others] or not others:
        return np.inf
    gaps = [float(np.abs(a - b).max()) for a, b in zip(means, others, strict=True)]
    return max(gaps) / max(float(np.abs(b).max()) for b in others)
