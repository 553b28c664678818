"""Exact expectations of many settings at once, each with the error that doubles may have made.

Every run is computed twice, the second time in other units and with matrices that are off by a rounding: what the two
differ by is the estimate of an error. What makes the matrices is done once, in pairs of doubles where it cancels. A
setting whose error may be more than `GOOD` goes to the precise engine, as do all settings of a method, a world or a
measure that arrays do not take.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from ratecert.base.errors import DivergedError, NotAffineError
from ratecert.base.progress import told
from ratecert.base.validation import require_choice
from ratecert.solvers.contract.measures import EXTREMES, Measure, shares_of, sums_of
from ratecert.solvers.contract.problem import spaces_of
from ratecert.solvers.contract.result import Measures
from ratecert.solvers.engines.batch.arrays import Array, Many, constants, namespace, on_host
from ratecert.solvers.engines.batch.congruences import packed, size_of
from ratecert.solvers.engines.batch.drive import Plan, run, walk
from ratecert.solvers.engines.batch.frame import Frame, framed, otherwise, unmoved
from ratecert.solvers.engines.batch.functional import Readings, readings_of
from ratecert.solvers.engines.batch.many import devices_of, letters_of
from ratecert.solvers.engines.batch.numbers import Numbers, in_letters, in_numbers
from ratecert.solvers.engines.batch.pairs import exactly
from ratecert.solvers.engines.batch.population import Population, population
from ratecert.solvers.engines.batch.reading import OneByOne, Reading
from ratecert.solvers.engines.batch.settings import Settings, length, settings_of
from ratecert.solvers.engines.batch.signs import moments_of
from ratecert.solvers.engines.batch.truth import truth_of
from ratecert.solvers.engines.expect import expect

GOOD = 1e-9  # relative: a larger error sends a setting to the precise engine
SAFETY = 64  # times what two runs differ by
ROUNDING = 1e-12  # of a measure: less is never claimed
COMPARABLE = 1e-6  # of the largest measure: what is smaller says nothing about the digits of the others
CHUNK = 1_500_000  # entries of the largest matrices of a round that are held at once
ON_A_DEVICE = 40  # times as many: its memory is faster, and every call to it takes a while
WALKED = 512  # iterations that are gone through one by one
MOST = 50_000  # settings in a chunk, beyond which larger arrays bring nothing


@dataclass(frozen=True, repr=False)
class ManyResults(Measures):
    """Expectations by name, one for each setting; infinite where a run diverges."""

    precision: Any  # the relative error of each setting's measures, at most
    one_by_one: Any  # which settings the precise engine has computed
    why: str  # it has, where arrays were not taken at all; "" where they were

    def __len__(self) -> int:
        return int(self.precision.shape[0])

    def __repr__(self) -> str:
        alone = int(np.sum(self.one_by_one))
        how = f"{alone} of {len(self)} one by one" + (f", because {self.why}" if self.why else "")
        return f"<{type(self).__name__}: {', '.join(self.values)} of {len(self)} settings, {how}>"


def expect_many(
    worlds: Any,
    solvers: Any,
    *,
    K: Any,
    T: Any,
    x0: Any = None,
    y0: Any = None,
    measures: Mapping[str, Measure] | None = None,
    precise: bool = True,
) -> ManyResults:
    """Compute the expectations of many settings at once, for arrays of numpy, torch or JAX, on their device.

    worlds, solvers   a record, a list of records of one kind, or `many` of a kind; of one shape
    K, T              devices and iterations: a whole number, or one for each setting
    x0, y0            where devices start: a number or a list for all, an array with one entry for each setting
    measures          by default as in `expect`
    precise           settings that doubles leave in doubt are computed again by `expect`, one by one; False: they are
                      marked by their precision alone

    A method that draws steps or devices, a step size that changes with t for long, and anything else that arrays do not
    take is computed one by one, and the result says why.

    >>> import numpy as np
    >>> import ratecert as rc
    >>> world = rc.worlds.single_level([1.0], s=0.5)
    >>> steps = rc.many(rc.methods.SGD, alpha=np.array([0.1, 0.2, 0.4]))
    >>> found = rc.expect_many(world, steps, K=10, T=2**40, x0=1.0, measures={"gap": rc.measures.gap().last()})
    >>> found.gap.round(6).tolist()
    [0.000658, 0.001389, 0.003125]
    """
    require_choice("precise", precise, (True, False))
    settings = settings_of(worlds, solvers, K, T, {"x": x0, "y": y0}, measures)
    try:
        values, precision = _in_chunks(settings)
        why = ""
    except (OneByOne, NotAffineError) as error:
        why = str(error)
        values = np.full((len(settings), len(settings.measures)), np.nan)
        precision = np.full(len(settings), np.inf)
    doubtful = on_host(precision > GOOD)
    if precise or why:
        values, precision = _precisely(settings, values, precision, doubtful)
    named = {name: values[:, i] for i, name in enumerate(settings.measures)}
    return ManyResults(named, precision=precision, one_by_one=doubtful & (precise or bool(why)), why=why)


def _in_chunks(settings: Settings) -> tuple[Array, Array]:
    """All settings, so many at a time that their matrices fit into memory; the method is read once."""
    spaces = spaces_of(settings.one(0)[0])
    rough = size_of(3 * sum(spaces.values()) + 1)
    larger = 1 if "cpu" in str(array_api_compat.device(settings.pattern)).lower() else ON_A_DEVICE
    chunk = max(1, min(MOST * larger, CHUNK * larger // rough**2))
    xp, N, found = namespace(settings.pattern), len(settings), []
    with np.errstate(all="ignore"):
        reading = _reading(settings, spaces)
        for a in told(range(0, N, chunk), f"chunks of {chunk} settings"):
            found += [_batch(settings, reading, slice(a, min(a + chunk, N)))]
    values, errors = zip(*found, strict=True)
    return xp.concat(values, axis=0), xp.concat(errors, axis=0)


def _reading(settings: Settings, spaces: Mapping[str, int]) -> Reading:
    """The method on letters; how many numbers an estimate has is seen on the first setting."""
    pattern, first = settings.pattern, slice(0, 1)
    problem = devices_of(settings.worlds, pattern, first).problems[0]
    solver, letters = letters_of(settings.solvers, slice(None), pattern)
    sizes = _sizes(problem, {name: own[:1] for name, own in letters.items()}, pattern)
    sums = sums_of(settings.measures)
    if any(each.likely is not None for each in sums):
        raise OneByOne("iterates count differently in a mean of them")
    return Reading(solver, spaces, list(letters), sizes, [each.field for each in sums])


def _batch(settings: Settings, reading: Reading, rows: slice) -> tuple[Array, Array]:
    """Values (N, measures) of a chunk, and what their relative errors may be."""
    pattern, N = settings.pattern, rows.stop - rows.start
    devices = devices_of(settings.worlds, pattern, rows if length(settings.worlds) > 1 else slice(0, 1))
    truth = truth_of(devices, reading.spaces, pattern)
    _, all_letters = letters_of(settings.solvers, slice(None), pattern)
    letters = {
        name: own[rows] if callable(own) or own.shape[0] > 1 else own for name, own in all_letters.items()
    }
    each = [Numbers(reading, problem, truth, letters, pattern, N) for problem in devices.problems]
    walked, moves = _is_walked(settings, letters), any(map(callable, letters.values()))
    if walked:
        _require_short(settings)
    frame: Frame | Population
    if len(each) > 1:
        frame = population(each, devices.shares, moves=moves)
        frames = (frame, frame.otherwise())
    else:
        frame = unmoved(each[0]) if moves else framed(each[0])
        frames = (frame, otherwise(frame))  # type: ignore[assignment]
    one, two = ((_walked if walked else _values)(settings, rows, own) for own in frames)
    return one, _errors(one, two)


def _is_walked(settings: Settings, letters: Mapping[str, Any]) -> bool:
    """Whether every iteration has to be gone through."""
    return any(map(callable, letters.values())) or any(
        measure.at in (*EXTREMES, "drawn") for measure in settings.measures.values()
    )


def _require_short(settings: Settings) -> None:
    if int(settings.T.max()) > WALKED:
        raise OneByOne(f"steps change with t, or every t is read, for more than {WALKED} iterations")


def _sizes(problem: Any, letters: Mapping[str, Array], pattern: Array) -> Callable[..., int]:
    """How many numbers an estimate has: it is evaluated once."""

    def size(estimator: Any, dimensions: tuple[int, ...]) -> int:
        own = in_numbers(estimator, lambda c: Many(in_letters(c, letters, pattern)))
        origin = constants(pattern, np.zeros((1, sum(dimensions))))
        return int(moments_of(problem, own, dimensions, pattern, origin).mean.shape[-2])

    return size


def _values(settings: Settings, rows: slice, frame: Frame | Population) -> Array:
    """The measures of a chunk, by doubling."""
    xp, pattern = namespace(settings.pattern), settings.pattern
    plan, start = _begun(settings, rows, frame)
    lengths = constants(settings.pattern, plan.T.astype(np.float64))
    readings = _readings(settings, frame, lengths)
    sums, last = run(frame, readings, plan, start)
    averages = constants(pattern, [[float(m.at == "average") for m in settings.measures.values()]])
    return xp.where(averages > 0, sums / lengths[:, None], last)


def _walked(settings: Settings, rows: slice, frame: Frame | Population) -> Array:
    """The measures of a chunk, iteration by iteration."""
    pattern, measures = settings.pattern, list(settings.measures.values())
    plan, start = _begun(settings, rows, frame)
    lengths = constants(settings.pattern, plan.T.astype(np.float64))
    readings = _readings(settings, frame, lengths)
    changes = any(map(callable, frame.numbers.letters.values()))
    weights = [m.likely if m.at == "drawn" else None for m in measures]
    totals = np.array([[shares_of(int(T), w)[1] if w else 1.0 for w in weights] for T in plan.T])

    def likely(t: int) -> Array:
        return constants(pattern, np.array([w(t) if w else 0.0 for w in weights]) / totals)

    def at(t: int) -> Frame | Population:
        return frame.at(t) if changes else frame

    found = walk(at, readings, plan, start, likely)
    parts = {"average": found.total / lengths[:, None], "last": found.last, "mean": found.last}
    parts |= {"largest": found.largest, "smallest": found.smallest, "drawn": found.drawn}
    return namespace(pattern).stack([parts[m.at][:, i] for i, m in enumerate(measures)], axis=1)


def _readings(settings: Settings, frame: Frame | Population, lengths: Array) -> Readings:
    if isinstance(frame, Population):
        return frame.readings(lambda own: readings_of(own, settings.measures, lengths))
    return readings_of(frame, settings.measures, lengths)


def _begun(settings: Settings, rows: slice, frame: Frame | Population) -> tuple[Plan, Array]:
    """How long each setting of a chunk runs, and E[z z'] of its start."""
    pattern, N = settings.pattern, rows.stop - rows.start
    xp, numbers = namespace(pattern), frame.numbers
    reading = numbers.reading
    plan = Plan(
        constants(pattern, settings.K[rows] if isinstance(frame, Frame) else np.ones(N)),
        settings.T[rows],
        numbers.whole(reading.repeats),
        int(not reading.has_start),
    )
    begun = {
        name: start[rows, ...] if start.shape[0] > 1 else start for name, start in settings.start.items()
    }
    begin = [(exactly(begun[name]) - numbers.solution[name]).rounded for name in reading.spaces]
    parts = (*begin, constants(pattern, [[1.0]]))
    z = xp.concat([xp.broadcast_to(each, (N, each.shape[-1])) for each in parts], axis=-1)
    return plan, packed(z[:, :, None] * z[:, None, :])


def _errors(one: Array, two: Array) -> Array:
    """Relative, the largest of a setting's measures; infinite where a run has overflowed on one way alone."""
    xp = namespace(one)
    largest = xp.max(xp.abs(one), axis=-1, keepdims=True)
    scale = xp.maximum(xp.abs(one), COMPARABLE * largest)
    tiny = float(np.finfo(float).tiny)
    difference = xp.where(one == two, xp.zeros_like(one), xp.abs(one - two))
    relative = SAFETY * difference / xp.maximum(scale, xp.zeros_like(scale) + tiny) + ROUNDING
    relative = xp.where(xp.isfinite(one), relative, xp.zeros_like(one) + np.inf)
    return xp.max(relative, axis=-1)


def _precisely(settings: Settings, values: Any, precision: Any, doubtful: Any) -> tuple[Any, Any]:
    """The settings in doubt by the precise engine."""
    chosen = np.flatnonzero(doubtful).tolist()
    if not chosen:
        return values, precision
    found, errors = np.array(on_host(values)), np.array(on_host(precision))
    for i in told(chosen, "settings, one by one"):
        world, solver, rest = settings.one(i)
        try:
            result = expect(world, solver, **rest, times=[0])
        except DivergedError:
            found[i], errors[i] = np.inf, 0.0
            continue
        found[i] = [result.values[name] for name in settings.measures]
        errors[i] = result.precision
    pattern = settings.pattern
    return constants(pattern, found), constants(pattern, errors)
