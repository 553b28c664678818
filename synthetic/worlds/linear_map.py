"""A nonexpansive affine map, as a problem on one level whose gradient is the residual.

    T(x) = M x + b,  ||M||_2 <= 1,        gradient(x) = x - T(x),        x* the fixed point

SGD with the step alpha is then the Krasnoselskii-Mann iteration x+ = (1 - alpha) x + alpha T(x). There is no noise and,
unless M is symmetric, no function of which the residual is the gradient.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import like, solve
from ratecert.base.errors import UserError
from ratecert.base.exact import rational
from ratecert.base.validation import Array, ReadOnlyCopies, as_point, as_square, as_vector, frozen
from ratecert.synthetic.algebra.resolvent import beside
from ratecert.synthetic.constants.promised import below, exactly, spectral_norm

ROUNDING = 1e-12  # of a norm that is to be 1, and of a distance from singular matrices


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearMap(ReadOnlyCopies):
    """A nonexpansive affine map, made of its matrix, with one fixed point, which is known exactly.

    >>> import ratecert as rc
    >>> world = rc.worlds.LinearMap(M=[[0.0, -1.0], [1.0, 0.0]], b=[1.0, 0.0])
    >>> print(world.x_star, world.gradient([1.0, 0.0]))
    [0.5 0.5] [ 0. -1.]
    """

    M: Array  # (d_x, d_x), of norm 1 at most
    b: Array  # (d_x,)

    def __init__(self, *, M: ArrayLike, b: ArrayLike = 0.0) -> None:
        matrix = as_square("M", M)
        object.__setattr__(self, "M", matrix)
        object.__setattr__(self, "b", as_vector("b", b, len(matrix)))
        norm, least = self._extremes()
        if norm > 1 + ROUNDING:
            raise UserError(
                f"M must be nonexpansive, but its norm is {norm:.6g}; divide M by its norm, which must be at most 1."
            )
        if least <= ROUNDING:
            raise UserError(
                f"I - M must be invertible, so that there is one fixed point, but its smallest singular value is "
                f"{least:.6g}; choose M without the eigenvalue 1."
            )

    @property
    def d_x(self) -> int:
        return len(self.M)

    @cached_property
    def x_star(self) -> Array:
        """The fixed point."""
        return frozen(np.linalg.solve(np.eye(self.d_x) - self.M, self.b))

    def gradient(self, x: ArrayLike) -> Array:
        """x - T(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        residual: Array = x - like(self.M, x) @ x - beside(self.b, x)
        return residual

    def constants(self) -> dict[str, float]:
        """Exact constants: the norm of M, and L and mu with mu ||x - x*|| <= ||x - T(x)|| <= L ||x - x*||."""
        M, one = exactly(self.M), exactly(np.eye(self.d_x))
        residual = one - M
        inverse = solve(residual, one)
        mu = below(1 / rational(spectral_norm(inverse)))
        return {"norm": spectral_norm(M), "L": spectral_norm(residual), "mu": mu}

    def sample_f(self, bits: Any) -> None:
        """There is nothing to draw."""

    def grad_f(self, _xi: None, x: Any) -> Any:
        """The residual, at columns of points."""
        return self.full_gradient(x)

    def full_gradient(self, x: Any) -> Any:
        """The residual, at columns of points of any kind."""
        return x - (self.M @ x + self.b[:, None])

    def _extremes(self) -> tuple[float, float]:
        """The norm of M, and the smallest singular value of I - M."""
        residual = np.eye(self.d_x) - self.M
        return float(np.linalg.norm(self.M, 2)), float(np.linalg.norm(residual, -2))
