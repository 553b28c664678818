"""Exact expectations: what `simulate` estimates, with no sampling error, at any T and K.

Certified, a result is a rigorous interval: the run is computed on balls, which hold the truth whatever they round, and
with more bits until they are narrow. Otherwise it is computed twice in doubles, the second time in other units and on
finer intervals of time; what the two differ by is the estimate of its precision.
"""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.errors import PrecisionWarning, UserError
from ratecert.base.progress import timed
from ratecert.base.validation import require_choice, require_positive, require_whole
from ratecert.solvers.contract.draws import begins_iterations
from ratecert.solvers.contract.measures import Measure, read_at_mean, sums_of
from ratecert.solvers.contract.problem import AnyProblem, Problem, has_devices
from ratecert.solvers.contract.result import Curves, ExactResult, as_times, measures_of
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Algorithm, name_of
from ratecert.solvers.engines.certificates.certified import quadratic_part
from ratecert.solvers.engines.certified import (
    FEW_BITS,
    MOST_BITS,
    certified_engine,
    narrowed,
    nearly_free,
    require_certifiable,
)
from ratecert.solvers.engines.collector import without_collector
from ratecert.solvers.engines.counting import count
from ratecert.solvers.engines.estimate import Estimate, enclosed, estimated
from ratecert.solvers.engines.experiment import Experiment, prepare
from ratecert.solvers.engines.moments.differing import DifferingEngine
from ratecert.solvers.engines.moments.engine import MomentEngine
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter, require_interpreter
from ratecert.solvers.engines.moments.unrounded import Unrounded
from ratecert.solvers.engines.run import is_interpolated, require_finite, run
from ratecert.solvers.engines.threads import one_thread

LONGEST = 2**63  # iterations; beyond, t no longer fits an integer of 64 bits
WORTH_THREADS = (
    500  # the order of matrices that are multiplied; below it threads cost more time than they save
)
RATIOS = (2.0, 2.0**0.5)  # of intervals of time, in both runs: equal ones would hide errors of interpolation
FEW_TIMES = 16  # of curves: at more of them balls cost several times as much as doubles
SECONDS = 100  # packed second moments that balls go through in seconds
Computed = tuple[
    str, Estimate, Estimate, NDArray[np.float64]
]  # how, averages, curves, averages of shorter runs
GOOD = 1e-6  # the relative error above which balls take over where they can, or a result is warned of


