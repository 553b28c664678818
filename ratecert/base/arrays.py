"""Arrays of rationals, balls and polynomials: numpy's arrays of objects, with products of matrices taken by FLINT.

Slices, transposes, stacks, sums and products by a number are numpy's own. Zeros made by `zeros_like` are whole numbers,
which every kind takes for its own. A double is a rational, so data are taken as exactly the numbers they are. One
formula, written with +, -, *, / and @, runs on every kind; what it is given decides. Norms of balls are rounded up.

And how much memory a call with arrays of some sizes takes.
"""

import math
import operator
from collections.abc import Iterable
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat
from numpy.typing import ArrayLike, NDArray

from ratecert.base.errors import UserError
from ratecert.base.exact import ball, polynomial, rational

AnyArray = NDArray[Any]
ZERO = arb(0)
SMALL = 32  # multiplications, for which numpy takes less time than the way to FLINT and back


class Numbers(np.ndarray[Any, np.dtype[Any]]):
    """What all kinds share."""

    __array_priority__ = 1.0  # so that what is stacked with doubles is of this kind
    matrix: ClassVar[Any]  # FLINT's matrices of this kind

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """The same numbers in this kind; what is of this kind already stays."""
        if isinstance(values, cls):
            return values
        array = np.asarray(values)
        made = np.empty(array.shape, dtype=object)
        made.ravel()[:] = [cls.number(value) for value in array.ravel().tolist()]
        return made.view(cls)

    @classmethod
    def zeros(cls, *shape: int) -> Self:
        """Zeros in an array of this kind."""
        made = np.empty(shape, dtype=object)
        made.fill(cls.number(0))
        return made.view(cls)

    @classmethod
    def identity(cls, n: int) -> Self:
        """The n x n identity in this kind."""
        made = cls.zeros(n, n)
        np.fill_diagonal(made, cls.number(1))
        return made

    @staticmethod
    def number(value: Any) -> Any:
        """One number in this kind."""
        raise NotImplementedError

    def __matmul__(self, other: Any) -> Any:
        return _product(type(self), self, other) if isinstance(other, np.ndarray) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        return _product(type(self), other, self) if isinstance(other, np.ndarray) else NotImplemented


class Rationals(Numbers):
    """Exact fractions."""

    matrix = fmpq_mat
    number = staticmethod(rational)


class Balls(Numbers):
    """Midpoints with radii."""

    matrix = arb_mat
    number = staticmethod(ball)


class Polynomials(Numbers):
    """Polynomials in the step size eta and in k = 1/K, with rational coefficients."""

    number = staticmethod(polynomial)


def _product(kind: type[Numbers], left: AnyArray, right: AnyArray) -> Any:
    """left @ right, by numpy's rules for vectors and stacks."""
    if left.ndim == 1:
        return _product(kind, left[None, :], right)[..., 0, :]
    if right.ndim == 1:
        return _product(kind, left, right[:, None])[..., 0]
    if right.ndim == 2:
        rows = _of_matrices(kind, left.reshape(math.prod(left.shape[:-1]), left.shape[-1]), right)
        return rows.reshape(*left.shape[:-1], right.shape[1])
    if left.ndim == 2:
        return np.swapaxes(_product(kind, np.swapaxes(right, -1, -2), left.T), -1, -2)
    if left.ndim == right.ndim == 3 and 1 in (len(left), len(right)):  # one matrix for a whole stack
        return _product(kind, left, right[0]) if len(right) == 1 else _product(kind, left[0], right)
    pairs = zip(left, right, strict=True)
    return np.stack([_product(kind, l, r) for l, r in pairs]).view(kind)


def _of_matrices(kind: type[Numbers], left: AnyArray, right: AnyArray) -> Any:
    shape = left.shape[0], right.shape[1]
    if 0 in (*shape, right.shape[0]):
        return kind.zeros(*shape)
    if kind is Polynomials or left.shape[0] * right.size <= SMALL:
        return np.matmul(np.asarray(kind.of(left)), np.asarray(kind.of(right))).view(kind)
    return _from_matrix(kind, _to_matrix(kind, left) * _to_matrix(kind, right))


def _to_matrix(kind: type[Numbers], array: AnyArray) -> Any:
    if array.dtype != object:
        array = kind.of(array)
    return kind.matrix(*array.shape, array.ravel().tolist())


def _from_matrix(kind: type[Numbers], matrix: Any) -> Any:
    made = np.empty(matrix.nrows() * matrix.ncols(), dtype=object)
    made[:] = matrix.entries()
    return made.reshape(matrix.nrows(), matrix.ncols()).view(kind)


def matrix_power(A: Numbers, n: int) -> Any:
    """A^n of a square matrix of rationals or balls, n >= 1, by squaring, none of it seen by numpy."""
    kind = type(A)
    return A if A.size == 0 else _from_matrix(kind, _to_matrix(kind, A) ** n)


def kind_of(number: Any) -> type[Numbers]:
    """The kind of arrays that an exact number belongs in."""
    return Rationals if isinstance(number, fmpq) else Balls


def like(values: AnyArray, pattern: AnyArray) -> Any:
    """The values in the kind of numbers of the pattern; midpoints, rounded, where that is doubles."""
    return type(pattern).of(values) if isinstance(pattern, Numbers) else doubles(values)


def number_like(pattern: AnyArray) -> Any:
    """What makes a number of the kind of the pattern."""
    return type(pattern).number if isinstance(pattern, Numbers) else float


def identity_like(pattern: AnyArray, n: int) -> Any:
    """The n x n identity in the kind of numbers of the pattern."""
    return type(pattern).identity(n) if isinstance(pattern, Numbers) else np.eye(n)


