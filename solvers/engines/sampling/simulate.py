"""Monte Carlo: any algorithm on any problem, many replicates and devices at once.

Replicates are cut into tiles of about LANES lanes (devices x replicates), small enough for the cache; a tile is the
unit of work for the workers, and memory depends on its size and on the number of times at which curves are read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from ratecert.base.errors import UserError
from ratecert.base.validation import require_choice, require_whole
from ratecert.solvers.contract.measures import EXTREMES, Measure
from ratecert.solvers.contract.problem import AnyProblem
from ratecert.solvers.contract.result import Curves, Result, as_times, measures_of
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.engines.counting import count
from ratecert.solvers.engines.experiment import Experiment, prepare, require_room
from ratecert.solvers.engines.sampling.measured import Spread
from ratecert.solvers.engines.sampling.noise import WORD, Array, Hashed
from ratecert.solvers.engines.sampling.tile import LANES, run_tile

Progress = Callable[[int, int], None]


def simulate(
    problem: AnyProblem,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike | None = None,
    y0: ArrayLike | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    replicates: int,
    seed: int,
    times: Sequence[int] | None = None,
    measures: Mapping[str, Measure] | None = None,
    shared_noise: bool = False,
    workers: int = 1,
    lanes: int = LANES,
    jit: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Run `replicates` independent copies of the algorithm on K devices for T iterations.

    problem       a world, or anything with its methods
    solver        an algorithm, such as LocalBSGM(...)
    K, T          devices and iterations
    x0, y0        where all devices start; plain numbers where the dimension is 1; no y0 on one level
    start         the same by name, such as {"x": 1.0}
    replicates    independent runs; standard errors fall with their root
    seed          from 0 to 2^64 - 1; the same seed gives the same samples on any machine
    times         the t at which the curves are read (default: 0, T and powers of two between)
    measures      what is measured, by name (default: as in `expect`)
    shared_noise  all devices see the same samples: a negative control, which destroys linear speedup
    workers       processes; the result does not depend on it
    lanes         lanes per tile, at least one replicate: a matter of memory and speed, not of the draws
    jit           compile the steps with JAX (extra `jax`), on its device: the same samples up to rounding
    progress      called as progress(tiles done, tiles in all)

    >>> import ratecert as rc
    >>> solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
    >>> run = {"K": 4, "T": 50, "x0": 1.0, "y0": 1.0}
    >>> world = rc.worlds.scalar(s_f=0.5, s_g=0.5)
    >>> sampled = rc.simulate(world, solver, **run, replicates=100, seed=0)
    >>> gap = sampled.gradient - rc.expect(world, solver, **run).gradient
    >>> bool(abs(gap) < 5 * sampled.standard_error.gradient)
    True
    """
    experiment = prepare(
        problem, solver, K=K, T=T, x0=x0, y0=y0, start=start, times=times, measures=measures, exact=False
    )
    replicates = require_whole("replicates", replicates, least=1)
    seed = require_whole("seed", seed, least=0, most=2**64 - 1)
    workers = require_whole("workers", workers, least=1)
    require_choice("shared_noise", shared_noise, (False, True))
    require_choice("jit", jit, (False, True))
    K, lanes = experiment.K, require_whole("lanes", lanes, least=1)
    require_room(problem, solver, exact=False, lanes=max(K, min(lanes, K * replicates)))
    size = _tile_size(K, lanes)

    def noise(first: int, n: int) -> Hashed:
        return Hashed(seed=seed, first=first, replicates=n, K=K, shared=shared_noise)

    tiles = ((first, min(size, replicates - first)) for first in range(0, replicates, size))
    run = _compiled(experiment, workers) if jit else partial(run_tile, experiment)
    jobs = (delayed(run)(noise(first, n), first, n) for first, n in tiles)
    spreads = Parallel(n_jobs=workers, return_as="generator")(jobs)
    averages, curves = reduce(merge_both, _reported(spreads, progress, -(-replicates // size)))
    return result(experiment, averages, curves, averages.covariance_of_mean(), curves.covariance_of_mean())


def _compiled(experiment: Experiment, workers: int) -> Callable[[Hashed, int, int], tuple[Spread, Spread]]:
    if workers != 1:
        raise UserError(f"workers must be 1 with jit, which shares the work out itself, got {workers}.")
    try:
        from ratecert.solvers.engines.sampling.compiled import compiled
    except ImportError as error:
        raise UserError(
            f"jit needs JAX, which cannot be imported ({error}); install ratecert[jax], or leave jit out."
        ) from error
    return compiled(experiment)


def merge_both(a: tuple[Spread, Spread], b: tuple[Spread, Spread]) -> tuple[Spread, Spread]:
    return a[0].merge(b[0]), a[1].merge(b[1])


def _reported(spreads: Iterable[Any], progress: Progress | None, tiles: int) -> Iterator[Any]:
    for done, spread in enumerate(spreads, start=1):
        if progress is not None:
            progress(done, tiles)
        yield spread


def result(
    experiment: Experiment, averages: Spread, curves: Spread, covariance: Array, covariance_of_curves: Array
) -> Result:
    variances = np.diagonal(covariance_of_curves, axis1=-2, axis2=-1)
    named, mean = partial(measures_of, experiment.names), averages.mean.copy()
    for i, measure in enumerate(experiment.measures.values()):
        if measure.at in EXTREMES:  # of the means; what it has to do with the others is not known
            over_time = curves.mean[: experiment.T, i]
            t = int((np.argmax if measure.at == "largest" else np.argmin)(over_time))
            covariance = covariance.copy()
            mean[i], covariance[i], covariance[:, i] = over_time[t], 0.0, 0.0
            covariance[i, i] = variances[t, i]
    kept = np.isin(experiment.read_times, experiment.times)
    errors = np.sqrt(variances[kept])
    return Result(
        named(mean.tolist()).values,
        standard_error=named(np.sqrt(np.diag(covariance)).tolist()),
        covariance=covariance,
        curves=Curves(
            named(curves.mean[kept].T).values, t=as_times(experiment.times), standard_error=named(errors.T)
        ),
        counts=count(experiment.problem, experiment.solver, experiment.T),
    )


def _tile_size(K: int, lanes: int) -> int:
    """Replicates in a tile: whole words of signs where it holds more than one word."""
    size = max(1, lanes // K)
    return size // WORD * WORD or size
