"""Where bounded noise can take the iterates: a certified radius, for every outcome and every t.

With coordinates w around the fixed point of the mean step, w+ = M w + sum G n and |n| <= gain |R w| + constant. In
approximate modes of M, w = V m, the moduli obey a linear inequality with non-negative coefficients,

    |m+| <= A |m| + b,        A = |V^{-1} M V| + what the noise feeds back,

so that every m* with A m* + b <= m* bounds |m_t| for ever once it bounds |m_1|. A candidate for m* is found in doubles;
that it is one is then checked in balls, with V^{-1}, M and the noise enclosed, so nothing rests on how it was found.
An average over devices stays in the convex set |m| <= m*. Where only some fields are averaged, the mean and the
deviations from it are bounded one by one, which needs noise that does not grow with w. The same m* bounds
(xbar, y*(xbar)), where the measures read f: y* is affine.
"""

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from flint import acb, acb_mat, arb
from numpy.typing import ArrayLike, NDArray

from ratecert.arithmetic.arrays import Balls, doubles, finite, summed
from ratecert.arithmetic.exact import around, working_precision
from ratecert.arithmetic.norms import norm, spectral_norm
from ratecert.errors import NoCertificateError
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.measures import slope_and_constant
from ratecert.solvers.contract.problem import (
    CentredProblem,
    has_devices,
    is_nearly_quadratic,
    require_problem,
)
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.contract.validation import require_point
from ratecert.solvers.engines.moments.bounds import noise_bound
from ratecert.solvers.engines.moments.frame import Frame, resting_point
from ratecert.solvers.engines.moments.interpreter import ASSEMBLY_BITS, Interpreter
from ratecert.solvers.engines.moments.step_map import StepNoise

Array = NDArray[Any]  # of balls


DIGITS = 9  # of a radius, which is rounded up to them
LONGEST_SUM = 10_000  # rounds after which deviations have to shrink


@dataclass(frozen=True)
class Reach:
    """Radii around (a, b) that hold at every t, for every outcome of the noise."""

    iterates: float  # of (x_k, y_k) on every device, and so of their means
    truth: float  # of (xbar, y*(xbar))


@dataclass(frozen=True)
class Push:
    """One sample's noise G n with |n| <= gain |R w| + constant, R w without its constant part."""

    G: Array
    R: Array
    gain: arb
    constant: arb


def reachable_radius(
    problem: CentredProblem,
    solver: Algorithm,
    K: int,
    *,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    interpreter: Interpreter | None = None,
) -> float:
    """Certify a radius r with ||(x_k - a, y_k - b)|| <= r on every device, at every t, for every outcome of the noise.

    NoCertificateError where no bound can be shown.

    problem      a quadratic world with devices that are alike
    solver       an algorithm with one stage and constant step sizes
    K            devices
    x0, y0       where all devices start (default: at the solution)
    interpreter  of this problem and this solver, which spares their interpretation

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> print(f"{rc.reachable_radius(rc.worlds.scalar(s_f=0.5, s_g=0.5), solver, 4):.3f}")
    55.126
    """
    return certified_reach(problem, solver, K, x0=x0, y0=y0, interpreter=interpreter).iterates


def certified_reach(
    problem: CentredProblem,
    solver: Algorithm,
    K: int,
    *,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    interpreter: Interpreter | None = None,
) -> Reach:
    """Certify what `reachable_radius` does, and how far from (a, b) the measures look."""
    require_problem(problem)
    x = require_point("x0", problem.x_star if x0 is None else x0, problem.d_x)
    y = problem.y_star(x) if y0 is None else y0
    experiment = prepare(problem, solver, K=K, T=1, x0=x, y0=y, times=None)
    if has_devices(problem):
        raise NoCertificateError("no certificate: devices that differ are not covered")
    if is_nearly_quadratic(problem):
        raise NoCertificateError(
            "no certificate: the problem is quadratic near (a, b) only; ask for the one of its quadratic_part"
        )
    varies = any(is_schedule(v) and np.isfinite(v.constant_until) for v in vars(solver).values())
    if varies or len(solver.stages) > 1:
        raise NoCertificateError("no certificate: only a constant step size and a single stage are covered")
    with working_precision(ASSEMBLY_BITS):
        interpreter = interpreter or Interpreter(problem, solver)
        return _certified(problem, Motion(problem, solver, experiment.K, interpreter), experiment)


