"""A tile of replicates through all iterations with numpy: the engine that runs any algorithm on any problem.

Vectors are arrays (d, lanes) with lanes = devices x replicates, replicates fastest: an average over devices is
then a sum of contiguous rows.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ratecert.errors import DivergedError
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.problem import has_devices
from ratecert.solvers.contract.stage import Algorithm, Stage, State, letter_of_step, name_of
from ratecert.solvers.engines.monte_carlo.array_oracle import ArrayOracle
from ratecert.solvers.engines.monte_carlo.devices import per_device
from ratecert.solvers.engines.monte_carlo.noise import SignStreams
from ratecert.solvers.engines.monte_carlo.statistics import Spread
from ratecert.solvers.engines.threads import keep_freed_memory, one_thread

Array = NDArray[np.float64]

LARGEST = 1e150  # of a measure: the squares of larger ones, which standard errors need, overflow


def run_tile(
    experiment: Experiment, noise: SignStreams, first: int, replicates: int
) -> tuple[Spread, Spread]:
    """All iterations of the replicates first .. first + replicates - 1: averages over t < T, and curves."""
    keep_freed_memory()
    oracle = oracle_of(experiment, noise, replicates)
    s = start(experiment, oracle, replicates)
    total, times, read = np.zeros((4, replicates)), frozenset(experiment.times), []
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for t, stage, ends in schedule_of_steps(experiment.solver, experiment.T):
            measured = measure(experiment, s, replicates)
            require_finite(measured, experiment.solver, t, first)
            total += measured
            if t in times:
                read.append(Spread.of(measured))
            s = one_iteration(stage, t, s, oracle, experiment.K, ends=ends)
        if experiment.T in times:
            measured = measure(experiment, s, replicates)
            require_finite(measured, experiment.solver, experiment.T, first)
            read.append(Spread.of(measured))
    return Spread.of(total / experiment.T), Spread.stack(read, replicates)


def oracle_of(experiment: Experiment, noise: SignStreams, replicates: int) -> ArrayOracle:
    problem = experiment.problem
    return ArrayOracle(per_device(problem, replicates) if has_devices(problem) else problem, noise)


def start(experiment: Experiment, oracle: ArrayOracle, replicates: int) -> State:
    lanes = experiment.K * replicates
    x, y = (np.repeat(point[:, None], lanes, axis=1) for point in (experiment.x0, experiment.y0))
    return experiment.solver.start(State(x=x, y=y), oracle)


def schedule_of_steps(solver: Algorithm, T: int) -> Iterator[tuple[int, Stage, bool]]:
    """(t, stage, whether its average follows) for t < T, cycling through the stages."""
    t = 0
    while True:
        for stage in solver.stages:
            for i in range(stage.repeats):
                yield t, stage, i == stage.repeats - 1
                t += 1
                if t == T:
                    return


def one_iteration(stage: Stage, t: int, s: State, oracle: ArrayOracle, K: int, *, ends: bool) -> State:
    """The step on every lane and, where the stage ends, the average over devices."""
    if stage.random_rounds is not None:
        return _random_rounds(stage, t, s, oracle, K)
    s = stage.step(t, s, oracle)
    return average(s, stage.averaged, K) if ends else s


def _random_rounds(stage: Stage, t: int, s: State, oracle: ArrayOracle, K: int) -> State:
    """k times the step and its average, on every lane with the k of its replicate."""
    assert stage.random_rounds is not None
    rounds = np.tile(oracle.noise.rounds(t, stage.random_rounds), K)
    for n in range(1, int(rounds.max()) + 1):
        moved = average(stage.step(t, s, oracle.in_round(n)), stage.averaged, K)
        s = State(**{name: np.where(n <= rounds, getattr(moved, name), old) for name, old in vars(s).items()})
    return s


def average(s: State, averaged: tuple[str, ...], K: int) -> State:
    if K == 1:
        return s
    new = dict(vars(s))
    for name in averaged:
        lanes = new[name].reshape(len(new[name]), K, -1)
        new[name] = np.tile(lanes.sum(axis=1) / K, (1, K))
    return State(**new)


def measure(experiment: Experiment, s: State, replicates: int) -> Array:
    """gradient, tracking, drift_x, drift_y of every replicate."""
    K, problem = experiment.K, experiment.problem
    x, y = s.x.reshape(-1, K, replicates), s.y.reshape(-1, K, replicates)
    x_bar, y_bar = x.sum(axis=1) / K, y.sum(axis=1) / K
    measured = np.zeros((4, replicates))
    measured[0] = _square(problem.hypergradient(x_bar))
    measured[1] = _square(y_bar - problem.y_star(x_bar))
    if K > 1:
        measured[2] = _square((x - x_bar[:, None]).reshape(-1, replicates)) / K
        measured[3] = _square((y - y_bar[:, None]).reshape(-1, replicates)) / K
    return measured


def _square(columns: Array) -> Array:
    return np.einsum("ij,ij->j", columns, columns)  # type: ignore[no-any-return]


def require_finite(measured: Array, solver: Algorithm, t: int, first: int) -> None:
    """Stop while squares of the measures can still be formed."""
    below = measured.sum(axis=0) < LARGEST
    if not below.all():
        replicate = first + int(np.argmin(below))
        advice = "make the step size smaller" if t > 0 else "start nearer to the solution"
        raise DivergedError(
            f"{name_of(solver)} diverged: iteration {t}, replicate {replicate}, "
            f"step size {letter_of_step(solver)} = {float(solver.step_size(t)):.6g}; {advice}."
        )
