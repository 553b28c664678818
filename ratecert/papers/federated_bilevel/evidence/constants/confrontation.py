"""What a world does on a ball, measured through its oracles alone, to be held against its own constants.

At a point z = (x, y) of ||(x - a, y - b)|| <= radius, over all outcomes of a sample,

    mu       the least eigenvalue of grad_yy g(z; zeta)
    L_0      the largest ||grad f(z; xi)||
    L_1      the largest ||grad h(z + s) - grad h(z - s)|| / ||2s|| for h = f(.; xi) and h = g(.; zeta), with s along
             the direction in which the measured differences grow most
    L_21     the largest ||grad_xy g(z + s; zeta) - grad_xy g(z - s; zeta)|| / ||2s||, with s along the direction in
             which one entry changes fastest; L_22 the same for grad_yy g
    sigma    the root of E||grad g(z; zeta) - grad g(z)||^2

Random points, and then a climb from the best of them. What is found is attained, so a true constant is never exceeded
(mu: never undercut), whatever the points were; how near it comes says how much the confrontation can see.

There is no oracle for grad_x g. In every world here g(x, 0) does not depend on x, so grad_x g(x, y) is the integral of
grad_xy g(x, ty) y over t in [0, 1]: two points of Gauss are exact for g of degree four or less in y.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ratecert.claim.claim import Json
from ratecert.claim.worlds import build
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers.engines.enumeration import Outcomes
from ratecert.theory.numbers.assumptions import check_assumptions

Array = NDArray[np.float64]
STEP = 1e-4  # of difference quotients, and of the radius where that is smaller than 1
GAUSS = (0.5 - math.sqrt(1 / 12), 0.5 + math.sqrt(1 / 12))  # each of weight 1/2
EFFORT = 50  # evaluations of a climb, per dimension


def confront(
    *, world: str, spec: Json, radius: float, points: int, seed: int, effort: int = EFFORT
) -> list[Json]:
    """Constants on the ball, and the worst quotients that were found there."""
    problem = build(spec)
    constants = problem.constants(radius=radius, reading="joint")
    found = Confronted(problem, radius, effort).found(points=points, seed=seed)
    return [
        {"world": world, "constant": name, "value": constants[name], "found": found[name]}
        for name in sorted(found)
    ]


def standings(*, world: str, spec: Json, radius: float) -> list[Json]:
    """Where the theory says that the assumptions hold."""
    found = check_assumptions(paper(), build(spec), radius=radius)
    return [{"world": world, "assumption": s.assumption, "holds": s.holds} for s in found]


def every_outcome(draw: Callable[[Any], Any]) -> tuple[Any, int]:
    """draw(bits) with one column per outcome of the signs that it uses, and their number."""
    numbers: dict[Any, int] = {}
    draw(Outcomes(0, 1, 1, numbers).reader(0, "", 0, 0))
    n = 2 ** len(numbers)
    return draw(Outcomes(0, n, 1, numbers).reader(0, "", 0, 0)), n


class Confronted:
    """A world and all outcomes of its samples."""

    def __init__(self, world: Any, radius: float, effort: int = EFFORT) -> None:
        self.world, self.radius, self.step = world, radius, STEP * min(1.0, radius)
        self.effort = effort
        self.centre = np.concatenate([world.a, world.b])
        self.xi, self.n_f = every_outcome(world.sample_f)
        self.zeta, self.n_g = every_outcome(world.sample_g)
        self.zeta_yy = every_outcome(world.sample_hessian)
        self.zeta_xy = every_outcome(world.sample_jacobian)

    def found(self, *, points: int, seed: int) -> dict[str, float]:
        """The worst of each quotient, over random points and a climb from the worst of them."""
        random = np.random.default_rng(seed)
        u = random.standard_normal((points, len(self.centre)))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        u[::2] *= random.uniform(size=(len(u[::2]), 1))  # half of them inside
        starts = list(u)
        searched: dict[str, Callable[[Array], float]] = {
            "L_0": self.slope_of_f,
            "L_1": self.steepness,
            "L_21": lambda z: self.bend(self.jacobians, z),
            "L_22": lambda z: self.bend(self.hessians, z),
            "sigma": self.noise,
        }
        least = -self._climb(lambda z: -float(np.linalg.eigvalsh(self.hessians(z)).min()), starts)
        return {"mu": least, **{name: self._climb(value, starts) for name, value in searched.items()}}

    def _climb(self, value: Callable[[Array], float], starts: Sequence[Array]) -> float:
        """The largest value found on the ball; steps of difference quotients stay inside it."""

        def at(u: Array) -> float:
            return value(self.centre + (self.radius - self.step) * u / max(1.0, float(np.linalg.norm(u))))

        best = max(starts, key=at)
        top = minimize(
            lambda u: -at(u), best, method="Nelder-Mead", options={"maxfev": self.effort * len(best)}
        )
        return max(at(best), -float(top.fun))

    # At one point z.

    def slope_of_f(self, z: Array) -> float:
        return float(np.linalg.norm(self.gradients_of_f(z), axis=0).max())

    def noise(self, z: Array) -> float:
        gradients = self.gradients_of_g(z)
        away = gradients - gradients.mean(axis=1, keepdims=True)
        return math.sqrt(float((away**2).sum(axis=0).mean()))

    def steepness(self, z: Array) -> float:
        return max(self._steepest(self.gradients_of_f, z), self._steepest(self.gradients_of_g, z))

    def _steepest(self, gradients: Callable[[Array], Array], z: Array) -> float:
        """For every outcome along the top right singular vector of the measured differences."""
        differences = np.stack([self._difference(gradients, z, e) for e in np.eye(len(z))], axis=2)
        matrices = np.moveaxis(differences, 1, 0)
        worst = int(np.argmax(np.linalg.norm(matrices, 2, axis=(1, 2))))
        v = np.linalg.svd(matrices[worst])[2][0]
        return float(np.linalg.norm(self._difference(gradients, z, v)[:, worst]))

    def bend(self, matrices: Callable[[Array], Array], z: Array) -> float:
        """Along the direction in which one entry of the matrices changes fastest."""
        changes = np.stack([self._difference(matrices, z, e) for e in np.eye(len(z))], axis=-1)
        fastest = changes.reshape(-1, len(z))[int(np.argmax(np.linalg.norm(changes, axis=-1)))]
        if not fastest.any():
            return 0.0
        change = self._difference(matrices, z, fastest / np.linalg.norm(fastest))
        return float(np.linalg.norm(change, 2, axis=(1, 2)).max())

    def _difference(self, function: Callable[[Array], Array], z: Array, v: Array) -> Array:
        """The difference quotient along the unit vector v."""
        return (function(z + self.step * v) - function(z - self.step * v)) / (2 * self.step)

    # Oracles at one point, one column or one matrix per outcome.

    def gradients_of_f(self, z: Array) -> Array:
        x, y = self._columns(z, self.n_f)
        return np.concatenate([self.world.grad_x_f(self.xi, x, y), self.world.grad_y_f(self.xi, x, y)])

    def gradients_of_g(self, z: Array) -> Array:
        x, y = self._columns(z, self.n_g)
        in_x = sum(0.5 * self.world.jacobian_g(self.zeta, x, t * y, y) for t in GAUSS)
        return np.concatenate([in_x, self.world.grad_y_g(self.zeta, x, y)])

    def hessians(self, z: Array) -> Array:
        return self._matrices(self.world.hessian_g, *self.zeta_yy, z)

    def jacobians(self, z: Array) -> Array:
        return self._matrices(self.world.jacobian_g, *self.zeta_xy, z)

    def _matrices(self, product: Callable[..., Array], zeta: Any, n: int, z: Array) -> Array:
        x, y = self._columns(z, n)
        units = [np.repeat(e[:, None], n, axis=1) for e in np.eye(len(y))]
        return np.stack([product(zeta, x, y, e).T for e in units], axis=2)

    def _columns(self, z: Array, n: int) -> tuple[Array, Array]:
        columns = np.repeat(z[:, None], n, axis=1)
        return columns[: self.world.d_x], columns[self.world.d_x :]
