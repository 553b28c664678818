"""From an algorithm's definition to its steps in numbers, by running the definition on symbols.

Coordinates are the algorithm's fields, or the ones that it recommends by `to_coordinates` (x and y stay as
they are): the same state in variables whose slow changes do not hide behind fast ones. Recommended coordinates may use
the means of estimators; where these differ from device to device they can be left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.errors import NotAffineError, NotPolynomialError
from ratecert.solvers.contract.problem import Problem
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Algorithm, Estimator, Sampled, State, name_of
from ratecert.solvers.engines.moments.affine import (
    CONSTANT,
    ONE,
    Affine,
    AffineDraw,
    AffineOracle,
    Row,
    Word,
    add_rows,
    symbol,
    with_digits,
    with_symbolic_steps,
)
from ratecert.solvers.engines.moments.layout import Layout, Steps
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise
from ratecert.solvers.engines.moments.step_sizes import Monomial, in_steps

Array = NDArray[np.float64]
ORIGIN = 2  # where steps are read. Not 0 or 1: the first iteration may differ, and t - 1 must exist
PROBES = (3, 17, 1000)  # without them a step that reads t itself would be taken for the one at ORIGIN


@dataclass(frozen=True)
class Action:
    """Where one sample acts: R for the first field of a group of fields at multiples of one point."""

    draw: AffineDraw
    fields: tuple[str, ...]
    points: tuple[Steps, ...]


class Interpreter:
    def __init__(
        self, problem: Problem, solver: Algorithm, *, common: bool = False, probed: bool = False
    ) -> None:
        """With `common` the coordinates are the recommended ones with zero for the mean of every estimator.

        They are combinations of fields, then, the same on all devices.

        An algorithm that is `probed` is known to depend on t through its schedules only; it is not tried again.
        """
        self.common, self.probed = common, probed
        self.exact = solver
        self.solver = with_digits(solver)
        self.oracle = AffineOracle(problem)
        self._words: dict[Word, Array] = {}
        self._families: dict[int, Callable[[float], StepMap]] = {}
        stages = solver.stages
        self.alike = [stages.index(stage) for stage in stages]  # the first stage that each is a repetition of
        self.point = Layout({"x": problem.d_x, "y": problem.d_y})
        self.has_start, self._first = self._run_first()
        self.layout = Layout({name: row.d for name, row in self._first.items()})

    def _run_first(self) -> tuple[bool, dict[str, Affine]]:
        begin = State(**{name: symbol(name, d) for name, d in self.point.dimensions.items()})

        def first(solver: Any) -> tuple[bool, State]:
            started = solver.start(begin, self.oracle)
            has_start = started is not begin
            return has_start, started if has_start else solver.stages[0].step(0, begin, self.oracle)

        has_start, state = _first_that_works(first, (self.solver, self.exact))
        return has_start, self._to_coordinates(state)

    def first(self) -> StepMap:
        """From (x, y, 1) to the coordinates: the algorithm's start or, where it has none, iteration 0."""
        return self._family(self._first, self.point, keeps_layout=False)(0)

    def step(self, stage: int, t: float) -> StepMap:
        """Iteration t >= 1 (>= 0 after a start) in coordinates."""
        first = self.alike[stage]
        if first not in self._families:
            self._families[first] = self._all_steps(first)
        return self._families[first](t)

    def _all_steps(self, stage: int) -> Callable[[float], StepMap]:
        """Step sizes as symbols where the step is a polynomial in them, else one interpretation for each t."""
        try:
            family = self._interpreted(with_symbolic_steps(self.exact, ORIGIN), stage, ORIGIN)
        except (NotPolynomialError, TypeError, AttributeError):
            family = partial(self._one_step, stage)
        if not self.probed:
            self._require_time_in_schedules(family, stage)
        return family

    def _one_step(self, stage: int, t: float) -> StepMap:
        """Iteration t, interpreted for itself."""
        step: StepMap = _first_that_works(
            lambda solver: self._interpreted(solver, stage, t)(t), (self.solver, self.exact)
        )
        return step

    def _require_time_in_schedules(self, family: Callable[[float], StepMap], stage: int) -> None:
        """A step may depend on t through the schedules in its fields only: tried at a few t."""
        schedules = [v for v in vars(self.exact).values() if is_schedule(v)]
        frozen = min((s.constant_until for s in schedules), default=np.inf) > max(PROBES) + 1
        for t in PROBES:
            direct = self._one_step(stage, t)
            if not direct.resembles(family(t)) or (frozen and not direct.resembles(family(ORIGIN))):
                raise NotAffineError(
                    f"a step of {name_of(self.exact)} depends on t = {t} other than through schedules in its own "
                    f"fields; exact moments need those."
                )

    def _interpreted(self, solver: Any, stage: int, t: float) -> Callable[[float], StepMap]:
        after = self._to_coordinates(solver.stages[stage].step(t, self._state(""), self.oracle))
        if set(after) != set(self.layout.dimensions):
            raise NotAffineError(
                f"a step must return the fields that it was given, {sorted(self.layout.dimensions)}, "
                f"got {sorted(after)}."
            )
        self._require_fresh(after, t)
        return self._family(
            {name: after[name] for name in self.layout.dimensions}, self.layout, keeps_layout=True
        )

    def _require_fresh(self, rows: Mapping[str, Affine], t: float) -> None:
        """One sample of a kind in a step, and never one that an earlier step or the start has used."""
        draws = {draw for row in rows.values() for draw in row.noise}
        before = {draw for row in self._first.values() for draw in row.noise}
        for draw in draws:
            offset = draw.t - t
            clash = [d for d in draws if d.label == draw.label and d != draw]
            clash += [
                d for d in before if d.label == draw.label and d.t >= offset + (0 if self.has_start else 1)
            ]
            if clash:
                raise NotAffineError(
                    f"samples of {draw.label!r} are used twice, or in two steps: {draw} and {clash[0]}; moments close "
                    f"where a step takes one fresh sample of a kind; give a second one a label of its own."
                )

    def kept_by_average(self, averaged: Sequence[str]) -> Array:
        """I - Pi: an average takes w_k = wbar + v_k to wbar + (I - Pi) v_k."""
        own, mean = vars(self._state("")), vars(self._state("mean "))
        mixed = State(**{name: mean[name] if name in averaged else own[name] for name in own})
        names = self.layout.dimensions
        rows = {
            name: {source: q for source, q in row.mean.items() if source in names}
            for name, row in self._to_coordinates(mixed).items()
        }
        return self._matrix(rows, self.layout, self.layout).at(self._etas(0))

    def _state(self, prefix: str) -> State:
        """The algorithm's fields, in terms of coordinates with the given prefix."""
        symbols = State(**{name: symbol(prefix + name, d) for name, d in self.layout.dimensions.items()})
        recover = getattr(self.solver, "from_coordinates", None)
        return recover(symbols, self._mean) if recover else symbols

    def _to_coordinates(self, state: State) -> dict[str, Affine]:
        change = getattr(self.solver, "to_coordinates", None)
        return vars(change(state, self._mean) if change else state)

    def _mean(self, estimator: Estimator) -> Sampled:
        """What coordinates take for the mean of an estimator."""
        mean = self.oracle.mean(estimator)
        return (lambda *point: 0 * mean(*point)) if self.common else mean

    def _etas(self, t: float) -> Callable[[str, int], float]:
        return lambda name, offset: float(getattr(self.exact, name)(t + offset))

    def _family(
        self, rows: Mapping[str, Affine], inputs: Layout, *, keeps_layout: bool
    ) -> Callable[[float], StepMap]:
        """The step as a function of t, which enters through the step sizes."""
        outputs = inputs if keeps_layout else Layout({name: row.d for name, row in rows.items()})
        means = {name: row.mean for name, row in rows.items()}
        if keeps_layout:
            means = {name: add_rows([(1, row), (-1, symbol(name, 0).mean)]) for name, row in means.items()}
        else:
            means[ONE] = symbol(ONE, 1).mean
        mean = self._matrix(means, outputs, inputs)
        draws = {draw for row in rows.values() for draw in row.noise}
        actions = [
            action
            for draw in sorted(draws, key=lambda d: d.label)
            if not self.oracle.moments(draw.label).silent
            for action in [self._action(draw, rows, inputs)]
        ]

        def at(t: float) -> StepMap:
            etas = self._etas(t)
            noises = tuple(self._noise(action, outputs, etas) for action in actions)
            return StepMap(mean.at(etas), keeps_layout, noises)

        return at

    def _action(self, draw: AffineDraw, rows: Mapping[str, Affine], inputs: Layout) -> Action:
        moments = self.oracle.moments(draw.label)
        point = Layout({f"argument {i}": d for i, d in enumerate(moments.dimensions)})
        names = tuple(name for name, row in rows.items() if draw in row.noise)
        points = []
        for name in names:
            *arguments, one = rows[name].noise[draw]
            named = {**{f"argument {i}": a for i, a in enumerate(arguments)}, ONE: one}
            points.append(self._matrix(named, point, inputs))
        return Action(draw, names, tuple(points))

    def _noise(self, action: Action, outputs: Layout, etas: Callable[[str, int], float]) -> StepNoise:
        """Fields at which the sample acts at multiples of one point share that point."""
        moments = self.oracle.moments(action.draw.label)
        d = len(moments.mean)
        found: list[tuple[Array, Array]] = []
        for name, point in zip(action.fields, action.points, strict=True):
            R = point.at(etas)
            if not R.any():
                continue
            for R_known, G in found:
                factor = _factor(R, R_known)
                if factor is not None:
                    G[outputs.slices[name]] = factor * np.eye(d)
                    break
            else:
                G = np.zeros((outputs.size, d))
                G[outputs.slices[name]] = np.eye(d)
                found.append((R, G))
        return StepNoise(moments, tuple(found), action.draw.batch)

    def _matrix(self, rows: Mapping[str, Row], outputs: Layout, inputs: Layout) -> Steps:
        shape = (outputs.size, inputs.size)
        parts: dict[Monomial, Array] = {}
        for name, row in rows.items():
            target = outputs.slices[name]
            for source, polynomial in row.items():
                for word, coefficient in polynomial.items():
                    block = self._word(word, target)
                    for monomial, c in in_steps(coefficient).terms.items():
                        part = parts.setdefault(monomial, np.zeros(shape))
                        part[target, inputs.slices[source]] += float(c) * block
        return Steps(parts, shape)

    def _word(self, word: Word, rows: slice) -> Array:
        if not word:
            return np.eye(rows.stop - rows.start)
        if word not in self._words:
            factors = [self._generator(*g) for g in word]
            self._words[word] = factors[0] if len(factors) == 1 else np.linalg.multi_dot(factors)
        return self._words[word]

    def _generator(self, label: str, argument: int) -> Array:
        moments = self.oracle.moments(label)
        if argument == CONSTANT:
            return moments.mean[:, -1:]
        ends = np.cumsum([0, *moments.dimensions])
        return moments.mean[:, ends[argument] : ends[argument + 1]]


def _first_that_works(run: Callable[[Any], Any], solvers: Sequence[Any]) -> Any:
    """The step in 50 digits or, where it calls for functions that only know floats, in floats."""
    *others, last = solvers
    for solver in others:
        try:
            return run(solver)
        except NotAffineError:
            raise
        except (TypeError, AttributeError):
            continue
    try:
        return run(last)
    except NotAffineError:
        raise
    except (TypeError, AttributeError) as error:
        raise NotAffineError(
            f"a step of {name_of(last)} is not affine: on its fields and estimates it may use +, - and scalar * "
            f"only ({error}); use simulate."
        ) from error


def _factor(R: Array, known: Array) -> float | None:
    """c with R = c known, to the last bits of every component; None if there is none."""
    i = np.unravel_index(np.argmax(np.abs(known)), known.shape)
    c = R[i] / known[i]
    return float(c) if np.all(np.abs(R - c * known) <= 1e-14 * np.abs(R)) else None
