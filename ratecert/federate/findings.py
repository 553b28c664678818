"""What the devices did, and whether it is what the simulator does and what the definition of the algorithm costs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratecert.federate.path import Path, difference, iterates, side_by_side, simulated
from ratecert.federate.traffic import defined_traffic
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.engines.federation import Traffic
from ratecert.solvers.engines.monte_carlo.readings import Readings

Array = NDArray[np.float64]
TOLERANCE = 1e-12  # relative; devices and simulator add in different orders, and nothing else is different


@dataclass(frozen=True)
class Findings:
    t: list[int]
    names: tuple[str, ...]  # of the measures
    measures: Array  # (times, measures): means over replicates
    steps: int
    difference: float  # of the path from the simulator's
    traffic: list[Traffic]  # of every device
    definition: list[Traffic]  # of every device too

    @property
    def path_agrees(self) -> bool:
        return self.difference <= TOLERANCE

    @property
    def counts_agree(self) -> bool:
        return self.traffic == self.definition

    @property
    def agree(self) -> bool:
        return self.path_agrees and self.counts_agree


def findings(
    setting: Experiment, paths: Sequence[Path], traffic: Sequence[Traffic], *, seed: int, replicates: int
) -> Findings:
    path = side_by_side(paths)
    return Findings(
        t=list(setting.times),
        names=setting.names,
        measures=measured(setting, path, replicates),
        steps=len(path) - 1,
        difference=difference(path, simulated(setting, seed=seed, replicates=replicates)),
        traffic=list(traffic),
        definition=defined_traffic(setting, seed=seed, replicates=replicates),
    )


def measured(setting: Experiment, path: Path, replicates: int) -> Array:
    """The measures of the setting at its times."""
    readings, found = Readings(setting, replicates), []
    for t, s in iterates(path, setting.T):
        if t in setting.times:
            found.append(readings.at(t, s).mean(axis=1))
        readings.passed(t, s)
    return np.array(found)
