"""Where bounded noise can take the iterates: a certified radius, for every outcome and every t.

With coordinates w around the fixed point of the mean step, w+ = M w + sum G n and |n| <= gain |R w| + constant. In the
modes of M, w = V m, the moduli obey a linear inequality with non-negative coefficients,

    |m+| <= A |m| + b,        A = |Lambda| + what the noise feeds back + what the modes miss by rounding,

so that every m* with A m* + b <= m* bounds |m_t| for ever once it bounds |m_1|. It exists if (I - A)^{-1} >= 0, which
is checked. The bound holds at any step size, and an average over devices stays in the convex set |m| <= m*. Where only
some fields are averaged, the mean and the deviations from it are bounded one by one, which needs noise that does not
grow with w. The same m* bounds (xbar, y*(xbar)), where the measures read f: y* is affine.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.arithmetic.arrays import doubles
from ratecert.errors import NoCertificateError
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.problem import (
    CentredProblem,
    has_devices,
    is_nearly_quadratic,
    require_problem,
)
from ratecert.solvers.contract.schedule import is_schedule
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.contract.validation import require_point
from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.bounds import noise_bound
from ratecert.solvers.engines.moments.exchangeable import ExchangeableEngine
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.round_map import independent_coordinates
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise

Array = NDArray[np.float64]


ROUNDED_UP = 1 + 1e-9  # else rounding could make a radius a little smaller than what it bounds


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
    gain: float
    constant: float


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
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return _certified(
            problem, ExchangeableEngine(problem, solver, experiment.K, interpreter=interpreter), experiment
        )


def _certified(problem: CentredProblem, engine: ExchangeableEngine, experiment: Experiment) -> Reach:
    kept = engine.kept[0]
    start = np.concatenate([experiment.x0, experiment.y0])
    centre = np.concatenate([problem.a, problem.b])
    at_start = float(np.linalg.norm(start - centre))
    truth_at_start = float(np.linalg.norm(np.append(experiment.x0, problem.y_star(experiment.x0)) - centre))
    step = engine.step_map(0, 1)
    pushes = _pushes(step.noises)
    first, first_pushes = _first(engine, start)
    mean, truth = _mean_radii(engine, centre, step, pushes, first, first_pushes)
    truth = max(truth_at_start, truth)
    if not np.any(kept):
        return Reach(max(at_start, mean), truth)
    if any(push.gain > 0 for push in pushes):
        raise NoCertificateError(
            "no certificate: not every field is averaged and the noise grows with the iterates (E or F is not zero); "
            "average all fields, for instance with previous='averaged'"
        )
    return Reach(max(at_start, mean + _deviation_radius(engine, step, pushes, first_pushes)), truth)


def _pushes(noises: tuple[StepNoise, ...]) -> list[Push]:
    pushes = []
    for noise in noises:
        gain, constant = noise_bound(noise.moments)
        for R, G in noise.uncentred:
            fixed = gain * float(np.linalg.norm(R[:-1, -1])) + constant * abs(float(R[-1, -1]))
            pushes.append(Push(G[:-1], R[:-1, :-1], gain, fixed))
    return pushes


def _first(engine: ExchangeableEngine, start: Array) -> tuple[Array, list[Push]]:
    """Mean and noise of the state that the first iteration, or the start, leads to."""
    assert engine.frame is not None
    step = engine.interpreter.first().rounded()
    w = np.append(start, 1.0)
    pushes = []
    for noise in step.noises:
        gain, constant = noise_bound(noise.moments)
        for R, G in noise.acts:
            z = R @ w
            size = gain * float(np.linalg.norm(z[:-1])) + constant * abs(float(z[-1]))
            pushes.append(Push(G[:-1], R[:-1, :-1], 0.0, size))
    return (step.matrix @ w)[:-1] - doubles(engine.frame.centre), pushes


def _mean_radii(
    engine: ExchangeableEngine,
    centre: Array,
    step: StepMap,
    pushes: list[Push],
    first: Array,
    first_pushes: list[Push],
) -> list[float]:
    """Of (x, y) and (x, y*(x)), for a device that is averaged in all its fields, or for the mean over devices."""
    chosen, l = _coordinates(engine, step, first, first_pushes)
    D = step.matrix[chosen][:, :-1] @ l
    change, V = np.linalg.eig(D)
    try:
        W = np.linalg.inv(V)
    except np.linalg.LinAlgError:
        raise NoCertificateError(
            "no certificate: the mean step has no basis of modes; change a step size a little"
        ) from None
    missed = np.abs(W @ D @ V - np.diag(change)) + 1e-15 * (np.abs(W) @ np.abs(D) @ np.abs(V))
    # 1 - |1 + change|, without loss
    decay = -(2 * change.real + np.abs(change) ** 2) / (1 + np.abs(1 + change))

    def pushed(some: list[Push]) -> Array:
        sizes = [p.constant * np.linalg.norm(W @ p.G[chosen], axis=1) for p in some]
        return np.sum(sizes, axis=0) if sizes else np.zeros(len(D))

    feedback = sum(
        np.outer(np.linalg.norm(W @ p.G[chosen], axis=1), p.gain * np.linalg.norm(p.R @ l @ V, axis=0))
        for p in pushes
    )
    fed_back = np.diag(decay) - missed - feedback
    if decay.min() <= 0 or (inverse := np.linalg.inv(fed_back)).min() < 0:
        raise NoCertificateError(
            f"no certificate: the slowest mode of the mean step shrinks by {decay.min() + 0.0:.3g} an iteration, "
            f"too little for the noise that grows with the iterates"
        )
    steady = inverse @ (pushed(pushes) + np.abs(W @ step.matrix[chosen, -1]))
    begin = np.abs(W @ first[chosen]) + pushed(first_pushes)
    bound = steady + inverse @ (decay * np.maximum(begin - steady, 0.0))
    return [
        (offset + float(np.linalg.norm(read @ V, axis=0) @ bound)) * ROUNDED_UP
        for offset, read in _readouts(engine, centre, l)
    ]


def _coordinates(
    engine: ExchangeableEngine, step: StepMap, first: Array, first_pushes: list[Push]
) -> tuple[NDArray[np.intp], Array]:
    """(chosen, l) with w = l w[chosen] from the first state on; all coordinates if that one does not obey it."""
    fields = [b for name, b in engine.interpreter.layout.slices.items() if name not in ("x", "y", ONE)]
    chosen, l = independent_coordinates(step, fields)
    chosen, l = chosen[:-1], l[:-1, :-1]
    states = np.column_stack([first, *(p.G for p in first_pushes)])
    if np.allclose(l @ states[chosen], states, rtol=1e-9, atol=1e-12 * float(np.abs(states).max())):
        return chosen, l
    return np.arange(len(first)), np.eye(len(first))


def _readouts(engine: ExchangeableEngine, centre: Array, l: Array) -> list[tuple[float, Array]]:
    """|fixed point - (a, b)| and the rows that read (x, y) - fixed point; the same for (x, y*(x))."""
    assert engine.frame is not None
    problem, slices = engine.problem, engine.interpreter.layout.slices
    rows = np.r_[slices["x"], slices["y"]]
    away, read = doubles(engine.frame.centre)[rows] - centre, np.eye(len(l))[rows]
    tracking = engine.measures.maps[1]  # y - y*(x) as a map on (coordinates, 1)
    away_truth, read_truth = away.copy(), read.copy()
    away_truth[problem.d_x :] -= tracking[:, -1]
    read_truth[problem.d_x :] -= tracking[:, :-1]
    return [(float(np.linalg.norm(away)), read @ l), (float(np.linalg.norm(away_truth)), read_truth @ l)]


def _deviation_radius(
    engine: ExchangeableEngine, step: StepMap, pushes: list[Push], first_pushes: list[Push]
) -> float:
    """How far a device can be from the mean, when noise is bounded by a constant: sums over rounds of norms."""
    M, kept = np.eye(len(step.matrix) - 1) + step.matrix[:-1, :-1], engine.kept[0][:-1, :-1]
    slices = engine.interpreter.layout.slices
    read = np.eye(len(M))[np.r_[slices["x"], slices["y"]]]
    powers = [np.eye(len(M))]
    for _ in range(engine.cycle):
        powers.append(M @ powers[-1])
    round_map = kept @ powers[-1]

    def total(Q: Array, pushed: list[Push]) -> float:
        return sum(2 * p.constant * float(np.linalg.norm(Q @ p.G, 2)) for p in pushed)

    into = sum(total(kept @ P, pushes) for P in powers[:-1]) + max(
        total(kept @ P, first_pushes) for P in powers
    )
    inside = sum(total(read @ P, pushes) for P in powers[:-1]) + max(
        total(read @ P, first_pushes) for P in powers
    )
    reach = max(float(np.linalg.norm(read @ P @ kept, 2)) for P in powers)
    return inside + reach * into * _sum_of_norms(round_map)


def _sum_of_norms(A: Array) -> float:
    """sum_r ||A^r||, by its first terms and a geometric tail."""
    power, total = np.eye(len(A)), 0.0
    for _ in range(10_000):
        total += float(np.linalg.norm(power, 2))
        power = A @ power
        if not np.isfinite(power).all():
            break
        tail = float(np.linalg.norm(power, 2))
        if tail < 0.5:
            return total / (1 - tail)
    raise NoCertificateError("no certificate: deviations between devices are not seen to shrink")
