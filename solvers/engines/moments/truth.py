"""What the measures measure against: grad Phi(x) and y*(x) as matrices on (x, 1), found by asking the problem."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import Balls, Numbers
from ratecert.errors import NotAffineError
from ratecert.solvers.contract.problem import Problem

Array = NDArray[Any]  # of doubles, balls or rationals


@dataclass(frozen=True)
class Truth:
    """grad Phi and y* of a problem, as matrices on (x, 1)."""

    gradient: Numbers
    y_star: Numbers
    exact: bool  # not computed in doubles


def truth_of(problem: Problem, numbers: type[Numbers] = Balls) -> Truth:
    """NotAffineError where one of them is not affine."""
    gradient, certain = _affine(problem.hypergradient, problem.d_x, numbers)
    y_star, sure = _affine(problem.y_star, problem.d_x, numbers)
    return Truth(gradient, y_star, certain and sure)


def _affine(function: Any, d: int, numbers: type[Numbers]) -> tuple[Numbers, bool]:
    """[slope, constant] of an affine function of x, and whether it was computed exactly; one that is not is refused."""
    rough = _slope_and_constant(function, np.zeros(d), np.eye(d))
    probe = np.cos(np.arange(1.0, d + 1.0))
    expected, size = rough[:, :-1] @ probe + rough[:, -1], np.abs(rough[:, :-1]).max()
    if not np.allclose(function(probe), expected, rtol=1e-9, atol=1e-9 * (1 + size)):
        raise NotAffineError(
            f"{function.__name__}(x) of the problem is not affine in x, so exact moments do not apply; use simulate."
        )
    try:
        exact = _slope_and_constant(function, numbers.zeros(d), numbers.identity(d))
    except (TypeError, ValueError, AttributeError):
        exact = rough
    return numbers.of(exact), isinstance(exact, numbers)


def _slope_and_constant(function: Any, zero: Array, units: Array) -> Array:
    constant = function(zero)
    return np.column_stack([function(units) - constant[:, None], constant])
