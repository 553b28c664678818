"""Worlds of two levels for a search: quadratic f and g, on a line or in a plane, whose noise is the same everywhere.

    f(x, y) = P/2 ||x||^2 + D/2 ||y - b||^2        g(x, y) = 1/2 y'A y - y'B x

In the plane the curvatures of g differ by `spread`, along axes that are turned by `tilt` against those of f. What moves
a run is the noise of f and of g, b, which keeps both levels from resting at one point, and where x and y begin.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ratecert.binding.family import Family
from ratecert.binding.search_space import Level
from ratecert.synthetic.worlds.quadratic import Quadratic

SHAPE = (
    Level(name="d", low=0.75, high=2.0, whole=True),
    Level(name="A", low=1e-2, high=1e2),
    Level(name="spread", low=1.0, high=1e3),  # of the curvatures of g, where d = 2
    Level(name="tilt", low=1e-2, high=math.pi / 2),  # of their axes against those of f
    Level(name="B/A", low=1e-4, high=1e2),
    Level(name="P/A", low=1e-6, high=1e1),
    Level(name="D/A", low=1e-6, high=1e1),
)
DRIVERS = tuple(
    Level(name=name, low=1e-6 if name.startswith("s_") else 1e-4, high=1e2)
    for name in ("s_f", "s_g", "b", "x_off", "y_off")
)
USUAL = {
    "d": 1.0,
    "A": 1.0,
    "B/A": 1.0,
    "P/A": 0.5,
    "D/A": 1.0,
    "s_f": 0.5,
    "s_g": 0.5,
    "b": 1.0,
    "x_off": 1.0,
    "y_off": 1.0,
}


def matrices(numbers: Mapping[str, float]) -> dict[str, Any]:
    """What a world with these numbers is made of, as numbers or lists of them."""
    A, noise = numbers["A"], {"s_f": numbers["s_f"], "s_g": numbers["s_g"]}
    B, P, D = (numbers[name] * A for name in ("B/A", "P/A", "D/A"))
    if numbers["d"] < 2:
        return {"A": A, "B": B, "P": P, "D": D, "b": numbers["b"], **noise}
    axis = np.array([math.cos(numbers["tilt"]), math.sin(numbers["tilt"])])
    curvature = A * (np.eye(2) + (numbers["spread"] - 1) * np.outer(axis, axis))
    plane = {
        "A": curvature.tolist(),
        "B": _diagonal(B, B),
        "P": _diagonal(P, P / 2),
        "D": _diagonal(D, D / 2),
    }
    return {**plane, "b": [numbers["b"], 0.0], **noise}


def _diagonal(first: float, second: float) -> list[list[float]]:
    return [[first, 0.0], [0.0, second]]


def one_driver_each() -> dict[str, dict[str, float]]:
    """All drivers but one at zero.

    Contributions of independent drivers add up in a linear system, and a ratio of sums is at most the largest of the
    ratios: what a single driver cannot break, several hardly can.
    """
    names = [level.name for level in DRIVERS]
    return {driver: {other: 0.0 for other in names if other != driver} for driver in names}


def _begun(world: Any, numbers: Mapping[str, float]) -> dict[str, Any]:
    """x_off from x*, and y_off from y*(x), in every direction."""
    x = world.x_star + np.full(world.d_x, numbers["x_off"])
    return {"x": x, "y": world.y_star(x) + np.full(world.d_y, numbers["y_off"])}


TWO_LEVEL = Family(
    name="two_level",
    levels=(*SHAPE, *DRIVERS),
    world=lambda numbers: Quadratic(**matrices(numbers)),
    start=_begun,
    held=(*one_driver_each().values(), {}),
    usual=USUAL,
)
