"""One number per constant: the largest value met of what it has to bound, on the ball of this radius.

`starts` is the number of random points from which the search sets out.
"""

import math
from typing import Any

import numpy as np

from ratecert.papers.federated_bilevel.evidence.constants.maps import deviation, hat, stochastic, tilde
from ratecert.papers.federated_bilevel.evidence.constants.points import (
    STARTS,
    centre,
    in_ball,
    near,
    on_the_graph,
    upper_points,
)
from ratecert.papers.federated_bilevel.evidence.constants.search import height, norms, partners, steepness

ROUNDING = 1e-9  # relative: values are exact to about 1e-15, and a quotient divides by steps of 1e-3 or more


def measured_L_Phi(world: Any, radius: float, *, starts: int = STARTS) -> float:
    points = upper_points(world, radius, starts)
    return steepness(world.hypergradient, points, radius, lambda x: on_the_graph(world, radius, x))


def measured_L_tilde(world: Any, radius: float, *, starts: int = STARTS) -> float:
    """From (x, y*(x)) to random y and to those in the steepest direction of y."""
    x = upper_points(world, radius, starts)
    start, estimate = np.vstack([x, world.y_star(x)]), tilde(world)
    steepest = partners(estimate, start, radius, np.eye(len(start))[:, world.d_x :])[world.d_x :]
    drawn = in_ball(world.b, radius / math.sqrt(2), seed=2, n=starts)
    y = np.concatenate([np.repeat(drawn[:, :, None], x.shape[1], axis=2), steepest], axis=1)
    candidates = y.shape[1]
    start, end = np.tile(start, candidates), np.vstack([np.tile(x, candidates), y.reshape(world.d_y, -1)])
    keep = near(radius, end[world.d_x :] - world.b[:, None])
    start, end = start[:, keep], end[:, keep]
    rise = norms(world.hypergradient(start[: world.d_x]) - estimate(end))
    return float(np.max(rise / norms(end - start)))


def measured_L_hat(world: Any, radius: float, *, theta: float, Q: int, starts: int = STARTS) -> float:
    middle = centre(world)
    points = in_ball(middle, radius, seed=3, n=starts)
    return steepness(
        stochastic(world, theta, Q), points, radius, lambda z: norms(z - middle[:, None]) <= radius
    )


def measured_G(world: Any, radius: float, *, theta: float, Q: int, starts: int = STARTS) -> float:
    """The root of E||h||^2."""
    return height(stochastic(world, theta, Q), centre(world), radius, starts)


def measured_spread(world: Any, radius: float, *, theta: float, Q: int, starts: int = STARTS) -> float:
    """The root of E||h - E h||^2: the noise of h, which G has to bound whatever else it bounds."""
    return height(deviation(world, theta, Q), centre(world), radius, starts)


def measured_Delta_Q(world: Any, radius: float, *, theta: float, Q: int, starts: int = STARTS) -> float:
    full, truncated = tilde(world), hat(world, theta, Q)
    return height(lambda z: truncated(z) - full(z), centre(world), radius, starts)
