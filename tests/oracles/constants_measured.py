"""What the constants of Section 3 of the first paper have to bound, measured on a world: one number per constant.

With z = (x, y), h(z; s) the stochastic hypergradient with outcome s of all its signs, and the norm of a map of s being
the root of the mean square over all outcomes (enumerated, none is sampled), each constant is at least

    L_Phi      ||grad Phi(x) - grad Phi(x')|| / ||x - x'||
    L_tilde    ||grad Phi(x) - tilde(x, y)|| / ||y - y*(x)||     tilde: Lemma 1 at (x, y), inverse solved
    L_hat      ||h(z; .) - h(z'; .)|| / ||z - z'||
    G          ||h(z; .)||                                       G^2 bounds a second moment
    Delta_Q    ||hat(z) - tilde(z)||,  hat(z) = E h(z; .)

for points of the set ||(x - a, y - b)|| <= radius on which the assumptions' constants hold. For the first two also
(x, y*(x)) is in it, and (x', y*(x)): both halves are within radius/sqrt(2). A search sets out from STARTS random
points, in the steepest direction that difference quotients show there, which on a quadratic world gives the exact
operator norm. Every number is attained at points of the set, so it is never more than the supremum that the constant
bounds, up to rounding: a constant that is exceeded is too small. Only what every world offers is used.

The maps whose size and steepness the constants bound are evaluated at n points as columns: (d_x + d_y, n) -> (.., n),
inside the ball on which a world's constants hold.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.engines.enumeration import Outcomes
from ratecert.solvers.estimators.hypergradient import NeumannSample, StochasticNeumann

Array = NDArray[np.float64]
Inside = NDArray[np.bool_]
STARTS = 8
Map = Callable[[Array], Array]
MOST_SIGNS = 16
ROUNDING = 1e-9  # relative: values are exact to about 1e-15, and a quotient divides by steps of 1e-3 or more
STEP = 1e-3  # of a difference quotient, in units of the radius
FACTORS = (1.0, -1.0, 100.0, -100.0, 500.0, -500.0)  # steps to partners, near and far


def centre(world: Any) -> Array:
    return np.concatenate([world.a, world.b])


def radius_of(world: Any) -> float:
    """Far enough for (x, y*(x)) to be in the set for all x near a."""
    return 1 + 2 * float(np.linalg.norm(world.y_star(world.a) - world.b))


def in_ball(middle: Array, radius: float, seed: int) -> Array:
    """Random points."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((STARTS, len(middle))).T
    points: Array = middle[:, None] + steps / np.linalg.norm(steps, axis=0) * radius * rng.uniform(
        size=STARTS
    )
    return points


def near(radius: float, *distances: Array) -> Inside:
    inside: Inside = np.all([np.linalg.norm(d, axis=0) <= radius / math.sqrt(2) for d in distances], axis=0)
    return inside


def on_the_graph(world: Any, radius: float, x: Array) -> Inside:
    """(x, y*(x)) is in the set, and so is (x, y*(x')) for any other such x'."""
    return near(radius, x - world.a[:, None], world.y_star(x) - world.b[:, None])


def upper_points(world: Any, radius: float) -> Array:
    """Random x on the graph, pulled towards a until they are."""
    x = in_ball(world.a, radius, seed=0)
    while not (found := on_the_graph(world, radius, x)).all():
        x = np.where(found, x, 0.5 * (x + world.a[:, None]))
    return x


def halves(world: Any, z: Array) -> tuple[Array, Array]:
    return z[: world.d_x], z[world.d_x :]


def stochastic(world: Any, theta: float, Q: int) -> Map:
    """z -> h(z; s) for every outcome s, over the root of their number: the norm is the root mean square."""
    neumann = StochasticNeumann(theta=theta, Q=Q)
    signs: dict[Any, int] = {}
    _sample(neumann, world, signs, 1)
    assert len(signs) <= MOST_SIGNS, "too many to enumerate; make Q smaller"
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


def measured_L_Phi(world: Any, radius: float) -> float:
    points = upper_points(world, radius)
    return steepness(world.hypergradient, points, radius, lambda x: on_the_graph(world, radius, x))


def measured_L_tilde(world: Any, radius: float) -> float:
    """From (x, y*(x)) to random y and to those in the steepest direction of y."""
    x = upper_points(world, radius)
    start, estimate = np.vstack([x, world.y_star(x)]), tilde(world)
    steepest = partners(estimate, start, radius, np.eye(len(start))[:, world.d_x :])[world.d_x :]
    drawn = in_ball(world.b, radius / math.sqrt(2), seed=2)
    y = np.concatenate([np.repeat(drawn[:, :, None], x.shape[1], axis=2), steepest], axis=1)
    candidates = y.shape[1]
    start, end = np.tile(start, candidates), np.vstack([np.tile(x, candidates), y.reshape(world.d_y, -1)])
    keep = near(radius, end[world.d_x :] - world.b[:, None])
    start, end = start[:, keep], end[:, keep]
    rise = norms(world.hypergradient(start[: world.d_x]) - estimate(end))
    return float(np.max(rise / norms(end - start)))


def measured_L_hat(world: Any, radius: float, *, theta: float, Q: int) -> float:
    middle = centre(world)
    points = in_ball(middle, radius, seed=3)
    return steepness(
        stochastic(world, theta, Q), points, radius, lambda z: norms(z - middle[:, None]) <= radius
    )


def measured_G(world: Any, radius: float, *, theta: float, Q: int) -> float:
    """The root of E||h||^2."""
    return height(stochastic(world, theta, Q), centre(world), radius)


def measured_Delta_Q(world: Any, radius: float, *, theta: float, Q: int) -> float:
    """The bias of the truncated series."""
    full, truncated = tilde(world), hat(world, theta, Q)
    return height(lambda z: truncated(z) - full(z), centre(world), radius)


# The steepest pair of points and the highest point that a search finds.


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


def height(F: Map, middle: Array, radius: float) -> float:
    """The largest ||F|| met on the ball: from random points, z <- the point of the sphere up the slope.

    Where ||F||^2 is convex, as on a quadratic world, it never falls on the way.
    """
    z, largest = in_ball(middle, radius, seed=1), 0.0
    for _ in range(5):
        values = F(z)
        largest = max(largest, float(norms(values).max()))
        up = np.einsum("pdv,vp->dp", jacobians(F, z, STEP * radius, np.eye(len(z))), values)
        z = middle[:, None] + radius * up / np.maximum(norms(up), 1e-300)
    return largest


def norms(columns: Array) -> Array:
    lengths: Array = np.linalg.norm(columns, axis=0)
    return lengths
