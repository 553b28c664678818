"""The path of a run: the states in which its steps begin, in order, and the last one.

The simulator returns measures, not states. But it runs whatever algorithm it is given, so one whose steps note the
state that they are handed tells where the simulator has been; a device notes the same of itself. A step on K devices at
once has fields (d, K * replicates), a step on one device (d, replicates), and the k-th block of columns is device k.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UndecidedError
from ratecert.solvers.contract.draws import with_steps
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.stage import Algorithm, Oracle, State
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.solvers.engines.monte_carlo.numpy_tile import run_tile

Array = NDArray[np.float64]
Path = list[tuple[int, dict[str, Array]]]  # (t, the fields by name)


class Noted:
    """An algorithm that notes the states in which its steps begin."""

    def __init__(self, solver: Algorithm) -> None:
        self._solver = solver
        self.path: Path = []
        self.stages = with_steps(solver.stages, self._noting)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)

    def _noting(self, step: Any) -> Any:
        def noted(t: int, s: State, oracle: Oracle) -> State:
            self.path.append((t, dict(vars(s))))
            made: State = step(t, s, oracle)
            return made

        return noted


def simulated(setting: Experiment, *, seed: int, replicates: int) -> Path:
    """The simulator's path, all devices side by side.

    The state after T iterations is the one in which the next step begins, so a cycle is added, and cut off again.
    """
    noted = Noted(setting.solver)
    longer = setting.T + sum(stage.repeats for stage in setting.solver.stages)
    noise = Hashed(seed=seed, first=0, replicates=replicates, K=setting.K)
    run_tile(replace(setting, solver=noted, T=longer, times=()), noise, 0, replicates)
    steps = sum(t < setting.T for t, _ in noted.path)
    return [*noted.path[:steps], (setting.T, noted.path[steps][1])]


def side_by_side(paths: Sequence[Path]) -> Path:
    """The paths of the devices 0, ..., K - 1 as one."""
    if any([t for t, _ in path] != [t for t, _ in paths[0]] for path in paths):
        raise UndecidedError("the devices have not made the same steps, so their paths cannot be compared.")
    return [
        (
            together[0][0],
            {name: np.hstack([fields[name] for _, fields in together]) for name in together[0][1]},
        )
        for together in zip(*paths, strict=True)
    ]


def iterates(path: Path, T: int) -> Iterator[tuple[int, State]]:
    """(t, the state in which iteration t begins) for t = 0, ..., T; without a step in it, that of the next."""
    steps = iter(path)
    begun, fields = next(steps)
    for t in range(T + 1):
        while begun < t:
            begun, fields = next(steps)
        yield t, State(**fields)


def difference(path: Path, other: Path) -> float:
    """The largest difference of a field, relative to its largest value along the other path; inf if they do not fit."""
    if len(path) != len(other):
        return np.inf
    largest: dict[str, float] = {}
    apart: dict[str, float] = {}
    for (t, own), (t_other, theirs) in zip(path, other, strict=True):
        if t != t_other or own.keys() != theirs.keys():
            return np.inf
        for name, value in theirs.items():
            gap = np.abs(own[name] - value).max() if own[name].shape == value.shape else np.inf
            apart[name] = max(apart.get(name, 0.0), np.inf if np.isnan(gap) else float(gap))
            largest[name] = max(largest.get(name, 0.0), float(np.abs(value).max()))
    return max(gap and (gap / largest[name] if largest[name] else np.inf) for name, gap in apart.items())
