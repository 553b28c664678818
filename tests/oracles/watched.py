"""The path of a sampled run: every xbar_t at which the engine asks the world for the hypergradient."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers import simulate

Array = NDArray[np.float64]


class Watched:
    """A world that writes these points down."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.path: list[Array] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)

    def hypergradient(self, x: Array) -> Any:
        self.path.append(np.array(x))
        return self.world.hypergradient(x)


def path_of(
    world: Any, solver: Any, *, K: int, T: int, replicates: int, seed: int = 0, x0: Array | None = None
) -> Array:
    """(T + 1, d_x, replicates): xbar_t from x0, which is 0 unless it is given, and y*(x0)."""
    watched, x0 = Watched(world), np.zeros(world.d_x) if x0 is None else x0
    simulate(watched, solver, K=K, T=T, x0=x0, y0=world.y_star(x0), replicates=replicates, seed=seed)
    return np.stack(watched.path)
