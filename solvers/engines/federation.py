"""One device of a federated run: the simulator's algorithm, world and signs, with only its own lanes in its memory.

Device k has the signs that the simulator gives to its k-th block of lanes, and works by itself until an average is due:

    local steps, local steps, ..., an average over the devices (one round), local steps, ...

`FederatedDevice.rounds` is that as a generator: it yields what the device has when a round begins, and takes the mean
over the devices as the answer. Who carries the numbers is not its business: `in_lockstep` does it within one process,
a federated-learning framework between many (docs/on_flower.py). A device resumes after any of its rounds.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.base.errors import DivergedError, UserError, UserTypeError
from ratecert.base.validation import require_whole, shown
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.problem import has_devices
from ratecert.solvers.contract.stage import Stage, State, letter_of_step, name_of, started
from ratecert.solvers.engines.experiment import Experiment
from ratecert.solvers.engines.sampling.noise import Hashed
from ratecert.solvers.engines.sampling.oracle import ArrayOracle, lone_device
from ratecert.solvers.engines.sampling.tile import LARGEST, Shares, schedule_of_steps, turns_taken
from ratecert.solvers.engines.threads import keep_freed_memory, one_thread

Array = NDArray[np.float64]


def _ignored(*_: object) -> None: ...


@dataclass(frozen=True)
class LocalMove:
    """One local step, on the replicates that take it: all but where rounds are random, as their number n is."""

    t: int
    n: int
    stage: Stage
    averaged: tuple[str, ...]  # afterwards, if any
    taken: NDArray[np.bool_]  # (replicates,)
    scale: Array | None = None  # (replicates,): K times the device's share in the average; None: 1


@dataclass(frozen=True)
class Round:
    """What one device has when an average is due, after so many moves: it sends `sent`, and goes on from `after`."""

    moves: int
    move: LocalMove
    s: State

    @property
    def fields(self) -> list[Array]:
        """The averaged fields, without the replicates whose random rounds are over."""
        return [getattr(self.s, name)[:, self.move.taken] for name in self.move.averaged]

    @property
    def sent(self) -> Array:
        """These one after the other, scaled to the device's share: zeros in the replicates in which it is not drawn."""
        scale = 1.0 if self.move.scale is None else self.move.scale[self.move.taken]
        return np.concatenate([(scale * field).ravel() for field in self.fields])

    @property
    def floats(self) -> int:
        """How many numbers the device has to send: none in the replicates in which it is not drawn."""
        heard = self.move.taken if self.move.scale is None else self.move.taken & (self.move.scale > 0)
        return int(heard.sum()) * sum(len(field) for field in self.fields)

    def after(self, mean: Array) -> State:
        """The state with the mean over the devices of what was sent."""
        new, start = dict(vars(self.s)), 0
        for name in self.move.averaged:
            new[name] = new[name].copy()
            own = new[name][:, self.move.taken]
            new[name][:, self.move.taken] = mean[start : start + own.size].reshape(own.shape)
            start += own.size
        return State(**new)


