"""A tile of replicates through all iterations: the engine that runs any algorithm on any problem.

Vectors are arrays (d, lanes) with lanes = devices x replicates, replicates fastest: an average over devices is
then a sum of contiguous rows. `Shares` says whose results it is made of: all by their weights, or the drawn ones.
"""

from collections.abc import Iterator
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import DivergedError
from ratecert.solvers.contract.draws import Drawn, Switch
from ratecert.solvers.contract.problem import AnyProblem, has_devices
from ratecert.solvers.contract.stage import Algorithm, Stage, State, letter_of_step, name_of, started
from ratecert.solvers.engines.experiment import Experiment
from ratecert.solvers.engines.sampling.measured import Readings, Spread, uneven_weights
from ratecert.solvers.engines.sampling.noise import Array, SignStreams
from ratecert.solvers.engines.sampling.oracle import ArrayOracle, per_device
from ratecert.solvers.engines.threads import keep_freed_memory, one_thread

LANES = 8192  # of a tile; with many more a step's arrays leave the cache
LARGEST = 1e150  # of a measure: the squares of larger ones, which standard errors need, overflow


def run_tile(
    experiment: Experiment, noise: SignStreams, first: int, replicates: int
) -> tuple[Spread, Spread]:
    """All iterations of the replicates first .. first + replicates - 1: averages over t < T, and curves."""
    keep_freed_memory()
    oracle = oracle_of(experiment, noise, replicates)
    s = start(experiment, oracle, replicates)
    readings, shares = Readings(experiment, replicates), Shares(experiment.problem, experiment.K, noise)
    total, read = np.zeros((len(experiment.measures), replicates)), []
    times = frozenset(experiment.read_times)
    plain = all(measure.at != "drawn" for measure in experiment.measures.values())
    factors = repeat(None) if plain else experiment.factors()
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        steps = schedule_of_steps(experiment.solver, experiment.T)
        for (t, stage, ends), factor in zip(steps, factors, strict=False):
            measured = readings.at(t, s)
            require_finite(measured, experiment.solver, t, first)
            total += measured if factor is None else experiment.T * factor[:, None] * measured
            if t in times:
                read.append(Spread.of(measured, noise.weights))
            readings.passed(t, s)
            s = one_iteration(stage, t, s, oracle, shares, ends=ends)
        last = readings.at(experiment.T, s)
        if experiment.T in times or readings.read_last.any():
            require_finite(last, experiment.solver, experiment.T, first)
        if experiment.T in times:
            read.append(Spread.of(last, noise.weights))
    found = np.where(readings.read_last[:, None], last, total / experiment.T)
    averages = Spread.of(found, noise.weights)
    return averages, Spread.stack(read, averages.n, len(experiment.measures))


def oracle_of(experiment: Experiment, noise: SignStreams, replicates: int) -> ArrayOracle:
    problem = experiment.problem
    return ArrayOracle(per_device(problem, replicates) if has_devices(problem) else problem, noise)


def start(experiment: Experiment, oracle: ArrayOracle, replicates: int) -> State:
    lanes = experiment.K * replicates
    points = {name: np.repeat(point[:, None], lanes, axis=1) for name, point in experiment.start.items()}
    return started(experiment.solver, points, experiment.given, oracle)


def schedule_of_steps(solver: Algorithm, T: int) -> Iterator[tuple[int, Stage | Switch, bool]]:
    """(t, stage, whether its average follows) for t < T, cycling through the stages."""
    t = 0
    while True:
        for stage in solver.stages:
            for i in range(stage.repeats):
                yield t, stage, i == stage.repeats - 1
                t += 1
                if t == T:
                    return


def one_iteration(
    stage: Stage | Switch, t: int, s: State, oracle: ArrayOracle, shares: "Shares", *, ends: bool
) -> State:
    """The step on every lane and, where the stage ends, the average over devices."""
    if isinstance(stage, Switch):
        return _switched(stage, t, s, oracle, shares)
    s = stage.step(t, s, oracle)
    return average(s, stage, shares, t, 0) if ends else s


