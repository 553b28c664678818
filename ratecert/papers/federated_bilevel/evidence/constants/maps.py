"""The maps whose size and steepness the constants bound, at n points as columns: (d_x + d_y, n) -> (.., n)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.errors import UserError
from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.engines.enumeration import Outcomes
from ratecert.solvers.estimators.hypergradient import NeumannSample, StochasticNeumann

Array = NDArray[np.float64]
Map = Callable[[Array], Array]
MOST_SIGNS = 16


def halves(world: Any, z: Array) -> tuple[Array, Array]:
    return z[: world.d_x], z[world.d_x :]


def stochastic(world: Any, theta: float, Q: int) -> Map:
    """z -> h(z; s) for every outcome s, over the root of their number: the norm is the root mean square."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    signs: dict[Any, int] = {}
    _sample(neumann, world, signs, 1)
    if len(signs) > MOST_SIGNS:
        raise UserError(
            f"a sample has {len(signs)} signs, at most {MOST_SIGNS} are enumerated; make Q smaller."
        )
    n = 2 ** len(signs)

    def outcomes(z: Array) -> Array:
        points = z.shape[1]
        sample = _sample(neumann, world, signs, points * n)  # outcome i + n has the signs of outcome i
        values: Array = neumann.evaluate(world, sample, *halves(world, np.repeat(z, n, axis=1)))
        return np.moveaxis(values.reshape(-1, points, n), 1, 2).reshape(-1, points) / math.sqrt(n)

    return outcomes


def _sample(neumann: StochasticNeumann, world: Any, signs: dict[Any, int], n: int) -> NeumannSample:
    return neumann.sample(world, Outcomes(0, n, 1, signs).reader(0, neumann.label, 0, 0))


def hat(world: Any, theta: float, Q: int) -> Map:
    """The truncated sum of means."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    mean = neumann.sample(world, Silent())

    def value(z: Array) -> Array:
        gradient: Array = neumann.evaluate(world, mean, *halves(world, z))
        return gradient

    return value


def deviation(world: Any, theta: float, Q: int) -> Map:
    """h(z; s) - hat(z) for every outcome s, over the root of their number."""
    h, mean = stochastic(world, theta, Q), hat(world, theta, Q)

    def value(z: Array) -> Array:
        values = h(z).reshape(world.d_x, -1, z.shape[1])
        return (values - mean(z)[:, None] / math.sqrt(values.shape[1])).reshape(-1, z.shape[1])

    return value


def tilde(world: Any) -> Map:
    """grad_x f - grad_xy g [grad_yy g]^{-1} grad_y f at (x, y)."""
    mean = StochasticNeumann(theta=1.0, Q=1).sample(world, Silent())

    def value(z: Array) -> Array:
        x, y = halves(world, z)
        directions = np.repeat(np.eye(world.d_y)[:, :, None], z.shape[1], axis=2)
        columns = [world.hessian_g(mean.factors[0], x, y, e) for e in directions]
        right = world.grad_y_f(mean.xi, x, y)
        r = np.linalg.solve(np.moveaxis(np.array(columns), 2, 0).swapaxes(1, 2), right.T[:, :, None])
        gradient: Array = world.grad_x_f(mean.xi, x, y) - world.jacobian_g(mean.zeta, x, y, r[:, :, 0].T)
        return gradient

    return value
