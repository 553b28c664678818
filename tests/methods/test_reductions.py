"""What the two algorithms reduce to, path by path.

Each line is a setting in which a solver has to coincide with something else:

    LocalBSGVRM, K = 1, p = 1, cube-root steps    MRBO
    LocalBSGM, alpha eta = beta eta = 1           plain stochastic gradient descent on both levels
    either, E = F = 0                             in xbar_t itself at any other p: averages commute with steps
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.mrbo import Sample, mrbo, sgd
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, State
from ratecert.solvers.contract.draws import Switch, with_steps
from ratecert.solvers.contract.experiment import prepare
from ratecert.solvers.contract.stage import Oracle, Stage
from ratecert.solvers.engines.monte_carlo.noise import Hashed, Reader, SignStreams
from ratecert.solvers.engines.monte_carlo.numpy_tile import run_tile
from ratecert.synthetic import Quadratic, random_quadratic

Array = NDArray[np.float64]
Paths = tuple[Array, Array]  # of x and of y

T, Q, LANES = 40, 3, 5
X0, Y0 = [1.0, -0.8, 0.5], [-0.7, 0.4]
THETA = 0.3

MOMENTA = [{"momenta": "carry"}, {"momenta": "fresh"}]
READINGS = [
    {"momenta": "carry", "previous": "local"},
    {"momenta": "carry", "previous": "averaged"},
    {"momenta": "fresh"},
]


def reading_id(reading: dict[str, str]) -> str:
    return "-".join(reading.values())


def noisy_world(*, sigma_H: float = 0.3, sigma_J: float = 0.3) -> Quadratic:
    return random_quadratic(d_x=3, d_y=2, sigma_H=sigma_H, sigma_J=sigma_J, s_f=0.5, s_g=0.4, seed=3)


class Given:
    """Signs made beforehand: `stream[t, label]` is (signs, lanes) in the order in which a step draws them.

    `sample(t, lane)` says the same in the letters of the oracle.
    """

    weights, every_case = None, False

    def __init__(self, world: Quadratic, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sizes = {
            "xi_hat": world.d_x + world.d_y + len(world.F) + Q * len(world.E),
            "zeta": len(world.E) + len(world.F) + world.d_y,
        }
        self.world = world
        self.stream = {
            (t, label): rng.choice([-1.0, 1.0], size=(size, LANES))
            for t in range(T + 1)  # u_T and v_T, which `fresh` computes, draw too
            for label, size in sizes.items()
        }

    def reader(self, t: int, label: str, member: int, ahead: int) -> Reader:
        return Reader(lambda start, count: self.stream[t, label][start : start + count], ahead)

    def sample(self, t: int, lane: int) -> Sample:
        w, xi, zeta = self.world, self.stream[t, "xi_hat"][:, lane], self.stream[t, "zeta"][:, lane]
        m_x, m_y, jacobian, hessians = np.split(xi, np.cumsum([w.d_x, w.d_y, len(w.F)]))
        e, e_F, n = np.split(zeta, np.cumsum([len(w.E), len(w.F)]))
        return Sample(m_x, m_y, jacobian, hessians.reshape(Q, len(w.E)), e, e_F, n)

    def samples(self, lane: int) -> list[Sample]:
        return [self.sample(t, lane) for t in range(T)]


class Watched:
    """A solver that keeps the state in which each of its iterations begins, and the last."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver
        self.states: list[State] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver, name)

    @property
    def stages(self) -> tuple[Stage | Switch, ...]:
        return with_steps(self.solver.stages, self._watched)

    def _watched(self, step: Callable[..., State]) -> Callable[..., State]:
        def watched(t: int, s: State, oracle: Oracle) -> State:
            moved = step(t, s, oracle)
            self.states[t:] = [s, moved]  # what was kept as moved gives way to what the average made of it
            return moved

        return watched


def mean_paths(world: Quadratic, solver: Any, noise: SignStreams, *, K: int, T: int, lanes: int) -> Paths:
    """xbar_0, ..., xbar_T and ybar_0, ..., ybar_T as (T + 1, d, lanes), from the engine itself."""
    watched = Watched(solver)
    setting = prepare(world, watched, K=K, T=T, x0=X0, y0=Y0, times=None)
    run_tile(setting, noise, 0, lanes)
    x, y = (np.array([getattr(s, name) for s in watched.states]) for name in ("x", "y"))
    return x.reshape(T + 1, -1, K, lanes).mean(axis=2), y.reshape(T + 1, -1, K, lanes).mean(axis=2)


def paths_on_one_device(solver: Any, noise: Given) -> Paths:
    return mean_paths(noise.world, solver, noise, K=1, T=T, lanes=LANES)


def distance(one: Paths, other: Paths) -> float:
    """The largest difference between two paths in x or y, which are of the order of 1."""
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True))


def all_lanes(paths: list[Paths]) -> Paths:
    x, y = zip(*paths, strict=True)
    return np.stack(x, axis=-1), np.stack(y, axis=-1)


# MRBO.


