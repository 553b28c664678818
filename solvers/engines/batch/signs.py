"""An estimate as parts, one for each set of signs: its mean and its covariance at a random point.

Every vector that comes up in an estimator's own code is linear in a source, with signs as further factors,

    f = sum over (source, signs) of e_signs L source

where the source is the point z = (arguments, 1), or what a loop leaves (below). Products of different signs are
uncorrelated and have mean zero, so that with Y = E[z z']

    mean       L z of the part without signs
    covariance the sum over all others of L Y L'

and three rules are all: M f, f + g, and a fresh sign times f. A row of n signs that is added as a vector is one part
with n matrices side by side, L (N, n, d, size of z).

A loop, such as the factors of a Neumann sum, takes (r, total) through Q equal steps with fresh samples. One step is
read once: T = I + D and parts V with signs. After Q of them every part that entered is led by T^Q, and beside it stands
a residual, whose covariance is F_Q on that of all that entered, F_1 = sum of V . V': the same as Q local steps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from ratecert.base.errors import NotAffineError
from ratecert.solvers.engines.batch.arrays import Array, Many, as_many, constants, namespace, on_host
from ratecert.solvers.engines.batch.congruences import (
    Counts,
    Run,
    congruence,
    ladder,
    power,
    size_of,
)

POINT = -1
Key = tuple[int, frozenset[Any]]  # a source, and the signs that multiply it
MEAN: Key = (POINT, frozenset())


class Book:
    """The vectors of one estimate over a point of given dimensions, and what its loops have left."""

    def __init__(
        self,
        dimensions: Sequence[int],
        pattern: Array,
        origin: Array | None = None,
        given: Sequence[int] = (),
    ) -> None:
        """The arguments of the point are seen from an origin (N, their size): z = (arguments - origin, 1)."""
        self.pattern = pattern
        self.dimensions = tuple(dimensions)
        self.size = sum(dimensions) + 1
        self.residuals: list[Array] = []  # (N, packed vector, packed z): the covariance of what a loop leaves
        self.sizes: list[int] = []  # of these vectors
        self.drawn = 0
        self.bases: list[int] = []
        self._given = list(given)
        self.point = self._arguments(origin)

    def _arguments(self, origin: Array | None) -> list["Form"]:
        eye, found, start = np.eye(self.size), [], 0
        for d in self.dimensions:
            L = constants(self.pattern, eye[None, None, start : start + d])
            if origin is not None:
                xp, seen = namespace(self.pattern), origin[:, None, start : start + d, None]
                rest = xp.broadcast_to(L[..., :-1], (seen.shape[0], 1, d, self.size - 1))
                L = xp.concat([rest, seen], axis=-1)
            found.append(Form(self, {MEAN: L}, d))
            start += d
        return found

    def signs(self, n: int) -> "Row":
        self.drawn += n
        return Row(self, tuple(range(self.drawn - n, self.drawn)))

    def whole(self, n: Any) -> int:
        """The next given number; the largest where none is left."""
        if isinstance(n, Many):
            raise NotAffineError("an estimate draws one of as many numbers as its setting says")
        self.bases.append(n)
        return self._given.pop(0) if self._given else n - 1

    def repeat(self, n: Any, draw: Callable[[Any], Any]) -> "Loop":
        """As many fresh samples as n says: one for each pass of a loop."""
        return Loop(self, n, draw)

    def number(self, c: Any) -> Array:
        """A factor, (N,) or (1,)."""
        if isinstance(c, Form | Row | Sign):
            raise NotAffineError("a product of two random vectors is not affine.")
        if isinstance(c, Many):
            if c.shape:
                raise NotAffineError("a vector is multiplied by numbers and matrices only.")
            return c.values
        return constants(self.pattern, [float(c)])

    def covariance(self, key: Key, L: Array) -> Array:
        """What a part adds to the covariance, (N, packed d, packed z)."""
        xp = namespace(L)
        own = xp.sum(congruence(L), axis=1)
        return own if key[0] == POINT else own @ self.residuals[key[0]]


@dataclass(frozen=True, eq=False)
class Form:
    """A random vector of dimension d: matrices (N, n, d, size of the source), by source and signs."""

    book: Book
    parts: Mapping[Key, Array]
    d: int
    __array_ufunc__ = None

    def __rmatmul__(self, M: Any) -> "Form":
        values = as_many(M, Many(self.book.pattern)).values[:, None, ...]
        return Form(self.book, {key: values @ L for key, L in self.parts.items()}, values.shape[-2])

    def __mul__(self, c: Any) -> "Form":
        if isinstance(c, Sign):
            return c * self  # type: ignore[no-any-return]
        factor = self.book.number(c)[:, None, None, None]
        return Form(self.book, {key: factor * L for key, L in self.parts.items()}, self.d)

    __rmul__ = __mul__

    def __neg__(self) -> "Form":
        return Form(self.book, {key: -L for key, L in self.parts.items()}, self.d)

    def __add__(self, other: Any) -> "Form":
        added = self._vector(other)
        if added.d != self.d:
            raise NotAffineError(f"vectors of dimensions {self.d} and {added.d} have no sum.")
        parts = dict(self.parts)
        for key, L in added.parts.items():
            parts[key] = parts[key] + L if key in parts else L
        return Form(self.book, parts, self.d)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Form":
        return self + -self._vector(other)

    def __rsub__(self, other: Any) -> "Form":
        return (-self).__add__(other)

    def _vector(self, value: Any) -> "Form":
        if isinstance(value, Form):
            return value
        if isinstance(value, Row):
            return value.vector()
        if not isinstance(value, Many | np.ndarray) or value.ndim != 2 or value.shape[1] != 1:
            raise NotAffineError(f"a vector is added to {type(value).__name__}; exact moments need vectors.")
        column = as_many(value, Many(self.book.pattern)).values[:, None, ...]
        xp = namespace(column)
        rest = xp.zeros_like(column) + constants(column, np.zeros(self.book.size - 1))
        return Form(self.book, {MEAN: xp.concat([rest, column], axis=-1)}, column.shape[-2])


@dataclass(frozen=True, eq=False)
class Sign:
    """One fresh sign; it multiplies a vector."""

    book: Book
    bit: int
    scale: Any = 1
    __array_ufunc__ = None

    def __mul__(self, f: Any) -> Any:
        if isinstance(f, Sign | Row):
            raise NotAffineError("signs are multiplied by vectors and numbers, not by one another.")
        if not isinstance(f, Form):
            return Sign(self.book, self.bit, self.scale * f)
        if any(self.bit in signs for _, signs in f.parts):
            raise NotAffineError("a sample multiplies itself within one estimate; its moments do not close.")
        parts = {(source, signs | {self.bit}): L for (source, signs), L in f.parts.items()}
        signed = Form(self.book, parts, f.d)
        return signed if isinstance(self.scale, int) else signed * self.scale

    __rmul__ = __mul__

    def __neg__(self) -> "Sign":
        return Sign(self.book, self.bit, -self.scale)


@dataclass(frozen=True, eq=False)
class Row:
    """n fresh signs: factors one by one, or a vector of additive noise with independent components."""

    book: Book
    bits: tuple[int, ...]
    scale: Any = 1
    __array_ufunc__ = None

    def __len__(self) -> int:
        return len(self.bits)

    def __iter__(self) -> Iterator[Sign]:
        return iter([Sign(self.book, bit, self.scale) for bit in self.bits])

    def __getitem__(self, i: int) -> Sign:
        return Sign(self.book, self.bits[i], self.scale)

    def __mul__(self, c: Any) -> "Row":
        if isinstance(c, Form | Sign | Row):
            raise NotAffineError("a row of signs multiplies a random vector, which is not affine.")
        return Row(self.book, self.bits, self.scale * c)

    __rmul__ = __mul__

    def __neg__(self) -> "Row":
        return self * -1

    def vector(self) -> Form:
        """The row itself: part i has its sign in component i."""
        n = len(self.bits)
        units = np.zeros((1, n, n, self.book.size))
        units[0, range(n), range(n), -1] = 1.0
        L = constants(self.book.pattern, units) * self.book.number(self.scale)[:, None, None, None]
        return Form(self.book, {(POINT, frozenset({self.bits})): L}, n)


@dataclass(frozen=True)
class Loop:
    """As many fresh samples as n says; `through` takes vectors through one step for each."""

    book: Book
    n: Any
    draw: Callable[[Any], Any]

    def through(self, step: Callable[..., tuple[Any, ...]], *start: Form) -> tuple[Form, ...]:
        """What comes of the vectors after n steps, each of them step(sample, *vectors)."""
        sizes = [form.d for form in start]
        one, size = self._one_step(step, sizes)
        counts = counts_of(self.n)
        run = power(ladder(one, int(counts.max())), counts)
        book = self.book
        entering = _stacked(start)
        parts: dict[Key, Array] = {key: L + run.D[:, None, ...] @ L for key, L in entering.items()}
        inside = sum((book.covariance(key, L) for key, L in entering.items()), start=0.0)
        book.residuals.append(run.F @ inside)
        book.sizes.append(size)
        parts[len(book.residuals) - 1, frozenset()] = constants(book.pattern, np.eye(size)[None, None])
        ends, found = np.cumsum([0, *sizes]), []
        for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            found.append(Form(book, {key: L[..., a:b, :] for key, L in parts.items()}, b - a))
        return tuple(found)

    def _one_step(self, step: Callable[..., tuple[Any, ...]], sizes: Sequence[int]) -> tuple[Run, int]:
        """One step as an increment and what its samples add, on the vectors one above the other."""
        inner = Book(sizes, self.book.pattern)
        after = step(self.draw(inner), *inner.point)
        stacked, size = _stacked(after), sum(sizes)
        if any(source != POINT for source, _ in stacked):
            raise NotAffineError("a loop within a loop is not read.")
        xp = namespace(self.book.pattern)
        for L in stacked.values():
            if bool(xp.any(L[..., -1] != 0)):
                raise NotAffineError("a step of a loop adds a constant, and only its vectors are led.")
        T = stacked.pop(MEAN)[:, 0, :, :-1]
        D = T - constants(T, np.eye(size)[None])
        noise = [xp.sum(congruence(L[..., :-1]), axis=1) for L in stacked.values()]
        nothing = constants(D, np.zeros((1, size_of(size), size_of(size))))
        none = constants(D, np.zeros((1, 0, size_of(size))))
        return Run(D, sum(noise, nothing), none, none), size


def counts_of(n: Any) -> Counts:
    """Whole numbers, one for each setting, or one for all."""
    return (
        np.rint(on_host(n.values)).astype(np.uint64)
        if isinstance(n, Many)
        else np.array([n], dtype=np.uint64)
    )


def _stacked(forms: Sequence[Form]) -> dict[Key, Array]:
    """The vectors one above the other: their parts by source and signs."""
    keys = dict.fromkeys(key for form in forms for key in form.parts)
    found = {}
    for key in keys:
        known = next(form.parts[key] for form in forms if key in form.parts)
        xp = namespace(known)
        blocks = [
            form.parts.get(key, constants(known, np.zeros((1, known.shape[1], form.d, known.shape[3]))))
            for form in forms
        ]
        settings = max(block.shape[0] for block in blocks)
        same = [xp.broadcast_to(block, (settings, *block.shape[1:])) for block in blocks]
        found[key] = xp.concat(same, axis=-2)
    return found


@dataclass(frozen=True)
class Moments:
    """One estimator at a random point: mean L z, and covariance as a sum of L Y L' and of tables on packed Y."""

    mean: Array  # (N, d, size of z)
    squares: tuple[Array, ...]  # (N, n, d, size of z)
    tables: tuple[tuple[Array, Array], ...] = field(
        default=()
    )  # L (N, n, d, size) of a residual, and its table

    @property
    def silent(self) -> bool:
        return not self.squares and not self.tables


