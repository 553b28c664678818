"""Exact expectations: what `simulate` estimates, with no sampling error, at any T and K.

Iterations with a constant step size are taken by doubling, in log T compositions. Where the step size varies, short
runs are stepped through, long ones are flowed through by maps that vary smoothly with log t. Few iterations on
large problems are cheaper step by step. Every result is computed twice, the second time in other units and on
finer intervals; what the two differ by is the estimate of its precision.
"""

import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.errors import DivergedError, PrecisionWarning, UserError
from ratecert.solvers.contract.counts import count
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.problem import Problem, has_devices
from ratecert.solvers.contract.result import Curves, ExactResult, Measures, as_times, named
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Algorithm, letter_of_step, name_of
from ratecert.solvers.contract.validation import require_choice, require_whole
from ratecert.solvers.engines.certificates.certified import quadratic_part
from ratecert.solvers.engines.moments.device_moments import DeviceMoments
from ratecert.solvers.engines.moments.engine import MomentEngine
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.joint import JointEngine
from ratecert.solvers.engines.threads import one_thread

Array = NDArray[np.float64]

LONGEST = 2**63  # iterations; beyond, t no longer fits an integer of 64 bits
LARGEST_MAP = 2300  # packed second moments, as of d = 10 with six fields; a larger map takes minutes
WORTH_THREADS = 500  # packed second moments; with fewer, threads cost more time than they save
AFFORDABLE_STEPS = 512  # iterations that are stepped through faster than maps over time are made
SMOOTH_AFTER = 16  # cycles; earlier a step size changes too much within a cycle to be smooth in log t
KINK = 4  # iterations after the end of a constant phase in which a step can still see it
RATIOS = (2.0, 2.0**0.5)  # of intervals of time, in both runs: equal ones would hide errors of interpolation


def expect(
    problem: Problem,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike,
    y0: ArrayLike,
    times: Sequence[int] | None = None,
    shared_noise: bool = False,
    interpreter: Interpreter | None = None,
) -> ExactResult:
    """Compute the expectations of K devices over T <= 2^63 iterations; if devices are alike, at a cost free of K.

    A problem that is quadratic near (a, b) only, such as a huberised one, is taken where no iterate can leave that
    part. DivergedError where the moments overflow.

    problem       a world, or anything with its methods
    solver        an algorithm, such as LocalBSGM(...)
    K, T          devices and iterations
    x0, y0        where all devices start; plain numbers where the dimension is 1
    times         the t at which the curves are read (default: 0, T and powers of two between)
    shared_noise  all devices see the same samples, so that they all are one device
    interpreter   of this problem and this solver, which spares their interpretation

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> result = rc.expect(rc.worlds.scalar(s_f=0.5, s_g=0.5), solver, K=4, T=10**6, x0=1.0, y0=1.0)
    >>> print(f"{result.gradient:.6f}, by {result.method}")
    3.462995, by doubling
    """
    T = require_whole("T", T, least=1, most=LONGEST)
    require_choice("shared_noise", shared_noise, (False, True))
    experiment = prepare(problem, solver, K=K, T=T, x0=x0, y0=y0, times=times)
    problem = quadratic_part(
        problem, solver, 1 if shared_noise else experiment.K, x0=experiment.x0, y0=experiment.y0
    )
    first, second = engines_for(problem, solver, experiment.K, shared_noise, interpreter)
    threads = one_thread() if first.packing.size < WORTH_THREADS else nullcontext()
    with threads, np.errstate(over="ignore", invalid="ignore"):
        averages, curves, method = _run(first, experiment, RATIOS[0])
        again, curves_again, _ = _run(second, experiment, RATIOS[1])
    precision = relative_difference(averages, again, first.rounding)
    curve_precision = relative_difference(curves, curves_again, first.rounding)
    averages, curves = np.maximum(averages, 0.0), np.maximum(curves, 0.0)  # a zero may come out as -1e-30
    if max(precision, curve_precision) > 1e-6:
        warnings.warn(
            f"averages are good to about {precision:.0e} and curves to {curve_precision:.0e} only, not to 1e-6; "
            f"a shorter run may be better.",
            PrecisionWarning,
            stacklevel=2,
        )
    return ExactResult(
        **named(averages.tolist()),
        standard_error=Measures(**named(np.zeros(4).tolist())),
        covariance=np.zeros((4, 4)),
        curves=Curves(
            **named(curves.T),
            t=as_times(experiment.times),
            standard_error=Measures(**named(np.zeros_like(curves).T)),
        ),
        counts=count(problem, solver, T),
        precision=precision,
        curve_precision=curve_precision,
        method=method,
    )


def engines_for(
    problem: Problem, solver: Algorithm, K: int, shared_noise: bool, interpreter: Interpreter | None = None
) -> tuple[MomentEngine, MomentEngine]:
    """Two of them, in different units. Devices that share their noise are all one device."""
    if has_devices(problem):
        if shared_noise:
            raise UserError(
                "shared_noise makes devices that differ share their samples, which is not defined."
            )
        return JointEngine(problem, solver, odd_units=False), JointEngine(problem, solver, odd_units=True)
    first = ExchangeableEngine(problem, solver, 1 if shared_noise else K, interpreter=interpreter)
    return first, ExchangeableEngine(problem, solver, first.K, odd_units=True, interpreter=first.interpreter)


