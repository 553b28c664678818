"""A method, read once: its step as rows of words and letters, by running its own code on symbols.

Every number in the method's fields is a letter, so that one reading serves all settings; every field after the step is

    sum over fields before of (polynomial in letters) word field + the samples at their points

where a word is a product of estimators' mean matrices. What a row adds to its field is taken here: (1 - alpha eta^2)
- 1 is the monomial -alpha eta^2, which doubles evaluate without loss.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from ratecert.base.errors import NotAffineError, NotPolynomialError
from ratecert.base.exact import rational
from ratecert.solvers.contract.draws import Choice, Switch
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import (
    Estimator,
    Sampled,
    Stage,
    State,
    first_step,
    has_start,
    require_state,
    started,
)
from ratecert.solvers.engines.moments.affine import (
    Affine,
    AffineDraw,
    AffineOracle,
    alike,
    from_time,
    require_fresh,
    symbol,
)
from ratecert.solvers.engines.moments.step_sizes import InSteps, SymbolicSchedule

ORIGIN = 2  # where steps are read: not 0 or 1, since the first iteration may differ, and t - 1 must exist
PROBES = (3, 17)  # a step that reads t itself is another one there


class OneByOne(Exception):
    """Why these settings are computed one by one."""


class LetterOracle(AffineOracle):
    """Evaluates estimators on symbols, and tells how long estimates are by evaluating them in numbers."""

    def __init__(self, size_of: Callable[[Estimator, tuple[int, ...]], int]) -> None:
        self._size_of = size_of
        self._estimators: dict[str, Estimator] = {}
        self._dimensions: dict[str, tuple[int, ...]] = {}

    def _size_at(self, estimator: Estimator, dimensions: tuple[int, ...]) -> int:
        if self._dimensions.setdefault(estimator.label, dimensions) != dimensions:
            raise OneByOne(f"the estimator {estimator.label!r} is evaluated at points of several dimensions")
        return self._size_of(estimator, dimensions)

    def sample(self, estimator: Estimator, t: int, *, batch: Any = 1) -> Sampled:
        if not isinstance(batch, int):
            raise OneByOne("the size of a batch differs between settings")
        return super().sample(estimator, t, batch=batch)

    def estimator(self, label: str) -> tuple[Estimator, tuple[int, ...]]:
        return self._estimators[label], self._dimensions[label]


@dataclass(frozen=True)
class Letter:
    """A field of the method as a letter, by its name."""

    name: str

    @property
    def symbol(self) -> InSteps:
        return InSteps({(((self.name, 0), 1),): rational(1)})


class Reading:
    """Rows of the first step and of every later one, in coordinates."""

    def __init__(
        self,
        solver: Any,
        spaces: Mapping[str, int],
        letters: Sequence[str],
        size_of: Callable[[Estimator, tuple[int, ...]], int],
        summed: Sequence[str] = (),
    ) -> None:
        """The method with its own numbers, x and y with their dimensions, and the fields that are letters.

        The sums over the iterates so far of the `summed` fields are carried along, as coordinates at the end.
        """
        self.solver, self.spaces = solver, dict(spaces)
        self.oracle = LetterOracle(size_of)
        self._symbols: dict[str, Any] = {name: Letter(name).symbol for name in letters}
        _require_one_stage(solver)
        try:
            self.stage: Stage = self._at(ORIGIN).stages[0]
            self.has_start, self.first = self._first()
            self.own = {name: row.d for name, row in self.first.items()}  # coordinates without sums
            self.sums = {f"sum of {name}": name for name in summed}
            self.first |= {name: self._first_sum(field) for name, field in self.sums.items()}
            self.coordinates = {name: row.d for name, row in self.first.items()}
            self.rows = self._rows(ORIGIN)
            self._require_one_step()
        except NotPolynomialError as error:
            raise OneByOne(
                f"a step needs more of its letters than +, -, * and whole powers ({error})"
            ) from error

    @property
    def averaged(self) -> tuple[str, ...]:
        return self.stage.averaged

    @property
    def repeats(self) -> Any:
        """Local steps before an average: a number or a letter."""
        return self.stage.repeats

    @cached_property
    def state(self) -> State:
        """The algorithm's fields in coordinates."""
        symbols = State(**{name: symbol(name, d) for name, d in self.own.items()})
        recover = getattr(self._at(ORIGIN), "from_coordinates", None)
        found: State = recover(symbols, self._mean) if recover else symbols
        return found

    @cached_property
    def back(self) -> dict[str, Affine]:
        """The coordinates in terms of the algorithm's fields."""
        fields_of = {name: row.d for name, row in vars(self.state).items()}
        own = State(**{name: symbol(name, d) for name, d in fields_of.items()})
        found = self._in_coordinates(self._at(ORIGIN), own)
        return found | {
            name: Affine(self.coordinates[name], {}) for name in self.sums
        }  # no average takes sums

    @property
    def local(self) -> dict[str, int]:
        """The fields, with their dimensions, that the average leaves alone."""
        return {name: row.d for name, row in vars(self.state).items() if name not in self.averaged}

    def draws(self, rows: Mapping[str, Affine]) -> list[AffineDraw]:
        found = {draw for row in rows.values() for draw, at in row.noise.items() if any(at)}
        return sorted(found, key=lambda draw: (draw.label, draw.t))

    def _at(self, origin: int) -> Any:
        """The method with letters for its numbers, for a step that is run at t = origin."""
        shell = copy(self.solver)
        for f in fields(self.solver):
            value = getattr(self.solver, f.name)
            if is_schedule(value):
                made: Any = SymbolicSchedule(f.name, origin, rational(value.largest))
            elif f.name in self._symbols:
                made = self._symbols[f.name]
            else:
                continue
            object.__setattr__(shell, f.name, made)
        return shell

    def _mean(self, estimator: Estimator) -> Sampled:
        return self.oracle.mean(estimator)

    def _in_coordinates(self, solver: Any, state: State) -> dict[str, Affine]:
        change = getattr(solver, "to_coordinates", None)
        found = require_state(self.solver, state)
        return vars(change(found, self._mean) if change else found)

    def _first(self) -> tuple[bool, dict[str, Affine]]:
        """The state at t = 0 of a method with a start of its own, else the state after iteration 0."""
        solver = self._at(0)
        points = {name: symbol(name, d) for name, d in self.spaces.items()}
        if has_start(solver, points, (), self.oracle):
            return True, self._in_coordinates(solver, started(solver, points, (), self.oracle))
        return False, self._in_coordinates(solver, first_step(solver)(0, State(**points), self.oracle))

    def _first_sum(self, field: str) -> Affine:
        """Nothing at t = 0; after iteration 0 where the run started."""
        if field not in vars(self.state):
            raise OneByOne(f"the mean is asked for of {field!r}, which the method does not have")
        if not self.has_start and field not in self.spaces:
            raise OneByOne(f"the mean is asked for of {field!r}, which the start does not have")
        d = vars(self.state)[field].d
        return Affine(d, {}) if self.has_start else symbol(field, d)

    def _rows(self, t: int) -> dict[str, Affine]:
        """The coordinates after a step at t, in terms of those before."""
        solver = self._at(t)
        after = self._in_coordinates(solver, solver.stages[0].step(t, self.state, self.oracle))
        if set(after) != set(self.own):
            raise NotAffineError(
                f"a step must return the fields that it was given, {sorted(self.own)}, got {sorted(after)}."
            )
        for name, field in self.sums.items():
            after[name] = symbol(name, self.coordinates[name]) + vars(self.state)[field]
        require_fresh(after, self.first, t, self.has_start, lambda _: False)
        return {name: after[name] for name in self.coordinates}

    def _require_one_step(self) -> None:
        """Refuse a step that depends on t otherwise than through schedules in its fields."""
        here = {name: from_time(row, ORIGIN) for name, row in self.rows.items()}
        for t in PROBES:
            there = {name: from_time(row, t) for name, row in self._rows(t).items()}
            if not alike(here, there):
                raise NotAffineError(
                    f"a step depends on t = {t} other than through schedules in its own fields; exact moments need "
                    f"those."
                )


def _require_one_stage(solver: Any) -> None:
    stages = solver.stages
    if len(stages) != 1 or isinstance(stages[0], Switch) or isinstance(stages[0].step, Choice):
        raise OneByOne("the method has several stages, or draws its steps")
    if stages[0].drawn is not None:
        raise OneByOne("the method draws devices")
