"""What every device has to send by the definition of the algorithm, with what was drawn on the way.

The counts of the definition are those of a device that is always drawn; from them is taken what a device does not send
in averages for which it is not. Replicates travel together: a round of one is a round of all, and floats add up.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ratecert.solvers.contract.counts import count, dimensions_of_state
from ratecert.solvers.contract.draws import Switch
from ratecert.solvers.contract.experiment import Experiment
from ratecert.solvers.contract.stage import Stage
from ratecert.solvers.engines.federation import Traffic
from ratecert.solvers.engines.monte_carlo.noise import Hashed
from ratecert.solvers.engines.monte_carlo.numpy_tile import schedule_of_steps, turns_drawn, turns_taken
from ratecert.solvers.engines.monte_carlo.shares import Shares

Average = tuple[int, int, Stage, NDArray[np.bool_]]  # t, turn, stage, and which replicates take it


def defined_traffic(setting: Experiment, *, seed: int, replicates: int) -> list[Traffic]:
    """Of every device."""
    noise = Hashed(seed=seed, first=0, replicates=replicates, K=1)
    always = _always_drawn(setting, noise)
    unsent = _floats_not_sent(setting, noise)
    return [Traffic(always.rounds, always.floats_sent - own) for own in unsent.tolist()]


def _always_drawn(setting: Experiment, noise: Hashed) -> Traffic:
    """The counts of the definition, with what was drawn of random rounds."""
    problem, solver, T = setting.problem, setting.solver, setting.T
    switches = [(t, stage) for t, stage, _ in schedule_of_steps(solver, T) if isinstance(stage, Switch)]
    drawn = [turns_drawn(switch, noise, t) for t, switch in switches]
    draws = np.array(drawn, dtype=np.int64).reshape(-1, noise.replicates)
    each = [count(problem, solver, T, draws=own.tolist()) for own in draws.T]
    rounds = count(problem, solver, T, draws=[0] * len(switches)).rounds
    for (_, switch), ends in zip(switches, drawn, strict=True):
        made: list[bool] = np.any(switch.passes[1:, ends], axis=1).tolist()
        averaged = (
            switch.moves[turn.move].averaged for turn, taken in zip(switch.turns, made, strict=True) if taken
        )
        rounds += sum(map(bool, averaged))
    return Traffic(rounds=int(rounds), floats_sent=int(sum(own.floats_sent for own in each)))


def _floats_not_sent(setting: Experiment, noise: Hashed) -> NDArray[np.int64]:
    """(K,): of averages over drawn devices, what the others keep to themselves."""
    shares = Shares(setting.problem, setting.K, noise)
    sizes = dimensions_of_state(setting.problem, setting.solver)
    unsent = np.zeros(setting.K, dtype=np.int64)
    for t, turn, stage, taken in _averages(setting, noise):
        if stage.drawn is not None:
            share = shares.of(stage.drawn, t, turn)
            unsent += (taken & (share == 0)).sum(axis=1) * sum(sizes[name] for name in stage.averaged)
    return unsent


def _averages(setting: Experiment, noise: Hashed) -> Iterator[Average]:
    for t, stage, ends in schedule_of_steps(setting.solver, setting.T):
        if isinstance(stage, Switch):
            yield from ((t, turn, move, taken) for turn, move, taken in turns_taken(stage, noise, t))
        elif ends:
            yield t, 0, stage, np.ones(noise.replicates, dtype=bool)