def moments_of(
    problem: Any, estimator: Any, dimensions: Sequence[int], pattern: Array, origin: Array
) -> Moments:
    """Mean and covariance of an estimator at (arguments - origin, 1), by its own code."""
    first = _evaluated(problem, estimator, dimensions, pattern, origin, ())
    if not first.book.bases:
        return _moments(first)
    cases = [
        _evaluated(problem, estimator, dimensions, pattern, origin, given)
        for given in product(*(range(n) for n in first.book.bases))
    ]
    xp, part = namespace(pattern), float(Fraction(1, len(cases)))
    each = [_moments(case) for case in cases]
    mean = part * sum((own.mean for own in each[1:]), each[0].mean)
    off = xp.stack(xp.broadcast_arrays(*(own.mean - mean for own in each)), axis=1)
    squares = [part**0.5 * L for own in each for L in own.squares]
    tables = [(part**0.5 * L, table) for own in each for L, table in own.tables]
    return Moments(mean, (part**0.5 * off, *squares), tuple(tables))


def _evaluated(
    problem: Any,
    estimator: Any,
    dimensions: Sequence[int],
    pattern: Array,
    origin: Array,
    given: tuple[int, ...],
) -> Form:
    book = Book(dimensions, pattern, origin, given)
    with worlds_code():
        found: Form = estimator.evaluate(problem, estimator.sample(problem, book), *book.point)
    if not isinstance(found, Form):
        raise NotAffineError(f"{type(estimator).__name__} gives {type(found).__name__}, not a vector.")
    return found


