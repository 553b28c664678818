"""Forms in exact numbers: a vector affine in the fields becomes a matrix on (fields, 1), found by asking for it.

It is asked at the origin and at the unit vectors; at one point more it has to agree, or it is not affine.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Numbers, identity_like
from ratecert.base.errors import NotAffineError, UserError
from ratecert.base.own_code import located
from ratecert.solvers.contract.measures import Form
from ratecert.solvers.contract.problem import AnyProblem
from ratecert.solvers.contract.stage import State

Array = NDArray[Any]  # of doubles, balls or rationals


PROBES = np.array([[1.0, -1.0, -17.0]])  # on both sides of the origin: |x| and max(x, 0) are affine on one


@dataclass(frozen=True)
class Reading:
    """E v'W v with v = L (fields, 1)."""

    L: Array
    W: Array
    exact: bool  # not computed in doubles


def reading_of(
    form: Form, problem: AnyProblem, dimensions: Mapping[str, int], numbers: type[Numbers]
) -> Reading:
    """The form on a state with these fields. NotAffineError where it is not one."""
    rough = _in_doubles(form, problem, dimensions)
    points = np.cos(np.arange(1.0, rough.shape[1]))[:, None] * PROBES
    expected, size = rough[:, :-1] @ points + rough[:, -1:], np.abs(rough[:, :-1]).max(initial=0.0)
    found = form.vector(problem, _state(points, dimensions))
    if not np.allclose(found, expected, rtol=1e-9, atol=1e-9 * (1 + size)):
        raise NotAffineError("is not affine in the state, so exact moments do not apply; use simulate.")
    watched, pattern = Watched(problem), numbers.zeros(0)
    try:
        L, W = _matrix(form, watched, dimensions, pattern), _weight(form, watched, len(rough), pattern)
    except (TypeError, ValueError, AttributeError):
        L, W = rough, _weight(form, problem, len(rough), np.zeros(0))
    exact = watched.exact and isinstance(L, numbers) and isinstance(W, numbers)
    return Reading(numbers.of(L), numbers.of(W), exact)


class Watched:
    """A problem that sees whether it answers exact numbers with exact numbers."""

    def __init__(self, problem: AnyProblem, seen: list[bool] | None = None) -> None:
        self._problem = problem
        self._seen: list[bool] = [] if seen is None else seen

    @property
    def exact(self) -> bool:
        """Whether it always has; its devices are seen too."""
        return not self._seen

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._problem, name)
        if name == "device":
            return Watched(found, self._seen)
        return partial(self._asked, found) if callable(found) else found

    def _asked(self, function: Callable[..., Any], *arguments: Any) -> Any:
        answer = function(*arguments)
        if any(isinstance(a, Numbers) for a in arguments) and not isinstance(answer, Numbers):
            self._seen.append(False)
        return answer


def _weight(form: Form, problem: AnyProblem, rows: int, pattern: Array) -> Array:
    if form.weight is None:
        identity: Array = identity_like(pattern, rows)
        return identity
    W: Array = form.weight(problem, pattern)
    if W.shape != (rows, rows):
        raise UserError(f"the weight of a measure of {rows} numbers must be {rows} x {rows}, got {W.shape}.")
    return W


def _in_doubles(form: Form, problem: AnyProblem, dimensions: Mapping[str, int]) -> Array:
    """The matrix in doubles; a vector that cannot be computed so is a mistake of who wrote it."""
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            found = _matrix(form, problem, dimensions, np.zeros(0))
    except (IndexError, TypeError, ValueError) as error:
        raise UserError(
            f"the vector of a measure could not be computed ({located(error)}); vector(problem, s) gets fields with "
            f"a row for each coordinate and a column for each point, and returns such an array: a constant c is "
            f"c[:, None] there."
        ) from error
    if not np.isfinite(found).all():
        raise UserError("the vector of a measure must be finite at every finite state.")
    return found


def _matrix(form: Form, problem: AnyProblem, dimensions: Mapping[str, int], pattern: Array) -> Array:
    n = sum(dimensions.values())
    units = identity_like(pattern, n)
    points = np.column_stack([units, 0 * units[:, :1]])
    values = form.vector(problem, _state(points, dimensions))
    if np.ndim(values) != 2 or np.shape(values)[1] != n + 1:
        raise ValueError(f"it returns an array {np.shape(values)} for {n + 1} columns")
    constant = values[:, -1:]
    return np.column_stack([values[:, :-1] - constant, constant])


def _state(points: Array, dimensions: Mapping[str, int]) -> State:
    ends = np.cumsum(list(dimensions.values()))[:-1]
    return State(**dict(zip(dimensions, np.split(points, ends), strict=True)))
