"""What the devices did, and whether it is what the simulator does and what the definition of the algorithm costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.federate.path import Path, difference, side_by_side, simulated
from ratecert.solvers.contract.counts import count
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.engines.federation import Traffic
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.solvers.engines.monte_carlo.numpy_tile import schedule_of_steps, turns_drawn

Array = NDArray[np.float64]
TOLERANCE = 1e-12  # relative; devices and simulator add in different orders, and nothing else is different


@dataclass(frozen=True)
class Findings:
    t: list[int]
    measures: Array  # (times, 4): gradient, tracking, drift_x and drift_y, means over replicates
    steps: int
    difference: float  # of the path from the simulator's
    traffic: list[Traffic]  # of every device
    definition: Traffic

    @property
    def path_agrees(self) -> bool:
        return self.difference <= TOLERANCE

    @property
    def counts_agree(self) -> bool:
        return all(own == self.definition for own in self.traffic)

    @property
    def agree(self) -> bool:
        return self.path_agrees and self.counts_agree


def findings(
    setting: Experiment, paths: Sequence[Path], traffic: Sequence[Traffic], *, seed: int, replicates: int
) -> Findings:
    path = side_by_side(paths)
    return Findings(
        t=list(setting.times),
        measures=np.array([measured(setting, path, t, replicates) for t in setting.times]),
        steps=len(path) - 1,
        difference=difference(path, simulated(setting, seed=seed, replicates=replicates)),
        traffic=list(traffic),
        definition=defined_traffic(setting, seed=seed, replicates=replicates),
    )


def measured(setting: Experiment, path: Path, t: int, replicates: int) -> list[float]:
    """The measures at the beginning of iteration t; where it has no step, nothing moves until the next one begins."""
    fields = next(fields for begun, fields in path if begun >= t)
    x, y = (fields[name].reshape(-1, setting.K, replicates) for name in ("x", "y"))
    x_bar, y_bar = x.mean(axis=1), y.mean(axis=1)
    off: list[Any] = [
        setting.problem.hypergradient(x_bar),
        y_bar - setting.problem.y_star(x_bar),
        (x - x_bar[:, None]) / np.sqrt(setting.K),
        (y - y_bar[:, None]) / np.sqrt(setting.K),
    ]
    return [float(np.square(vectors).sum() / replicates) for vectors in off]


def defined_traffic(setting: Experiment, *, seed: int, replicates: int) -> Traffic:
    """The counts of the definition. Replicates travel together: a round of one is a round of all, and floats add up."""
    problem, solver, T = setting.problem, setting.solver, setting.T
    noise = Hashed(seed=seed, first=0, replicates=replicates, K=1)
    steps = schedule_of_steps(solver, T)
    switches = [(t, stage) for t, stage, _ in steps if isinstance(stage, Switch)]
    drawn = [turns_drawn(switch, noise, t) for t, switch in switches]
    draws = np.array(drawn, dtype=np.int64).reshape(-1, replicates)
    each = [count(problem, solver, T, draws=own.tolist()) for own in draws.T]
    rounds = count(problem, solver, T, draws=[0] * len(switches)).rounds
    for (_, switch), ends in zip(switches, drawn, strict=True):
        made: list[bool] = np.any(switch.passes[1:, ends], axis=1).tolist()
        averaged = (
            switch.moves[turn.move].averaged for turn, taken in zip(switch.turns, made, strict=True) if taken
        )
        rounds += sum(map(bool, averaged))
    return Traffic(rounds=int(rounds), floats_sent=int(sum(own.floats_sent for own in each)))
