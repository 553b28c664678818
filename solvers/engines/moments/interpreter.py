"""From an algorithm's definition to its steps in exact numbers, by running the definition on symbols.

Numbers in the algorithm are the rationals that they are. Where its steps call for functions that rationals do not have,
such as a square root, they are run on balls, and where these do not do either, on doubles: then the steps are what the
doubles make of them, and `exact` is false.

Coordinates are the algorithm's fields, or the ones that it recommends by `to_coordinates` (x and y stay as
they are): the same state in variables whose slow changes do not hide behind fast ones. Recommended coordinates may use
the means of estimators; where these differ from device to device they can be left out.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any, Never

import numpy as np
from flint.utils.flint_exceptions import DomainError
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, Numbers, Rationals
from ratecert.base.errors import NotAffineError, NotPolynomialError, UserError, UserTypeError
from ratecert.base.exact import ball, rational, working_precision
from ratecert.base.validation import shown
from ratecert.solvers.contract.draws import Choice, alternatives_of, begins_iterations, moves_of
from ratecert.solvers.contract.measures import IterateSum
from ratecert.solvers.contract.problem import Problem, spaces_of
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import (
    Algorithm,
    Estimator,
    Sampled,
    Stage,
    State,
    first_step,
    has_start,
    name_of,
    require_state,
    started,
)
from ratecert.solvers.engines.moments.affine import (
    ONE,
    Affine,
    AffineOracle,
    Row,
    alike,
    from_time,
    require_fresh,
    symbol,
    with_numbers,
    with_symbolic_steps,
)
from ratecert.solvers.engines.moments.assembly import Assembly
from ratecert.solvers.engines.moments.choice import chosen
from ratecert.solvers.engines.moments.layout import Layout, Steps
from ratecert.solvers.engines.moments.mixture import Moments
from ratecert.solvers.engines.moments.readings import Reading
from ratecert.solvers.engines.moments.step_family import StepFamily
from ratecert.solvers.engines.moments.step_map import StepMap
from ratecert.solvers.engines.moments.step_sizes import Etas, SymbolicSchedule

Array = NDArray[Any]  # of balls or rationals
ORIGIN = 2  # where steps are read. Not 0 or 1: the first iteration may differ, and t - 1 must exist
ASSEMBLY_BITS = 256  # of steps that are rounded to doubles: with 53 an error in a mean would act as a force
PROBES = (3, 17, 1000)  # without them a step that reads t itself would be taken for the one at ORIGIN


class Interpreter:
    def __init__(
        self,
        problem: Problem,
        solver: Algorithm,
        *,
        truth: Problem | None = None,
        common: bool = False,
        probed: bool = False,
        numbers: type[Numbers] = Balls,
        bits: int = ASSEMBLY_BITS,
        running: Sequence[IterateSum] = (),
        given: Mapping[str, int] | None = None,
    ) -> None:
        """With `common` the coordinates are the recommended ones with zero for the mean of every estimator.

        They are combinations of fields, then, the same on all devices.

        `truth` is what measures are held against: the problem, or the one that it is a device of.

        `given`: fields, with their dimensions, whose start is given beside that of x and y.

        The `running` sums over the iterates so far are carried along, as coordinates of their own.

        An algorithm that is `probed` is known to depend on t through its schedules only; it is not tried again.
        """
        self.common, self.probed = common, probed
        self.numbers, self.bits = numbers, bits
        self.running = {each: name_of_sum(i, each) for i, each in enumerate(running)}
        self.problem, self.truth, self.given = problem, truth or problem, solver
        self.exact = True
        self.versions = _versions(solver)
        self.solver = self.versions[0]
        self._begin()
        self._families: dict[tuple[int, int], Callable[[float], StepMap]] = {}
        self._steps: dict[int, StepMap] = {}  # of each move, where they are the same at all t
        moves = moves_of(solver.stages)
        self.alike = [moves.index(move) for move in moves]  # the first move that each is a repetition of
        self.given_fields = dict(given or {})
        self.point = Layout({**spaces_of(problem), **self.given_fields})
        self.readings: dict[Any, Reading] = {}  # forms of the truth, as they come up
        with working_precision(bits):
            self.has_start, self._first = self._run_first()
        self.layout = Layout({name: row.d for name, row in self._first.items()})

    def _begin(self) -> None:
        """With estimators, and rows of steps, of its own: none that other devices share."""
        self._known_rows: dict[tuple[int, int, int], dict[str, Affine]] = {}
        self.oracle = AffineOracle(self.problem, self.numbers)
        schedules = {name for name, value in vars(self.given).items() if getattr(value, "only_whole", False)}
        self._assembly = Assembly(self.oracle, self.numbers, may_vanish=frozenset(schedules))

    def on(self, device: Problem) -> "Interpreter":
        """The same algorithm on another device of its problem: a step has the same rows there, in other matrices."""
        other = copy(self)
        for name in ("first", "in_rationals", "fields"):
            vars(other).pop(name, None)
        other.problem, other.probed = device, True
        other.oracle = self.oracle.on(device)
        other._assembly = replace(self._assembly, oracle=other.oracle, words={})
        other._families, other._steps, other.readings = {}, {}, {}
        return other

    def _run_first(self) -> tuple[bool, dict[str, Affine]]:
        points = {name: symbol(name, d) for name, d in self.point.dimensions.items()}
        begin = State(**points)

        def first(solver: Any) -> tuple[bool, State]:
            with _without_roots():
                if has_start(solver, points, self.given_fields, self.oracle):
                    return True, started(solver, points, self.given_fields, self.oracle)
                return False, first_step(solver)(0, begin, self.oracle)

        starts, state = self._first_that_works(first)
        rows = self._to_coordinates(state)
        for each, name in self.running.items():
            field = each.field
            before = vars(begin).get(field)
            if before is None and not starts:
                raise UserError(f"the mean of the iterates of {field!r} is asked for, which has no start.")
            rows[name] = (
                Affine(vars(state)[field].d, {}) if starts or before is None else before * each.counted(0)
            )
        return starts, rows

    @property
    def weighted(self) -> bool:
        """Whether iterates count differently in some sum over them."""
        return any(each.likely is not None for each in self.running)

    @cached_property
    def first_counts(self) -> NDArray[np.float64]:
        """How often the first iterate counts, for all coordinates; 1 where they are no sum."""
        counts = np.ones(self.layout.size - 1)
        for each, name in self.running.items():
            counts[self.layout.slices[name]] = float(each.counted(0))
        return counts

    @cached_property
    def constant(self) -> bool:
        """Whether every step size is the same at all t."""
        if self.weighted:
            return False
        schedules = (value for value in vars(self.given).values() if is_schedule(value))
        return all(np.isinf(schedule.constant_until) for schedule in schedules)

    @cached_property
    def in_rationals(self) -> "Interpreter | None":
        """The same in fractions, where the steps and the estimators need no roots and take fractions."""
        if self.numbers is not Balls or len(self.versions) < 3:
            return None
        try:
            other = Interpreter(
                self.problem,
                self.given,
                common=self.common,
                probed=True,
                numbers=Rationals,
                running=tuple(self.running),
                given=self.given_fields,
            )
        except NotAffineError:
            return None
        return other if other.exact else None

    @cached_property
    def fields(self) -> tuple[Layout, Array | None]:
        """The fields of the algorithm, and the matrix that gives them from coordinates where these differ."""
        state = self._state("")
        layout = Layout({name: row.d for name, row in vars(state).items()})
        if not hasattr(self.solver, "from_coordinates") and not self.running:
            return layout, None
        rows = {name: row.mean for name, row in vars(state).items()}
        rows[ONE] = symbol(ONE, 1).mean
        return layout, self._assembly.matrix(rows, layout, self.layout).at(self.etas(0))

    @cached_property
    def first(self) -> StepMap:
        """From (x, y, 1) to the coordinates: the algorithm's start or, where it has none, iteration 0."""
        with working_precision(self.bits):
            return self._assembly.family(self._first, self.point, self.etas, keeps_layout=False).at(0)

    def step(self, move: int, t: float) -> StepMap:
        """Iteration t >= 1 (>= 0 after a start) in coordinates, of a move by its number."""
        first = self.alike[move]
        if first in self._steps:
            return self._steps[first]
        step = self._moves(self.solver)[first].step
        with working_precision(self.bits):
            steps = [self._alternative(first, i, t) for i in range(len(alternatives_of(step)))]
            found = chosen(step.probabilities, steps) if isinstance(step, Choice) else steps[0]
        if self.constant:
            self._steps[first] = found
        return found

    def has_choice(self, move: int) -> bool:
        """Whether the step of a move is drawn."""
        return isinstance(self._moves(self.solver)[self.alike[move]].step, Choice)

    @staticmethod
    def _moves(solver: Any) -> tuple[Stage, ...]:
        return moves_of(solver.stages)

    def _alternative(self, move: int, number: int, t: float) -> StepMap:
        """Iteration t with one of the steps of a choice, or with the only one."""
        if (move, number) not in self._families:
            self._families[move, number] = self._all_steps(move, number)
        return self._families[move, number](t)

    def polynomial_step(self, stage: int) -> tuple[Steps, list[tuple[Moments, Steps, int]]]:
        """The increment of the mean, and how the noise of each sample at the point 0 enters, for all step sizes.

        With every sample the batch that it is the mean of.

        NotPolynomialError, TypeError or AttributeError where a step is not a polynomial in them.
        """
        with working_precision(self.bits):
            rows = self._symbolic_rows(self.alike[stage], 0, ORIGIN)
            entering = [
                (
                    self.oracle.moments(draw.label),
                    self._assembly.entering(draw, rows, self.layout),
                    draw.batch,
                )
                for draw in self._assembly.audible(rows)
            ]
            return self._of_rows(rows).mean, entering

    def _all_steps(self, move: int, number: int) -> Callable[[float], StepMap]:
        """Step sizes as symbols where the step is a polynomial in them, else one interpretation for each t."""
        try:
            rows = self._symbolic_rows(move, number, ORIGIN)
        except (NotPolynomialError, TypeError, AttributeError):
            family = partial(self._one_step, move, number)
            if not self.probed:
                self._require_no_other_time(family)
            return family
        if not self.probed:
            self._require_same_rows(rows, move, number)
        return self._of_rows(rows).at

    def _one_step(self, move: int, number: int, t: float) -> StepMap:
        """Iteration t, interpreted for itself."""

        def interpreted(solver: Any) -> StepMap:
            rows = self._rows(solver, move, number, t)
            self._require_fresh(rows, t)
            return self._of_rows(rows).at(t)

        step: StepMap = self._first_that_works(interpreted)
        return step

    def _of_rows(self, rows: Mapping[str, Affine]) -> StepFamily:
        return self._assembly.family(rows, self.layout, self.etas, keeps_layout=True)

    def _symbolic_rows(self, move: int, number: int, t: int) -> dict[str, Affine]:
        key = move, number, t
        if key not in self._known_rows:
            self._known_rows[key] = self._rows(with_symbolic_steps(self.given, t), move, number, t)
        self._require_fresh(self._known_rows[key], t)
        return self._known_rows[key]

    def _require_same_rows(self, rows: Mapping[str, Affine], move: int, number: int) -> None:
        """A step may depend on t through the schedules in its fields only: tried at a few t."""
        at_origin = {name: from_time(row, ORIGIN) for name, row in rows.items()}
        for t in PROBES:
            here = {name: from_time(row, t) for name, row in self._symbolic_rows(move, number, t).items()}
            if not alike(here, at_origin):
                self._refuse_time(t)

    def _require_no_other_time(self, family: Callable[[float], StepMap]) -> None:
        """The same where steps are not polynomials in step sizes: tried where these are constant."""
        schedules = [v for v in vars(self.given).values() if is_schedule(v)]
        if min((s.constant_until for s in schedules), default=np.inf) <= max(PROBES) + 1:
            return
        at_origin = family(ORIGIN)
        for t in PROBES:
            if not family(t).resembles(at_origin):
                self._refuse_time(t)

    def _refuse_time(self, t: int) -> Never:
        raise NotAffineError(
            f"a step of {name_of(self.given)} depends on t = {t} other than through schedules in its own "
            f"fields; exact moments need those."
        )

    def _rows(self, solver: Any, move: int, number: int, t: float) -> dict[str, Affine]:
        """The coordinates after a step at t, in terms of those before."""
        before = self._state("")
        step = alternatives_of(self._moves(solver)[move].step)[number]
        with _without_roots():
            after = self._to_coordinates(step(t, before, self.oracle))
        begins = begins_iterations(solver.stages)
        for each, name in self.running.items():
            total = symbol(name, self.layout.dimensions[name])
            count = (
                rational(1) if each.likely is None else SymbolicSchedule(name, int(t), rational(1))(int(t))
            )
            after[name] = (
                total + count * vars(before)[each.field] if begins is None or begins[move] else total
            )
        if set(after) != set(self.layout.dimensions):
            raise NotAffineError(
                f"a step must return the fields that it was given, {sorted(self.layout.dimensions)}, "
                f"got {sorted(after)}."
            )
        return {name: after[name] for name in self.layout.dimensions}

    def _require_fresh(self, rows: Mapping[str, Affine], t: float) -> None:
        require_fresh(
            rows, self._first, t, self.has_start, lambda draw: self.oracle.moments(draw.label).silent
        )

    def kept_by_average(self, averaged: Sequence[str]) -> Array:
        """I - Pi: an average takes w_k = wbar + v_k to wbar + (I - Pi) v_k."""
        basis, left = self.deviations_kept([averaged])
        with working_precision(self.bits):
            kept: Array = basis @ left
        return kept

    def taken_by_average(self, averaged: Sequence[str]) -> Array:
        """Pi: what is averaged of the coordinates. Sums over iterates are of no average, whatever is kept of them."""
        kept = self.kept_by_average(averaged)
        taken: Array = self.numbers.identity(len(kept)) - kept
        for name in self.running.values():
            taken[self.layout.slices[name]] = self.numbers.number(0)
        return taken

    def deviations_kept(self, averages: Sequence[Sequence[str]]) -> tuple[Array, Array]:
        """(b, left) with left b = I: after each of the averages deviations from the mean are b times a vector.

        They are deviations of the fields that some average leaves alone, in coordinates.
        """
        fields = self._state("")
        names = [name for name in vars(fields) if not all(name in averaged for averaged in averages)]
        into = {name: vars(fields)[name] for name in names}
        kept = Layout({name: row.d for name, row in into.items()})
        own = State(**{name: symbol(name, row.d) for name, row in vars(fields).items()})
        out = {n: _only(r.mean, kept.dimensions) for n, r in self._to_coordinates(own).items()}
        back = {n: _only(r.mean, self.layout.dimensions) for n, r in into.items()}
        with working_precision(self.bits):
            left = self._assembly.matrix(back, kept, self.layout).at(self.etas(0))
            basis = self._assembly.matrix(out, self.layout, kept).at(self.etas(0))
        return basis[:, :-1], left[:-1]

    def _state(self, prefix: str) -> State:
        """The algorithm's fields, in terms of coordinates with the given prefix."""
        carried = set(self.running.values())
        names = {name: d for name, d in self.layout.dimensions.items() if name not in carried}
        symbols = State(**{name: symbol(prefix + name, d) for name, d in names.items()})
        recover = getattr(self.solver, "from_coordinates", None)
        return recover(symbols, self._mean) if recover else symbols

    def _to_coordinates(self, state: State) -> dict[str, Affine]:
        change = getattr(self.solver, "to_coordinates", None)
        found = require_state(self.given, state)
        return vars(change(found, self._mean) if change else found)

    def _mean(self, estimator: Estimator) -> Sampled:
        """What coordinates take for the mean of an estimator."""
        mean = self.oracle.mean(estimator)
        return (lambda *point: 0 * mean(*point)) if self.common else mean

    def etas(self, t: float) -> Etas:
        """The step sizes around t; a schedule that knows doubles only says what they are."""
        at = t if isinstance(t, int) else rational(t)

        sums = {name: each for each, name in self.running.items()}

        @cache
        def eta(name: str, offset: int) -> Any:
            if name in sums:
                return self.numbers.number(sums[name].counted(int(at) + offset))
            try:
                return self.numbers.number(getattr(self.solver, name)(at + offset))
            except TypeError:
                return self.numbers.number(getattr(self.given, name)(t + offset))

        return eta

    def _first_that_works(self, run: Callable[[Any], Any]) -> Any:
        """What comes of running the algorithm in the first kind of numbers that its steps take."""
        reason: Exception | None = None
        while self.versions:
            version = self.versions[0]
            try:
                result = run(version)
            except NotAffineError:
                raise
            except (TypeError, AttributeError) as error:
                reason = error
                self.versions = self.versions[1:]
                self._begin()  # another version has other estimators, and the first iteration is among their users
                if "_first" in vars(self):
                    self.has_start, self._first = self._run_first()
                    vars(self).pop("first", None)
                continue
            self.exact = self.exact and version is not self.given
            return result
        if isinstance(reason, AttributeError) and isinstance(reason.obj, type(self.given)):
            raise UserError(
                f"a step of {name_of(self.given)} reads self.{reason.name}, which it does not have; correct the name."
            ) from reason
        raise NotAffineError(
            f"a step of {name_of(self.given)} is not affine: on its fields and estimates it may use +, - and scalar * "
            f"only ({reason}); use simulate."
        ) from reason


def name_of_sum(i: int, each: IterateSum) -> str:
    """The name of the coordinates that carry a sum over the iterates so far."""
    return f"sum of {each.field}" if each.likely is None else f"sum {i} of {each.field}"


@contextmanager
def _without_roots() -> Iterator[None]:
    """A root that is no fraction is like any other operation that a kind of numbers lacks."""
    try:
        yield
    except DomainError as error:
        raise TypeError(f"it takes a root that is no fraction: {error}") from error


def _versions(solver: Algorithm) -> list[Any]:
    """The algorithm in rationals, in balls and as it was given, as far as it takes these numbers."""
    versions = []
    for number in (rational, ball):
        try:
            version = with_numbers(solver, number)
            moves_of(
                version.stages
            )  # probabilities may be computed there, with doubles beside hyperparameters
            versions.append(version)
        except (TypeError, AttributeError, UserError):
            continue
    return [*versions, solver]


def _only(row: Row, names: Collection[str]) -> Row:
    return {source: polynomial for source, polynomial in row.items() if source in names}


def require_interpreter(value: Any) -> None:
    if value is not None and not isinstance(value, Interpreter):
        raise UserTypeError(f"interpreter must be an Interpreter or None, got {shown(value)}.")
