"""The points at which is measured, as columns: inside the ball on which a world's constants hold."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Inside = NDArray[np.bool_]
STARTS = 8


def centre(world: Any) -> Array:
    return np.concatenate([world.a, world.b])


def radius_of(world: Any) -> float:
    """Far enough for (x, y*(x)) to be in the set for all x near a."""
    return 1 + 2 * float(np.linalg.norm(world.y_star(world.a) - world.b))


def in_ball(middle: Array, radius: float, seed: int, n: int = STARTS) -> Array:
    """Random points."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((n, len(middle))).T
    points: Array = middle[:, None] + steps / np.linalg.norm(steps, axis=0) * radius * rng.uniform(size=n)
    return points


def near(radius: float, *distances: Array) -> Inside:
    inside: Inside = np.all([np.linalg.norm(d, axis=0) <= radius / math.sqrt(2) for d in distances], axis=0)
    return inside


def on_the_graph(world: Any, radius: float, x: Array) -> Inside:
    """(x, y*(x)) is in the set, and so is (x, y*(x')) for any other such x'."""
    return near(radius, x - world.a[:, None], world.y_star(x) - world.b[:, None])


def upper_points(world: Any, radius: float, n: int = STARTS) -> Array:
    """Random x on the graph, pulled towards a until they are."""
    x = in_ball(world.a, radius, seed=0, n=n)
    while not (found := on_the_graph(world, radius, x)).all():
        x = np.where(found, x, 0.5 * (x + world.a[:, None]))
    return x