@timed
def expect(
    problem: AnyProblem,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    times: Sequence[int] | None = None,
    measures: Mapping[str, Measure] | None = None,
    shared_noise: bool = False,
    interpreter: Interpreter | None = None,
    certified: bool | None = None,
    width: float = 1e-10,
) -> ExactResult:
    """Compute the expectations of K devices over T <= 2^63 iterations; if devices are alike, at a cost free of K.

    A problem that is quadratic near (a, b) only, such as a huberised one, is taken where no iterate can leave that
    part. DivergedError where the moments overflow.

    problem       a world, or anything with its methods
    solver        an algorithm, such as LocalBSGM(...)
    K, T          devices and iterations
    x0, y0        where all devices start; plain numbers where the dimension is 1; no y0 on one level
    start         the same by name, such as {"x": 1.0}
    times         the t at which the curves are read (default: 0, T and powers of two between)
    measures      what is measured, by name, such as {"gap": rc.measures.gap().last()}; by default the gradient and how
                  far y is from y*(x), or on one level the gap and the distance, and how far devices are apart
    shared_noise  all devices see the same samples, so that they all are one device
    interpreter   of this problem and this solver, which spares their interpretation
    certified     True: enclose every measure rigorously; False: doubles, with an estimate of their error; by default
                  certified where that costs about as much: in one dimension, or small with additive noise, with at
                  most sixteen times
    width         of a certified interval, relative to the value (to the largest measure where that may be zero)

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> result = rc.expect(rc.worlds.scalar(s_f=0.5, s_g=0.5), solver, K=4, T=10**6, x0=1.0, y0=1.0)
    >>> print(f"{result.gradient:.6f}, by {result.method}")
    3.462995, by doubling
    >>> sure = rc.expect(rc.worlds.scalar(s_f=0.5, s_g=0.5), solver, K=4, T=10**6, x0=1.0, y0=1.0, certified=True)
    >>> low, high = sure.enclosure.gradient
    >>> bool(low <= sure.gradient <= high and high - low < 1e-10)
    True
    """
    T = require_whole("T", T, least=1, most=LONGEST)
    require_choice("shared_noise", shared_noise, (False, True))
    require_choice("certified", certified, (None, True, False))
    require_positive("width", width)
    require_interpreter(interpreter)
    experiment = prepare(problem, solver, K=K, T=T, x0=x0, y0=y0, start=start, times=times, measures=measures)
    alone = 1 if shared_noise else experiment.K
    problem = quadratic_part(
        experiment.problem, solver, alone, x0=experiment.start["x"], y0=experiment.start.get("y")
    )
    require_own_noise(problem, shared_noise)
    running = sums_of(experiment.measures)
    if running and begins_iterations(solver.stages) is None:
        raise UserError(
            f"exact moments have no mean of the iterates of {name_of(solver)}, which draws how many steps it takes; "
            f"use simulate, or measure the last iterate."
        )
    same = interpreter is not None and tuple(interpreter.running) == running and not experiment.given
    if not has_devices(problem) and not same:
        interpreter = Interpreter(problem, solver, running=running, given=experiment.given)
    first = None
    if certified is not False:
        first = _certified_engine(problem, experiment, alone, certified, interpreter)
    found = _enclosed(first, problem, experiment, alone, width, certified) if first else None
    if found:
        method, averages, curves, shorter = found
    else:
        method, averages, curves, shorter = _estimated(problem, experiment, alone, interpreter)
        doubtful = max(averages.doubt(GOOD), curves.doubt(GOOD, averages.values.max())) > GOOD
        if certified is None and doubtful and (second := _affordable_engine(problem, experiment, alone)):
            found = _enclosed(second, problem, experiment, alone, width, certified)
            method, averages, curves, shorter = found or (method, averages, curves, shorter)
    require_finite(averages.values, experiment)
    allowed = max(GOOD, width) if averages.low is None else width
    doubts = averages.doubt(allowed), curves.doubt(allowed, averages.values.max())
    if max(doubts) > allowed:
        warnings.warn(
            f"averages are good to about {doubts[0]:.0e} and curves to {doubts[1]:.0e} only, not to {allowed:.0e}; "
            f"a shorter run may be better.",
            PrecisionWarning,
            stacklevel=3,  # the clock stands between (waiting.py)
        )
    named, m = partial(measures_of, experiment.names), len(experiment.names)
    return ExactResult(
        named(averages.values.tolist()).values,
        standard_error=named(np.zeros(m).tolist()),
        covariance=np.zeros((m, m)),
        curves=Curves(
            named(curves.values.T).values,
            t=as_times(experiment.times),
            standard_error=named(np.zeros_like(curves.values).T),
        ),
        counts=count(problem, solver, T),
        running=named(shorter.T),
        precision=averages.precision,
        curve_precision=curves.precision,
        relative_error=named(averages.relative.tolist()),
        absolute_error=named(averages.errors.tolist()),
        enclosure=named(averages.enclosure) if averages.enclosure else None,
        method=method,
    )


def _certified_engine(
    problem: Problem, experiment: Experiment, K: int, certified: bool | None, interpreter: Interpreter | None
) -> MomentEngine | None:
    """An engine on balls where one is asked for, or costs next to nothing."""
    if not certified and (has_devices(problem) or len(experiment.times) > FEW_TIMES):
        return None
    known = interpreter if interpreter and interpreter.bits == ASSEMBLY_BITS else None
    engine = _on_balls(problem, experiment, K, ASSEMBLY_BITS, known)
    if certified:
        require_certifiable(engine, problem, experiment.solver)
        return engine
    return engine if nearly_free(engine) and not is_interpolated(engine, experiment) else None


