"""What a call is given, checked before any work: numbers, arrays of numbers, points.

A wrong one is refused in one sentence, with its name, its value, the allowed range and what to do. `require_...` looks
only; `as_...` gives what it took in the type that code goes on with. Text is not read as a number, an imaginary part is
not dropped, and True is no number.
"""

import math
import numbers
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.arrays import Numbers
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.exact import is_exact

Array = NDArray[np.float64]
FAR = 10**300  # beyond it a whole number has no float
LONGEST = 80
ASYMMETRY = 1e-12  # of the largest entry; less is rounding
SIZES = "(A sets d_y, P sets d_x)"


def shown(value: Any) -> str:
    """A value on one line, shortened where it is long."""
    try:
        text = " ".join(repr(_plain(value)).split())
    except ValueError:  # Python writes no number of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]}…{text[-19:]}"


def _plain(value: Any) -> Any:
    """Arrays as lists: their own repr takes several lines."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


# Single numbers and choices.


def is_letter(value: Any) -> bool:
    """Whether a value stands for the numbers of many settings, which are checked themselves."""
    return getattr(value, "is_letter", False)


def require_positive(name: str, value: Any) -> None:
    """A float, an int or an exact number of an engine; not a fraction, which arrays of floats do not take."""
    if is_letter(value):
        return
    fraction = isinstance(value, numbers.Rational) and not isinstance(value, numbers.Integral)
    number = isinstance(value, numbers.Real) and not isinstance(value, bool) and not fraction
    far = isinstance(value, int) and abs(value) > FAR
    if not (number or is_exact(value)) or far or not 0 < float(value) < math.inf:
        advice = f"; write it as a float, float({name})" if fraction else ""
        raise UserError(f"{name} must be a finite number > 0, got {shown(value)}{advice}.")


def require_number(name: str, value: Any, *, least: float = -math.inf) -> None:
    """Any real number from `least` on, infinite ones included; nan is none."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not float(value) >= least:
        limit = "" if least == -math.inf else f" >= {least:g}"
        raise UserError(f"{name} must be a number{limit}, got {shown(value)}.")


