"""Measure the exponent of a rate for an algorithm of your own, and say whether it is the expected one.

On quadratic worlds the measures are exact expectations, so the exponent is good to many digits and the interval shows
only how far the curve still bends. On other worlds they are sampled: a pilot at every point plans the replicates
for an interval of half the tolerance.

If every mean has the relative standard error r and means are independent, the slope over x has the standard error
r/sqrt(sum_i (l_i - mean l)^2), l_i = log x_i, and its interval the half-width q times that. So a half-width asks for

    r = half_width/q sqrt(sum_i (l_i - mean l)^2),      replicates = (s/r)^2,

where s is the standard deviation of one replicate in units of its mean. A pilot estimates s; `ROOM` is for its error.
The pilot's own replicates are not used again: then, given the plan, the run is an ordinary sample of fixed size and its
interval means what it says. If the pilot was unlucky the interval comes out wider, and the verdict may be undecided,
but never wrong. Where tails are heavy no number of runs would do: no more than `MOST` are made.
"""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.base.chart import Drawable
from ratecert.base.errors import NotAffineError, UserError, UserTypeError
from ratecert.base.validation import require_choice, require_point, require_positive, require_whole, shown
from ratecert.claims.check import Check, CheckResult
from ratecert.claims.slope import CONFIDENCE, Slope, fit_slope, quantile
from ratecert.solvers import expect, simulate
from ratecert.solvers.contract.measures import Measure, defaults
from ratecert.solvers.contract.problem import AnyProblem, Problem, require_problem, spaces_of
from ratecert.solvers.contract.stage import Algorithm

Array = NDArray[np.float64]
Solver = Algorithm | Callable[[int, int], Algorithm]
Point = dict[str, int]  # T and K

EXACT_TOLERANCE, SAMPLED_TOLERANCE = 1e-3, 0.05
PILOT = 128  # replicates: their estimate of s is good to about 1/sqrt(2 PILOT) = 6 %
ROOM = 1.2  # on the number of replicates
LEAST = 512  # replicates, so that skewness is averaged out
MOST = 2**15  # replicates: minutes, at the longest T of a claim


@dataclass(frozen=True, kw_only=True, repr=False)
class Rate(Drawable):
    """A curve, its slope in log-log axes, and the verdict on it."""

    symbol: Literal["T", "K"]  # what varies
    x: tuple[int, ...]
    y: tuple[float, ...]
    error: tuple[float, ...]  # standard errors; relative precision times y where nothing was sampled
    slope: Slope
    check: Check
    method: str

    @property
    def verdict(self) -> CheckResult:
        """ "passes", "fails" or "undecided": the exponent against the expected one."""
        return self.check.verdict

    def __repr__(self) -> str:
        return (
            f"<Rate in {self.symbol}: {self.verdict}, slope {self.slope}, expected {self.check.predicted:g}>"
        )

    def __str__(self) -> str:
        width = max(len(str(x)) for x in self.x)
        errors = [f" +- {e:.1g}" if self.slope.replicates else "" for e in self.error]
        rows = [
            f"  {self.symbol} = {x:<{width}}  {y:.6g}{e}"
            for x, y, e in zip(self.x, self.y, errors, strict=True)
        ]
        return "\n".join([str(self.check), f"  slope {self.slope}", *rows, f"  {self.method}"])


