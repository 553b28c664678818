"""A method as it is printed, in expectation: its path over every outcome of the noise, and one line of it changed.

The paths are those of one_machine.py and federated.py: slow, and no code is shared with the solvers. Each sign that is
drawn has its own bit of the outcome's number.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracles.sampled import Array, mean, times

MEASURES = ("gradient", "tracking", "drift_x", "drift_y")
BLOCK = 2**14  # outcomes at a time: bounds the memory


class Bits:
    """Signs of some outcomes: the j-th sign that a run asks for is (-1)^(bit j of the outcome's number)."""

    def __init__(self, outcomes: NDArray[np.int64]) -> None:
        self.outcomes, self.used = outcomes, 0

    def take(self, n: int) -> Array:
        """[outcomes, n]: the next n signs."""
        bits = (self.outcomes[:, None] >> (self.used + np.arange(n))) & 1
        self.used += n
        return np.where(bits == 1, -1.0, 1.0)


def measure(world: Any, x: list[Array], y: list[Array]) -> list[float]:
    """Means over these outcomes of MEASURES, at the iterates of all devices."""

    def squared(a: Array) -> Array:
        return (a * a).sum(axis=-1)

    x_bar, y_bar, inverse = mean(x), mean(y), np.linalg.inv(world.A)
    y_star = times(inverse, times(world.B, x_bar) + world.c)
    grad_Phi = times(world.P, x_bar - world.a) + times(world.B.T @ inverse @ world.D, y_star - world.b)
    values = (
        squared(grad_Phi),
        squared(y_bar - y_star),
        mean([squared(x_k - x_bar) for x_k in x]),
        mean([squared(y_k - y_bar) for y_k in y]),
    )
    return [float(np.mean(value)) for value in values]


def expectation(
    world: Any, method: Callable[..., Any], *, K: int, x0: Any, y0: Any, **numbers: Any
) -> dict[str, Array]:
    """Of each measure the average over t < T, followed by its expectations at t = 0, ..., T.

    One outcome is run first, to count the signs.
    """
    start = np.array(x0, dtype=float), np.array(y0, dtype=float)

    def run(signs: Bits) -> list[list[float]]:
        return [measure(world, *both) for both in method([world] * K, lambda *_: signs, *start, **numbers)]

    counted = Bits(np.zeros(1, dtype=np.int64))
    run(counted)
    outcomes = 2**counted.used
    blocks = []
    for first in range(0, outcomes, BLOCK):
        signs = Bits(np.arange(first, min(first + BLOCK, outcomes)))
        blocks.append(run(signs))
        assert signs.used == counted.used
    curves = zip(MEASURES, np.mean(blocks, axis=0).T, strict=True)
    return {name: np.array([curve[:-1].mean(), *curve]) for name, curve in curves}


def with_change(method: Callable[..., Any], line: str, other: str) -> Callable[..., Any]:
    """The same function with `line`, which occurs once, replaced."""
    source = textwrap.dedent(inspect.getsource(method))
    assert source.count(line) == 1
    names = dict(vars(inspect.getmodule(method)))
    exec(compile(source.replace(line, other), "<changed>", "exec"), names)
    return names[method.__name__]