def _on_balls(
    problem: Problem, experiment: Experiment, K: int, bits: int, interpreter: Interpreter | None = None
) -> MomentEngine:
    measures, given = experiment.measures, experiment.given
    return certified_engine(problem, experiment.solver, K, measures, bits, interpreter, given)


def _affordable_engine(problem: Problem, experiment: Experiment, K: int) -> MomentEngine | None:
    """An engine on balls where doubles cannot be trusted and balls take seconds at most."""
    engine = _on_balls(problem, experiment, K, ASSEMBLY_BITS)
    small = engine.additive or engine.packing.size <= SECONDS
    return engine if engine.exact and small and not is_interpolated(engine, experiment) else None


def _enclosed(
    first: MomentEngine,
    problem: Problem,
    experiment: Experiment,
    K: int,
    width: float,
    certified: bool | None,
) -> Computed | None:
    """None where nobody has asked for certainty, and a few bits do not give it."""
    methods, shorter = [], []

    def compute(bits: int) -> tuple[Estimate, Estimate]:
        engine = first if bits == ASSEMBLY_BITS else _on_balls(problem, experiment, K, bits)
        done = run(engine, experiment)
        methods.append(done.method)
        shorter.append(enclosed(done.running, width).values)
        return enclosed(done.averages, width), enclosed(done.curves, width)

    averages, curves = narrowed(compute, width, MOST_BITS if certified else FEW_BITS)
    narrow = max(averages.precision, curves.precision) <= width or averages.overflows
    return (methods[-1], averages, curves, shorter[-1]) if certified or narrow else None


def _estimated(problem: Problem, experiment: Experiment, K: int, interpreter: Interpreter | None) -> Computed:
    with without_collector() if has_devices(problem) else nullcontext():
        first, second = engines_for(
            problem, experiment.solver, K, experiment.measures, interpreter, experiment.given
        )
        order = first.packing.n if first.additive else first.packing.size
        threads = one_thread() if order < WORTH_THREADS else nullcontext()
        with threads, np.errstate(over="ignore", invalid="ignore"):
            one, two = run(first, experiment, RATIOS[0]), run(second, experiment, RATIOS[1])
    rounding, alike = first.rounding, read_at_mean(experiment.measures)
    averages = estimated(one.averages, two.averages, rounding, alike, one.average_grain)
    curves = estimated(one.curves, two.curves, rounding, alike, one.curve_grain)
    return one.method, averages, curves, one.running


def require_own_noise(problem: Problem, shared_noise: bool) -> None:
    """Refuse shared samples where devices differ."""
    if shared_noise and has_devices(problem):
        raise UserError("shared_noise makes devices that differ share their samples, which is not defined.")


def engines_for(
    problem: Problem,
    solver: Algorithm,
    K: int,
    measures: Mapping[str, Measure],
    interpreter: Interpreter | None = None,
    given: Mapping[str, int] | None = None,
) -> tuple[MomentEngine, MomentEngine]:
    """Two engines in doubles, in different units."""
    if has_devices(problem):
        differing = DifferingEngine(problem, solver, measures, given=given)
        return differing, DifferingEngine(
            problem, solver, measures, odd_units=True, gathering=differing.gathering
        )
    exactly = Unrounded(interpreter or Interpreter(problem, solver), K, measures)
    return ExchangeableEngine(exactly), ExchangeableEngine(exactly, odd_units=True)


def require_constant_steps(what: str, solver: Any) -> None:
    varying = [
        f"{n} = {v}" for n, v in vars(solver).items() if is_schedule(v) and np.isfinite(v.constant_until)
    ]
    if varying:
        raise UserError(f"{what} needs a constant step size, got {', '.join(varying)}.")
