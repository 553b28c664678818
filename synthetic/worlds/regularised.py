"""A quadratic with a quadratic regulariser, which methods may treat by its proximal step.

    F(x) = f(x) + r(x),        r(x) = lam/2 ||x - c||^2

Samples are those of f. The proximal step of r is prox(v) = argmin_x r(x) + ||x - v||^2 / (2 step) = (v + step lam c) /
(1 + step lam); the minimiser x* of F is where grad f(x*) = -grad r(x*).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratecert.base.arrays import number_like
from ratecert.base.errors import UserError
from ratecert.base.validation import Array, ReadOnlyCopies, as_level, as_point, as_vector, frozen, shown
from ratecert.synthetic.algebra.resolvent import beside, resolvent
from ratecert.synthetic.constants.growth import deviation_at
from ratecert.synthetic.constants.promised import minimiser_of
from ratecert.synthetic.worlds.finite_sum import FiniteSum
from ratecert.synthetic.worlds.single_level import SingleLevel


@dataclass(frozen=True, kw_only=True, eq=False)
class Regularised(ReadOnlyCopies):
    """A world of one level plus lam/2 ||x - c||^2.

    >>> import ratecert as rc
    >>> world = rc.worlds.Regularised(smooth=rc.worlds.SingleLevel(H=1.0, a=3.0), lam=2.0)
    >>> print(world.x_star, world.gradient(0.0))
    [1.] [-3.]
    """

    smooth: SingleLevel | FiniteSum  # f
    lam: float
    c: Array  # (d_x,)

    def __init__(self, *, smooth: SingleLevel | FiniteSum, lam: float, c: ArrayLike = 0.0) -> None:
        if not isinstance(smooth, SingleLevel | FiniteSum):
            raise UserError(f"smooth must be a SingleLevel or a FiniteSum, got {shown(smooth)}.")
        object.__setattr__(self, "smooth", smooth)
        object.__setattr__(self, "lam", as_level("lam", lam))
        object.__setattr__(self, "c", as_vector("c", c, smooth.d_x))

    @property
    def d_x(self) -> int:
        return self.smooth.d_x

    @property
    def x_star(self) -> Array:
        """The minimiser of F."""
        points = np.eye(self.d_x)
        H = self.gradient(points) - self.gradient(0 * points)
        return frozen(np.linalg.solve(H, -self.gradient(np.zeros(self.d_x))))

    def gradient(self, x: ArrayLike) -> Array:
        """grad F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = as_point(x, self.d_x)
        pull: Array = number_like(x)(self.lam) * (x - beside(self.c, x))
        return self.smooth.gradient(x) + pull

    def objective(self, x: ArrayLike) -> Any:
        """F(x), at a point (d_x,) or at n columns (d_x, n)."""
        x = np.asarray(as_point(x, self.d_x), dtype=np.float64)
        return self.smooth.objective(x) + self.lam / 2 * np.square(x - beside(self.c, x)).sum(axis=0)

    def constants(self) -> dict[str, float]:
        """The constants of f, which theorems on proximal methods name, lam, and sigma_star at the minimiser of F."""
        sigma_star = deviation_at(self.smooth, minimiser_of(self.gradient, self.d_x))
        return {**self.smooth.constants(), "sigma_star": sigma_star, "lam": self.lam}

    def prox_r(self, step: Any, v: Any) -> Any:
        """argmin_x r(x) + ||x - v||^2 / (2 step), at columns of points of any kind."""
        return resolvent(self.lam * np.eye(self.d_x), self.lam * self.c, step, v)

    def full_gradient(self, x: Any) -> Any:
        """grad f, at columns of points of any kind."""
        return self.smooth.full_gradient(x)

    def sample_f(self, bits: Any) -> Any:
        """A sample of f."""
        return self.smooth.sample_f(bits)

    def grad_f(self, xi: Any, x: Any) -> Any:
        """The gradient of a sample of f."""
        return self.smooth.grad_f(xi, x)
