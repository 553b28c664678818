"""What the measured pages share: one run by exact moments as a row, the T that reaches eps, what a corollary prints.

The measure is that of the theorems, averaged over all t < T, xbar and ybar being means over devices:

    1/T sum_{t<T} E||grad Phi(xbar_t)||^2 + L_tilde^2 E||ybar_t - y*(xbar_t)||^2
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ratecert.base.errors import UndecidedError
from ratecert.catalogue.find import paper
from ratecert.solvers import expect
from ratecert.theory.language.statements import Corollary
from ratecert.theory.numbers.evaluation import number, with_constants
from ratecert.theory.orders.derivation import as_monomial

Row = dict[str, Any]
MOST_STEPS = 40
NEAR = 1e-9  # two log T that are nearer than this have no secant
SLOPES = (-4.0, -0.02)  # a measure that falls neither faster nor slower is followed


def measured_run(world: Any, method: Any, *, K: int, T: int, x0: Any, y0: Any, **options: Any) -> Row:
    """Run a method on K devices for T iterations; `options` are those of `rc.expect`.

    x0 and y0 may be numbers, which then stand for every coordinate.
    """
    start = {"x0": _point(x0, world.d_x), "y0": _point(y0, world.d_y)}
    result = expect(world, method, K=K, T=T, **start, **{"times": [], **options})
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


def _point(value: Any, d: int) -> Any:
    return [value] * d if isinstance(value, int | float) else value


def run_near(world: Any, method: Any, *, offset: float = 0.0, **options: Any) -> Row:
    """Run from x0 = x_star + offset and y0 = y*(x0): from the solution itself, where nothing else is asked for."""
    x0 = world.x_star + offset
    return measured_run(world, method, x0=x0, y0=world.y_star(x0), **options)


@dataclass(frozen=True)
class Reached:
    """The row of the run at T, and what is left of log(measure/eps) there."""

    T: float
    row: Row
    excess: float
    slope: float  # d log measure / d log T

    @property
    def corrected(self) -> float:
        """T after one more step, which would be the last."""
        return self.T * math.exp(-self.excess / self.slope)


def reach(
    eps: float,
    run: Callable[[float], Row],
    *,
    first: float,
    slope: float,
    close: float,
    confirm: Callable[[float], Row] | None = None,
) -> Reached:
    """Find the T at which a measure that falls with T is eps, by the secant method in logarithms.

    Where the measure falls as T^-r, log(measure/eps) is nearly linear in log T, so that few steps are enough. The first
    one takes the claimed slope -r, those that follow that of the last two points. The search ends where the logarithm
    is at most `close`; there `confirm` computes what decides with more care, where it is given.
    """
    T, tried = first, list[tuple[float, float]]()
    for _ in range(MOST_STEPS):
        row = run(T)
        if not 0 < row["measure"] < math.inf:
            raise UndecidedError(
                f"the measure at T = {T:.6g} is {row['measure']!r}, which no T makes {eps:.3g}."
            )
        tried.append((math.log(T), math.log(row["measure"] / eps)))
        if len(tried) > 1 and abs(tried[-1][0] - tried[-2][0]) > NEAR:
            slope = (tried[-1][1] - tried[-2][1]) / (tried[-1][0] - tried[-2][0])
        if not SLOPES[0] < slope < SLOPES[1]:
            raise UndecidedError(f"the measure does not fall with T near T = {T:.6g}: exponent {slope:.3g}.")
        if abs(tried[-1][1]) <= close:
            row = confirm(T) if confirm else row
            return Reached(T, row, math.log(row["measure"] / eps), slope)
        T *= math.exp(-tried[-1][1] / slope)
    raise UndecidedError(
        f"no T with a measure of {eps:.3g} was found in {MOST_STEPS} steps; the last is {T:.6g}."
    )


def L_tilde(world: Any, radius: float = 1.0) -> float:
    """The weight of the lower level's error, with the constants of this ball; on quadratic worlds any ball will do."""
    return float(with_constants(paper("repaired"), world.constants(radius=radius))["L_tilde"])


def claimed(corollary: str, letter: str) -> float:
    """The exponent of T, K or eps in the printed rate, without its logarithms."""
    return float(as_monomial(paper("printed").the(Corollary, corollary).claim.order).exponent(letter))


def orders(corollary: str, **at: float) -> dict[str, float]:
    """Every scaling of a corollary at K and T, or at K and eps: units are 1, and nothing is rounded."""
    scalings = paper("printed").the(Corollary, corollary).scalings
    return {name: number(scaling.order, at) for name, scaling in scalings.items()}
