"""An estimator as a multilinear polynomial in its signs: its exact mean and covariance.

The engine hands `Form` vectors to the estimator's own code and to the problem's own oracles. Every vector that
comes up is linear in the point, z = (arguments stacked, 1), with signs as further factors:

    f = M g        f = a g + b h        f = e g   with a fresh sign e

The mean of f is L z with a matrix L. For the covariance let X = E[z z'] over the point; then

    cov(M f, g) = M cov(f, g),    cov(e f, e g) = cov(f, g) + L_f X L_g',    cov(e f, g) = 0 without e in g

so everything follows from pairs of vectors, each pair once: for the Neumann sum with its running product this
is a recursion over (last term, sum) with Q steps, not a sum over 2^Q outcomes. There is no subtraction, so a
small covariance beside a large mean keeps all its digits.

The matrices L are balls or rationals. A covariance is of the kind of numbers of X: for doubles every matrix is moved to
the centre exactly and rounded once, with the bits that it was made with whenever that is: with 53 a minimiser far from
the origin would leave a rounding of itself in every sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import Balls, Numbers, doubles, identity_like, like, summed
from ratecert.arithmetic.exact import bits_at_work, is_zero, working_precision
from ratecert.errors import NotAffineError, UserError
from ratecert.solvers.contract.problem import SampledProblem
from ratecert.solvers.contract.stage import Estimator
from ratecert.solvers.engines.moments.packing import packing

Array = NDArray[Any]  # of doubles, balls or rationals

LARGEST_TABLE = 30  # entries of (arguments, 1) up to which the covariance is kept as a matrix on packed X
SMALL_TABLE = 60  # packed moments; a larger table costs more than the few covariances that balls ask for
LARGEST_EXACT_TABLE = (
    12  # up to which that matrix is made exactly and rounded once; exact ones cost the sixth power
)
Centre = tuple[float, ...]  # of the arguments; () is the origin


class Form:
    """A random vector of dimension d, linear in the point; nodes are numbered as they come up."""

    __array_ufunc__ = None
    __slots__ = ("bits", "kind", "mean", "number", "parts")

    def __init__(
        self, book: "Book", kind: str, mean: Array, bits: frozenset[int], parts: tuple[Any, ...]
    ) -> None:
        self.number = book.add(self)
        self.kind = kind
        self.mean = mean
        self.bits = bits
        self.parts = (book, *parts)

    @property
    def book(self) -> "Book":
        return self.parts[0]  # type: ignore[no-any-return]

    def __rmatmul__(self, M: Array) -> "Form":
        M = self.book.numbers.of(M)
        return Form(self.book, "product", M @ self.mean, self.bits, (M, self))

    def __mul__(self, c: Any) -> "Form":
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
        other = self.book.vector(other)
        mean = self.mean + c * other.mean
        return Form(self.book, "sum", mean, self.bits | other.bits, ((1, self), (c, other)))


@dataclass(frozen=True)
class FormSign:
    """One fresh sign; it multiplies a vector."""

    book: "Book"
    bit: int
    __array_ufunc__ = None

    def __mul__(self, f: Form) -> Form:
        if self.bit in f.bits:
            raise NotAffineError("a sample multiplies itself within one estimate; its moments do not close.")
        return Form(self.book, "signed", 0 * f.mean, f.bits | {self.bit}, (self.bit, f))

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

    def __mul__(self, c: Any) -> "FormSigns":
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
        self._given = list(given)
        self.bases: list[int] = []
        self.size = sum(dimensions) + 1
        self.bits_given = 0
        starts = np.cumsum([0, *dimensions])
        self.point = [self._argument(a, b) for a, b in pairwise(starts)]

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

    def number(self, c: Any) -> Any:
        """A factor in the book's kind of numbers."""
        if isinstance(c, Form | FormSigns | FormSign):
            raise NotAffineError("a product of two random vectors is not affine.")
        return self.numbers.number(c)

    def vector(self, value: Any) -> Form:
        """Anything that can be added to a Form, as a Form."""
        if isinstance(value, Form):
            return value
        if isinstance(value, FormSigns):
            return self._noise(value)
        constant = np.asanyarray(value)
        if constant.ndim != 2 or constant.shape[1] != 1:
            raise NotAffineError(f"cannot add {value!r} to a vector of the moment engine.")
        mean = self.numbers.zeros(len(constant), self.size)
        mean[:, -1] = self.numbers.of(constant)[:, 0]
        return Form(self, "input", mean, frozenset(), ())

    def _argument(self, start: int, stop: int) -> Form:
        return Form(self, "input", self.numbers.identity(self.size)[start:stop], frozenset(), ())

    def _noise(self, signs: FormSigns) -> Form:
        d = len(signs)
        mean = self.numbers.zeros(d, self.size)
        return Form(self, "noise", mean, frozenset(signs.bits), (signs.bits, signs.scale))


