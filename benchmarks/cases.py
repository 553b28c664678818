"""What is run: one family of worlds for each algorithm, the points (d, Q), and the contestants.

A contestant takes a case and returns work. What belongs to no iteration, making the world and compiling C, is done
before the work is handed out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import c_reference
from benchmarks.clock import Work
from ratecert.solvers import SGD, LocalBSGM, LocalBSGVRM, Schedule, simulate
from ratecert.synthetic import SingleLevel, random_quadratic

ALGORITHMS: dict[str, Any] = {"LocalBSGM": LocalBSGM, "LocalBSGVRM": LocalBSGVRM}
POINTS = tuple((d, Q) for d in (2, 10, 50) for Q in (5, 20))
WEIGHTS = {"LocalBSGM": 10.0, "LocalBSGVRM": 50.0}  # alpha = beta


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run: of an algorithm on two levels or, on one level, of SGD, which has no Q."""

    algorithm: str
    d: int
    Q: int = 5
    K: int = 8
    p: int = 4
    T: int
    replicates: int = 1024
    eta: Schedule | float = 0.01

    @property
    def world(self) -> Any:
        """All four kinds of noise, d_x = d_y = d."""
        if self.algorithm == "SGD":
            return SingleLevel(H=np.eye(self.d), E=[0.2 * np.eye(self.d)], s=0.5)
        noise: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.1, "s_g": 0.1}
        return random_quadratic(d_x=self.d, d_y=self.d, mu=1.0, L_1=4.0, **noise, seed=0)

    @property
    def solver(self) -> Any:
        if self.algorithm == "SGD":
            return SGD(alpha=0.05, p=self.p)
        weight = WEIGHTS[self.algorithm]
        steps = {"eta": self.eta, "alpha": weight, "beta": weight, "rho_1": 0.05, "rho_2": 0.5, "theta": 0.2}
        return ALGORITHMS[self.algorithm](p=self.p, Q=self.Q, **steps)

    @property
    def run(self) -> dict[str, Any]:
        """What every way to run it takes, beside the world and the solver."""
        start = {name: np.ones(self.d) for name in (("x0",) if self.algorithm == "SGD" else ("x0", "y0"))}
        return {"K": self.K, "T": self.T, **start}

    @property
    def device_iterations(self) -> int:
        """The unit of work."""
        return self.K * self.T * self.replicates


def sampling(case: Case, *, workers: int = 1) -> Work:
    """`simulate`, which is numpy's."""
    given = (case.world, case.solver)
    settings = {**case.run, "replicates": case.replicates, "seed": 0, "times": [], "workers": workers}
    return lambda: simulate(*given, **settings)


def in_C(case: Case) -> Work:
    given = (case.world, case.solver)
    c_reference.built()
    return lambda: c_reference.run(*given, **case.run, replicates=case.replicates, seed=0)


def contestants(case: Case) -> dict[str, Work]:
    """C only where there is a compiler."""
    of_C = {"C": in_C(case)} if c_reference.compiler() else {}
    return {"numpy": sampling(case)} | of_C
