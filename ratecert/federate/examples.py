"""What `ratecert federate` runs unless it is told otherwise: worlds, and hyperparameters for every algorithm.

All worlds are small, with noise of every kind that they know, and of curvature at most 4 or a little more.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from ratecert.solvers import Power
from ratecert.synthetic import Quadratic, heterogeneous, random_quadratic, wavy

NOISE: dict[str, Any] = {"sigma_H": 0.2, "sigma_J": 0.2, "s_f": 0.5, "s_g": 0.5}


def alike(_K: int) -> Quadratic:
    return random_quadratic(d_x=3, d_y=3, mu=1.0, L_1=4.0, **NOISE, seed=1)


def different(K: int) -> Quadratic:
    return heterogeneous(d_x=3, d_y=3, K=K, dial=0.3, **NOISE, seed=1)


def single_level(K: int) -> Quadratic:
    """The first of these worlds with an upper level that does not feel the lower one."""
    world = alike(K)
    coupled = {f.name: getattr(world, f.name) for f in fields(Quadratic)}
    return Quadratic(**coupled | {"B": np.zeros_like(world.B), "F": np.zeros_like(world.F)})


WORLDS: dict[str, Callable[[int], Any]] = {  # the world for K devices
    "random_quadratic": alike,
    "heterogeneous": different,
    "wavy": lambda _K: wavy(d=2, dial=2.0, E=0.2, s_f=0.5, s_g=0.5),
    "single_level": single_level,
}

SUM = {"theta": 0.2, "Q": 5}
CUT = {"theta": 0.2, "N": 6}
LOCAL = {"eta": 0.02, "alpha": 10.0, "beta": 10.0, "rho_1": 0.5, "rho_2": 2.0, "p": 4}
NEST = {"alpha": 0.02, "beta": 0.1, "tau": 4, "T_in": 2}
ACC = {"eta": 0.1, "p": 4, "c_nu": 10.0, "c_w": 10.0, "gamma": 1.0}
STORM = {"eta": 0.1, "gamma": 0.1, "lam": 1.0, "c_u": 10.0, "c_v": 10.0}
DOUBLE = {"alpha": 0.02, "beta": 0.1, "T_in": 4}
HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    "LocalBSGM": LOCAL | SUM,
    "LocalBSGVRM": LOCAL | SUM,
    "LocalSGD": {"eta": 0.02, "rho_1": 0.5, "rho_2": 2.0, "p": 4} | SUM,
    "FedNest": NEST | CUT,
    "LFedNest": NEST | CUT,
    "FedBiOAcc": ACC | {"lam": 0.1} | SUM,
    "FedBiOAccGlobal": ACC | {"lam": 0.02, "tau": 0.5, "c_q": 10.0},
    "STEM": {"eta": 0.1, "p": 4, "rho": 0.5, "c_u": 10.0},
    "BSA": DOUBLE | CUT,
    "TTSA": {"alpha": Power(scale=0.02, exponent=0.6), "beta": Power(scale=0.1, exponent=0.4)} | CUT,
    "StocBiO": DOUBLE | SUM,
    "SMB": {"eta": 0.02, "tau": 5.0, "b": 0.1} | SUM,
    "SUSTAIN": STORM | CUT,
    "MRBO": STORM | SUM,
    "VRBO": {"alpha": 0.02, "beta": 0.1, "q": 4, "T_in": 2, "S": 4, "S_2": 2} | SUM,
    "SOBA": {"rho": 0.1, "gamma": 0.02},
}