def storm(reading: dict[str, Any], **changes: Any) -> LocalBSGVRM:
    fields = {
        "eta": CubeRoot(scale=0.5, offset=2.0),
        "alpha": 3.0,
        "beta": 2.0,
        "rho_1": 0.4,
        "rho_2": 0.6,
        "p": 1,
        "theta": THETA,
        "Q": Q,
    }
    return LocalBSGVRM(**fields | reading | changes)


def mrbo_paths(noise: Given) -> Paths:
    letters = {"d": 0.5, "m": 2.0, "c_1": 3.0, "c_2": 2.0, "gamma": 0.4, "lambda_": 0.6, "theta": THETA}
    return all_lanes(
        [mrbo(noise.world, noise.samples(lane), x0=X0, y0=Y0, **letters) for lane in range(LANES)]
    )


@pytest.mark.parametrize("reading", READINGS, ids=reading_id)
def test_LocalBSGVRM_on_one_device_is_MRBO(reading: dict[str, str]) -> None:
    noise = Given(noisy_world(), seed=11)
    assert distance(paths_on_one_device(storm(reading), noise), mrbo_paths(noise)) <= 1e-12


@pytest.mark.parametrize(
    "changes",
    [
        {"eta": CubeRoot(scale=0.5, offset=3.0)},
        {"eta": CubeRoot(scale=0.5, offset=2.0, floor=4.0)},
        {"alpha": 2.9},
        {"beta": 1.9},
        {"rho_1": 0.39},
        {"rho_2": 0.59},
    ],
    ids=["offset", "floor", "alpha", "beta", "rho_1", "rho_2"],
)
def test_another_LocalBSGVRM_is_not_that_MRBO(changes: dict[str, Any]) -> None:
    noise = Given(noisy_world(), seed=11)
    assert distance(paths_on_one_device(storm(READINGS[0], **changes), noise), mrbo_paths(noise)) > 1e-4


def test_on_other_signs_it_is_another_path() -> None:
    noise, other = (Given(noisy_world(), seed=seed) for seed in (11, 12))
    assert distance(paths_on_one_device(storm(READINGS[0]), noise), mrbo_paths(other)) > 1e-2


# Plain stochastic gradient descent.


def moving_average(reading: dict[str, Any], *, alpha: float = 4.0, beta: float = 4.0) -> LocalBSGM:
    return LocalBSGM(eta=0.25, alpha=alpha, beta=beta, rho_1=0.4, rho_2=0.6, p=3, theta=THETA, Q=Q, **reading)


def sgd_paths(noise: Given) -> Paths:
    steps = {"step_x": 0.4 * 0.25, "step_y": 0.6 * 0.25, "theta": THETA}
    return all_lanes([sgd(noise.world, noise.samples(lane), x0=X0, y0=Y0, **steps) for lane in range(LANES)])


@pytest.mark.parametrize("reading", MOMENTA, ids=reading_id)
def test_LocalBSGM_with_full_weights_is_SGD(reading: dict[str, str]) -> None:
    noise = Given(noisy_world(), seed=11)
    assert distance(paths_on_one_device(moving_average(reading), noise), sgd_paths(noise)) <= 1e-12


@pytest.mark.parametrize("weights", [{"alpha": 3.9}, {"beta": 3.9}], ids=["alpha", "beta"])
def test_LocalBSGM_with_less_is_not_SGD(weights: dict[str, float]) -> None:
    noise = Given(noisy_world(), seed=11)
    assert distance(paths_on_one_device(moving_average({}, **weights), noise), sgd_paths(noise)) > 1e-4


# The period p without matrix noise.


every_method = pytest.mark.parametrize(
    ("algorithm", "reading"),
    [
        pytest.param(algorithm, reading, id=f"{algorithm.__name__}-{reading_id(reading)}")
        for algorithm, readings in ((LocalBSGM, MOMENTA), (LocalBSGVRM, READINGS))
        for reading in readings
    ],
)


def effect_of_p(world: Quadratic, algorithm: Any, reading: dict[str, str]) -> float:
    """The distance between the mean iterates of p = 1 and p = 16 for the same seed: K = 4, T = 64."""

    def paths(p: int) -> Paths:
        numbers = {"eta": 0.2, "alpha": 2.0, "beta": 3.0, "rho_1": 0.4, "rho_2": 0.6, "theta": THETA, "Q": Q}
        noise = Hashed(seed=5, first=0, replicates=8, K=4)
        return mean_paths(world, algorithm(p=p, **numbers, **reading), noise, K=4, T=64, lanes=8)

    return distance(paths(1), paths(16))


@every_method
def test_without_matrix_noise_the_mean_iterate_does_not_depend_on_p(algorithm: Any, reading: Any) -> None:
    assert effect_of_p(noisy_world(sigma_H=0.0, sigma_J=0.0), algorithm, reading) <= 1e-12


@every_method
@pytest.mark.parametrize("noise", ["sigma_H", "sigma_J"])
def test_with_matrix_noise_it_does(noise: str, algorithm: Any, reading: Any) -> None:
    levels = {"sigma_H": 0.0, "sigma_J": 0.0, noise: 0.3}
    assert effect_of_p(noisy_world(**levels), algorithm, reading) > 1e-5