def nothing_like(pattern: AnyArray, *shape: int) -> Any:
    """Zeros in the kind of numbers of the pattern."""
    return type(pattern).zeros(*shape) if isinstance(pattern, Numbers) else np.zeros(shape)


def summed(arrays: Iterable[AnyArray]) -> AnyArray:
    """The sum of arrays, of which there is at least one."""
    return reduce(operator.add, arrays)


def doubles(values: AnyArray) -> Any:
    """Every number as the nearest double; of a ball its midpoint, or zero if it may be that.

    So what cancels exactly is zero and not what its last bits were rounded to.
    """
    if not isinstance(values, Numbers):
        return values
    numbers = values.ravel().tolist()
    near = np.array([float(v) for v in numbers], dtype=np.float64)
    if isinstance(values, Balls):
        sure = np.array([v != ZERO for v in numbers], dtype=bool)
        near[~sure & np.isfinite(near)] = 0.0
    return near.reshape(values.shape)


def on_the_other_side(values: AnyArray) -> Any:
    """Every number as the double on its other side than the nearest; a double as itself."""
    near = doubles(values)
    numbers = zip(near.ravel().tolist(), values.ravel().tolist(), strict=True)
    return np.array([_other_side(a, b) for a, b in numbers], dtype=np.float64).reshape(near.shape)


def _other_side(near: float, number: Any) -> float:
    exact = ball(number)
    if exact > near:
        return math.nextafter(near, math.inf)
    return math.nextafter(near, -math.inf) if exact < near else near


def finite(values: AnyArray) -> bool:
    """Whether every number is finite; a ball is if its radius is."""
    if isinstance(values, Balls):
        return all(not hasattr(v, "is_finite") or v.is_finite() for v in values.ravel().tolist())
    return isinstance(values, Numbers) or bool(np.isfinite(values).all())


def solve(left: AnyArray, right: AnyArray) -> Any:
    """X with left X = right, of the kind of the arrays; LinAlgError where it cannot be shown that there is one."""
    kind = next((type(array) for array in (left, right) if isinstance(array, Numbers)), None)
    if kind is None:
        return np.linalg.solve(left, right)
    if not hasattr(kind, "matrix") and left.shape == (1, 1) and kind is not Polynomials:
        return right / left[0, 0]  # numbers that are followed in letters
    if kind is Polynomials:
        return kind.of(solve(Rationals.of(left), Rationals.of(right)))  # of constants only
    columns = right if right.ndim == 2 else right[:, None]
    if 0 in columns.shape:
        return kind.zeros(*right.shape)
    try:
        solution = _from_matrix(kind, _to_matrix(kind, left).solve(_to_matrix(kind, columns)))
    except ZeroDivisionError as error:
        raise np.linalg.LinAlgError("singular, or not seen to be otherwise") from error
    return solution if right.ndim == 2 else solution[:, 0]


SQUARINGS = 24  # of A'A, after which the estimate of a norm is larger than the norm by less than 1e-7


def norm(values: NDArray[Any]) -> arb:
    """The Euclidean norm of a vector, the Frobenius norm of a matrix."""
    square: arb = sum((value * value for value in values.ravel().tolist()), arb(0))
    return square.abs_upper().sqrt().upper()


def spectral_norm(A: NDArray[Any]) -> arb:
    """||A|| <= ||(A'A)^m||_F^(1/2m), which is larger by at most a factor n^(1/4m) for n columns.

    The norm of A' is the same: the narrower of the two is taken.
    """
    narrow = A if A.shape[1] <= A.shape[0] else A.T
    size = norm(matrix_power(narrow.T @ narrow, 2**SQUARINGS))
    return arb(0) if size == 0 else size.root(2 ** (SQUARINGS + 1)).upper()


# How much memory a call takes, estimated from its sizes and refused before any of it is taken.

MOST = 2**32  # bytes
OF_AN_ENTRY, OF_A_PAIR, OF_A_FACTOR, OF_A_LANE, OF_A_TIME = 100, 150, 10_000, 400, 200


def bytes_of(
    *, d: int = 1, K: int = 1, Q: int = 0, lanes: int = 0, times: int = 0, exact: bool = True
) -> int:
    """What a call with these sizes takes, roughly.

    Measured on the methods and worlds of the package, in bytes:

        d         of a world, for each entry of its d x d matrices, of which making it takes a dozen at once
        K         devices that have matrices of their own
        Q         factors of an estimate, or steps of an inner loop: exact moments keep something for each pair of them,
                  samples for each
        lanes     runs side by side, with their states and the words that their samples come from
        times     at which curves are read
    """
    estimates = OF_A_PAIR * Q**2 if exact else OF_A_FACTOR * Q
    return OF_AN_ENTRY * K * d**2 + estimates + OF_A_LANE * lanes * d + OF_A_TIME * times


def require_memory(
    what: str, *, exact: bool = True, names: dict[str, str] | None = None, **sizes: int
) -> None:
    """Refuse what would not fit, with the estimate, the limit, and the size that has to be smaller.

    `names` has what a size is called by the caller.
    """
    needed = bytes_of(**sizes, exact=exact)
    if needed > MOST:
        alone = {
            name: bytes_of(**{"d": sizes.get("d", 1), name: size}, exact=exact)
            for name, size in sizes.items()
        }
        called = {name: (names or {}).get(name, name) for name in sizes}
        listed = ", ".join(f"{called[name]} = {size}" for name, size in sizes.items() if size > 1)
        raise UserError(
            f"{what} with {listed} would take about {needed / 2**30:.3g} GiB of memory, and at most {MOST >> 30} GiB "
            f"are taken; make {called[max(alone, key=lambda name: alone[name])]} smaller."
        )
