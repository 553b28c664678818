"""The certified radius where devices differ: attained where all signs pull one way, never exceeded, or refused."""

from dataclasses import replace

import numpy as np
import pytest

from oracles.adversary import reached
from oracles.mixed_world import Mixed, device
from ratecert.errors import NoCertificateError
from ratecert.solvers import CubeRoot, LocalBSGM, LocalBSGVRM, LocalSGD, reachable_radius
from ratecert.solvers.engines.certificates import reach
from ratecert.synthetic import Quadratic, heterogeneous

STEPS = {"eta": 0.1, "rho_1": 0.2, "rho_2": 0.5, "p": 3, "theta": 0.15, "Q": 3}
SOLVERS = {
    "sgd": LocalSGD(**STEPS),
    "bsgm": LocalBSGM(alpha=2.0, beta=2.0, **STEPS),
    "bsgm-fresh": LocalBSGM(alpha=2.0, beta=2.0, momenta="fresh", **STEPS),
    "vrm-local": LocalBSGVRM(alpha=2.0, beta=2.0, **STEPS),
    "vrm-averaged": LocalBSGVRM(alpha=2.0, beta=2.0, previous="averaged", **STEPS),
}
CURVATURES, NOISE = (0.5, 1.0, 1.5), 0.5
DESCENT = LocalSGD(eta=0.1, rho_1=1.0, rho_2=1.0, p=3, theta=0.5, Q=0)


def mixed(K: int = 2, **noise: float) -> Mixed:
    return Mixed([device(i, **noise) for i in range(K)])


def start_of(world: Mixed) -> tuple[np.ndarray, np.ndarray]:
    return world.x_star, world.y_star(world.x_star)


def uncoupled() -> Mixed:
    """x alone moves, on every device with a curvature of its own."""
    return Mixed([Quadratic(A=1.0, B=0.0, P=P, D=0.0, s_f=NOISE) for P in CURVATURES])


def farthest_descent(signs: list[tuple[float, ...]]) -> float:
    """x_k+ = x_k - eta (P_k x_k + s n_k), averaged every third time, by hand; the signs come again and again."""
    x, far = np.zeros(len(CURVATURES)), 0.0
    for t in range(3000):
        far = max(far, float(abs(x).max()))
        x = x - 0.1 * (np.array(CURVATURES) * x + NOISE * np.array(signs[t % len(signs)]))
        x = np.full(3, x.mean()) if (t + 1) % 3 == 0 else x
    return far


def test_the_radius_of_devices_that_differ_is_attained() -> None:
    """All pull one way for ever: the flattest device is farthest away, within a round; half would be wrong."""
    radius = reachable_radius(uncoupled(), DESCENT, 3)
    attained = farthest_descent([(1.0, 1.0, 1.0)])
    assert attained * (1 - 1e-12) <= radius <= attained * (1 + 1e-7)
    assert attained > 1.001 * NOISE / np.mean(CURVATURES)  # it is not that of the mean device


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_adversarial_noise_stays_inside_and_comes_near(solver) -> None:
    world = mixed(s_f=0.3, s_g=0.3)
    radius, seen = reachable_radius(world, solver, 2), reached(world, solver, 2, *start_of(world), T=1000)
    assert seen <= radius <= 10 * seen


def test_the_check_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate for the mean device alone is exceeded by the devices."""
    world = Mixed([device(i, spread=3.0, s_f=0.01, s_g=0.01) for i in range(3)])
    seen = reached(world, SOLVERS["sgd"], 3, *start_of(world), T=200)
    assert (
        reachable_radius(world.mean, SOLVERS["sgd"], 3) < seen <= reachable_radius(world, SOLVERS["sgd"], 3)
    )


@pytest.mark.parametrize("name", ["sgd", "bsgm", "bsgm-fresh"])
def test_devices_that_happen_to_be_alike_have_the_radius_of_devices_that_are(name: str) -> None:
    """Two ways: all devices by rounds, and one device by steps."""
    single = device(1, s_f=0.1, s_g=0.1)
    joint, alike = (reachable_radius(w, SOLVERS[name], 3) for w in (Mixed([single] * 3), single))
    assert joint == pytest.approx(alike, rel=1e-7)


@pytest.mark.parametrize("name", ["sgd", "bsgm", "vrm-averaged"])
def test_noise_that_grows_with_the_iterates_is_covered_where_all_fields_are_averaged(name: str) -> None:
    world = mixed(E=0.02, s_g=0.3, s_f=0.3)
    seen = reached(world, SOLVERS[name], 2, *start_of(world), T=1000)
    assert seen <= reachable_radius(world, SOLVERS[name], 2) < 20 * seen


@pytest.mark.parametrize("name", ["sgd", "bsgm"])
def test_decaying_steps_are_covered_where_all_fields_are_averaged(name: str) -> None:
    world, solver = mixed(s_g=0.3, s_f=0.3), replace(SOLVERS[name], eta=CubeRoot(scale=0.1))
    seen = reached(world, solver, 2, *start_of(world), T=1000)
    assert seen <= reachable_radius(world, solver, 2) < 20 * seen


def test_the_truth_is_that_of_the_mean_problem() -> None:
    """Devices start where y*(xbar) is that of the mean, and go each its own way."""
    world = heterogeneous(K=3, dial=0.2, seed=2)
    found = reach.certified_reach(world, SOLVERS["sgd"], 3)
    away = np.concatenate([world.x_star - world.a, world.y_star(world.x_star) - world.b])
    assert found.truth >= np.linalg.norm(away)
    assert found.iterates >= reached(world, SOLVERS["sgd"], 3, *start_of(world), T=300)


GROWING, LOUD = mixed(E=0.1, s_g=0.1), mixed(E=1.0, s_g=0.1)
FALLING = {name: replace(SOLVERS[name], eta=CubeRoot(scale=0.1)) for name in ("bsgm", "vrm-local")}
NOT_SHOWN = {
    "a partial average": (GROWING, SOLVERS["vrm-local"], "not every field is averaged and the noise grows"),
    "falling steps": (GROWING, FALLING["bsgm"], "step sizes vary and the noise grows"),
    "both": (mixed(s_g=0.1), FALLING["vrm-local"], "devices differ, step sizes vary"),
    "strong noise": (LOUD, SOLVERS["bsgm"], "the slowest mode .* steps that differ"),
    "unstable": (mixed(s_g=0.1), replace(SOLVERS["sgd"], eta=1.0, rho_1=9.0), "the slowest mode"),
}


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_no_certificate_says_why(name: str) -> None:
    world, solver, words = NOT_SHOWN[name]
    with pytest.raises(NoCertificateError, match=f"no certificate: .*{words}"):
        reachable_radius(world, solver, 2)