def require_whole(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """The value as a plain int; a letter as it is."""
    if is_letter(value):
        return value  # type: ignore[no-any-return]
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= (FAR if most is None else most):
        limit = f">= {least}" if most is None else f"from {least} to {most}"
        raise UserError(f"{name} must be a whole number {limit}, got {shown(value)}.")
    return int(value)


def require_fraction(name: str, value: Any, advice: str) -> None:
    if not is_letter(value) and not 0 < float(value) <= 1:  # in rationals the float 0.1 times 10 exceeds 1
        raise UserError(f"{name} must lie in (0, 1], got {float(value):.6g}; {advice}.")


def require_choice(name: str, value: Any, allowed: Sequence[Any]) -> None:
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        raise UserError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {shown(value)}.")


def require_instance(role: str, value: Any) -> None:
    if isinstance(value, type):
        raise UserTypeError(
            f"{value.__name__} is a class; make one of it, {value.__name__}(...), to use it as the {role}."
        )


def require_type(what: str, value: Any, kind: Any, wanted: str) -> None:
    """An object of a kind; of texts and tuples, one that is not empty."""
    if not isinstance(value, kind) or (isinstance(value, str | tuple | list) and not value):
        raise UserTypeError(f"{what} must be {wanted}, got {shown(value)}.")


def as_number(name: str, value: Any) -> float:
    """A finite number of any kind as a float."""
    array = as_finite(name, value)
    if array.ndim != 0:
        raise UserError(f"{name} must be one number, got {shown(value)}.")
    return float(array)


def as_level(name: str, value: Any) -> float:
    """A number that is not negative, as a float."""
    number = as_number(name, value)
    if number < 0:
        raise UserError(f"{name} must be >= 0, got {name} = {number}.")
    return number


def as_positive(
    name: str, value: Any, *, least: float = 0.0, most: float = math.inf, advice: str = ""
) -> float:
    """One number > 0, infinite only where there is no largest one, as a float."""
    try:
        array = np.array(math.nan) if isinstance(value, bool) else real(value)
    except (OverflowError, TypeError, ValueError):
        array = np.array(math.nan)
    if array.ndim != 0 or not (array > 0 and least <= array <= most):
        limits = (
            f" in [{least:.3g}, {most:.3g}]" if math.isfinite(most) else f" >= {least:.3g}" if least else ""
        )
        raise UserError(f"{name} must be one number > 0{limits}, got {name} = {shown(value)}{advice}.")
    return float(array)


# Arrays. Those that a frozen record keeps are read-only.


def real(value: ArrayLike) -> Array:
    """A new array of floats, from numbers only: text is not read and imaginary parts are not dropped."""
    array = np.array(value)
    if array.dtype.kind == "O":  # fractions, symbols
        array = np.reshape([float(entry) for entry in array.flat], array.shape)
    if array.dtype.kind not in "biuf":
        raise TypeError
    return array.astype(np.float64)


def frozen(array: NDArray[np.floating[Any]]) -> Array:
    """The same array, read-only."""
    same = np.asarray(array, dtype=np.float64)
    same.setflags(write=False)
    return same


class ReadOnlyCopies:
    """A copy of a frozen record, here or in another process, is read-only too; most ways to copy an array drop that."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, frozen(value) if type(value) is np.ndarray else value)


def form(array: Array) -> str:
    return f"shape {array.shape}" if array.ndim else f"the number {float(array)}"


def as_finite(name: str, value: ArrayLike) -> Array:
    try:
        array = real(value)
    except (OverflowError, TypeError, ValueError):
        raise UserError(f"{name} must be real numbers in rows of one length, got {shown(value)}.") from None
    bad = ~np.isfinite(array)
    if bad.any():
        place = "".join(f"[{i}]" for i in np.argwhere(bad)[0])
        raise UserError(f"{name} must be finite, got {name}{place} = {array[bad].flat[0]}.")
    return array


def require_finite(name: str, value: ArrayLike) -> None:
    """For what is computed from finite arrays: there a value that is not finite is an overflow."""
    array = np.asarray(value)
    bad = ~np.isfinite(array)
    if bad.any():
        raise UserError(
            f"{name} must be finite, got the entry {array[bad].flat[0]}: the sizes of the arrays overflow all "
            f"floats; choose them closer to 1."
        )


def as_shape(name: str, value: ArrayLike, shape: tuple[int, ...], sizes: str = "") -> Array:
    """Numbers in this shape; one number stands for a vector of that number, and for a 1 x 1 matrix."""
    array = as_finite(name, value)
    if array.ndim == 0 and (len(shape) == 1 or set(shape) == {1}):
        array = np.full(shape, array)
    if array.shape != shape:
        raise UserError(f"{name} must have shape {shape}{sizes and ' '}{sizes}, got {form(array)}.")
    return frozen(array)


def as_vector(name: str, value: ArrayLike, length: int) -> Array:
    """A number stands for a vector of that number."""
    return as_shape(name, value, (length,), SIZES)


def as_matrix(name: str, value: ArrayLike, shape: tuple[int, int], *, symmetric: bool = False) -> Array:
    """A number stands for a 1 x 1 matrix."""
    matrix = as_shape(name, value, shape, SIZES)
    if symmetric:
        _require_symmetry(name, matrix)
    return matrix


def as_square(name: str, value: ArrayLike) -> Array:
    """A square matrix of any size, which sets a dimension. A number stands for a 1 x 1 matrix."""
    array = as_finite(name, value)
    matrix = array[None, None] if array.ndim == 0 else array
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise UserError(f"{name} must be a square matrix with no empty side, got {form(array)}.")
    return frozen(matrix)


def as_symmetric(name: str, value: ArrayLike) -> Array:
    """The same, symmetric."""
    matrix = as_square(name, value)
    _require_symmetry(name, matrix)
    return matrix


def as_stack(
    name: str, value: ArrayLike, shape: tuple[int, int], *, most: int, symmetric: bool = False
) -> Array:
    """One matrix or a stack of them, as a stack without its zero matrices; 0 is the empty stack."""
    array = as_finite(name, value)
    stack = array
    if array.ndim == 0 and (shape == (1, 1) or array == 0):
        stack = np.full((1, *shape), array)
    elif array.ndim == 2:
        stack = array[None]
    if stack.ndim != 3 or stack.shape[1:] != shape:
        allowed = f"be 0 or have shape {shape} or (n, {shape[0]}, {shape[1]})"
        raise UserError(f"{name} must {allowed} {SIZES}, got {form(array)}.")
    if len(stack) > most:
        raise UserError(f"{name} must have at most {most} noise directions, got {len(stack)}.")
    if symmetric:
        for i, direction in enumerate(stack):
            _require_symmetry(f"{name}[{i}]", direction)
    return frozen(stack[np.any(stack != 0, axis=(1, 2))])


def _require_symmetry(name: str, matrix: Array) -> None:
    gap = np.abs(matrix - matrix.T)
    if gap.max() > ASYMMETRY * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(np.argmax(gap), gap.shape))
        raise UserError(
            f"{name} must be symmetric: {name}[{i},{j}] = {matrix[i, j]:.6g} but {name}[{j},{i}] = "
            f"{matrix[j, i]:.6g}, a difference of {gap[i, j]:.3g}; use ({name} + {name}.T)/2."
        )


# Points.


def require_point(name: str, value: Any, d: int) -> Array:
    """d finite numbers as a vector; a plain number where d = 1."""
    try:
        point = np.atleast_1d(np.asarray(value))
        fits = point.dtype.kind in "iuf" and point.shape == (d,)
        point = point.astype(np.float64) if fits else point
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or not np.isfinite(point).all():
        raise UserError(f"{name} must be {d} finite number{'s' if d > 1 else ''}, got {shown(value)}.")
    return point


def as_point(x: ArrayLike, d_x: int) -> Array:
    """Where a world is asked for its truth: a point (d_x,), n columns (d_x, n), or a number where d_x = 1.

    The engines ask at arrays of columns, at every step, and find a divergence themselves: for these only the shape
    is checked, and entries that are not finite pass through. So do balls and rationals, at which the truth is computed
    in these numbers. All other points have to be finite.
    """
    if isinstance(x, Numbers) or (isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind == "f"):
        point = x
    elif not isinstance(x, np.ndarray) and hasattr(type(x), "__array_ufunc__"):
        return cast(Array, x)  # an engine's own kind of vector
    else:
        point = as_finite("x", x)
        if point.ndim == 0 and d_x == 1:
            point = point[None]
    if point.ndim not in (1, 2) or len(point) != d_x:
        number = "be a number or " if d_x == 1 else ""
        raise UserError(f"x must {number}have shape ({d_x},) or ({d_x}, n), got {form(point)}.")
    return point
