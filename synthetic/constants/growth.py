"""How the variance of a sampled gradient grows with the gradient: Var g <= M + M_V ||grad F||^2.

On a quadratic the deviation of sample j from v = grad F is D_j v + r_j, so that

    Var g = v'A v + 2 b'v + c,        A = sum_j D_j'D_j,    b = sum_j D_j'r_j,    c = sum_j ||r_j||^2

Without b the smallest constants are M = c and M_V, the largest eigenvalue of A. With b there is no smallest pair: M_V
is then taken twice as large, and M is what it has to be, c + b'(M_V I - A)^{-1} b. Where b may be rounding of the
world's own numbers, M_V is a billionth larger only.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from ratecert.base.arrays import Rationals, solve, summed
from ratecert.base.exact import rational
from ratecert.synthetic.constants.promised import above, inner, largest_eigenvalue, root_above, squares

ROUNDING = 1e-9  # of the largest that b can be, sqrt(c M_V): less may be none


def growth(D: Any, r: Any, weight: Fraction = Fraction(1)) -> tuple[float, float]:
    """(M, M_V), for rational D (j, d, d) and r (j, d); every sample has the weight."""
    share, exact = rational(weight), D.dtype == object
    number: Any = rational if exact else float
    part = number(weight)
    if not len(D):
        return 0.0, 0.0
    A, b = (
        part * summed([each.T @ each for each in D]),
        part * summed([D.T @ r for D, r in zip(D, r, strict=True)]),
    )
    c, largest = share * squares(r), largest_eigenvalue(A)
    size = float(squares(b))
    if not size:
        return above(c), largest
    M_V = (2 if size > ROUNDING**2 * float(c) * largest else 1 + ROUNDING) * largest
    identity = Rationals.identity(len(A)) if exact else np.eye(len(A))
    rest = solve(number(M_V) * identity - A, b)
    return above(c + inner(b, rest)), M_V


def deviation_at(world: Any, x: Rationals) -> float:
    """The standard deviation of a world's sampled gradients at x."""
    second = rational(world.sample_share) * squares(world.sample_vectors(x[:, None]))
    return root_above(second - squares(world.gradient(x)))