class Motion:
    """A step and an average of the algorithm on balls, in coordinates around a point near the fixed point."""

    def __init__(self, problem: CentredProblem, solver: Algorithm, K: int, interpreter: Interpreter) -> None:
        self.problem, self.interpreter = problem, interpreter
        self.slices = interpreter.layout.slices
        step = interpreter.step(0, 1)
        self.centre = resting_point(step.matrix)
        self.frame = Frame(self.centre, np.ones(len(self.centre) + 1))
        self.D = self.frame.increment(step.matrix)
        self.pushes = [push for noise in step.noises for push in _pushes(noise, self.frame)]
        (stage,) = solver.stages
        size = len(self.centre)
        self.period = stage.repeats
        self.averages_all = K == 1 or not doubles(interpreter.kept_by_average(stage.averaged)).any()
        self.kept = interpreter.kept_by_average(stage.averaged)[:size, :size]

    def first(self, start: Array) -> tuple[Array, list[Push]]:
        """Mean and noise of the state that the first iteration, or the start, leads to."""
        step = self.interpreter.first
        w = Balls.of(np.append(start, 1.0))
        pushes = []
        for noise in step.noises:
            gain, constant = noise_bound(noise.moments)
            for R, G in noise.acts:
                z = R @ w
                pushes.append(Push(G[:-1], R[:-1, :-1], arb(0), gain * norm(z[:-1]) + constant * abs(z[-1])))
        return (step.matrix @ w)[:-1] - self.centre, pushes

    @property
    def readouts(self) -> list[Array]:
        """(x, y) - (a, b) and (x, y*(x)) - (a, b) as matrices on (coordinates, 1)."""
        problem, n = self.problem, len(self.centre)
        identity = Balls.identity(n + 1)
        iterates = np.vstack([identity[self.slices["x"]], identity[self.slices["y"]]])
        iterates[:, -1] = -Balls.of(np.concatenate([problem.a, problem.b]))
        slope, constant = slope_and_constant(problem.y_star, identity, problem.d_x)
        truth = iterates.copy()
        truth[problem.d_x :] = 0 * truth[problem.d_x :]
        truth[problem.d_x :, self.slices["x"]] = slope
        truth[problem.d_x :, -1] = constant[:, 0] - Balls.of(problem.b)
        return [self.frame.read(iterates), self.frame.read(truth)]


def _certified(problem: CentredProblem, motion: Motion, experiment: Experiment) -> Reach:
    start = np.concatenate([experiment.start["x"], experiment.start["y"]])
    centre = Balls.of(np.concatenate([problem.a, problem.b]))
    at_start = norm(Balls.of(start) - centre)
    target = problem.y_star(Balls.of(experiment.start["x"]))
    truth_at_start = norm(np.append(Balls.of(experiment.start["x"]), target).view(Balls) - centre)
    first, first_pushes = motion.first(start)
    mean, truth = _mean_radii(motion, first, first_pushes)
    if motion.averages_all:
        return Reach(rounded_up(at_start, mean), rounded_up(truth_at_start, truth))
    if any(push.gain > 0 for push in motion.pushes):
        raise NoCertificateError(
            "no certificate: not every field is averaged and the noise grows with the iterates (E or F is not zero); "
            "average all fields, for instance with previous='averaged'"
        )
    away = mean + _deviation_radius(motion, first_pushes)
    return Reach(rounded_up(at_start, away), rounded_up(truth_at_start, truth))


def rounded_up(*radii: arb) -> float:
    """The largest radius, rounded up to ten digits: short, so that all machines go on with the same number."""
    largest = max(around(radius)[1] for radius in radii)
    if not math.isfinite(largest) or largest == 0:
        return largest
    digits = Fraction(10) ** (math.floor(math.log10(largest)) - DIGITS)
    return float(math.ceil(Fraction(largest) / digits) * digits)


def _pushes(noise: StepNoise, frame: Frame) -> list[Push]:
    gain, constant = noise_bound(noise.moments)
    pushes = []
    for R, G in noise.acts:
        moved = frame.read(R)
        fixed = gain * norm(moved[:-1, -1]) + constant * abs(moved[-1, -1])
        pushes.append(Push(G[:-1], moved[:-1, :-1], gain, fixed))
    return pushes


def _mean_radii(motion: Motion, first: Array, first_pushes: list[Push]) -> list[arb]:
    """Of (x, y) and (x, y*(x)), for a device that is averaged in all its fields, or for the mean over devices."""
    *others, last = _bases(motion.D[:-1, :-1])
    for V in others:
        with suppress(NoCertificateError):
            return _radii_in(Modes(V), motion, first, first_pushes)
    return _radii_in(Modes(last), motion, first, first_pushes)


def _bases(D: Array) -> list[acb_mat]:
    """Approximate modes in all bits, and in doubles: where modes coincide the one or the other may not be a basis."""
    _, in_bits = _complex(D).eig(right=True, algorithm="approx")
    in_doubles = np.linalg.eig(doubles(D))[1]
    entries = [acb(v.real, v.imag) for v in in_doubles.ravel().tolist()]
    return [in_bits, acb_mat(len(D), len(D), entries)]


