"""What is run: one family of worlds, both algorithms, the points (d, Q), and the contestants.

A contestant takes a case and returns work that says how many device-iterations it did. What belongs to no iteration,
making the world and compiling, is done before the work is handed out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import c_reference
from ratecert.solvers import LocalBSGM, LocalBSGVRM, Schedule, simulate
from ratecert.synthetic import Quadratic, random_quadratic

ALGORITHMS: dict[str, Any] = {"LocalBSGM": LocalBSGM, "LocalBSGVRM": LocalBSGVRM}
POINTS = tuple((d, Q) for d in (2, 10, 50) for Q in (5, 20))
WEIGHTS = {"LocalBSGM": 10.0, "LocalBSGVRM": 50.0}  # alpha = beta
Work = Callable[[], int]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run. `device_iterations` is the unit of work."""

    algorithm: str
    d: int
    Q: int
    K: int = 8
    p: int = 4
    T: int
    replicates: int = 1024
    eta: Schedule | float = 0.01

    @property
    def world(self) -> Quadratic:
        """All four kinds of noise, d_x = d_y = d."""
        noise: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
        return random_quadratic(d_x=self.d, d_y=self.d, mu=1.0, L_1=4.0, **noise, seed=0)

    @property
    def solver(self) -> LocalBSGM | LocalBSGVRM:
        weight, kind = WEIGHTS[self.algorithm], ALGORITHMS[self.algorithm]
        steps = {"eta": self.eta, "alpha": weight, "beta": weight, "rho_1": 0.05, "rho_2": 0.5, "theta": 0.2}
        solver: LocalBSGM | LocalBSGVRM = kind(p=self.p, Q=self.Q, **steps)
        return solver

    @property
    def start(self) -> NDArray[np.float64]:
        """x_0 and y_0."""
        return np.ones(self.d)

    @property
    def run(self) -> dict[str, Any]:
        """What every way to run it takes, beside the world and the solver."""
        return {"K": self.K, "T": self.T, "x0": self.start, "y0": self.start}

    @property
    def device_iterations(self) -> int:
        return self.K * self.T * self.replicates


def sampling(engine: str, *, workers: int = 1) -> Callable[[Case], Work]:
    """`simulate` with one of its engines."""

    def contestant(case: Case) -> Work:
        world, solver = case.world, case.solver
        settings = {**case.run, "replicates": case.replicates, "seed": 0, "times": [], "workers": workers}

        def work() -> int:
            simulate(world, solver, engine=engine, **settings)
            return case.device_iterations

        return work

    return contestant


def in_C(case: Case) -> Work:
    world, solver, library = case.world, case.solver, c_reference.build()

    def work() -> int:
        c_reference.run(world, solver, **case.run, replicates=case.replicates, seed=0, library=library)
        return case.device_iterations

    return work


def engines() -> tuple[str, ...]:
    """Those of `simulate` that can run here, the fastest last; numba is an extra."""
    return ("numpy", "numba") if find_spec("numba") else ("numpy",)


def contestants() -> dict[str, Callable[[Case], Work]]:
    """C only where there is a compiler."""
    return {engine: sampling(engine) for engine in engines()} | (
        {"C": in_C} if c_reference.compiler() else {}
    )
