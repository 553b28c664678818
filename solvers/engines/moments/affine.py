"""A step as an affine map, found by running the step itself on symbols.

An `Affine` vector is a mean plus the zero-mean parts of samples,

    sum over input fields of (polynomial) field + (polynomial) 1 + sum over samples of N_sample(arguments).

The coefficients are non-commutative polynomials in the estimators' mean matrices, whose own coefficients are
rational, or polynomials in the step sizes. What cancels on paper cancels here, and large matrices cost
nothing until numbers are put in. N_sample is linear, so a sample used at two points is one N of a combination: STORM.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from math import isfinite
from typing import Any

from flint import arb

from ratecert.base.arrays import Balls, Numbers
from ratecert.base.errors import NotAffineError, UserError
from ratecert.base.exact import is_exact, is_zero, rational
from ratecert.solvers.contract.problem import AnySampled
from ratecert.solvers.contract.schedule import is_schedule, with_schedules
from ratecert.solvers.contract.stage import Estimator, Sampled, require_own_label
from ratecert.solvers.engines.moments.mixture import Moments, moments_of
from ratecert.solvers.engines.moments.step_sizes import InSteps, SymbolicSchedule, in_steps

Word = tuple[tuple[str, int], ...]  # a product of mean matrices (label, argument), leftmost first; () is I
Polynomial = dict[Word, Any]
Row = dict[str, Polynomial]  # by input field; ONE is the constant
ONE = "one"
CONSTANT = -1  # the argument number of an estimator's constant part


def with_numbers(value: Any, number: Callable[[float], Any]) -> Any:
    """The same record with every float, in nested records too, as another kind of number."""
    if isinstance(value, float):
        return number(value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: with_numbers(getattr(value, f.name), number) for f in fields(value) if f.init}
        return replace(value, **changed)
    return value


def with_symbolic_steps(solver: Any, origin: int) -> Any:
    """The same algorithm in rationals, with every step size that varies replaced by symbols."""
    schedules = {
        f.name: SymbolicSchedule(f.name, origin, rational(getattr(solver, f.name).largest))
        for f in fields(solver)
        if is_schedule(getattr(solver, f.name)) and isfinite(getattr(solver, f.name).constant_until)
    }
    return with_schedules(with_numbers(solver, rational), schedules)


def add_rows(terms: Iterable[tuple[Any, Mapping[str, Polynomial]]]) -> Row:
    """sum of c * row, without what cancels."""
    total: Row = {}
    for c, row in terms:
        for name, polynomial in row.items():
            mine = total.setdefault(name, {})
            for word, value in polynomial.items():
                mine[word] = mine.get(word, 0) + c * value
    return {n: kept for n, q in total.items() if (kept := {w: v for w, v in q.items() if not _vanishes(v)})}


def _vanishes(value: Any) -> bool:
    return not value.terms if isinstance(value, InSteps) else is_zero(value)


@dataclass(frozen=True)
class AffineDraw:
    """One sample: which estimator, at which t, with which batch."""

    label: str
    t: Any
    batch: int


@dataclass(frozen=True)
class Affine:
    d: int
    mean: Row
    noise: Mapping[AffineDraw, tuple[Row, ...]] = field(default_factory=dict)
    __array_ufunc__ = None

    def __add__(self, other: "Affine") -> "Affine":
        return _combine((1, self), (1, other))

    def __sub__(self, other: "Affine") -> "Affine":
        return _combine((1, self), (-1, other))

    def __mul__(self, c: Any) -> "Affine":
        if isinstance(c, Affine):
            raise NotAffineError("a step multiplies two vectors; exact moments need +, - and scalar * only.")
        if not (c.is_finite() if isinstance(c, arb) else isfinite(c) if isinstance(c, float) else True):
            raise UserError(f"a step multiplies a vector by {c}; correct the number that it computes.")
        return _combine((c if isinstance(c, InSteps) or is_exact(c) else rational(c), self))

    __rmul__ = __mul__

    def __neg__(self) -> "Affine":
        return _combine((-1, self))


def alike(a: Any, b: Any) -> bool:
    """Whether two rows, or mappings of them, are the same; balls are where they have one middle and one radius."""
    if isinstance(a, Affine):
        return a.d == b.d and alike(a.mean, b.mean) and alike(a.noise, b.noise)
    if isinstance(a, InSteps):
        return isinstance(b, InSteps) and alike(a.terms, b.terms)
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(alike(value, b[name]) for name, value in a.items())
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, arb):
        return isinstance(b, arb) and bool(a.mid() == b.mid() and a.rad() == b.rad())
    return bool(a == b)


def symbol(name: str, d: int) -> Affine:
    return Affine(d, {name: {(): rational(1)}})


def _combine(*terms: tuple[Any, Affine]) -> Affine:
    for _, vector in terms:
        if not isinstance(vector, Affine):
            raise NotAffineError(
                f"a step adds {type(vector).__name__} to a vector; exact moments need fields and estimates."
            )
    d = terms[0][1].d
    if any(vector.d != d for _, vector in terms):
        raise UserError(f"a step adds vectors of dimensions {[vector.d for _, vector in terms]}.")
    draws = {draw for _, vector in terms for draw in vector.noise}
    noise = {}
    for draw in draws:
        used = [(c, vector.noise[draw]) for c, vector in terms if draw in vector.noise]
        noise[draw] = tuple(add_rows((c, rows[i]) for c, rows in used) for i in range(len(used[0][1])))
    return Affine(d, add_rows((c, vector.mean) for c, vector in terms), noise)


class AffineOracle:
    """Evaluates an estimator to its mean part and, for a sample, its noise."""

    def __init__(self, problem: AnySampled, numbers: type[Numbers] = Balls) -> None:
        self.problem = problem
        self.numbers = numbers
        self._estimators: dict[str, Estimator] = {}
        self._dimensions: dict[str, tuple[int, ...]] = {}  # of the points where each is evaluated
        self._moments: dict[str, Moments] = {}

    def on(self, problem: AnySampled) -> "AffineOracle":
        """The same estimators on another device."""
        other = AffineOracle(problem, self.numbers)
        other._estimators, other._dimensions = self._estimators, self._dimensions
        return other

    def sample(self, estimator: Estimator, t: int, *, batch: int = 1) -> Sampled:
        mean = self.mean(estimator)
        if getattr(estimator, "exact", False):
            return mean
        draw = AffineDraw(estimator.label, t, batch)

        def evaluate(*point: Affine) -> Affine:
            estimate = mean(*point)
            one: Row = {ONE: {(): rational(1)}}
            arguments = (*(p.mean for p in point), one)
            return Affine(estimate.d, estimate.mean, {draw: arguments})

        return evaluate

    def mean(self, estimator: Estimator) -> Sampled:
        """The estimator without its noise."""
        require_own_label(self._estimators, estimator)

        def evaluate(*point: Affine) -> Affine:
            if any(p.noise for p in point):
                raise NotAffineError(
                    "an estimator is evaluated at a point that depends on a sample of the same step; split the step "
                    "into two stages, and count both as one iteration by rc.contract.switch((1, [first, second]))."
                )
            d = self._size_at(estimator, tuple(p.d for p in point))
            parts = [(1, _times((estimator.label, i), p.mean)) for i, p in enumerate(point)]
            constant: Row = {ONE: {((estimator.label, CONSTANT),): rational(1)}}
            return Affine(d, add_rows([*parts, (1, constant)]))

        return evaluate

    def moments(self, label: str) -> Moments:
        if label not in self._moments:
            estimator, dimensions = self._estimators[label], self._dimensions[label]
            self._moments[label] = moments_of(self.problem, estimator, dimensions, self.numbers)
        return self._moments[label]

    def _size_at(self, estimator: Estimator, dimensions: tuple[int, ...]) -> int:
        """How many numbers an estimate has at points of these dimensions, which are the same each time."""
        known = self._dimensions.setdefault(estimator.label, dimensions)
        if known != dimensions:
            raise UserError(
                f"the estimator {estimator.label!r} is evaluated at points of dimensions "
                f"{known} and {dimensions}; give it one label for each."
            )
        return len(self.moments(estimator.label).mean)


def _times(generator: tuple[str, int], row: Row) -> Row:
    return {name: {(generator, *word): c for word, c in q.items()} for name, q in row.items()}


def from_time(row: Affine, t: int) -> Affine:
    """The same with samples numbered from t on."""
    return replace(row, noise={replace(draw, t=draw.t - t): rows for draw, rows in row.noise.items()})


def require_fresh(
    rows: Mapping[str, Affine],
    first: Mapping[str, Affine],
    t: float,
    has_start: bool,
    silent: Callable[[AffineDraw], bool],
) -> None:
    """Refuse a second sample of one kind in the step at t, and one that an earlier step or the start has used.

    An estimate without noise, which is `silent`, is the same whenever it is taken.
    """
    used = {draw for row in rows.values() for draw in row.noise}
    draws = {draw for draw in used if not silent(draw)}
    before = {draw for row in first.values() for draw in row.noise}
    for draw in draws:
        offset = draw.t - t
        clash = [d for d in draws if d.label == draw.label and d != draw]
        clash += [d for d in before if d.label == draw.label and d.t >= offset + (0 if has_start else 1)]
        if clash:
            raise NotAffineError(
                f"samples of {draw.label!r} are used twice, or in two steps: {draw} and {clash[0]}; moments close "
                f"where a step takes one fresh sample of a kind; give a second one a label of its own."
            )


def ratio(rows: Sequence[Row], known: Sequence[Row]) -> tuple[InSteps, InSteps] | None:
    """(a, b) with rows = (a/b) known, as polynomials in the step sizes; None if there is none.

    b is a single monomial, of the lowest degree that there is: it is not zero unless a step size is.
    """
    mine, theirs = _coefficients(rows), _coefficients(known)
    if mine.keys() != theirs.keys():
        return None
    singles = [place for place, value in theirs.items() if len(value.terms) == 1]
    if not singles:
        return None
    single = min(singles, key=lambda place: theirs[place].degree)
    a, b = mine[single], theirs[single]
    same = all((mine[place] * b).same(theirs[place] * a) for place in mine)
    return (a, b) if same else None


def _coefficients(rows: Sequence[Row]) -> dict[tuple[int, str, Word], InSteps]:
    return {
        (i, name, word): in_steps(value)
        for i, row in enumerate(rows)
        for name, polynomial in row.items()
        for word, value in polynomial.items()
    }