def _moments(form: Form) -> Moments:
    _require_apart(form)
    squares, tables = [], []
    for key, L in form.parts.items():
        if key == MEAN:
            continue
        if key[0] == POINT:
            squares.append(L)
        else:
            tables.append((L, form.book.residuals[key[0]]))
    size = form.book.size
    nothing = constants(form.book.pattern, np.zeros((1, form.d, size)))
    mean = form.parts[MEAN][:, 0, :, :] if MEAN in form.parts else nothing
    return Moments(mean, tuple(squares), tuple(tables))


def _require_apart(form: Form) -> None:
    """Refuse signs that are added as a row and multiply a vector too: such parts are correlated."""
    signs = {bit for _, bits in form.parts for bit in bits}
    rows = {bit for bits in signs if isinstance(bits, tuple) for bit in bits}
    if rows & signs:
        raise NotAffineError("a row of signs is added as a vector, and one of them multiplies a vector too.")


@contextmanager
def worlds_code() -> Iterator[None]:
    """Runs of a world whose code refuses arrays of settings are computed one by one, where engines say more."""
    try:
        yield
    except NotAffineError:
        raise
    except (TypeError, AttributeError, ValueError) as error:
        raise NotAffineError(f"the world's own code does not take arrays ({error})") from error


class OwnFactor:
    """A problem whose I - theta grad_yy g is written with grad_yy g, for any kind of theta."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)

    def neumann_factor_g(self, zeta: Any, x: Any, y: Any, r: Any, theta: Any) -> Any:
        return r - theta * self._problem.hessian_g(zeta, x, y, r)