@dataclass(frozen=True)
class Term:
    """cov(pair) gets M @ cov(other pair), transposed first if so marked."""

    M: Any
    pair: tuple[int, int]
    transposed: bool


@dataclass(frozen=True)
class Rule:
    """The covariance of one pair: a sum of terms, and what a sign of its own adds."""

    pair: tuple[int, int]
    shape: tuple[int, int]
    terms: tuple[Term, ...] = ()
    square: Array | None = None  # L of a sign times L z: L X L'
    noise: Any = None  # the variance of additive noise with independent components

    def at(self, centre: Centre, rounded: bool) -> "Rule":
        """The same for deviations from a centre, in doubles if so wanted."""
        square = None if self.square is None else at_centre(self.square, centre)
        if not rounded:
            return replace(self, square=square)
        return replace(
            self,
            terms=tuple(replace(term, M=_rounded(term.M)) for term in self.terms),
            square=_rounded(square),
            noise=_rounded(self.noise),
        )


class EstimatorMoments:
    """Mean and covariance of one estimator at a random point, for one sample with given whole numbers."""

    def __init__(
        self,
        problem: SampledProblem,
        estimator: Estimator,
        dimensions: Sequence[int],
        given: Sequence[int] = (),
        numbers: type[Numbers] = Balls,
    ) -> None:
        self.dimensions = tuple(dimensions)
        self.bits = bits_at_work()
        book = Book(dimensions, given, numbers)
        drawn = False
        try:
            sample, drawn = estimator.sample(problem, book), True
            out = estimator.evaluate(problem, sample, *book.point)
        except NotAffineError:
            raise
        except (TypeError, AttributeError, ValueError) as error:
            if isinstance(error, UserError) and not drawn:
                raise  # what cannot be sampled at all, such as a term of what is no sum
            raise NotAffineError(
                f"{type(estimator).__name__} on {type(problem).__name__} is not affine in the point, so exact "
                f"moments do not apply ({error}); use simulate."
            ) from error
        self.bases = tuple(book.bases)  # of its whole numbers
        self.forms = book.forms
        self.out = book.vector(out)
        self.mean = self.out.mean
        self._rules = self._make_rules()
        self._plans: dict[tuple[Centre, bool], list[Rule]] = {}
        self._tables: dict[tuple[Centre, bool], Array] = {}

    def covariance(self, X: Array, centre: Centre = ()) -> Array:
        """Covariance of the estimate for E[z z'] = X; X may be a stack (..., m, m), symmetric.

        With a centre c the z of X are deviations from it, z = (arguments - c, 1): near the centre a small covariance is
        then not the difference of large squares.
        """
        if self.additive:
            return X[..., -1:, -1:] * self._constant(X)
        once = X.ndim == 2 and isinstance(X, Numbers) and packing(X.shape[-1]).size > SMALL_TABLE
        if X.shape[-1] > LARGEST_TABLE or once:
            return self._run_plan(X, 1, centre)
        return packing(len(self.mean)).unpack(packing(X.shape[-1]).pack(X) @ self._table(X, centre))

    def _constant(self, X: Array) -> Array:
        """The covariance where the noise is the same everywhere, in the numbers of X."""
        key = ((), not isinstance(X, Numbers))
        if key not in self._tables:
            one = 0 * identity_like(self.mean, self.mean.shape[1])
            one[-1, -1] = identity_like(self.mean, 1)[0, 0]
            with working_precision(self.bits):
                self._tables[key] = like(self._run_plan(one, 1, ()), X)
        return self._tables[key]

    def _table(self, X: Array, centre: Centre) -> Array:
        """The covariance as a matrix on packed X."""
        rounded = not isinstance(X, Numbers)
        if (centre, rounded) not in self._tables:
            pack = packing(self.mean.shape[1])
            exactly = not rounded or pack.n <= LARGEST_EXACT_TABLE
            with working_precision(self.bits):
                if exactly and centre:
                    table = self._moved(centre) @ self._table(self.mean, ())
                else:
                    basis = like(pack.basis, self.mean) if exactly else pack.basis
                    table = packing(len(self.mean)).pack(self._run_plan(basis, 1, centre))
            self._tables[centre, rounded] = doubles(table) if rounded else table
        return self._tables[centre, rounded]

    def _moved(self, centre: Centre) -> Array:
        """E[z z'] from that of deviations from a centre, both packed."""
        pack, z = packing(self.mean.shape[1]), at_centre(identity_like(self.mean, self.mean.shape[1]), centre)
        return pack.pack(z @ like(pack.basis, self.mean) @ z.T)

    def cross_covariance(self, X: Array, centre: Centre = ()) -> Array:
        """Covariance of two estimates with one sample, at points with E[z_1 z_2'] = X."""
        turned = np.swapaxes(X, -1, -2)
        even = self._run_plan((X + turned) / 2, 1, centre)
        return even + self._run_plan((X - turned) / 2, -1, centre)

    def _run_plan(self, X: Array, parity: int, centre: Centre) -> Array:
        """X' = parity X, and then cov(g, f) = parity cov(f, g)'."""
        value: dict[tuple[int, int], Array] = {}
        for rule in self._plan(centre, not isinstance(X, Numbers)):
            parts: list[Array] = []
            for term in rule.terms:
                other = value[term.pair]
                if term.transposed:
                    other = np.swapaxes(other, -1, -2) if parity == 1 else -np.swapaxes(other, -1, -2)
                parts.append(term.M @ other if isinstance(term.M, np.ndarray) else term.M * other)
            if rule.square is not None:
                parts.append(rule.square @ X @ rule.square.T)
            if rule.noise is not None:
                parts.append(X[..., -1:, -1:] * (rule.noise * identity_like(X, rule.shape[0])))
            nothing = np.zeros_like(X, shape=(*X.shape[:-2], *rule.shape)) if not parts else None
            value[rule.pair] = summed(parts) if nothing is None else nothing
        return value[(self.out.number, self.out.number)]

    def _plan(self, centre: Centre, rounded: bool) -> list[Rule]:
        if (centre, rounded) not in self._plans:
            with working_precision(self.bits):
                self._plans[centre, rounded] = [rule.at(centre, rounded) for rule in self._rules]
        return self._plans[centre, rounded]

    @cached_property
    def silent(self) -> bool:
        """No noise at all."""
        return not self.out.bits

    @cached_property
    def additive(self) -> bool:
        """The noise is the same at every point."""
        squares = (rule.square for rule in self._rules if rule.square is not None)
        return all(is_zero(entry) for L in squares for entry in L[:, :-1].ravel())

    def _make_rules(self) -> list[Rule]:
        """The pairs that the covariance of the result needs, in an order in which each finds its parts done."""
        rules: dict[tuple[int, int], Rule] = {}
        wanted = [(self.out.number, self.out.number)]
        while wanted:
            pair = wanted.pop()
            if pair not in rules:
                rules[pair] = self._rule(*pair)
                wanted.extend(term.pair for term in rules[pair].terms)
        return [rules[pair] for pair in sorted(rules)]

    def _rule(self, i: int, j: int) -> Rule:
        """cov of forms i >= j from earlier pairs; the later one is taken apart, because j cannot contain it."""
        f, g = self.forms[i], self.forms[j]
        nothing = Rule((i, j), (len(f.mean), len(g.mean)))
        if f.kind == "input" or not f.bits & g.bits:
            return nothing
        if f.kind == "product":
            _, M, inner = f.parts
            return replace(nothing, terms=(_term(M, inner.number, j),))
        if f.kind == "sum":
            return replace(nothing, terms=tuple(_term(c, inner.number, j) for c, inner in f.parts[1:]))
        own_bits = {f.parts[1]} if f.kind == "signed" else set(f.parts[1])
        if not own_bits & g.bits:
            return nothing
        if i != j:
            raise NotAffineError(
                "a sample is used in two places of one estimate; its moments do not close here."
            )
        if f.kind == "noise":
            _, _, scale = f.parts
            return replace(nothing, noise=scale * scale)
        _, _, inner = f.parts
        return replace(nothing, terms=(_term(1, inner.number, inner.number),), square=inner.mean)


def at_centre(L: Array, centre: Centre) -> Array:
    """L on (arguments, 1) as a matrix on (arguments - centre, 1)."""
    if not centre:
        return L
    return np.column_stack([L[:, :-1], L[:, :-1] @ like(np.array(centre), L) + L[:, -1]])


def _rounded(value: Any) -> Any:
    """A matrix or a number in doubles."""
    if value is None:
        return None
    return doubles(value) if isinstance(value, np.ndarray) else float(value)


def _term(M: Any, i: int, j: int) -> Term:
    return Term(M, (i, j), False) if i >= j else Term(M, (j, i), True)
