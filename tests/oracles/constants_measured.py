"""What the constants of Section 3 of the first paper have to bound, measured on a world: one number per constant.

With z = (x, y), h(z; s) the stochastic hypergradient with outcome s of all its signs, and the norm of a map of s being
the root of the mean square over all outcomes (enumerated, none is sampled), each constant is at least

    L_Phi      ||d grad Phi/dx||
    L_tilde    ||d tilde/dy|| at (x, y*(x))         tilde: Lemma 1 at (x, y), inverse solved
    L_hat      ||d h(z; .)/dz||
    G          ||h(z; .)||                          G^2 bounds a second moment
    Delta_Q    ||hat(z) - tilde(z)||,  hat(z) = E h(z; .)

for points of the set ||(x - a, y - b)|| <= radius on which the assumptions' constants hold: what is Lipschitz has a
derivative that is no larger. For the first two (x, y*(x)) is in it, too. Every number is attained at STARTS random
points of the set, or on the way up from them, so it is never more than the supremum that the constant bounds, up to
rounding: a constant that is exceeded is too small. On a quadratic world derivatives are the same everywhere. Only what
every world offers is used. Maps are evaluated at n points as columns: (d_x + d_y, n) -> (.., n).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.signs import Silent
from ratecert.solvers.engines.sampling.enumeration import Outcomes
from ratecert.solvers.estimators.hypergradient import NeumannSample, StochasticNeumann

Array = NDArray[np.float64]
STARTS = 8
Map = Callable[[Array], Array]
MOST_SIGNS = 16
ROUNDING = 1e-9  # relative: values are exact to about 1e-15, and a quotient divides by steps of 1e-3 or more
STEP = 1e-3  # of a difference quotient, in units of the radius


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


def upper_points(world: Any, radius: float) -> Array:
    """Random x for which (x, y*(x)) is in the set, pulled towards a until they are."""
    x = in_ball(world.a, radius, seed=0)
    while True:
        sizes = [norms(x - world.a[:, None]), norms(world.y_star(x) - world.b[:, None])]
        found = np.all(np.array(sizes) <= radius / math.sqrt(2), axis=0)
        if found.all():
            return x
        x = np.where(found, x, 0.5 * (x + world.a[:, None]))


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
    return steepness(world.hypergradient, upper_points(world, radius), radius)


def measured_L_tilde(world: Any, radius: float) -> float:
    x = upper_points(world, radius)
    graph = np.vstack([x, world.y_star(x)])
    return steepness(tilde(world), graph, radius, np.eye(len(graph))[:, world.d_x :])


def measured_L_hat(world: Any, radius: float, *, theta: float, Q: int) -> float:
    return steepness(stochastic(world, theta, Q), in_ball(centre(world), radius, seed=3), radius)


def measured_G(world: Any, radius: float, *, theta: float, Q: int) -> float:
    """The root of E||h||^2."""
    return height(stochastic(world, theta, Q), centre(world), radius)


def measured_Delta_Q(world: Any, radius: float, *, theta: float, Q: int) -> float:
    """The bias of the truncated series."""
    full, truncated = tilde(world), hat(world, theta, Q)
    return height(lambda z: truncated(z) - full(z), centre(world), radius)


# The steepest and the highest point that a search finds.


def jacobians(F: Map, z: Array, step: float, directions: Array) -> Array:
    """(points, directions, values): central differences of F at each column of z in each of the directions."""

    def at(sign: float) -> Array:
        shifted = z[:, :, None] + sign * step * directions[:, None, :]
        return F(shifted.reshape(len(z), -1)).reshape(-1, *shifted.shape[1:])

    return np.moveaxis((at(0.5) - at(-0.5)) / step, 0, 2)


def steepness(F: Map, z: Array, radius: float, directions: Array | None = None) -> float:
    """The largest norm of the derivative at these points, in all directions or in these."""
    J = jacobians(F, z, STEP * radius, np.eye(len(z)) if directions is None else directions)
    return float(np.linalg.norm(J, 2, axis=(1, 2)).max())


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
