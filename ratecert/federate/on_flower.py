"""`python -m ratecert.federate.on_flower SOLVER`: some rounds on Flower's engine, held against the simulator.

Prints an object as JSON, with the mean of every round; exits with 0 if they equal the simulator's, with 1 if not.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from ratecert.base.errors import UserError
from ratecert.base.terminal import echo
from ratecert.federate.experiment import FederatedRun
from ratecert.federate.findings import TOLERANCE
from ratecert.federate.flower import means_on_flower
from ratecert.federate.rounds import largest_difference, simulated_means
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.engines.federation import FederatedDevice


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ratecert.federate.on_flower")
    parser.add_argument("solver", metavar="SOLVER")
    parser.add_argument("--devices", type=int, default=3, metavar="K", help="(default: 3)")
    parser.add_argument("--rounds", type=int, default=20, help="(default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    parser.add_argument("--replicates", type=int, default=1, help="(default: 1)")
    parser.add_argument("--world", metavar="WORLD", help="as of ratecert federate")
    options = parser.parse_args(arguments)
    try:
        experiment = experiment_of(
            FederatedRun(
                solver=options.solver,
                K=options.devices,
                seed=options.seed,
                replicates=options.replicates,
                world=options.world,
            ),
            rounds=options.rounds,
        )
    except ValueError as error:
        print(f"ratecert: {error}", file=sys.stderr)
        return 2
    means = means_on_flower(experiment, rounds=options.rounds)
    difference = largest_difference(means, simulated_means(experiment, rounds=options.rounds))
    found = {"rounds": len(means), "difference": difference, "means": [mean.tolist() for mean in means]}
    echo(json.dumps(found) + "\n")
    return 0 if difference <= TOLERANCE else 1


def experiment_of(experiment: FederatedRun, *, rounds: int) -> FederatedRun:
    """With iterations for so many rounds: one in every cycle of stages, or more cycles where that is left to chance."""
    cycle = moves_of(experiment.setting().solver.stages)
    if not any(move.averaged for move in cycle):
        raise UserError(f"{experiment.solver} has no rounds; choose a method for several devices.")
    longer = replace(experiment, T=rounds * sum(stage.repeats for stage in cycle))
    while rounds_of(longer) < rounds:
        longer = replace(longer, T=2 * longer.T)
    return longer


def rounds_of(experiment: FederatedRun) -> int:
    device = FederatedDevice(experiment.setting(), 0, seed=experiment.seed, replicates=experiment.replicates)
    return sum(bool(move.averaged) for move in device.moves())


if __name__ == "__main__":
    raise SystemExit(main())
