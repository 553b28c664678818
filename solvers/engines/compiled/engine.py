"""Tiles of replicates through the kernel: iteration 0 by numpy, everything after it by the machine.

Replicates go in blocks of 64, the bits of a word of signs. Time is cut into stretches, so that tables over time and
what is read at the times of the curves stay small.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.compiled.expression import Array
from ratecert.solvers.engines.compiled.kernel import READ_ONLY, built_with, iterate
from ratecert.solvers.engines.compiled.machine import Machine
from ratecert.solvers.engines.compiled.sign_words import given_words, keys_of, streams
from ratecert.solvers.engines.monte_carlo.noise import WORD, Hashed, SignStreams, Words
from ratecert.solvers.engines.monte_carlo.numpy_tile import (
    LARGEST,
    one_iteration,
    oracle_of,
    require_finite,
    schedule_of_steps,
    start,
)
from ratecert.solvers.engines.monte_carlo.readings import Readings
from ratecert.solvers.engines.monte_carlo.shares import Shares
from ratecert.solvers.engines.monte_carlo.statistics import Spread

Times = NDArray[np.int64]

STRETCH, READ = 512, 64  # iterations of a stretch, and times of the curves among them, at most
NOT_KEPT = -1

if built_with() != built_with.py_func():
    raise ImportError(
        "the compiled code is older than its sources; remove what numba keeps of kernel.py, in "
        "solvers/engines/compiled/__pycache__ or in the folder NUMBA_CACHE_DIR"
    )


@dataclass(frozen=True)
class ReplicateBlock:
    """64 replicates: the kernel's array, and the sums of the measures."""

    A: Array  # (rows, 64)
    total: Array  # (measures, 64)
    room: tuple[Array, Words]  # for the measures and the words of one iteration
    live: int  # lanes that are replicates; the others fill up the last word


def run_tile(
    experiment: Experiment, machine: Machine, noise: SignStreams, first: int, replicates: int
) -> tuple[Spread, Spread]:
    """What numpy_tile.py computes. `noise` has lanes for whole words, which may be more than replicates."""
    words, times = -(-replicates // WORD), np.array(experiment.times, np.int64)
    n = len(machine.truth.forms)
    with np.errstate(over="ignore", invalid="ignore"):
        measured, s = _iteration_0(experiment, noise, words * WORD)
        require_finite(measured[:, :replicates], experiment.solver, 0, first)
        read = [Spread.of(measured[:, :replicates])] if 0 in experiment.times else []
        blocks = _blocks(experiment, machine, s, measured, replicates)
        end = experiment.T + (experiment.T in experiment.times)
        for t in _stretches(end, times):
            kept = np.isin(t, times)
            plan, stream = _plan(machine, t, kept, experiment.T), streams(machine.program.slots, t)
            found = [np.zeros((n * (kept.sum() + 1), WORD)) for _ in blocks]
            for word, (block, values) in enumerate(zip(blocks, found, strict=True)):
                random = stream, *_keys(machine, noise, t, experiment.K, word)
                stopped = iterate(
                    *(block.A, experiment.K, machine.truth.unknowns),
                    *(machine.first_rows, machine.code, machine.truth.code, plan, random),
                    *((block.total, values), block.room, block.live, LARGEST),
                )
                if stopped >= 0:
                    bad = values[-n:, : block.live]
                    require_finite(bad, experiment.solver, int(t[stopped]), first + word * WORD)
            together = np.concatenate(found, axis=-1).reshape(-1, n, words * WORD)[:-1, :, :replicates]
            read += [Spread.of(values) for values in together]
    total = np.concatenate([block.total for block in blocks], axis=-1)[:, :replicates]
    return Spread.of(total / experiment.T), Spread.stack(read, replicates, n)


def _stretches(end: int, times: Times) -> Iterator[Times]:
    """Iterations 1 .. end - 1, cut up; `times` are in order."""
    begin = 1
    while begin < end:
        stop = min(begin + STRETCH, end)
        read = times[(begin <= times) & (times < stop)]
        stop = int(read[READ]) if len(read) > READ else stop
        yield np.arange(begin, stop)
        begin = stop


def _iteration_0(experiment: Experiment, noise: SignStreams, replicates: int) -> tuple[Array, State]:
    """The measures at the start, and the state after iteration 0."""
    oracle = oracle_of(experiment, noise, replicates)
    s = start(experiment, oracle, replicates)
    t, stage, ends = next(schedule_of_steps(experiment.solver, experiment.T))
    measured = Readings(experiment, replicates).at(0, s)
    shares = Shares(experiment.problem, experiment.K, noise)
    return measured, one_iteration(stage, t, s, oracle, shares, ends=ends)


def _blocks(
    experiment: Experiment, machine: Machine, s: State, measured: Array, replicates: int
) -> list[ReplicateBlock]:
    _, own, rows = machine.first_rows
    blocks = []
    for begin in range(0, replicates, WORD):
        lanes = slice(begin, begin + WORD)
        A = np.zeros((own + experiment.K * rows, WORD))
        A[own:] = machine.as_rows(s, experiment.K, lanes)
        room = (
            np.zeros((len(machine.truth.forms), WORD)),
            np.zeros(max(1, len(machine.program.slots)), np.uint64),
        )
        blocks.append(ReplicateBlock(A, measured[:, lanes].copy(), room, min(WORD, replicates - begin)))
    return blocks


def _plan(machine: Machine, t: Times, kept: NDArray[np.bool_], T: int) -> tuple[Any, ...]:
    """Stages, ends of stages, coefficients and places of the measures that are kept; at T they are only read."""
    stages, ends = machine.stages_at(t)
    stages[t == T] = READ_ONLY
    return stages, ends, machine.coefficients(t.tolist()), np.where(kept, np.cumsum(kept) - 1, NOT_KEPT)


def _keys(machine: Machine, noise: SignStreams, t: Times, K: int, word: int) -> tuple[Words, Words]:
    """Keys to make words from, or the words themselves."""
    if isinstance(noise, Hashed):
        return keys_of(noise, word), np.zeros((0, 0, 0), np.uint64)
    return np.zeros(K, np.uint64), given_words(noise, machine.program.slots, t, K, word)
