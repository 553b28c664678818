"""One experiment, checked before any work: who runs on what, for how long, from where, and when the curves are read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratecert.errors import UserError
from ratecert.solvers.contract.problem import Problem, require_problem
from ratecert.solvers.contract.stage import Algorithm, name_of, require_algorithm
from ratecert.solvers.contract.validation import require_point, require_whole, shown

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Experiment:
    """One experiment: who runs on what, for how long, from where, and when the curves are read."""

    problem: Problem
    solver: Algorithm
    K: int
    T: int
    x0: Array
    y0: Array
    times: tuple[int, ...]


@dataclass(frozen=True)
class Run:
    """An algorithm, and for how many devices and iterations it is meant."""

    solver: Any
    K: int
    T: int


def prepare(
    problem: Problem,
    solver: Algorithm,
    *,
    K: int,
    T: int,
    x0: ArrayLike,
    y0: ArrayLike,
    times: Sequence[int] | None,
) -> Experiment:
    """Make an experiment, or refuse what makes no sense before any work."""
    require_problem(problem)
    require_algorithm(solver)
    K, T = require_whole("K", K, least=1), require_whole("T", T, least=1)
    require_devices(problem, solver, K)
    solver.check(problem)
    start = require_point("x0", x0, problem.d_x), require_point("y0", y0, problem.d_y)
    if times is None:
        times = [0, T, *(2**i for i in range(T.bit_length()) if 2**i < T)]
    if not isinstance(times, Iterable):
        raise UserError(f"times must be a list of whole numbers from 0 to T = {T}, got {shown(times)}.")
    chosen = {require_whole("every time in times", t, least=0, most=T) for t in times}
    return Experiment(problem, solver, K, T, *start, tuple(sorted(chosen)))


def require_devices(problem: Problem, solver: Any, K: int) -> None:
    devices = getattr(problem, "devices", None)
    alone = getattr(solver, "one_machine", False)
    if alone and devices is not None and len(devices) > 1:
        raise UserError(
            f"{name_of(solver)} is a method for one machine, and this problem has {len(devices)} devices; give it one "
            f"of problem.devices."
        )
    if devices is not None and len(devices) != K:
        raise UserError(f"K must be {len(devices)}, the number of devices of this problem, got {K}.")
    if alone and K != 1:
        raise UserError(f"{name_of(solver)} is a method for one machine: K must be 1, got {K}.")