def _switched(switch: Switch, t: int, s: State, oracle: ArrayOracle, shares: "Shares") -> State:
    """All moves in their order, on every lane those of the list that its replicate has drawn."""
    for turn, stage, taken in turns_taken(switch, oracle.noise, t):
        moved = average(stage.step(t, s, oracle.in_round(turn)), stage, shares, t, turn)
        lanes = np.tile(taken, shares.K)
        s = State(**{name: np.where(lanes, getattr(moved, name), old) for name, old in vars(s).items()})
    return s


def turns_drawn(switch: Switch, noise: SignStreams, t: int) -> NDArray[np.int64]:
    """(replicates,): the turn with which the iteration is over."""
    endings = switch.endings
    case = noise.common(t, "switch", [float(p) for _, p in endings])
    return np.array([turn for turn, _ in endings])[case]


def turns_taken(switch: Switch, noise: SignStreams, t: int) -> Iterator[tuple[int, Stage, NDArray[np.bool_]]]:
    """(how many moves have been made with it, the move, which replicates make it), in order."""
    drawn, passes, depths = turns_drawn(switch, noise, t), switch.passes, switch.depths
    for i, turn in enumerate(switch.turns, start=1):
        if (taken := passes[i, drawn]).any() or noise.every_case:
            yield depths[i], switch.moves[turn.move], taken


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


# Averages over devices.


class Shares:
    """The share that each of K devices has in an average, in a tile of replicates."""

    def __init__(self, problem: AnyProblem, K: int, noise: SignStreams) -> None:
        self.K, self.noise = K, noise
        self.uneven = uneven_weights(problem, K)

    def of(self, drawn: Drawn | None, t: int, turn: int) -> Array | None:
        """(K, 1) or (K, replicates), of sum 1; None: all the same. `turn` tells apart the averages of one iteration."""
        if drawn is None:
            return None if self.uneven is None else self.uneven[:, None]
        drawn.require(self.K, weights_differ=self.uneven is not None)
        counts = self._with_replacement if drawn.replacement else self._different
        return counts(drawn.m, t, turn) / drawn.m

    def _with_replacement(self, m: int, t: int, turn: int) -> Array:
        probabilities = [1 / self.K] * self.K if self.uneven is None else self.uneven.tolist()
        cases = [self.noise.common(t, _label(turn, i), probabilities) for i in range(m)]
        counts = np.zeros((self.K, len(cases[0])))
        for case in cases:
            counts[case, np.arange(len(case))] += 1
        return counts

    def _different(self, m: int, t: int, turn: int) -> Array:
        """The first m of a shuffled list, one place after the other."""
        places = [self.noise.common(t, _label(turn, i), [1 / (self.K - i)] * (self.K - i)) for i in range(m)]
        runs = np.arange(len(places[0]))
        order = np.repeat(np.arange(self.K)[:, None], len(runs), axis=1)
        for i, place in enumerate(places):
            order[i], order[i + place, runs] = order[i + place, runs], order[i].copy()
        counts = np.zeros((self.K, len(runs)))
        for device in order[:m]:
            counts[device, runs] = 1
        return counts


def _label(turn: int, i: int) -> str:
    return f"device {i} of turn {turn}"


def average(s: State, stage: Stage, shares: Shares, t: int, turn: int) -> State:
    """The averaged fields of all lanes; `turn` tells apart the averages of one iteration."""
    if shares.K == 1 or not stage.averaged:
        return s
    new, of = dict(vars(s)), shares.of(stage.drawn, t, turn)
    for name in stage.averaged:
        lanes = new[name].reshape(len(new[name]), shares.K, -1)
        mean = lanes.sum(axis=1) / shares.K if of is None else (lanes * of).sum(axis=1)
        new[name] = np.tile(mean, (1, shares.K))
    return State(**new)
