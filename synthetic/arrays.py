"""Numbers into arrays: finite, of the right shape, symmetric where they must be, and read-only.

A wrong one is refused in one sentence with its name, its value and what is allowed.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def frozen(array: Array) -> Array:
    array.setflags(write=False)
    return array


def as_finite(name: str, value: ArrayLike) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of real numbers, got {value!r}.") from None
    bad = ~np.isfinite(array)
    if bad.any():
        place = "".join(f"[{i}]" for i in np.argwhere(bad)[0])
        raise ValueError(f"{name} must be finite, got {name}{place} = {array[bad].flat[0]}.")
    return array


def as_level(name: str, value: float) -> float:
    array = as_finite(name, value)
    if array.ndim != 0 or array < 0:
        raise ValueError(f"{name} must be one number >= 0, got {value!r}.")
    return float(array)


def as_vector(name: str, value: ArrayLike, length: int) -> Array:
    """A number stands for a vector of that number."""
    array = as_finite(name, value)
    if array.ndim == 0:
        array = np.full(length, array)
    if array.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {array.shape}.")
    return frozen(array)


def as_matrix(name: str, value: ArrayLike, shape: tuple[int, int], *, symmetric: bool = False) -> Array:
    """A number stands for a 1 x 1 matrix."""
    array = as_finite(name, value)
    if array.ndim == 0:
        array = array[None, None]
    if array.shape != shape or 0 in shape:
        raise ValueError(f"{name} must have shape {shape} with no empty side, got {array.shape}.")
    if symmetric:
        _require_symmetry(name, array)
    return frozen(array)


def as_stack(
    name: str, value: ArrayLike, shape: tuple[int, int], *, most: int, symmetric: bool = False
) -> Array:
    """One matrix or a stack of them, as a stack without its zero matrices; the number 0 is the empty stack."""
    array = as_finite(name, value)
    if array.ndim == 0 and (shape == (1, 1) or array == 0):
        array = np.full((1, *shape), array)
    elif array.ndim == 2:
        array = array[None]
    if array.ndim != 3 or array.shape[1:] != shape:
        raise ValueError(
            f"{name} must have shape {shape} or (n, {shape[0]}, {shape[1]}), got {np.shape(value)}."
        )
    if len(array) > most:
        raise ValueError(f"{name} must have at most {most} noise directions, got {len(array)}.")
    if symmetric:
        for i, direction in enumerate(array):
            _require_symmetry(f"{name}[{i}]", direction)
    return frozen(array[np.any(array != 0, axis=(1, 2))])


def _require_symmetry(name: str, matrix: Array) -> None:
    gap = np.abs(matrix - matrix.T)
    if gap.max() > 1e-12 * max(1.0, float(np.abs(matrix).max())):
        i, j = (int(k) for k in np.unravel_index(np.argmax(gap), gap.shape))
        raise ValueError(
            f"{name} must be symmetric: {name}[{i},{j}] = {matrix[i, j]:.6g} but "
            f"{name}[{j},{i}] = {matrix[j, i]:.6g}; use ({name} + {name}.T)/2."
        )
