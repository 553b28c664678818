"""The bias of the truncated Neumann sum in closed form.

At a point (x, y), with H = grad_yy g, J = grad_xy g and w = grad_y f there, all of them means over samples,

    hat    = grad_x f - J [theta sum_{q<=Q} (I - theta H)^q] w       the mean of the stochastic hypergradient
    tilde  = grad_x f - J H^{-1} w                                   the formula with the inverse
    hat - tilde = J H^{-1} (I - theta H)^{Q+1} w

because theta H sum_{q<=Q} (I - theta H)^q = I - (I - theta H)^{Q+1}. The left side is a difference of numbers that
agree in more and more digits as Q grows, and doubles soon have none left; the right side is accurate in doubles at
every Q. H, J and w are asked from the world's own oracles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import UserError
from ratecert.papers.federated_bilevel.paper import paper
from ratecert.solvers import StochasticNeumann
from ratecert.solvers.contract.signs import Silent
from ratecert.theory.numbers.evaluation import with_constants

Array = NDArray[np.float64]
Digits = NDArray[np.object_]  # of 50-digit numbers

DIGITS = mpmath.MPContext()
DIGITS.dps = 50


@dataclass(frozen=True)
class Means:
    """Mean derivatives at one point."""

    grad_x_f: Array  # (d_x,)
    H: Array  # (d_y, d_y)
    J: Array  # (d_x, d_y)
    w: Array  # (d_y,)

    @property
    def tilde(self) -> Array:
        """The formula with the inverse."""
        value: Array = self.grad_x_f - self.J @ np.linalg.solve(self.H, self.w)
        return value

    def bias(self, *, theta: float, terms: int) -> Array:
        """hat - tilde for Q = 1, ..., terms, as rows."""
        r = np.linalg.solve(self.H, self.w)
        r -= theta * (self.H @ r)
        rows = []
        for _ in range(terms):
            r = r - theta * (self.H @ r)
            rows.append(self.J @ r)
        return np.array(rows)


def means_at(world: Any, x: Array, y: Array) -> Means:
    """From the oracles, with every sign at its mean."""
    mean = StochasticNeumann(theta=1.0, Q=1).sample(world, Silent())
    (zeta_j,) = mean.factors
    here, units = (x[:, None], y[:, None]), [e[:, None] for e in np.eye(world.d_y)]
    return Means(
        grad_x_f=world.grad_x_f(mean.xi, *here)[:, 0],
        H=np.hstack([world.hessian_g(zeta_j, *here, e) for e in units]),
        J=np.hstack([world.jacobian_g(mean.zeta, *here, e) for e in units]),
        w=world.grad_y_f(mean.xi, *here)[:, 0],
    )


def own_sum_biases(world: Any, x: Array, y: Array, *, theta: float, terms: int) -> list[Any]:
    """||hat - tilde|| in 50 digits for Q = 1, ..., terms, hat being the algorithm's own running sum.

    The oracles of a quadratic world take 50-digit vectors. All that they round is I - theta A, which has to be exact.
    """
    means = means_at(world, x, y)
    H, factor = digits(means.H), np.eye(len(y)) - theta * means.H
    if not np.all(digits(factor) == digits(np.eye(len(y))) - DIGITS.mpf(theta) * H):
        raise UserError(f"I - theta A must be exact in doubles, got theta = {theta}; take few binary digits.")
    solved = DIGITS.lu_solve(DIGITS.matrix(H.tolist()), DIGITS.matrix(means.w.tolist()))
    tilde = digits(means.grad_x_f) - digits(means.J) @ np.array(list(solved), dtype=object)

    def off(Q: int) -> Any:
        neumann = StochasticNeumann(theta=theta, Q=Q)
        mean = neumann.sample(world, Silent())
        hat = neumann.evaluate(world, mean, digits(x)[:, None], digits(y)[:, None])[:, 0]
        return DIGITS.sqrt(sum(v * v for v in hat - tilde))

    return [off(Q) for Q in range(1, terms + 1)]


def digits(array: Array) -> Digits:
    """The same numbers, exactly."""
    return np.frompyfunc(DIGITS.mpf, 1, 1)(array)  # type: ignore[no-any-return]


def Delta_Q(constants: Mapping[str, float], *, theta: float, Q: int) -> float:
    """The paper's bound, from its own formula."""
    return with_constants(paper(), {**constants, "theta": theta, "Q": Q})["Delta_Q"]
