"""The arrays of a world: real, finite, of the right shape, symmetric where they must be, and read-only.

A sets d_y and P sets d_x; all other shapes follow from these two. A wrong array is refused in one sentence
with its name, its value and what is allowed.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.errors import UserError
from ratecert.synthetic.validation.messages import shown

Array = NDArray[np.float64]
ASYMMETRY = 1e-12  # of the largest entry; less is rounding
SIZES = "(A sets d_y, P sets d_x)"


def frozen(array: NDArray[np.floating[Any]]) -> Array:
    """The same array, read-only."""
    same = np.asarray(array, dtype=np.float64)
    same.setflags(write=False)
    return same


class ReadOnlyCopies:
    """A copy of a frozen record, here or in another process, is read-only too; most ways to copy an array drop that."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, frozen(value) if isinstance(value, np.ndarray) else value)


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


def as_vector(name: str, value: ArrayLike, length: int) -> Array:
    """A number stands for a vector of that number."""
    array = as_finite(name, value)
    if array.ndim == 0:
        array = np.full(length, array)
    if array.shape != (length,):
        raise UserError(f"{name} must have shape ({length},) {SIZES}, got {form(array)}.")
    return frozen(array)


def as_matrix(name: str, value: ArrayLike, shape: tuple[int, int], *, symmetric: bool = False) -> Array:
    """A number stands for a 1 x 1 matrix."""
    array = as_finite(name, value)
    matrix = array[None, None] if array.ndim == 0 else array
    if matrix.shape != shape:
        raise UserError(f"{name} must have shape {shape} {SIZES}, got {form(array)}.")
    if symmetric:
        _require_symmetry(name, matrix)
    return frozen(matrix)


def as_symmetric(name: str, value: ArrayLike) -> Array:
    """A symmetric matrix of any size, which sets a dimension. A number stands for a 1 x 1 matrix."""
    array = as_finite(name, value)
    matrix = array[None, None] if array.ndim == 0 else array
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise UserError(f"{name} must be a square matrix with no empty side, got {form(array)}.")
    _require_symmetry(name, matrix)
    return frozen(matrix)


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


def real(value: ArrayLike) -> Array:
    """A new array of floats, from numbers only: text is not read and imaginary parts are not dropped."""
    array = np.array(value)
    if array.dtype.kind == "O":  # fractions, symbols
        array = np.reshape([float(entry) for entry in array.flat], array.shape)
    if array.dtype.kind not in "biuf":
        raise TypeError
    return array.astype(np.float64)


def form(array: Array) -> str:
    return f"shape {array.shape}" if array.ndim else f"the number {float(array)}"


def _require_symmetry(name: str, matrix: Array) -> None:
    gap = np.abs(matrix - matrix.T)
    if gap.max() > ASYMMETRY * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(np.argmax(gap), gap.shape))
        raise UserError(
            f"{name} must be symmetric: {name}[{i},{j}] = {matrix[i, j]:.6g} but {name}[{j},{i}] = "
            f"{matrix[j, i]:.6g}, a difference of {gap[i, j]:.3g}; use ({name} + {name}.T)/2."
        )
