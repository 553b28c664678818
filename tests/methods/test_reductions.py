"""Where the paper's two algorithms coincide with methods that have a pseudocode, path by path on the same signs.

    LocalBSGVRM, K = 1, p = 1                 MRBO
    LocalBSGVRM, fresh, only x, u averaged    FedBiOAcc, on every device
    LocalBSGM, alpha eta = beta eta = 1       LocalSGD, on every device
    either, no noise in matrices              itself at any other p, in the mean over devices, as averages commute

Beside each stands the same with another parameter, world or set of averages, and the paths part. The methods themselves
are held against their pseudocode in test_baseline_pseudocode.py.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from oracles.paths import Given, Paths, device_paths, distance
from ratecert.solvers import MRBO, CubeRoot, FedBiOAcc, LocalBSGM, LocalBSGVRM, LocalSGD
from ratecert.synthetic import Quadratic, random_quadratic

REPLICATES, SAME, OTHER = 5, 1e-12, 1e-4
ETA = CubeRoot(scale=0.5, offset=2.0)
SUM = {"theta": 0.3, "Q": 3}
STORM = {"eta": ETA, "alpha": 3.0, "beta": 2.0, "rho_1": 0.4, "rho_2": 0.6, **SUM}
MOMENTA = [{"momenta": "carry"}, {"momenta": "fresh"}]
READINGS = [
    {"momenta": "carry", "previous": "local"},
    {"momenta": "carry", "previous": "averaged"},
    {"momenta": "fresh"},
]


def named(change: dict[str, Any]) -> str:
    return "-".join(f"{name}={value}" for name, value in change.items())


@cache
def noisy_world(*, sigma_H: float = 0.3, sigma_J: float = 0.3) -> Quadratic:
    return random_quadratic(d_x=3, d_y=2, sigma_H=sigma_H, sigma_J=sigma_J, s_f=0.5, s_g=0.4, seed=3)


def paths(solver: Any, *, K: int, world: Any = None, T: int = 40) -> Paths:
    run: dict[str, Any] = {"T": T, "x0": np.array([1.0, -0.8, 0.5]), "y0": np.array([-0.7, 0.4]), "K": K}
    noise = Given(seed=11, K=K, replicates=REPLICATES)
    return device_paths(world or noisy_world(), solver, noise, replicates=REPLICATES, **run)


def mrbo(**changes: Any) -> Paths:
    letters = {"eta": ETA, "gamma": 0.4, "lam": 0.6, "c_u": 3.0, "c_v": 2.0, **SUM}
    return paths(MRBO(**letters | changes), K=1)


@pytest.mark.parametrize("reading", READINGS, ids=named)
def test_on_one_device_LocalBSGVRM_is_MRBO(reading: dict[str, Any]) -> None:
    assert distance(paths(LocalBSGVRM(**STORM, p=1, **reading), K=1), mrbo()) <= SAME


LATER, HELD = CubeRoot(scale=0.5, offset=3.0), CubeRoot(scale=0.5, offset=2.0, floor=4.0)


@pytest.mark.parametrize(
    "change",
    [
        {"eta": LATER},
        {"eta": HELD},
        {"alpha": 2.9},
        {"beta": 1.9},
        {"rho_1": 0.39},
        {"rho_2": 0.59},
        {"Q": 2},
    ],
    ids=named,
)
def test_another_LocalBSGVRM_is_not(change: dict[str, Any]) -> None:
    assert distance(paths(LocalBSGVRM(**STORM | change, p=1), K=1), mrbo()) > OTHER


@pytest.mark.parametrize(
    ("names", "same"),
    [(("x", "u"), True), (("x",), False), (("x", "u", "y"), False), (("x", "y", "u", "v"), False)],
    ids=str,
)
def test_LocalBSGVRM_that_averages_x_and_u_alone_is_FedBiOAcc(names: tuple[str, ...], same: bool) -> None:
    class Partly(LocalBSGVRM):
        averaged = names

    letters = {"eta": ETA, "p": 4, "lam": 0.4, "gamma": 0.6, "c_nu": 3.0, "c_w": 2.0, **SUM}
    off = distance(paths(Partly(**STORM, p=4, momenta="fresh"), K=3), paths(FedBiOAcc(**letters), K=3))
    assert off <= SAME if same else off > OTHER


@pytest.mark.parametrize(
    ("change", "same"),
    [({}, True), ({"alpha": 3.9}, False), ({"beta": 3.9}, False), ({"p": 3}, False)],
    ids=str,
)
def test_LocalBSGM_with_full_weights_is_LocalSGD(change: dict[str, Any], same: bool) -> None:
    steps = {"eta": 0.25, "rho_1": 0.4, "rho_2": 0.6, "p": 4, **SUM}
    forgetful = LocalBSGM(**{"alpha": 4.0, "beta": 4.0, **steps} | change)
    off = distance(paths(forgetful, K=3), paths(LocalSGD(**steps), K=3))
    assert off <= SAME if same else off > OTHER


@pytest.mark.parametrize(
    ("algorithm", "reading"),
    [*((LocalBSGM, reading) for reading in MOMENTA), *((LocalBSGVRM, reading) for reading in READINGS)],
    ids=lambda value: named(value) if isinstance(value, dict) else value.__name__,
)
@pytest.mark.parametrize("noise", [None, "sigma_H", "sigma_J"])
def test_the_mean_iterate_feels_p_through_noise_of_matrices_alone(
    noise: str | None, algorithm: Any, reading: dict[str, str]
) -> None:
    world = noisy_world(**{"sigma_H": 0.0, "sigma_J": 0.0} | ({noise: 0.3} if noise else {}))
    steps = {"eta": 0.2, "alpha": 2.0, "beta": 3.0, "rho_1": 0.4, "rho_2": 0.6, **SUM}

    def mean_paths(p: int) -> Paths:
        solver = algorithm(p=p, **steps, **reading)
        return tuple(field.mean(axis=2) for field in paths(solver, K=4, world=world, T=64))

    off = distance(mean_paths(1), mean_paths(16))
    assert off > 1e-5 if noise else off <= SAME