def _run(engine: MomentEngine, experiment: Experiment, ratio: float) -> tuple[Array, Array, str]:
    """Averages over t < T, curves at the times, and how they were had."""
    t, sums, moments = engine.start(experiment.x0, experiment.y0)
    read: dict[int, Array] = {} if engine.has_start else {0: sums}
    targets = sorted({u for u in (*experiment.times, experiment.T) if u >= t})
    boundary = int(min(constant_until(experiment.solver), experiment.T))
    if too_large(engine):
        _require_affordable(engine, experiment.T - t)
    elif not engine.flows:
        _require_affordable(engine, experiment.T - max(boundary, t))
    smooth_after = int(min(constant_until(experiment.solver) + KINK, experiment.T))
    methods = []
    if boundary > t:
        stops = sorted({boundary, *(u for u in targets if u <= boundary)})
        method, states = _constant(engine, moments, t, stops)
        methods.append(method)
        for u, (gained, state) in zip(stops, states, strict=True):
            read[u] = engine.measures.read(state)
            total, last = sums + gained, state
        t, sums, moments = boundary, total, last
    for u in targets:
        if u > t or not methods:
            method, gained, moments = _varying(engine, moments, t, u, ratio, smooth_after)
            methods.append(method)
            t, sums = u, sums + gained
            read[u] = engine.measures.read(moments)
    _require_finite(sums, experiment)
    curves = np.array([read[u] for u in experiment.times]).reshape(-1, 4)
    return sums / experiment.T, curves, ", then ".join(dict.fromkeys(methods))


def _constant(
    engine: MomentEngine, moments: DeviceMoments, t: int, stops: list[int]
) -> tuple[str, list[tuple[Array, DeviceMoments]]]:
    """From t to each of the stops with the step sizes of iteration t."""
    if stops[-1] - t <= _steps_worth_a_doubling(engine) or too_large(engine):
        states, sums, here = [], np.zeros(4), t
        for u in stops:
            gained, moments = engine.walk(moments, here, u - here)
            sums, here = sums + gained, u
            states.append((sums, moments))
        return "stepping", states
    return "doubling", engine.jump(moments, t, [u - t for u in stops])


def _varying(
    engine: MomentEngine, moments: DeviceMoments, t: int, u: int, ratio: float, smooth_after: int
) -> tuple[str, Array, DeviceMoments]:
    """From t to u, each iteration with its own step sizes, which vary smoothly from a certain iteration on."""
    cycle = engine.cycle
    begin = max(SMOOTH_AFTER * cycle, t, smooth_after)
    begin += -begin % cycle
    if u - t <= AFFORDABLE_STEPS or u <= begin or too_large(engine) or not engine.flows:
        return "stepping", *engine.walk(moments, t, u - t)
    before, moments = engine.walk(moments, t, begin - t)
    sums, moments = engine.flow(moments, begin, u - begin, ratio)
    return "slowly varying steps", before + sums, moments


def constant_until(solver: Any) -> float:
    """The iteration before which every step size that a step can look at is the first one."""
    schedules = [v for v in vars(solver).values() if is_schedule(v)]
    return min((s.constant_until - 1 for s in schedules), default=np.inf)


def require_constant_steps(what: str, solver: Any) -> None:
    varying = [
        f"{n} = {v}" for n, v in vars(solver).items() if is_schedule(v) and np.isfinite(v.constant_until)
    ]
    if varying:
        raise UserError(f"{what} needs a constant step size, got {', '.join(varying)}.")


def _steps_worth_a_doubling(engine: MomentEngine) -> int:
    """One step costs about n^3, one composition N^3 with N = n^2/2, and some forty of them are needed."""
    return max(64, int(engine.packing.size**3 / (50.0 * engine.packing.n**3)))


def too_large(engine: MomentEngine) -> bool:
    """For a map on packed moments."""
    return engine.packing.size > LARGEST_MAP


def _require_affordable(engine: MomentEngine, steps: int) -> None:
    most = min(50_000, max(1000, int(4e8 / engine.packing.n**3)))
    if steps > most:
        raise UserError(
            f"{steps} iterations of a problem with {engine.packing.n - 1} coordinates can only be stepped through, and "
            f"at most {most} are; make T or the dimensions smaller, or use stationary for the limit or simulate."
        )


def relative_difference(a: Array, b: Array, rounding: float) -> float:
    """Eight times the largest relative difference of two computations, and not less than a few roundings.

    What is less than `rounding` of the largest measure counts as zero.
    """
    scale = np.maximum(np.abs(a), rounding * np.abs(a).max(initial=0.0) + np.finfo(float).tiny)
    return float(max(8 * np.max(np.abs(a - b) / scale, initial=0.0), 64 * np.finfo(float).eps))


def _require_finite(sums: Array, experiment: Experiment) -> None:
    if not np.isfinite(sums).all():
        eta = float(experiment.solver.step_size(0))
        raise DivergedError(
            f"{name_of(experiment.solver)} diverged: its second moments overflow within T = {experiment.T} iterations, "
            f"step size {letter_of_step(experiment.solver)} = {eta:.6g}; choose other step sizes."
        )
