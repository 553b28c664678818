"""The worlds on which the constants are measured, as specifications; a new world is one line.

Asked of a world: d_x, d_y, the centre (a, b) of the sets on which `constants` hold, y_star, hypergradient, the samples
and oracles of a problem (solvers/contract/problem.py), and at most 16 signs in a sample of the hypergradient with Q =
3.
"""

from typing import Any

import numpy as np

Spec = dict[str, Any]

STIFF: Spec = {"world": "scalar", "mu": 0.1, "P": 4.0, "D": 4.0, "reading": "block"}
HUBERISED: Spec = {"world": "scalar", "sigma_H": 0.3, "sigma_J": 0.4, "s_f": 0.2, "a": 0.5, "c": 0.3}
ROWS: Spec = {"features": [[1], [-2], [2], [-1], [1], [-1]], "targets": [2, -1, 1, -2, 1, 1]}
NOISY: Spec = {"sigma_H": 0.4, "sigma_J": 0.9, "s_f": 0.5}

WORLDS: dict[str, Spec] = {
    "scalar": {"world": "scalar", **NOISY, "a": 0.7, "b": -1.1, "c": 0.4, "P": 0.6, "D": 1.7},
    "random 2x3": {"world": "random_quadratic", "d_x": 2, "d_y": 3, "sigma_H": 0.6, "sigma_J": 0.5, "s_f": 0.3,
                   "seed": 1},
    "random 3x2": {"world": "random_quadratic", "d_x": 3, "d_y": 2, "sigma_H": 0.4, "sigma_J": 0.8, "seed": 2,
                   "reading": "block"},
    "aligned": {"world": "aligned"},
    "stiff": STIFF,
    "noise in every Hessian": {**STIFF, "sigma_H": 1.5, "P": 2.0, "s_f": 0.1},
    "huberised": {"world": "huberised", "of": HUBERISED, "radius": 1.5},
    "wavy": {"world": "wavy", "dial": 2.0, "E": 0.3, "s_f": 0.2, "a": 0.4, "b": -0.3},
    "ridge": {"world": "ridge", **ROWS, "m": 0.5},
}  # fmt: skip

MORE: dict[str, Spec] = {
    "random 3x3": {"world": "random_quadratic", "d_x": 3, "d_y": 3, "sigma_H": 0.3, "s_f": 0.2, "seed": 4},
    "random 2x2": {
        "world": "random_quadratic",
        "d_x": 2,
        "d_y": 2,
        "mu": 0.05,
        "seed": 5,
        "reading": "block",
    },
    "wavy plane": {"world": "wavy", "d": 2, "dial": 1.0, "omega": 3.0, "B": [1.0, 3.0], "s_f": 0.1},
    "wavy, stiff": {"world": "wavy", "dial": 1.2, "A": 0.01, "D": 2.0, "s_f": 0.1},
    "ridge, wide": {"world": "ridge", **ROWS, "m": 1.5},
}


# Scalar worlds in which, under `block`, every derivative is as large as L_1 = 4 allows and L_1/mu = kappa.
BY_CONDITION = {
    f"kappa = {kappa:g}": {**STIFF, "mu": 4.0 / kappa} for kappa in (2.0, 5.0, 20.0, 100.0, 1000.0)
}
# No noise in Hessians, so that few signs are drawn however long the sum.
LONG_SUMS = {"stiff, long sums": {**STIFF, "s_f": 0.5}}
LONG = [{"part": 0.95, "Q": Q} for Q in (0, 1, 3, 7, 15, 31, 63, 127, 255)]


def drawn(n: int) -> dict[str, Spec]:
    """n random worlds, sizes drawn over decades in the logarithm: every other one quadratic, every other one wavy."""
    rng = np.random.default_rng(0)
    return {f"drawn {i + 1}": _quadratic(rng) if i % 2 else _wavy(rng) for i in range(n)}


def _wavy(rng: np.random.Generator) -> Spec:
    A, B, D, omega, s_f = (10 ** rng.uniform([-2, -1, -2, -1, -3], [1, 1, 2, 1, 0])).tolist()
    E, dial = A * float(rng.uniform(0, 0.9)), float(rng.uniform(0.1, 4.5))
    return {"world": "wavy", "A": A, "B": B, "D": D, "omega": omega, "s_f": s_f, "E": E, "dial": dial}


def _quadratic(rng: np.random.Generator) -> Spec:
    d_x, d_y, seed = (int(k) for k in rng.integers([1, 1, 0], [4, 4, 1000]))
    L_1, kappa, s_f = (10 ** rng.uniform([-1, 0.3, -3], [1, 3, 0])).tolist()
    mu = L_1 / kappa
    sigma_H, reading = (L_1 - mu) / 2 * float(rng.uniform(0, 0.9)), str(rng.choice(["joint", "block"]))
    size = {"d_x": d_x, "d_y": d_y, "mu": mu, "L_1": L_1, "sigma_H": sigma_H, "s_f": s_f}
    return {"world": "random_quadratic", **size, "seed": seed, "reading": reading}
