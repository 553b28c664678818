"""The steepest pair of points and the highest point that a search finds, on a ball."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ratecert.papers.federated_bilevel.evidence.constants.maps import Map
from ratecert.papers.federated_bilevel.evidence.constants.points import STARTS, Inside, in_ball

Array = NDArray[np.float64]
STEP = 1e-3  # of a difference quotient, in units of the radius
FACTORS = (1.0, -1.0, 100.0, -100.0, 500.0, -500.0)  # steps to partners, near and far


def jacobians(F: Map, z: Array, step: float, directions: Array) -> Array:
    """(points, directions, values): the quotients of F from each column of z in each of the directions."""
    shifted = z[:, :, None] + step * directions[:, None, :]
    there = F(shifted.reshape(len(z), -1)).reshape(-1, *shifted.shape[1:])
    quotients: Array = (there - F(z)[:, :, None]) / step
    return np.moveaxis(quotients, 0, 2)


def partners(F: Map, z: Array, radius: float, directions: Array) -> Array:
    """(coordinates, factors, points): near and far from z in the direction in which F changes most."""
    step = STEP * radius
    J = jacobians(F, z, step, directions)
    steepest = directions @ np.linalg.eigh(J @ J.swapaxes(1, 2))[1][:, :, -1].T
    there: Array = z[:, None, :] + step * np.array(FACTORS)[:, None] * steepest[:, None, :]
    return there


def steepness(F: Map, z: Array, radius: float, allowed: Callable[[Array], Inside]) -> float:
    """The largest quotient of F over pairs of allowed points."""
    there = partners(F, z, radius, np.eye(len(z))).reshape(len(z), -1)
    starts = np.tile(z, len(FACTORS))
    keep = allowed(there)
    left, right = np.hstack([z[:, :-1], starts[:, keep]]), np.hstack([z[:, 1:], there[:, keep]])
    return float(np.max(norms(F(right) - F(left)) / norms(right - left)))


def height(F: Map, middle: Array, radius: float, n: int = STARTS) -> float:
    """The largest ||F|| met on the ball: from random points, z <- the point of the sphere up the slope.

    Where ||F||^2 is convex, as on a quadratic world, it never falls on the way.
    """
    z, largest = in_ball(middle, radius, seed=1, n=n), 0.0
    for _ in range(5):
        values = F(z)
        largest = max(largest, float(norms(values).max()))
        up = np.einsum("pdv,vp->dp", jacobians(F, z, STEP * radius, np.eye(len(z))), values)
        z = middle[:, None] + radius * up / np.maximum(norms(up), 1e-300)
    return largest


def norms(columns: Array) -> Array:
    lengths: Array = np.linalg.norm(columns, axis=0)
    return lengths