def verify_rate(
    solver: Solver,
    problem: AnyProblem,
    *,
    expected: float,
    T: int | Sequence[int],
    K: int | Sequence[int] = 1,
    measure: str | float | Measure = "gradient",
    tolerance: float | None = None,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> Rate:
    """Measure the exponent of a rate in T, or in K, and compare it with the expected one.

    solver     an algorithm of `rc.methods` or your own (`rc.contract`), or a function (T, K) -> algorithm that scales
               its steps
    problem    a world
    expected   the exponent, signed: -1/2 for a measure that falls as T^(-1/2)
    T, K       one of them is a sequence: the exponent is the one in it
    measure    "gradient", "tracking", "drift_x", "drift_y", or on one level "gradient", "gap", "distance", "drift_x",
               averages over t < T; a measure of `rc.measures`; or a number L_tilde for gradient + L_tilde^2 tracking,
               the left side of the paper's theorems
    tolerance  1e-3 where exact moments apply, 0.05 where the measure is sampled, unless given
    x0, y0     the start; ones and y*(x0) unless given
    confidence, seed  of sampled measures

    >>> import ratecert as rc
    >>> world = rc.worlds.scalar(a=1.0, s_f=0.5)
    >>> def scaled(T, K):
    ...     return rc.methods.LocalSGD(eta=(K / T) ** 0.5, rho_1=1.0, rho_2=0.5, p=1, theta=0.2, Q=80)
    >>> rc.verify_rate(scaled, world, expected=-1 / 2, T=[2**30, 2**36, 2**42], K=8).verdict
    'passes'
    """
    symbol, points = _points(T, K)
    _require_solver(solver)
    if tolerance is not None:
        require_positive("tolerance", tolerance)
    require_problem(problem)
    weights, measures = _weights(problem, measure)
    start = _start(problem, x0, y0)

    def run(engine: Callable[..., Any], point: Point, **options: Any) -> tuple[float, float, Any]:
        """The measure, its standard error, and the result that they were read from."""
        algorithm = solver if hasattr(solver, "stages") else solver(point["T"], point["K"])
        result = engine(problem, algorithm, **point, start=start, times=[], measures=measures, **options)
        value, variance = weights @ list(result.values.values()), weights @ result.covariance @ weights
        return float(value), float(np.sqrt(variance)), result

    x = [point[symbol] for point in points]
    try:
        found = [run(expect, point) for point in points]
        y, precision = [value for value, _, _ in found], [result.precision for _, _, result in found]
        slope = fit_slope(x, y, precision=precision)
        errors = [value * relative for value, relative in zip(y, precision, strict=True)]
        tolerance, method = tolerance or EXACT_TOLERANCE, "exact moments"
    except NotAffineError:
        tolerance, seed = tolerance or SAMPLED_TOLERANCE, require_whole("seed", seed, least=0)
        wanted = relative_error_for(x, half_width=tolerance / 2, confidence=confidence)
        rows = [_sampled(partial(run, simulate, point), wanted, (seed, i)) for i, point in enumerate(points)]
        y, errors, counts = (list(column) for column in zip(*rows, strict=True))
        slope = fit_slope(x, y, standard_error=errors, replicates=min(counts), confidence=confidence)
        runs = " to ".join(str(n) for n in sorted({min(counts), max(counts)}))
        method = f"sampled, {runs} runs per point, seed {seed}; exact moments do not apply"
    check = slope.check(expected, tolerance, name=f"exponent in {symbol}")
    return Rate(
        symbol=symbol, x=tuple(x), y=tuple(y), error=tuple(errors), slope=slope, check=check, method=method
    )


def _sampled(run: Callable[..., Any], wanted: float, seeds: tuple[int, int]) -> tuple[float, float, int]:
    """The measure at a point, its standard error and the number of replicates, which a pilot has planned."""
    of_pilot, of_run = np.random.SeedSequence(seeds).generate_state(2, np.uint64).tolist()
    value, error, _ = run(replicates=PILOT, seed=of_pilot)
    n = min(MOST, replicates_for(error / value * PILOT**0.5, wanted)) if value > 0 else PILOT
    value, error, _ = run(replicates=n, seed=of_run)
    return value, error, n


def _points(T: int | Sequence[int], K: int | Sequence[int]) -> tuple[Literal["T", "K"], list[Point]]:
    along_T, along_K = isinstance(T, Sequence | np.ndarray), isinstance(K, Sequence | np.ndarray)
    if along_T == along_K:
        raise UserError(
            f"one of T and K must be a sequence of whole numbers and the other one number, got T = {shown(T)}, "
            f"K = {shown(K)}."
        )
    pairs = [(t, K) for t in T] if along_T else [(T, k) for k in K]  # type: ignore[union-attr]
    points = [{"T": require_whole("T", t, least=1), "K": require_whole("K", k, least=1)} for t, k in pairs]
    symbol: Literal["T", "K"] = "T" if along_T else "K"
    if len({point[symbol] for point in points}) < 2:
        raise UserError(
            f"{symbol} must be at least 2 different whole numbers, got {shown(T if along_T else K)}."
        )
    return symbol, points


def _weights(problem: AnyProblem, measure: str | float | Measure) -> tuple[Array, dict[str, Measure] | None]:
    """The weights of the measures of a run, and these measures if they are not the usual ones."""
    if isinstance(measure, Measure):
        return np.ones(1), {"measured": measure}
    names = tuple(defaults(problem))
    if isinstance(measure, str):
        require_choice("measure", measure, names)
        return np.array([float(name == measure) for name in names]), None
    require_positive("measure, if it is a number L_tilde,", measure)
    if "tracking" not in names:
        raise UserError(
            f"measure is a number L_tilde on two levels only, got {shown(measure)}; name a measure."
        )
    weights = {"gradient": 1.0, "tracking": float(measure) ** 2}
    return np.array([weights.get(name, 0.0) for name in names]), None


def _start(problem: AnyProblem, x0: ArrayLike | None, y0: ArrayLike | None) -> dict[str, Array]:
    spaces = spaces_of(problem)
    start = {"x": np.ones(problem.d_x) if x0 is None else require_point("x0", x0, problem.d_x)}
    if "y" in spaces:
        two = cast(Problem, problem)
        start["y"] = two.y_star(start["x"]) if y0 is None else require_point("y0", y0, two.d_y)
    elif y0 is not None:
        raise UserError("the problem has no 'y': it starts at x0 alone.")
    return start


def _require_solver(solver: Any) -> None:
    if hasattr(solver, "stages") and not isinstance(solver, type):
        return
    try:
        inspect.signature(solver).bind(1, 1)
    except TypeError as error:
        raise UserTypeError(
            f"solver must be an algorithm or a function of T and K that makes one, got {shown(solver)}."
        ) from error


def relative_error_for(x: ArrayLike, *, half_width: float, confidence: float) -> float:
    """r: the relative standard error of every mean with which the slope over x has this half-width."""
    log_x = np.log(np.asarray(x, dtype=np.float64))
    spread = math.sqrt(((log_x - log_x.mean()) ** 2).sum())
    return half_width * spread / quantile(confidence, LEAST)


def replicates_for(relative_spread: float, relative_error: float) -> int:
    """(s/r)^2 with room for the pilot's error, at least LEAST."""
    return max(LEAST, math.ceil(ROOM * (relative_spread / relative_error) ** 2))
