"""What the measured pages share: one run by exact moments as a row, the T that reaches eps, what a corollary prints.

The measure is that of the theorems, averaged over all t < T, xbar and ybar being means over devices:

    1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.solvers.engines.expect import LONGEST

Row = dict[str, Any]
MOST_STEPS = 40
CLOSE = 1e-6  # of log(measure/eps), where the search for T ends
NEAR = 1e-9  # two log T that are nearer than this have no secant
SLOPES = (-4.0, -0.02)  # a measure that falls neither faster nor slower is followed


def measured_run(world: Any, method: Any, *, K: int, T: int, x0: Any, y0: Any, **options: Any) -> Row:
    """Run a method on K devices for T iterations; `options` are those of `rc.expect`.

    x0 and y0 may be numbers, which then stand for every coordinate.
    """
    start: dict[str, Any] = {"x0": np.broadcast_to(x0, world.d_x), "y0": np.broadcast_to(y0, world.d_y)}
    result = rc.expect(world, method, K=K, T=T, **start, **{"times": [], **options})
    return {
        "K": K,
        "T": T,
        "p": getattr(method, "p", 1),
        "eta": method.step_size(0),
        "measure": result.measure(L_tilde(world))[0],
        "gradient": result.gradient,
        "precision": result.precision,
        "drift_x": result.drift_x,
        "drift_y": result.drift_y,
        "rounds": int(result.counts.rounds),
        "samples_f": int(result.counts.samples_f),
        "samples_g": int(result.counts.samples_g),
    }


def run_near(world: Any, method: Any, *, offset: float = 0.0, **options: Any) -> Row:
    """Run from x0 = x_star + offset and y0 = y*(x0): from the solution itself, where nothing else is asked for."""
    x0 = world.x_star + offset
    return measured_run(world, method, x0=x0, y0=world.y_star(x0), **options)


def reach(eps: float, run: Callable[..., Row], *, first: float, slope: float) -> tuple[Row, float, float]:
    """Find the T at which a measure that falls as T^slope is eps, by the secant method in logarithms.

    Where the measure falls as T^-r, log(measure/eps) is nearly linear in log T, so that few steps are enough. The first
    one takes the claimed slope -r, those that follow that of the last two points. The search ends where the logarithm
    is at most CLOSE; there `run` computes what decides with more care. Returns that row, the T after one more step,
    which would be the last, and the relative error of T.
    """
    T, claimed, tried = first, slope, list[tuple[float, float]]()
    for _ in range(MOST_STEPS):
        if T > LONGEST:
            raise rc.errors.UndecidedError(f"the measure does not reach {eps:.3g} in {LONGEST} iterations.")
        measure = run(T, certified=False)["measure"]
        if not 0 < measure < math.inf:
            raise rc.errors.UndecidedError(
                f"the measure at T = {T:.6g} is {measure!r}, which no T makes {eps:.3g}."
            )
        tried.append((math.log(T), math.log(measure / eps)))
        if len(tried) > 1 and abs(tried[-1][0] - tried[-2][0]) > NEAR:
            slope = (tried[-1][1] - tried[-2][1]) / (tried[-1][0] - tried[-2][0])
        if not SLOPES[0] < slope < SLOPES[1]:
            raise rc.errors.UndecidedError(
                f"the measure does not fall with T near T = {T:.6g}: exponent {slope:.3g}."
            )
        if abs(tried[-1][1]) <= CLOSE:
            row = run(T, certified=None)
            excess = math.log(row["measure"] / eps)
            return row, T * math.exp(-excess / slope), (abs(excess) + row["precision"]) / abs(claimed)
        T *= math.exp(-tried[-1][1] / slope)
    raise rc.errors.UndecidedError(
        f"no T with a measure of {eps:.3g} was found in {MOST_STEPS} steps; the last is {T:.6g}."
    )


def L_tilde(world: Any, radius: float = 1.0) -> float:
    """The weight of the lower level's error, with the constants of this ball; on quadratic worlds any ball will do."""
    return rc.constants(world, radius=radius)["L_tilde"]


def claimed(corollary: str, letter: str) -> float:
    """The exponent of T, K or eps in the printed rate, without its logarithms."""
    printed = rc.paper().the(rc.statements.Corollary, corollary)
    return float(rc.statements.claimed(printed.claim).exponent(letter))


def read(world: Any, names: str) -> list[float]:
    """The matrices of a world of which x and y are numbers, such as "ABPD"."""
    return [float(np.squeeze(getattr(world, name))) for name in names]
