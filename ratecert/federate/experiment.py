"""One federated run, from the names and numbers of a command line; every process makes the same one of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.errors import UserError
from ratecert.federate.examples import HYPERPARAMETERS, WORLDS
from ratecert.solvers import ALGORITHMS
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.validation import require_choice, require_whole, shown

KEPT = 2**24  # numbers of x and y along all paths; the first process holds them, and the simulator's


@dataclass(frozen=True, kw_only=True)
class FederatedRun:
    solver: str
    K: int
    T: int = 256
    seed: int = 0
    replicates: int = 1
    world: str | None = None
    changes: Sequence[str] = ()  # of hyperparameters: "p=8"

    @property
    def name_of_world(self) -> str:
        return self.world or ("single_level" if self.solver == "STEM" else "random_quadratic")

    def setting(self) -> Experiment:
        """Refused before any work, where it makes no sense."""
        require_choice("SOLVER", self.solver, tuple(ALGORITHMS))
        require_choice("--world", self.name_of_world, tuple(WORLDS))
        require_whole("--seed", self.seed, least=0, most=2**64 - 1)
        require_whole("--replicates", self.replicates, least=1)
        K = require_whole("--devices", self.K, least=1)
        solver = ALGORITHMS[self.solver](**self.hyperparameters())
        world = WORLDS[self.name_of_world](K)
        x0 = np.ones(world.d_x)
        T = require_whole("--iterations", self.T, least=1)
        before_averages = (2**i - 1 for i in range(1, T.bit_length()))  # where devices differ most
        times = [0, *before_averages, T]
        setting = prepare(world, solver, K=K, T=T, x0=x0, y0=world.y_star(x0), times=times)
        size = self.T * K * self.replicates * (world.d_x + world.d_y)
        if size > KEPT:
            raise UserError(
                f"the paths must have at most {KEPT} numbers, got {size} = iterations x devices x replicates x "
                f"{world.d_x + world.d_y} coordinates; take fewer of them."
            )
        return setting

    def hyperparameters(self) -> dict[str, Any]:
        values = dict(HYPERPARAMETERS[self.solver])
        for change in self.changes:
            name, equals, value = change.partition("=")
            if not equals or name not in values:
                raise UserError(
                    f"--set must be NAME=VALUE with a NAME of {', '.join(values)}, got {shown(change)}."
                )
            values[name] = _number(name, value)
        return values

    def arguments(self) -> list[str]:
        """What makes the same experiment on another command line."""
        numbers = {"devices": self.K, "iterations": self.T, "seed": self.seed, "replicates": self.replicates}
        return [
            self.solver,
            *(f"--{name}={number}" for name, number in numbers.items()),
            f"--world={self.name_of_world}",
            *(f"--set={change}" for change in self.changes),
        ]


def _number(name: str, text: str) -> int | float:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        raise UserError(f"--set {name} must be a number, got {shown(text)}.") from None
