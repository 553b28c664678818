"""Arrays that are written like one: in front of the shape that the code sees stands an axis of settings.

    H = Many(values)        values (N, d, d); H.shape is (d, d), H[0] a row of every setting, H @ f for a form f

A world whose fields are such arrays runs its own oracles on all settings at once. What a comparison asks is which lines
run, and that is the same for all settings: `s > 0` is true where some setting has it.
"""

import numbers
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import array_api_compat
import numpy as np

Array = Any  # of numpy, torch or JAX, in doubles


def namespace(array: Array) -> Any:
    """The functions of the array API standard for this array's library."""
    return array_api_compat.array_namespace(array)


def constants(pattern: Array, values: Any) -> Array:
    """Numbers that are the same for all settings, as an array beside the pattern, on its device."""
    given = np.asarray(values)
    given = given.astype(np.int64 if given.dtype.kind in "iu" else np.float64, copy=False)
    if isinstance(pattern, np.ndarray):
        return given
    return namespace(pattern).asarray(given, device=array_api_compat.device(pattern))


def on_host(array: Array) -> Any:
    """The same numbers as an array of numpy."""
    if array_api_compat.is_torch_array(array) or array_api_compat.is_cupy_array(array):
        array = array_api_compat.to_device(array, "cpu")
    return np.asarray(array)


def transposed(array: Array) -> Array:
    """The last two axes, exchanged."""
    return namespace(array).matrix_transpose(array)


def apply(M: Array, v: Array) -> Array:
    """M v of every setting, for vectors (N, n)."""
    return (M @ v[..., None])[..., 0]


def joined(parts: Sequence[Array], axis: int) -> Array:
    """Matrices beside (-1) or above (-2) one another; what is the same for all settings stands beside each."""
    xp, settings = namespace(parts[0]), max(part.shape[0] for part in parts)
    return xp.concat([xp.broadcast_to(part, (settings, *part.shape[1:])) for part in parts], axis=axis)


class Many:
    """An array (N, *shape), or (1, *shape) where it is the same for all, that looks like one of that shape."""

    __array_ufunc__ = None
    __slots__ = ("values",)

    def __init__(self, values: Array) -> None:
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape[1:])

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> "Many":
        return Many(transposed(self.values))

    def swapaxes(self, a: int, b: int) -> "Many":
        """numpy's name of it."""
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return Many(namespace(self.values).permute_dims(self.values, (0, *(1 + axis for axis in order))))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator["Many"]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> "Many":
        key = key if isinstance(key, tuple) else (key,)
        return Many(self.values[(slice(None), *key, *(slice(None),) * (self.ndim - _axes(key)))])

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Many | np.ndarray):
            return NotImplemented
        right = as_many(other, self).values
        return Many(_product(self.values, right))

    def __neg__(self) -> "Many":
        return Many(-self.values)

    def __add__(self, other: Any) -> Any:
        beside = self._beside(other)
        return NotImplemented if beside is None else Many(self._aligned(beside) + beside)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        beside = self._beside(other)
        return NotImplemented if beside is None else Many(self._aligned(beside) - beside)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        beside = self._beside(other)
        return NotImplemented if beside is None else Many(self._aligned(beside) * beside)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        beside = self._beside(other)
        return NotImplemented if beside is None else Many(self._aligned(beside) / beside)

    def __gt__(self, other: float) -> bool:
        """Whether it is in some setting: which lines run is the same for all."""
        return bool(namespace(self.values).any(self.values > other))

    def _beside(self, other: Any) -> Array | None:
        """The other's values with as many axes as both need."""
        if not isinstance(other, Many | np.ndarray | numbers.Real | Fraction):
            return None
        values = as_many(other, self).values
        return _with_axes(values, max(self.ndim, values.ndim - 1))

    def _aligned(self, beside: Array) -> Array:
        return _with_axes(self.values, beside.ndim - 1)


def _axes(key: tuple[Any, ...]) -> int:
    """How many axes an index takes away or keeps: a new one is none of these."""
    return sum(each is not None for each in key)


def as_many(value: Any, pattern: Many) -> Many:
    """A number or an array that is common to all settings, beside the pattern."""
    if isinstance(value, Many):
        return value
    if isinstance(value, np.ndarray):
        return Many(constants(pattern.values, value.astype(np.float64)[None]))
    return Many(constants(pattern.values, [float(value)]))


def _with_axes(values: Array, ndim: int) -> Array:
    """With ones between the axis of settings and the others, as broadcasting of one setting would have it."""
    missing = ndim - (values.ndim - 1)
    shape = (values.shape[0], *(1,) * missing, *values.shape[1:])
    return values if missing <= 0 else namespace(values).reshape(values, shape)


def _product(left: Array, right: Array) -> Array:
    """left @ right by numpy's rules for one setting: a vector on the right has one column."""
    if right.ndim == 2:
        return (left @ right[..., None])[..., 0]
    return left @ right