def _radii_in(modes: "Modes", motion: Motion, first: Array, first_pushes: list[Push]) -> list[arb]:
    D, drift = motion.D[:-1, :-1], motion.D[:-1, -1]
    n = len(D)

    def pushed(some: list[Push]) -> Array:
        sizes = [modes.rows(p.G) * p.constant for p in some]
        return summed([Balls.zeros(n), *sizes])

    fed_back = [modes.rows(p.G)[:, None] * (modes.columns(p.R) * p.gain) for p in motion.pushes]
    A = modes.moduli(D) + summed([Balls.zeros(n, n), *fed_back])
    b = pushed(motion.pushes) + modes.inside(drift)
    bound = _bound(A, b, modes.inside(first) + pushed(first_pushes))
    radii = []
    for read in motion.readouts:
        per_mode = modes.columns(read[:, :-1])
        radii.append(norm(read[:, -1]) + sum((v * m for v, m in zip(per_mode, bound, strict=True)), arb(0)))
    return radii


def _bound(A: Array, b: Array, begin: Array) -> Array:
    """m* >= begin with A m* + b <= m*: guessed in doubles, widened a little, and checked."""
    left = doubles(Balls.identity(len(A)) - A)  # without loss where a mode shrinks by less than a rounding
    decay = np.diag(left)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            inverse = np.linalg.inv(left)
        except np.linalg.LinAlgError:
            inverse = np.full_like(left, np.nan)
        steady = inverse @ doubles(b)
        guess = steady + inverse @ (decay * np.maximum(doubles(begin) - steady, 0.0))
    for widened in (1 + 1e-9, 1 + 1e-6, 1.001):
        if not np.isfinite(guess).all():
            break
        bound = Balls.of(np.maximum(guess * widened, np.finfo(float).tiny))
        stays = A @ bound + b
        if all(bool(s <= m) for s, m in zip((*stays, *begin), (*bound, *bound), strict=True)):
            return bound
    raise NoCertificateError(
        f"no certificate: the slowest mode of the mean step shrinks by {decay.min() + 0.0:.3g} an iteration, "
        f"too little for the noise that grows with the iterates"
    )


class Modes:
    """Approximate eigenvectors V, taken as exact numbers, and their inverse in balls."""

    def __init__(self, V: acb_mat) -> None:
        self.V = V
        try:
            self.W = self.V.inv()
        except ZeroDivisionError:
            raise NoCertificateError(
                "no certificate: the mean step has no basis of modes; change a step size a little"
            ) from None

    def moduli(self, D: Array) -> Array:
        """|V^{-1} (I + D) V|, entry by entry, rounded up."""
        n = len(D)
        change = self.W * _complex(D) * self.V
        identity = acb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
        return _moduli(change + identity)

    def inside(self, v: Array) -> Array:
        """|V^{-1} v|."""
        return _moduli(self.W * _complex(v[:, None]))[:, 0]

    def rows(self, G: Array) -> Array:
        """The norms of the rows of V^{-1} G."""
        return _column([norm(row) for row in _moduli(self.W * _complex(G))])

    def columns(self, R: Array) -> Array:
        """The norms of the columns of R V."""
        return _column([norm(column) for column in _moduli(_complex(R) * self.V).T])


def _complex(A: Array) -> acb_mat:
    rows, columns = A.shape
    return acb_mat(rows, columns, A.ravel().tolist())


def _moduli(A: acb_mat) -> Array:
    return _column([entry.abs_upper() for entry in A.entries()]).reshape(A.nrows(), A.ncols())


def _column(values: list[arb]) -> Array:
    return Balls.of(np.array(values, dtype=object))


def _deviation_radius(motion: Motion, first_pushes: list[Push]) -> arb:
    """How far a device can be from the mean, when noise is bounded by a constant: sums over rounds of norms."""
    n = len(motion.centre)
    identity = Balls.identity(n)
    M, kept = identity + motion.D[:-1, :-1], motion.kept
    read = np.vstack([identity[motion.slices["x"]], identity[motion.slices["y"]]])
    powers = [identity]
    for _ in range(motion.period):
        powers.append(M @ powers[-1])

    def total(Q: Array, pushed: list[Push]) -> arb:
        return sum((2 * p.constant * spectral_norm(Q @ p.G) for p in pushed), arb(0))

    def largest(values: list[arb]) -> arb:
        return reduce(lambda a, b: a.max(b), values, arb(0))

    into = sum((total(kept @ P, motion.pushes) for P in powers[:-1]), arb(0)) + largest(
        [total(kept @ P, first_pushes) for P in powers]
    )
    inside = sum((total(read @ P, motion.pushes) for P in powers[:-1]), arb(0)) + largest(
        [total(read @ P, first_pushes) for P in powers]
    )
    reach = largest([spectral_norm(read @ P @ kept) for P in powers])
    return inside + reach * into * _sum_of_norms(kept @ powers[-1])


def _sum_of_norms(A: Array) -> arb:
    """sum_r ||A^r||, by its first terms and a geometric tail."""
    power, total = Balls.identity(len(A)), arb(0)
    for _ in range(LONGEST_SUM):
        total = total + spectral_norm(power)
        power = A @ power
        if not finite(power):
            break
        tail = spectral_norm(power)
        if tail < arb(0.5):
            return total / (1 - tail)
    raise NoCertificateError("no certificate: deviations between devices are not seen to shrink")
