"""An estimator as a multilinear polynomial in its signs.

The engine hands `Form` vectors to the estimator's own code and to the problem's own oracles. Every vector that
comes up is linear in the point, z = (arguments stacked, 1), with signs as further factors:

    f = M g        f = a g + b h        f = e g   with a fresh sign e

The mean of f is L z with a matrix L, of balls or rationals. Covariances are made of pairs of forms (pairs.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, Numbers
from ratecert.base.errors import NotAffineError

Array = NDArray[Any]  # of balls or rationals
ROW_OF_SIGNS = (
    "a row of signs multiplies a random vector, which is not affine; one sign is taken out of its row, "
    "(e,) = bits.signs(1)."
)
LONE_SIGN = (
    "one sign multiplies a vector, as in x + s * e * x; noise that is added is a row, x + s * bits.signs(1)."
)


class Form:
    """A random vector of dimension d, linear in the point; nodes are numbered as they come up."""

    __array_ufunc__ = None
    __slots__ = ("bits", "book", "factors", "kind", "mean", "number", "own", "scale")

    def __init__(
        self,
        book: "Book",
        kind: str,
        mean: Array,
        bits: frozenset[int],
        factors: tuple[tuple[Any, "Form"], ...] = (),
        own: frozenset[int] = frozenset(),
        scale: Any = 1,
    ) -> None:
        self.number = book.add(self)
        self.book = book
        self.kind = kind
        self.mean = mean
        self.bits = bits
        self.factors = (
            factors  # what it is the sum of: a matrix, a number or a sign, and what that multiplies
        )
        self.own = own  # signs that begin here
        self.scale = scale  # of additive noise

    def __rmatmul__(self, M: Array) -> "Form":
        M = self.book.matrix(M)
        return Form(self.book, "product", M @ self.mean, self.bits, ((M, self),))

    def __mul__(self, c: Any) -> "Form":
        if isinstance(c, FormSign):
            return c * self  # type: ignore[no-any-return]
        c = self.book.number(c)
        return Form(self.book, "sum", c * self.mean, self.bits, ((c, self),))

    __rmul__ = __mul__

    def __neg__(self) -> "Form":
        return self * -1

    def __add__(self, other: Any) -> "Form":
        return self._plus(1, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Form":
        return self._plus(-1, other)

    def __rsub__(self, other: Any) -> "Form":
        return (-self)._plus(1, other)

    def _plus(self, c: int, other: Any) -> "Form":
        """The sum, or the difference: c is 1 or -1."""
        other = self.book.vector(other)
        if other.mean is self.book.nothing(len(self.mean)):
            mean = self.mean
        elif c == 1:
            mean = self.mean + other.mean
        else:
            mean = self.mean - other.mean
        return Form(self.book, "sum", mean, self.bits | other.bits, ((1, self), (c, other)))


@dataclass(frozen=True)
class FormSign:
    """One fresh sign; it multiplies a vector."""

    book: "Book"
    bit: int
    scale: Any = 1
    __array_ufunc__ = None

    def __add__(self, _: Any) -> Never:
        raise NotAffineError(LONE_SIGN)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, f: Any) -> Any:
        if not isinstance(f, Form):
            return FormSign(self.book, self.bit, self.scale * self.book.number(f))
        if self.bit in f.bits:
            raise NotAffineError("a sample multiplies itself within one estimate; its moments do not close.")
        nothing = self.book.nothing(len(f.mean))
        signed = Form(
            self.book, "signed", nothing, f.bits | {self.bit}, ((self.bit, f),), frozenset({self.bit})
        )
        return signed if isinstance(self.scale, int) else signed * self.scale

    __rmul__ = __mul__


@dataclass(frozen=True)
class FormSigns:
    """n fresh signs: a list of factors, or a vector of additive noise with independent components."""

    book: "Book"
    bits: tuple[int, ...]
    scale: Any = 1
    __array_ufunc__ = None

    def __len__(self) -> int:
        return len(self.bits)

    def __iter__(self) -> Any:
        return iter([FormSign(self.book, bit) for bit in self.bits])

    def __getitem__(self, i: int) -> FormSign:
        return FormSign(self.book, self.bits[i])

    def __mul__(self, c: Any) -> "FormSigns":
        if isinstance(c, Form):
            raise NotAffineError(ROW_OF_SIGNS)
        return FormSigns(self.book, self.bits, self.scale * self.book.number(c))

    __rmul__ = __mul__


class Book:
    """The vectors of one estimate, in the order in which they came up, over a point of the given dimensions.

    The random whole numbers of the estimate are given: what follows is its law under that condition.
    """

    def __init__(
        self, dimensions: Sequence[int], given: Sequence[int] = (), numbers: type[Numbers] = Balls
    ) -> None:
        self.numbers = numbers
        self.forms: list[Form] = []
        self._nothing: dict[int, Array] = {}
        self._given = list(given)
        self.bases: list[int] = []
        self._matrices: dict[
            int, tuple[Array, Array]
        ] = {}  # by id, which is theirs for as long as they are here
        self.size = sum(dimensions) + 1
        self.bits_given = 0
        starts = np.cumsum([0, *dimensions])
        self.point = [self._argument(a, b) for a, b in pairwise(starts)]

    def close(self) -> None:
        """Let go of all vectors: they know their book, and what knows each other is freed by the collector alone."""
        self.forms, self.point = [], []

    def add(self, form: Form) -> int:
        self.forms.append(form)
        return len(self.forms) - 1

    def signs(self, n: int) -> FormSigns:
        self.bits_given += n
        return FormSigns(self, tuple(range(self.bits_given - n, self.bits_given)))

    def whole(self, n: int) -> int:
        """The next given number; the largest below n where none is left."""
        self.bases.append(n)
        return self._given.pop(0) if self._given else n - 1

    def matrix(self, M: Array) -> Array:
        """A factor in the book's kind of numbers; the factors of a series are one matrix, again and again."""
        if id(M) not in self._matrices:
            self._matrices[id(M)] = M, self.numbers.of(M)
        return self._matrices[id(M)][1]

    def number(self, c: Any) -> Any:
        """A factor in the book's kind of numbers."""
        if isinstance(c, FormSigns):
            raise NotAffineError(ROW_OF_SIGNS)
        if isinstance(c, Form | FormSign):
            raise NotAffineError("a product of two random vectors is not affine.")
        return self.numbers.number(c)

    def vector(self, value: Any) -> Form:
        """Anything that can be added to a Form, as a Form."""
        if isinstance(value, Form):
            return value
        if isinstance(value, FormSigns):
            return self._noise(value)
        if isinstance(value, FormSign):
            raise NotAffineError(LONE_SIGN)
        constant = np.asanyarray(value)
        if constant.ndim != 2 or constant.shape[1] != 1:
            raise NotAffineError(f"cannot add {value!r} to a vector of the moment engine.")
        mean = self.numbers.zeros(len(constant), self.size)
        mean[:, -1] = self.numbers.of(constant)[:, 0]
        return Form(self, "input", mean, frozenset())

    def nothing(self, d: int) -> Array:
        """The mean of what has none: one array for each dimension."""
        if d not in self._nothing:
            self._nothing[d] = self.numbers.zeros(d, self.size)
        return self._nothing[d]

    def _argument(self, start: int, stop: int) -> Form:
        return Form(self, "input", self.numbers.identity(self.size)[start:stop], frozenset())

    def _noise(self, signs: FormSigns) -> Form:
        bits = frozenset(signs.bits)
        return Form(self, "noise", self.nothing(len(signs)), bits, own=bits, scale=signs.scale)