class FederatedDevice:
    """Device k of the K of an experiment, in `replicates` independent runs side by side: fields (d, replicates)."""

    def __init__(
        self,
        experiment: Experiment,
        k: int,
        *,
        seed: int,
        replicates: int = 1,
        seen: Callable[[int, State], Any] = _ignored,
    ) -> None:
        """`seen` is called with t and the state before every step."""
        if not isinstance(experiment, Experiment):
            raise UserTypeError(
                f"experiment must be what rc.contract.prepare returns, got {shown(experiment)}."
            )
        self.experiment = experiment
        self.seen = seen
        self.k = require_whole("k", k, least=0, most=experiment.K - 1)
        self.replicates = require_whole("replicates", replicates, least=1)
        seed = require_whole("seed", seed, least=0, most=2**64 - 1)
        self.noise = Hashed(seed=seed, first=0, replicates=replicates, K=1, first_device=k)
        problem = experiment.problem
        own = lone_device(problem, k) if has_devices(problem) else problem
        self.oracle = ArrayOracle(own, self.noise)
        self.shares = Shares(problem, experiment.K, self.noise)

    def start(self) -> State:
        """Make the state of this device at t = 0, one column for each replicate."""
        begin = self.experiment.start.items()
        points = {name: np.repeat(point[:, None], self.replicates, axis=1) for name, point in begin}
        return started(self.experiment.solver, points, self.experiment.given, self.oracle)

    def moves(self) -> Iterator[LocalMove]:
        """All of the run, in order: every device makes the same moves in the same rounds."""
        for t, stage, ends in schedule_of_steps(self.experiment.solver, self.experiment.T):
            if isinstance(stage, Switch):
                for n, move, taken in turns_taken(stage, self.noise, t):
                    yield self._move(t, n, move, taken, ends=True)
            else:
                yield self._move(t, 0, stage, np.ones(self.replicates, dtype=bool), ends=ends)

    def _move(self, t: int, n: int, stage: Stage, taken: NDArray[np.bool_], *, ends: bool) -> LocalMove:
        """With what the device sends scaled to its share, so that the plain mean is the average that is meant."""
        if not ends or not stage.averaged:
            return LocalMove(t, n, stage, (), taken)
        shares = self.shares.of(stage.drawn, t, n)
        scale = None if shares is None else np.broadcast_to(self.shares.K * shares[self.k], taken.shape)
        return LocalMove(t, n, stage, stage.averaged, taken, scale)

    def rounds(self, s: State, moves: int = 0) -> Generator[Round, Array, State]:
        """From the state s, in which so many moves have been made, to the last state, by way of every average."""
        keep_freed_memory()
        for made, move in enumerate(islice(self.moves(), moves, None), start=moves + 1):
            with one_thread(), np.errstate(over="ignore", invalid="ignore"):
                s = self._made(move, s)
            if move.averaged:
                s = (due := Round(made, move, s)).after((yield self._sound(due)))
        return s

    def round_after(self, moves: int, s: State) -> Round:
        """The round that the last of so many moves has led to, from what was kept of it."""
        return Round(moves, next(islice(self.moves(), moves - 1, None)), s)

    def _made(self, move: LocalMove, s: State) -> State:
        self.seen(move.t, s)
        oracle = self.oracle.in_round(move.n) if move.n else self.oracle
        new = move.stage.step(move.t, s, oracle)
        if move.taken.all():
            return new
        return State(**{name: np.where(move.taken, vars(new)[name], old) for name, old in vars(s).items()})

    def _sound(self, due: Round) -> Round:
        """Numbers that can still be squared; a device sees only its own, so it is what it sends that is asked."""
        with np.errstate(over="ignore", invalid="ignore"):
            if np.square(due.sent).sum() < LARGEST:
                return due
        solver, t = self.experiment.solver, due.move.t
        raise DivergedError(
            f"{name_of(solver)} diverged on device {self.k}: iteration {t}, step size {letter_of_step(solver)} = "
            f"{float(solver.step_size(t)):.6g}; make the step size smaller."
        )


@dataclass
class Traffic:
    """What one device has sent so far. One average is one round, for all devices: who is not drawn sends no floats."""

    rounds: int = 0
    floats_sent: int = 0

    def count(self, due: Round) -> None:
        self.rounds += 1
        self.floats_sent += due.floats


def in_lockstep(devices: Sequence[FederatedDevice]) -> list[tuple[State, Traffic]]:
    """Run all devices of one experiment in one process, each in turn up to the next round.

    devices   a `FederatedDevice` for each k, in order
    """
    _require_devices(devices)
    traffic = [Traffic() for _ in devices]
    runs = [device.rounds(device.start()) for device in devices]
    answer: Any = None
    while True:
        due, last = [], []
        for run, own in zip(runs, traffic, strict=True):
            try:
                due.append(run.send(answer))
                own.count(due[-1])
            except StopIteration as end:
                last.append(end.value)
        if last:
            return list(zip(last, traffic, strict=True))
        answer = np.sum([round.sent for round in due], axis=0) / len(due)


def _require_devices(devices: Any) -> None:
    """Refuse what is not all devices of an experiment: a mean over fewer is not its average."""
    if not isinstance(devices, Sequence) or not all(isinstance(each, FederatedDevice) for each in devices):
        raise UserTypeError(f"devices must be a list of FederatedDevice, got {shown(devices)}.")
    if not devices or len(devices) != devices[0].experiment.K:
        wanted = f"the K = {devices[0].experiment.K} devices" if devices else "all devices"
        raise UserError(f"devices must be {wanted} of an experiment, got {len(devices)} of them.")
