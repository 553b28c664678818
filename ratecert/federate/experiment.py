"""One federated run, from the names and numbers of a command line; every process makes the same one of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratecert.base.errors import UserError
from ratecert.federate import examples, one_level_examples
from ratecert.solvers import ALGORITHMS, ONE_LEVEL
from ratecert.solvers.contract.experiment import Experiment, prepare
from ratecert.solvers.contract.problem import spaces_of
from ratecert.solvers.contract.validation import require_choice, require_whole, shown

METHODS = {**ALGORITHMS, **ONE_LEVEL}
HYPERPARAMETERS = {**examples.HYPERPARAMETERS, **one_level_examples.HYPERPARAMETERS}
USUAL_WORLDS = {"STEM": "single_level", "SAGA": "finite_sum"}  # of the others, the first on their list
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
        return self.world or USUAL_WORLDS.get(self.solver) or next(iter(self.worlds))

    @property
    def worlds(self) -> Mapping[str, Callable[[int], Any]]:
        """Those with as many levels as the method."""
        return one_level_examples.WORLDS if self.solver in ONE_LEVEL else examples.WORLDS

    def setting(self) -> Experiment:
        """Refused before any work, where it makes no sense."""
        require_choice("SOLVER", self.solver, tuple(METHODS))
        require_choice("--world", self.name_of_world, tuple(self.worlds))
        require_whole("--seed", self.seed, least=0, most=2**64 - 1)
        require_whole("--replicates", self.replicates, least=1)
        K = require_whole("--devices", self.K, least=1)
        solver = METHODS[self.solver](**self.hyperparameters())
        world = self.worlds[self.name_of_world](K)
        T = require_whole("--iterations", self.T, least=1)
        before_averages = (2**i - 1 for i in range(1, T.bit_length()))  # where devices differ most
        times = [0, *before_averages, T]
        setting = prepare(world, solver, K=K, T=T, start=_start(world), times=times)
        coordinates = sum(spaces_of(world).values())
        size = self.T * K * self.replicates * coordinates
        if size > KEPT:
            raise UserError(
                f"the paths must have at most {KEPT} numbers, got {size} = iterations x devices x replicates x "
                f"{coordinates} coordinates; take fewer of them."
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
            values[name] = (_truth if isinstance(values[name], bool) else _number)(name, value)
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


def _start(world: Any) -> dict[str, Any]:
    """At x = (1, ..., 1), and at its y* where there is a lower level."""
    x = np.ones(world.d_x)
    return {"x": x, "y": world.y_star(x)} if "y" in spaces_of(world) else {"x": x}


def _truth(name: str, text: str) -> bool:
    if text not in ("True", "False"):
        raise UserError(f"--set {name} must be True or False, got {shown(text)}.")
    return text == "True"


def _number(name: str, text: str) -> int | float:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        raise UserError(f"--set {name} must be a number, got {shown(text)}.") from None
