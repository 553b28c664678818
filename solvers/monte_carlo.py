"""The Monte Carlo engine: any algorithm on any problem, many replicates and devices at once.

Vectors are arrays (d, lanes) with lanes = devices x replicates, replicates fastest: an average over devices is
then a sum of contiguous rows. Replicates are cut into tiles of about LANES lanes, small enough for the cache; a tile is
the unit of work for the workers, and memory depends on its size and on the number of times at which curves are read.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from solvers.array_oracle import ArrayOracle
from solvers.counts import count
from solvers.devices import PerDevice
from solvers.noise import WORD, Hashed, Noise
from solvers.process import keep_freed_memory, one_thread
from solvers.refuse import require_choice, require_whole
from solvers.result import Curves, Measures, Result, as_times, named
from solvers.setting import Diverged, Setting, prepare
from solvers.stage import Algorithm, Stage, State, letter_of_step, name_of
from solvers.statistics import Spread

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]

LANES = 8192
LARGEST = 1e150


def simulate(
    problem: Any,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike,
    y0: ArrayLike,
    replicates: int,
    seed: int,
    times: Sequence[int] | None = None,
    shared_noise: bool = False,
    workers: int = 1,
    lanes: int = LANES,
    progress: Progress | None = None,
) -> Result:
    """Run `replicates` independent copies of the algorithm on K devices for T iterations.

    times         the t at which the curves are read (default: 0, T and powers of two between)
    shared_noise  all devices see the same samples: a negative control, which destroys linear speedup
    workers       processes; the result does not depend on it
    lanes         lanes per tile: a matter of memory and speed; draws do not depend on it
    progress      called as progress(tiles done, tiles in all)
    """
    setting = prepare(problem, solver, K=K, T=T, x0=x0, y0=y0, times=times)
    replicates = require_whole("replicates", replicates, least=1)
    seed = require_whole("seed", seed, least=0, most=2**64 - 1)
    workers = require_whole("workers", workers, least=1)
    require_choice("shared_noise", shared_noise, (False, True))
    K, size = setting.K, _tile_size(setting.K, require_whole("lanes", lanes, least=1))
    tiles = ((first, min(size, replicates - first)) for first in range(0, replicates, size))

    def noise(first: int, size: int) -> Hashed:
        return Hashed(seed=seed, first=first, replicates=size, K=K, shared=shared_noise)

    jobs = (delayed(run_tile)(setting, noise(first, size), first, size) for first, size in tiles)
    spreads = _reported(
        Parallel(n_jobs=workers, return_as="generator")(jobs), progress, -(-replicates // size)
    )
    averages, curves = reduce(merge_both, spreads)
    return result(setting, averages, curves, averages.covariance_of_mean(), curves.covariance_of_mean())


def merge_both(a: tuple[Spread, Spread], b: tuple[Spread, Spread]) -> tuple[Spread, Spread]:
    return a[0].merge(b[0]), a[1].merge(b[1])


def _reported(spreads: Iterable[Any], progress: Progress | None, tiles: int) -> Iterator[Any]:
    for done, spread in enumerate(spreads, start=1):
        if progress is not None:
            progress(done, tiles)
        yield spread


def run_tile(setting: Setting, noise: Noise, first: int, replicates: int) -> tuple[Spread, Spread]:
    """All iterations of the replicates first .. first + replicates - 1: averages over t < T, and curves."""
    keep_freed_memory()
    differ = hasattr(setting.problem, "devices")
    oracle = ArrayOracle(PerDevice(setting.problem, replicates) if differ else setting.problem, noise)
    lanes = setting.K * replicates
    s = State(
        x=np.repeat(setting.x0[:, None], lanes, axis=1), y=np.repeat(setting.y0[:, None], lanes, axis=1)
    )
    s = setting.solver.start(s, oracle)
    total, times, read = np.zeros((4, replicates)), frozenset(setting.times), []
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for t, stage, ends in schedule_of_steps(setting.solver, setting.T):
            measured = _measure(setting, s, replicates)
            _require_finite(measured, setting.solver, t, first)
            total += measured
            if t in times:
                read.append(Spread.of(measured))
            if stage.random_rounds is not None:
                s = _random_rounds(stage, t, s, oracle, setting.K)
            else:
                s = stage.step(t, s, oracle)
                s = _average(s, stage.averaged, setting.K) if ends else s
        if setting.T in times:
            measured = _measure(setting, s, replicates)
            _require_finite(measured, setting.solver, setting.T, first)
            read.append(Spread.of(measured))
    return Spread.of(total / setting.T), Spread.stack(read, replicates)


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


def result(
    setting: Setting, averages: Spread, curves: Spread, covariance: Array, covariance_of_curves: Array
) -> Result:
    errors = np.sqrt(np.diagonal(covariance_of_curves, axis1=-2, axis2=-1))
    return Result(
        **named(averages.mean.tolist()),
        standard_error=Measures(**named(np.sqrt(np.diag(covariance)).tolist())),
        covariance=covariance,
        curves=Curves(
            **named(curves.mean.T), t=as_times(setting.times), standard_error=Measures(**named(errors.T))
        ),
        counts=count(setting.problem, setting.solver, setting.T),
    )


def _measure(setting: Setting, s: State, replicates: int) -> Array:
    """gradient, tracking, drift_x, drift_y of every replicate."""
    K, problem = setting.K, setting.problem
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


def _random_rounds(stage: Stage, t: int, s: State, oracle: ArrayOracle, K: int) -> State:
    """k times the step and its average, on every lane with the k of its replicate."""
    assert stage.random_rounds is not None
    rounds = np.tile(oracle.noise.rounds(t, stage.random_rounds), K)
    for n in range(1, int(rounds.max()) + 1):
        moved = _average(stage.step(t, s, oracle.in_round(n)), stage.averaged, K)
        s = State(**{name: np.where(n <= rounds, getattr(moved, name), old) for name, old in vars(s).items()})
    return s


def _average(s: State, averaged: tuple[str, ...], K: int) -> State:
    if K == 1:
        return s
    new = dict(vars(s))
    for name in averaged:
        lanes = new[name].reshape(len(new[name]), K, -1)
        new[name] = np.tile(lanes.sum(axis=1) / K, (1, K))
    return State(**new)


def _require_finite(measured: Array, solver: Algorithm, t: int, first: int) -> None:
    """Stop while squares of the measures can still be formed."""
    if not measured.sum() < LARGEST:
        replicate = first + int(np.argmax(~(measured.sum(axis=0) < LARGEST)))
        advice = "make the step size smaller" if t > 0 else "start nearer to the solution"
        raise Diverged(
            f"{name_of(solver)} diverged: iteration {t}, replicate {replicate}, "
            f"step size {letter_of_step(solver)} = {float(solver.step_size(t)):.6g}; {advice}."
        )


def _tile_size(K: int, lanes: int) -> int:
    """Replicates in a tile: whole words of signs where it holds more than one word."""
    size = max(1, lanes // K)
    return size // WORD * WORD or size
