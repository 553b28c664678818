"""Certified against plain: what it costs to enclose the expectation, as a ratio of seconds of a core within one run.

Additive noise moves by congruences, at the cost of n x n matrices; noise in A and B takes the map on packed moments.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.clock import best_seconds
from ratecert.solvers import LocalBSGM, expect
from ratecert.synthetic import Quadratic, random_quadratic

TRIES = 2
POINTS = (
    *((d, "additive", T) for d in (1, 2, 4) for T in (2**20, 2**40, 2**62)),
    (10, "additive", 2**20),
    *((d, "all kinds", T) for d in (1, 2) for T in (2**20, 2**40, 2**62)),
)


@dataclass(frozen=True)
class Setting:
    d: int
    noise: str
    T: int

    @property
    def world(self) -> Quadratic:
        level = 0.1 if self.noise == "all kinds" else 0.0
        return random_quadratic(
            d_x=self.d, d_y=self.d, sigma_H=level, sigma_J=level, s_f=0.1, s_g=0.1, seed=0
        )


def settings() -> list[Setting]:
    return [Setting(*point) for point in POINTS]


def measure(setting: Setting) -> dict[str, Any]:
    world, d = setting.world, setting.d
    solver = LocalBSGM(eta=0.01, alpha=10.0, beta=10.0, rho_1=0.1, rho_2=1.0, p=8, theta=0.2, Q=20)
    run: dict[str, Any] = {"K": 5, "T": setting.T, "x0": np.zeros(d), "y0": np.zeros(d), "times": []}

    def way(certified: bool) -> Any:
        return lambda: expect(world, solver, certified=certified, **run)

    seconds = best_seconds(
        {"plain": way(False), "certified": way(True)}, tries=TRIES, clock=time.process_time
    )
    row = {"d": d, "noise": setting.noise, "T": f"2^{setting.T.bit_length() - 1}"}
    return {**row, "plain_seconds": seconds["plain"], "certified_seconds": seconds["certified"]}
