"""The worlds on which the corollaries are run, and the units of their scalings.

All worlds have noise in f, in g, in its Hessian and in its coupling. In LocalBSGM's units the noise makes up half of
the leading constant, in LocalBSGVRM's a third, so that a lost average over devices would be seen. alpha = 8 forgets the
first sample quickly: its noise is the one part of the measure's leading order that falls faster in K. With Q's unit
above 1/(2 log(1/(1 - theta mu))) = 0.84 the Neumann bias falls faster than the rate; 2 makes it negligible.
"""

from collections.abc import Mapping
from typing import Any

NOISE = {"sigma_H": 0.1, "sigma_J": 0.1, "s_f": 0.5, "s_g": 0.5}
RANDOM: dict[str, Any] = {"world": "random_quadratic", "mu": 1.0, "L_1": 2.0, "d_y": 2, **NOISE}
SCALAR, PLANE, LINE = "scalar world", "random world, 2 + 2", "random world, 1 + 2"
WORLDS: dict[str, dict[str, Any]] = {
    SCALAR: {"world": "scalar", "mu": 1.0, "L_1": 2.0, "a": 0.5, "b": -0.2, "c": 0.3, **NOISE},
    PLANE: {**RANDOM, "d_x": 2, "seed": 2},
    LINE: {**RANDOM, "d_x": 1, "seed": 4},  # smaller, for decaying steps, which take longer
}
THETA = 0.45

MOMENTUM = {"alpha": 8.0, "beta": 8.0, "rho_1": 0.1, "rho_2": 0.3, "eta": 6.0, "Q": 2.0}
REDUCED = {"alpha": 1.0, "beta": 1.0, "rho_1": 0.05, "rho_2": 0.15, "eta": 3.0, "Q": 2.0}
DECAYING = {**REDUCED, "eta": 2.0, "p": 1 / 16, "floor": 2048.0}  # constant until t = 2048 K^2 p^3 = T/2
UNITS: dict[str, Mapping[str, float]] = {
    "corollary-1": MOMENTUM,
    "corollary-2": {**MOMENTUM, "eta": 0.25, "T": 4096.0},
    "corollary-3": REDUCED,
    "corollary-4": {**REDUCED, "eta": 0.25, "T": 2048.0},
    "corollary-5": DECAYING,
    "corollary-6": {**DECAYING, "T": 4096.0, "p": 1.0, "B": 256.0},
}
