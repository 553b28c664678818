"""One experiment, checked before any work: who runs on what, for how long, from where, and when the curves are read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.arrays import require_memory
from ratecert.base.errors import UserError
from ratecert.base.validation import require_point, require_whole, shown
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.measures import EXTREMES, Measure, require_measures, shares_of
from ratecert.solvers.contract.problem import AnyProblem, Problem, require_problem, spaces_of, weights_differ
from ratecert.solvers.contract.stage import Algorithm, name_of, require_algorithm
from ratecert.solvers.engines.counting import dimensions_of_state, fields_at_start

Array = NDArray[np.float64]
UNROLLED = ("Q", "N", "T_in", "q")  # numbers of what a step does one after the other, or keeps apart
LEAST = 1e-150  # size of a start that is not 0: its square is a double
MOST_WEIGHTS = 10**6  # iterations that may each have a weight of their own


@dataclass(frozen=True)
class Experiment:
    """One experiment: who runs on what, for how long, from where, and when the curves are read."""

    problem: Problem
    solver: Algorithm
    K: int
    T: int
    start: Mapping[
        str, Array
    ]  # x, y where there is a lower level, and fields of the method that are given too
    times: tuple[int, ...]
    measures: Mapping[str, Measure]
    usual: bool  # whether these are the ones that a run has which asks for none

    @property
    def given(self) -> dict[str, int]:
        """The dimensions of the fields that are given beside x and y."""
        unknowns = spaces_of(self.problem)
        return {name: len(point) for name, point in self.start.items() if name not in unknowns}

    @property
    def read_times(self) -> tuple[int, ...]:
        """The times at which measures are read: those of the curves, and all where an extreme over t is asked for."""
        if not any(measure.at in EXTREMES for measure in self.measures.values()):
            return self.times
        return tuple(sorted({*range(self.T), *self.times}))

    def factors(self) -> Iterator[NDArray[np.float64]]:
        """What each measure counts in its average, for t = 0, 1, ..., T - 1."""
        likely = [m.likely if m.at == "drawn" else None for m in self.measures.values()]
        totals = np.array([shares_of(self.T, each)[1] if each else float(self.T) for each in likely])
        for t in range(self.T):
            yield np.array([float(each(t)) if each else 1.0 for each in likely]) / totals

    @property
    def names(self) -> tuple[str, ...]:
        """Of the measures, in order."""
        return tuple(self.measures)


@dataclass(frozen=True)
class Run:
    """An algorithm, and for how many devices and iterations it is meant."""

    solver: Any
    K: int
    T: int


def prepare(
    problem: AnyProblem,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    times: Sequence[int] | None,
    measures: Mapping[str, Measure] | None = None,
    exact: bool = True,
) -> Experiment:
    """Make an experiment, or refuse what makes no sense before any work; `exact` moments take more memory."""
    require_problem(problem)
    problem = cast(Problem, problem)
    require_room(problem, solver, exact=exact)
    require_algorithm(solver)
    K, T = require_whole("K", K, least=1), require_whole("T", T, least=1)
    require_devices(problem, solver, K)
    solver.check(problem)
    _require_fields(problem, solver)
    begin = require_start(problem, solver, {"x": x0, "y": y0}, start)
    if times is None:
        times = [0, T, *(2**i for i in range(T.bit_length()) if 2**i < T)]
    if not isinstance(times, Iterable):
        raise UserError(f"times must be a list of whole numbers from 0 to T = {T}, got {shown(times)}.")
    read = require_measures(problem, measures)
    whole = any(measure.at in EXTREMES for measure in read.values())
    require_memory(name_of(solver), times=max(T * whole, len(times) if isinstance(times, Sized) else 0))
    chosen = {require_whole("every time in times", t, least=0, most=T) for t in times}
    for name, measure in read.items():
        if measure.likely is not None:
            _require_likely(name, measure, T)
        numbers = [form.device for _, form in measure.forms if form.device is not None]
        if numbers and max(numbers) >= K:
            raise UserError(
                f"the measure {name!r} reads device {max(numbers)}, and there are {K}, from 0 on."
            )
    return Experiment(problem, solver, K, T, begin, tuple(sorted(chosen)), read, measures is None)


def _require_fields(problem: Problem, solver: Algorithm) -> None:
    """Refuse an average of a field that the state does not have."""
    averaged = {name for move in moves_of(solver.stages) for name in move.averaged}
    try:
        fields = set(dimensions_of_state(problem, solver)) if averaged else set()
    except (AttributeError, TypeError, ValueError):  # a step with a mistake, of which engines say more
        return
    missing = sorted(averaged - fields)
    if missing:
        raise UserError(f"{name_of(solver)} averages {missing[0]!r}, which its state does not have.")


def _require_likely(name: str, measure: Measure, T: int) -> None:
    """Refuse weights of iterates that are none, or too many."""
    assert measure.likely is not None
    if T > MOST_WEIGHTS:
        raise UserError(
            f"the measure {name!r} counts every t for itself, and T = {T} is more than {MOST_WEIGHTS}; make T smaller."
        )
    shares, _ = shares_of(T, measure.likely)
    if measure.at == "mean" and shares[0] <= 0:
        raise UserError(f"likely(0) must be > 0 in a mean of the iterates, got {shares[0]}.")


def require_start(
    problem: Problem,
    solver: Any,
    short: Mapping[str, ArrayLike | None],
    start: Mapping[str, ArrayLike] | None,
) -> dict[str, Array]:
    """Where each unknown of the problem starts: from x0 and y0, or by name from `start`, with other fields beside."""
    spaces = spaces_of(problem)
    given = {name: value for name, value in short.items() if value is not None}
    if start is not None:
        if not isinstance(start, Mapping):
            raise UserError(f"start must be a dictionary such as {{'x': 1.0}}, got {shown(start)}.")
        if given:
            raise UserError(f"give start or {' and '.join(f'{name}0' for name in given)}, not both.")
        given = dict(start)
    for name in () if start is not None else given:
        if name not in spaces:
            raise UserError(
                f"the problem has no {name!r}: it starts at {' and '.join(f'{n}0' for n in spaces)} alone."
            )
    others = [name for name in given if name not in spaces]
    fields = fields_at_start(problem, solver) if others else {}
    for name in others:
        if name not in fields:
            raise UserError(
                f"{name_of(solver)} does not start with a field {name!r}; it starts with {', '.join(fields)}."
            )
    for name in spaces:
        if name not in given:
            raise UserError(f"{name}0 is missing: say where {name} starts, with {spaces[name]} numbers.")
    dimensions = {**spaces, **{name: fields[name] for name in others}}
    points = {name: require_point(f"{name}0", given[name], d) for name, d in dimensions.items()}
    for name, point in points.items():
        if 0 < np.abs(point).max() < LEAST:
            raise UserError(
                f"{name}0 must be 0 or at least {LEAST:g} in size, got {shown(given[name])}; squares of it are "
                f"smaller than every double, so choose a smaller unit of length."
            )
    return points


def require_room(problem: AnyProblem, solver: Any, *, exact: bool = True, lanes: int = 0) -> None:
    """Refuse estimates, dimensions or lanes that would not fit into memory."""
    given = {
        name: getattr(solver, name, 0) for name in UNROLLED if name in getattr(solver, "unrolled", UNROLLED)
    }
    loops = {name: value for name, value in given.items() if isinstance(value, int)}
    longest = max(loops, key=lambda name: loops[name], default="Q")
    d = sum(spaces_of(problem).values())
    require_memory(
        name_of(solver),
        d=d,
        Q=loops.get(longest, 0),
        lanes=lanes,
        exact=exact,
        names={"Q": longest, "lanes": "K"},
    )


def require_devices(problem: Problem, solver: Any, K: int) -> None:
    devices = getattr(problem, "devices", None)
    alone = getattr(solver, "one_machine", False)
    if alone and devices is not None and len(devices) > 1:
        raise UserError(
            f"{name_of(solver)} is a method for one machine, and this problem has {len(devices)} devices; give it one "
            f"of problem.devices."
        )
    if devices is not None and len(devices) != K:
        raise UserError(f"K must be {len(devices)}, the number of devices of this problem, got {K}.")
    for move in moves_of(solver.stages):
        if move.drawn is not None:
            move.drawn.require(K, weights_differ=weights_differ(problem))
    if alone and K != 1:
        raise UserError(f"{name_of(solver)} is a method for one machine: K must be 1, got {K}.")
