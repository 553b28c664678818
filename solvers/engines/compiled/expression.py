"""What a step computes, written down instead of computed: vectors as expressions.

The engine hands these to the algorithm's own step, to the estimators' own code and to the problem's own oracles, which
combine them with +, -, scalar * and matrix @. Where a world asks for a sine or a product entry by entry, that is
written down too, and the expression is no longer affine in its arguments.

A coefficient is a number, or an array with one number for each iteration of a stretch of time.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import NotTracedError

Array = NDArray[np.float64]
Coefficient = float | Array


class Expression:
    """A vector of dimension d. Two expressions are the same if they are the same object."""

    d: int
    ndim = 2  # as the columns of points for which it stands
    affine = True  # in the arguments of the estimator that it belongs to

    @property
    def children(self) -> tuple["Expression", ...]:
        return ()

    def __add__(self, other: Any) -> "Expression":
        if isinstance(other, int) and other == 0:  # where Python's own sum begins
            return self
        return Sum(((1.0, self), (1.0, as_expression(other, self.d))))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Expression":
        return Sum(((1.0, self), (-1.0, as_expression(other, self.d))))

    def __rsub__(self, other: Any) -> "Expression":
        return Sum(((1.0, as_expression(other, self.d)), (-1.0, self)))

    def __mul__(self, other: Any) -> "Expression":
        if isinstance(other, Expression):
            return EntryByEntry("times", (self, other))
        return Sum(((as_coefficient(other), self),))

    __rmul__ = __mul__

    def __neg__(self) -> "Expression":
        return Sum(((-1.0, self),))

    def __rmatmul__(self, M: Array) -> "Expression":
        return Product(M, None, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """numpy's arrays on the left, and functions of one vector."""
        if method == "__call__" and ufunc in REFLECTED and isinstance(inputs[1], Expression):
            return REFLECTED[ufunc](inputs[1], inputs[0])
        if method == "__call__" and ufunc in (np.sin, np.cos):
            return EntryByEntry(ufunc.__name__, (self,))
        return NotImplemented


REFLECTED: dict[Any, Callable[[Expression, Any], Expression]] = {
    np.add: Expression.__radd__,
    np.subtract: Expression.__rsub__,
    np.multiply: Expression.__rmul__,
    np.matmul: Expression.__rmatmul__,
}


@dataclass(frozen=True, eq=False)
class Leaf(Expression):
    """A field of the state, or an argument of an estimator."""

    name: str
    d: int


@dataclass(frozen=True, eq=False)
class ConstantVector(Expression):
    values: Array

    @property
    def d(self) -> int:  # type: ignore[override]
        return len(self.values)


ONE = ConstantVector(np.ones(1))


@dataclass(frozen=True, eq=False)
class SignVector(Expression):
    """d fresh signs as a vector; they are numbered within their draw."""

    first: int
    d: int


@dataclass(frozen=True, eq=False)
class Sum(Expression):
    terms: tuple[tuple[Coefficient, Expression], ...]

    def __post_init__(self) -> None:
        sizes = {term.d for _, term in self.terms}
        if len(sizes) != 1:
            raise NotTracedError(f"vectors of dimensions {sorted(sizes)} are added")
        object.__setattr__(self, "affine", all(term.affine for _, term in self.terms))

    @property
    def d(self) -> int:  # type: ignore[override]
        return self.terms[0][1].d

    @property
    def children(self) -> tuple[Expression, ...]:
        return tuple(term for _, term in self.terms)


@dataclass(frozen=True, eq=False)
class Product(Expression):
    """e M r, with a sign e or without one."""

    M: Array
    sign: int | None
    operand: Expression

    def __post_init__(self) -> None:
        if np.ndim(self.M) != 2 or self.M.shape[1] != self.operand.d:
            raise NotTracedError(
                f"a matrix of shape {np.shape(self.M)} multiplies a vector of length {self.operand.d}"
            )
        object.__setattr__(self, "affine", self.operand.affine)

    @property
    def d(self) -> int:  # type: ignore[override]
        return len(self.M)

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, eq=False)
class EntryByEntry(Expression):
    """sin, cos or times."""

    function: str
    operands: tuple[Expression, ...]

    affine = False

    def __post_init__(self) -> None:
        if len({operand.d for operand in self.operands}) != 1:
            raise NotTracedError(f"{self.function} of vectors whose dimensions differ")

    @property
    def d(self) -> int:  # type: ignore[override]
        return self.operands[0].d

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.operands


@dataclass(frozen=True)
class TracedSign:
    """One fresh sign; it multiplies a product with a matrix, a constant, or a sum of these."""

    number: int
    __array_ufunc__ = None

    def __mul__(self, r: Any) -> Expression:
        if isinstance(r, Sum):
            return Sum(tuple((c, self * term) for c, term in r.terms))
        if isinstance(r, ConstantVector):
            return Product(r.values[:, None], self.number, ONE)
        if not isinstance(r, Product) or r.sign is not None:
            raise NotTracedError("a sign multiplies something that is not a matrix times a vector")
        return Product(r.M, self.number, r.operand)

    __rmul__ = __mul__


@dataclass(frozen=True)
class SignRow:
    """n fresh signs: a list of factors, or a vector of additive noise."""

    first: int
    n: int
    __array_ufunc__ = None

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[TracedSign]:
        return iter([TracedSign(self.first + i) for i in range(self.n)])

    def __mul__(self, c: Any) -> Expression:
        return as_coefficient(c) * SignVector(self.first, self.n)

    __rmul__ = __mul__


class SignCounter:
    """The signs that a sample asks for, numbered in order."""

    def __init__(self) -> None:
        self.used = 0

    def signs(self, n: int) -> SignRow:
        first, self.used = self.used, self.used + n
        return SignRow(first, n)

    def whole(self, n: int) -> NoReturn:
        raise NotTracedError("its samples draw whole numbers")


def as_expression(value: Any, d: int) -> Expression:
    """A vector; a column of numbers, as worlds write their constants, is a constant vector, and so is a number."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, int | float):
        return ConstantVector(np.full(d, float(value)))
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == 1:
        return ConstantVector(np.ascontiguousarray(value[:, 0], dtype=np.float64))
    raise NotTracedError(f"{type(value).__name__} is added to a vector")


def as_coefficient(value: Any) -> Coefficient:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return cast(Array, value.astype(np.float64))
    if isinstance(value, int | float | np.floating | np.integer):
        return float(value)
    raise NotTracedError(f"{type(value).__name__} multiplies a vector")


def uses_of(values: Iterable[Expression]) -> dict[Expression, int]:
    """How often each expression is used."""
    uses: dict[Expression, int] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        uses[value] = uses.get(value, 0) + 1
        if uses[value] == 1:
            waiting += value.children
    return uses


def written_out(value: Sum, uses: dict[Expression, int]) -> Iterator[tuple[Coefficient, Expression]]:
    """The terms of a sum in order, with those sums among them that nothing else uses written out."""
    waiting = list(reversed(value.terms))
    while waiting:
        c, term = waiting.pop()
        if isinstance(term, Sum) and uses.get(term, 1) == 1:
            waiting += [(c * factor, inner) for factor, inner in reversed(term.terms)]
        else:
            yield c, term
