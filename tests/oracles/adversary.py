"""Runs with signs that try to take the iterates far away: what a certified radius has to hold."""

from typing import Any

import numpy as np

from ratecert.solvers.contract.problem import has_devices
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.sampling.noise import Reader
from ratecert.solvers.engines.sampling.oracle import ArrayOracle, per_device
from ratecert.solvers.engines.sampling.tile import Shares, average, schedule_of_steps

LANES = 256


class Adversary:
    """Signs of each lane: a random pattern that is kept, or turned round with a period of the lane's own."""

    def __init__(self, K: int) -> None:
        self.rng = np.random.default_rng(0)
        self.patterns: dict[tuple[str, int], np.ndarray] = {}
        self.lanes = K * LANES
        self.period = np.tile(np.geomspace(2, 4000, LANES), K)

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        turn = np.where(np.floor(t / self.period) % 2 == 0, 1.0, -1.0)

        def source(start: int, count: int) -> np.ndarray:
            rows = []
            for i in range(start, start + count):
                pattern = self.patterns.setdefault((label, i), self.rng.choice([-1.0, 1.0], self.lanes))
                rows.append(pattern * turn)
            return np.array(rows).reshape(count, self.lanes)

        return Reader(source, ahead)


def reached(
    world: Any, solver: Any, K: int, x0: np.ndarray, y0: np.ndarray, T: int = 2000, truth: bool = False
) -> float:
    """The largest ||(x_k - a, y_k - b)|| over devices, lanes and t < T; of the truth it is y*(x_k) that counts."""
    shares = Shares(world, K, None)
    problem = per_device(world, LANES) if has_devices(world) else world
    oracle = ArrayOracle(problem, Adversary(K))
    s = State(x=np.repeat(x0[:, None], K * LANES, axis=1), y=np.repeat(y0[:, None], K * LANES, axis=1))
    s, farthest = solver.start(s, oracle), 0.0
    for t, stage, ends in schedule_of_steps(solver, T):
        y = world.y_star(s.x) if truth else s.y
        square = ((s.x - world.a[:, None]) ** 2).sum(axis=0) + ((y - world.b[:, None]) ** 2).sum(axis=0)
        farthest = max(farthest, float(np.sqrt(square.max())))
        s = stage.step(t, s, oracle)
        s = average(s, stage, shares, t, 0) if ends else s
    return farthest
