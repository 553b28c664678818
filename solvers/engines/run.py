"""A run of an engine through time: averages over t < T, and curves.

Iterations with a constant step size are taken by doubling, in log T compositions. Where the step size varies, short
runs are stepped through, long ones are flowed through by maps that vary smoothly with log t. Where it is defined at
whole t only, it is stepped through however long. Few iterations on large problems are cheaper step by step.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.errors import DivergedError, UserError
from ratecert.base.exact import rational
from ratecert.solvers.contract.measures import EXTREMES, Measure, shares_of, sums_of
from ratecert.solvers.contract.schedule import is_schedule, only_whole
from ratecert.solvers.contract.stage import letter_of_step, name_of
from ratecert.solvers.engines.experiment import Experiment
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.engine import LARGEST_CONGRUENCE, LARGEST_MAP, MomentEngine

Array = NDArray[Any]  # of doubles or balls

CYCLES_WORTH_A_SPACE = 200  # that are stepped through faster than a space for functions of one is made
LARGEST_UNPACKED_FLOW = (
    8000  # packed second moments, of 125 coordinates: maps of them are interpolated in minutes
)
AFFORDABLE_STEPS = 512  # iterations that are stepped through faster than maps over time are made
CERTIFIED_STEPS = 20_000  # that are stepped through in balls: a minute
SMOOTH_AFTER = 16  # cycles; earlier a step size changes too much within a cycle to be smooth in log t
READ_ALWAYS = (*EXTREMES, "drawn")  # measures for which all t have to be known
VARYING = "step sizes that vary"
KINK = 4  # iterations after the end of a constant phase in which a step can still see it


@dataclass(frozen=True)
class Passage:
    """Through T iterations."""

    averages: Array  # (measures,), over t < T, or at T where a measure is read there
    curves: Array  # (times, measures)
    running: Array  # (times, measures): what the averages would be if the run ended there
    method: str  # how they were had
    average_grain: Array  # what readings in doubles are rounded to, on average over t < T
    curve_grain: Array


def run(engine: MomentEngine, experiment: Experiment, ratio: float = 2.0) -> Passage:
    """The whole run; intervals of time on which steps vary smoothly grow by `ratio`."""
    if any(measure.at in READ_ALWAYS for measure in experiment.measures.values()):
        return _reading_always(engine, experiment)
    t, sums, moments = engine.start(np.concatenate(list(experiment.start.values())))
    read: dict[int, Array] = {} if engine.has_start else {0: sums}
    totals: dict[int, Array] = {}
    targets = sorted({u for u in (*experiment.times, experiment.T) if u >= t})
    weighted = any(each.likely is not None for each in sums_of(experiment.measures))
    boundary = 0 if weighted else int(min(constant_until(experiment.solver), experiment.T))
    flows = _flows(engine, experiment.solver) and not weighted
    if too_large(engine):
        _require_affordable(engine, experiment, experiment.T - t)
    elif not flows:
        _require_affordable(engine, experiment, experiment.T - max(boundary, t))
    smooth_after = int(min(constant_until(experiment.solver) + KINK, experiment.T))
    methods = []
    grains = {t: _read(engine, moments, t)[1]}
    if boundary > t:
        stops = sorted({boundary, *(u for u in targets if u <= boundary)})
        method, states = _constant(engine, moments, t, stops)
        methods.append(method)
        for u, (gained, state) in zip(stops, states, strict=True):
            read[u], grains[u] = _read(engine, state, u)
            totals[u], last = sums + gained, state
        t, sums, moments = boundary, totals[boundary], last
    for u in targets:
        if u > t or not methods:
            method, gained, moments = _varying(engine, moments, t, u, ratio, smooth_after, flows)
            methods.append(method)
            t, sums = u, sums + gained
            totals[u] = sums
            read[u], grains[u] = _read(engine, moments, u)
    nothing: Array = 0 * sums
    curves = np.stack([nothing, *(read[u] for u in experiment.times)])[1:]
    running = np.stack([nothing, *(totals[u] / u if u else read[0] for u in experiment.times)])[1:]
    at_end = np.array([measure.at != "average" for measure in experiment.measures.values()])
    averages = sums / experiment.T
    averages[at_end] = read[experiment.T][at_end]
    running[:, at_end] = curves[:, at_end]
    first, *_ = grains.values()
    steps = methods == ["stepping"]
    resting = np.maximum(first / experiment.T, grains[experiment.T])  # where it begins, and where it stays
    average_grain = np.max(list(grains.values()), axis=0) if steps else resting
    average_grain[at_end] = grains[experiment.T][at_end]
    curve_grain = np.stack([0 * first, *(grains.get(u, 0 * first) for u in experiment.times)])[1:]
    method = ", then ".join(dict.fromkeys(methods))
    return Passage(averages, curves, running, method, average_grain, curve_grain)


def _reading_always(engine: MomentEngine, experiment: Experiment) -> Passage:
    """Step by step, with all measures read at every t."""
    T, measures = experiment.T, experiment.measures.values()
    t, at_0, moments = engine.start(np.concatenate(list(experiment.start.values())))
    _require_affordable(engine, experiment, T, "an extreme over t, or an output that is drawn,")
    read, grains = ([], []) if engine.has_start else ([at_0], [0.0 * engine.measures.grain(moments, 1)])
    for i in range(t, T + 1):
        here, grain = _read(engine, moments, i)
        read.append(here)
        grains.append(grain)
        if i < T:
            _, moments = engine.walk(moments, i, 1)
    averages, running = 0 * read[0], np.stack([0 * read[0]] * (len(experiment.times) + 1))[1:]
    for i, measure in enumerate(measures):
        values = [here[i] for here in read]
        averages[i] = _over_time(measure, values)
        for j, u in enumerate(experiment.times):
            running[j, i] = _over_time(measure, values[: u + 1]) if u else values[0]
    curves = np.stack([averages, *(read[u] for u in experiment.times)])[1:]
    curve_grain = np.stack([grains[0], *(grains[u] for u in experiment.times)])[1:]
    return Passage(averages, curves, running, "stepping", np.max(grains, axis=0), curve_grain)


def _over_time(measure: Measure, values: list[Any]) -> Any:
    """What is asked for, from the values at t = 0, ..., T."""
    *before, last = values
    if measure.at in ("last", "mean"):
        return last
    if measure.at in EXTREMES:
        larger = measure.at == "largest"
        return reduce(lambda a, b: _extreme(a, b, larger=larger), before)
    if measure.likely is None:
        return sum(before[1:], before[0]) / len(before)
    number = rational if isinstance(last, arb) else float
    shares = [number(share) for share in shares_of(len(before), measure.likely)[0]]
    parts = [share * value for share, value in zip(shares, before, strict=True)]
    return sum(parts[1:], parts[0]) / sum(shares[1:], shares[0])


def _extreme(a: Any, b: Any, *, larger: bool) -> Any:
    """The larger or the smaller of two numbers; of balls, a ball that holds it."""
    if isinstance(a, arb):
        return a.max(b) if larger else a.min(b)
    return max(a, b) if larger else min(a, b)


def _read(engine: MomentEngine, moments: DeviceMoments, t: int) -> tuple[Array, Array]:
    """The measures at iteration t, and what they are rounded to."""
    measures = engine.measures_at(t)
    return measures.read(moments, t), measures.grain(moments, t)


def _constant(
    engine: MomentEngine, moments: DeviceMoments, t: int, stops: list[int]
) -> tuple[str, list[tuple[Array, DeviceMoments]]]:
    """From t to each of the stops with the step sizes of iteration t."""
    if stops[-1] - t <= _steps_worth_a_doubling(engine) or too_large(engine):
        states: list[tuple[Array, DeviceMoments]] = []
        sums: Array = engine.measures.nothing
        here = t
        for u in stops:
            gained, moments = engine.walk(moments, here, u - here)
            sums, here = sums + gained, u
            states.append((sums, moments))
        return "stepping", states
    how = "rational Krylov space" if engine.without_map else "doubling"
    return how, engine.jump(moments, t, [u - t for u in stops])


def _varying(
    engine: MomentEngine,
    moments: DeviceMoments,
    t: int,
    u: int,
    ratio: float,
    smooth_after: int,
    flows: bool,
) -> tuple[str, Array, DeviceMoments]:
    """From t to u, each iteration with its own step sizes, which vary smoothly from a certain iteration on."""
    cycle = engine.cycle
    begin = max(SMOOTH_AFTER * cycle, t, smooth_after)
    begin += -begin % cycle
    if u - t <= AFFORDABLE_STEPS or u <= begin or too_large(engine) or not flows:
        return "stepping", *engine.walk(moments, t, u - t)
    before, moments = engine.walk(moments, t, begin - t)
    sums, moments = engine.flow(moments, begin, u - begin, ratio)
    return "slowly varying steps", before + sums, moments


def is_interpolated(engine: MomentEngine, experiment: Experiment) -> bool:
    """Whether a run goes through step sizes that vary for longer than is stepped through without a thought."""
    until = constant_until(experiment.solver)
    always = any(m.at in READ_ALWAYS or m.likely is not None for m in experiment.measures.values())
    if always and experiment.T > AFFORDABLE_STEPS:
        return True
    return bool(engine.flows and experiment.T - until > AFFORDABLE_STEPS)


def _flows(engine: MomentEngine, solver: Any) -> bool:
    """What is interpolated is not certified, has values between whole t, and maps that are not too large."""
    fits = engine.packing.size <= (LARGEST_UNPACKED_FLOW if engine.flows_unpacked else LARGEST_MAP)
    return engine.flows and fits and not engine.certified and not only_whole(solver)


def constant_until(solver: Any) -> float:
    """The iteration before which every step size that a step can look at is the first one."""
    schedules = [v for v in vars(solver).values() if is_schedule(v)]
    return min((s.constant_until - 1 for s in schedules), default=np.inf)


def _steps_worth_a_doubling(engine: MomentEngine) -> int:
    """One composition costs N^3 with N = n^2/2, and some forty of them are needed."""
    if engine.additive:
        return 512
    if engine.without_map:
        return CYCLES_WORTH_A_SPACE * engine.cycle
    return max(64, int(engine.lasting_size**3 / (50.0 * engine.cost_of_step)))


def too_large(engine: MomentEngine) -> bool:
    """For a map that is doubled."""
    if engine.additive:
        return engine.packing.n > LARGEST_CONGRUENCE
    return (engine.lasting_size > LARGEST_MAP and not engine.without_map) or engine.tables_too_large


def _require_affordable(
    engine: MomentEngine, experiment: Experiment, steps: int, what: str = VARYING
) -> None:
    most = min(50_000, max(1000, int(4e8 / engine.cost_of_step)))
    if engine.certified and steps > min(most, CERTIFIED_STEPS):
        always = what != VARYING or only_whole(experiment.solver)
        doubles = "steps in doubles" if always else "interpolates"
        raise UserError(
            f"certified: {steps} iterations with {what} can only be stepped through, and at most "
            f"{min(most, CERTIFIED_STEPS)} are; make T smaller, or use certified=False, which {doubles}."
        )
    if steps > most:
        constant = constant_until(experiment.solver) == np.inf
        limit = constant and not only_whole(experiment.solver) and engine.has_limit
        other = "stationary for the limit or simulate" if limit else "simulate"
        raise UserError(
            f"{steps} iterations of {engine.in_words} can only be stepped through, and at most {most} are; make "
            f"{engine.remedy}, or use {other}."
        )


def require_finite(averages: NDArray[np.float64], experiment: Experiment) -> None:
    """Refuse what has overflowed."""
    if not np.isfinite(averages).all():
        eta = float(experiment.solver.step_size(0))
        raise DivergedError(
            f"{name_of(experiment.solver)} diverged: its second moments overflow within T = {experiment.T} iterations, "
            f"step size {letter_of_step(experiment.solver)} = {eta:.6g}; choose other step sizes."
        )
