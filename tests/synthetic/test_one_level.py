"""Worlds of one level against brute force: every sample, random points, numerical minima."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import ratecert as rc
from oracles.world_signs import every_outcome

RNG = np.random.default_rng(5)
SINGLE = rc.worlds.SingleLevel(
    H=[[2.0, 0.5], [0.5, 1.0]],
    a=[1.0, -1.0],
    E=[[[0.4, 0.1], [0.1, 0.2]], [[0.0, 0.2], [0.2, 0.1]]],
    c=[[0.3, 0.0], [-0.1, 0.2]],
    s=0.25,
)
PLAIN = rc.worlds.single_level([1.0, 3.0], a=0.5, seed=2, noise_H=0.4, s=0.3)
SUM = rc.worlds.FiniteSum(
    H=[[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]], [[0.5, 0.25], [0.25, 0.5]]],
    a=[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]],
)
FEDERATED = rc.worlds.Federated(devices=[SINGLE, SUM, PLAIN], weights=[0.5, 0.3, 0.2])
WORLDS = {"single": SINGLE, "plain": PLAIN, "sum": SUM}


def every_gradient(world: Any, x: np.ndarray) -> np.ndarray:
    """(samples, d): the gradients of all samples, each as likely."""
    if isinstance(world, rc.worlds.FiniteSum):
        sample, n = np.arange(world.n), world.n
    else:
        sample, n = every_outcome(world.sample_f)
    gradients: np.ndarray = world.grad_f(sample, np.repeat(x[:, None], n, axis=1)).T
    return gradients


def variance(world: Any, x: np.ndarray) -> float:
    gradients = every_gradient(world, x)
    return float(np.square(gradients - gradients.mean(axis=0)).sum(axis=1).mean())


def points(world: Any, n: int = 200) -> np.ndarray:
    return world.x_star + RNG.standard_normal((n, world.d_x)) * RNG.choice([0.1, 1.0, 10.0], (n, 1))


@pytest.mark.parametrize("name", WORLDS)
def test_samples_have_the_gradient_and_the_second_moment_that_are_said(name: str) -> None:
    world = WORLDS[name]
    for x in points(world, 20):
        gradients = every_gradient(world, x)
        np.testing.assert_allclose(gradients.mean(axis=0), world.gradient(x), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            world.full_gradient(x[:, None])[:, 0], world.gradient(x), rtol=1e-12, atol=1e-12
        )
        second = float(world.sample_share) * np.square(world.sample_vectors(x[:, None])).sum()
        assert second == pytest.approx(np.square(gradients).sum(axis=1).mean(), rel=1e-12)


@pytest.mark.parametrize("name", WORLDS)
def test_variance_grows_as_m_and_m_v_say(name: str) -> None:
    """Var g <= M + M_V ||grad F||^2 everywhere, and less of either is not enough somewhere."""
    world, c = WORLDS[name], WORLDS[name].constants()

    def excess(x: np.ndarray, M: float, M_V: float) -> float:
        return variance(world, x) - M - M_V * float(np.square(world.gradient(x)).sum())

    assert max(excess(x, c["M"], c["M_V"]) for x in points(world)) <= 1e-10
    found = minimize(lambda x: -excess(x, 0.999 * c["M"], c["M_V"]), world.x_star + 0.01)
    assert found.fun < 0
    far = world.x_star + 1e4 * points(world, 400)
    assert max(excess(x, c["M"], 0.45 * c["M_V"]) for x in far) > 0


@pytest.mark.parametrize("name", WORLDS)
def test_average_and_expected_smoothness_are_attained(name: str) -> None:
    """L_average between two points; calL from x*, E||g(x) - g(x*)||^2 <= 2 calL (F(x) - F*)."""
    world, c, average, expected = WORLDS[name], WORLDS[name].constants(), 0.0, 0.0
    at_star, lowest = every_gradient(world, world.x_star), world.objective(world.x_star)
    for x, y in zip(points(world, 400), points(world, 400), strict=True):
        at_x = every_gradient(world, x)
        change, spread = (np.square(at_x - g).sum(axis=1).mean() for g in (every_gradient(world, y), at_star))
        average = max(average, float(np.sqrt(change / np.square(x - y).sum())))
        expected = max(expected, float(spread / (2 * (world.objective(x) - lowest))))
    for found, told in ((average, c["L_average"]), (expected, c["calL"])):
        assert 0.99 * told < found <= told * (1 + 1e-9)


@pytest.mark.parametrize("name", WORLDS)
def test_a_proximal_step_is_a_minimum(name: str) -> None:
    world, v, step = WORLDS[name], np.array([0.7, -1.2]), 0.6
    found = world.prox(step, v[:, None])[:, 0]
    least = minimize(lambda w: float(world.objective(w) + np.square(w - v).sum() / (2 * step)), v, tol=1e-12)
    np.testing.assert_allclose(found, least.x, atol=1e-6)
    np.testing.assert_allclose(world.gradient(found) + (found - v) / step, np.zeros(2), atol=1e-12)


def test_devices_make_one_function() -> None:
    c, x = FEDERATED.constants(), np.array([0.3, 0.8])
    pairs = list(zip(FEDERATED.weights, FEDERATED.devices, strict=True))
    assert FEDERATED.objective(x) == pytest.approx(sum(p * d.objective(x) for p, d in pairs), rel=1e-14)
    np.testing.assert_allclose(FEDERATED.gradient(x), sum(p * d.gradient(x) for p, d in pairs), rtol=1e-13)
    lowest = minimize(lambda w: float(FEDERATED.objective(w)), x, tol=1e-12)
    np.testing.assert_allclose(FEDERATED.x_star, lowest.x, atol=1e-6)
    own = [minimize(lambda w, d=d: float(d.objective(w)), x, tol=1e-12).fun for _, d in pairs]  # type: ignore[misc]
    assert c["Gamma"] == pytest.approx(lowest.fun - FEDERATED.weights @ own, abs=1e-9)
    slopes = [np.square(d.gradient(FEDERATED.x_star)).sum() for _, d in pairs]
    assert c["heterogeneity"] ** 2 == pytest.approx(FEDERATED.weights @ slopes, rel=1e-12)
    sigmas = [variance(d, FEDERATED.x_star) for _, d in pairs]
    assert c["sigma_star"] ** 2 == pytest.approx(max(sigmas), rel=1e-12)
    assert [c[f"sigma_star_{k}"] ** 2 for k in range(3)] == pytest.approx(sigmas, rel=1e-12)
    assert (c["sigma"], c["sigma_mean"]) == (np.inf, np.inf)  # Hessians of samples differ
    alike = rc.worlds.Federated(
        devices=[PLAIN, rc.worlds.SingleLevel(H=PLAIN.H, s=2.0)], weights=[0.25, 0.75]
    )
    own = [device.constants()["sigma"] for device in alike.devices]
    assert alike.constants()["sigma"] == max(own)
    assert alike.constants()["sigma_mean"] == pytest.approx(np.hypot(0.25 * own[0], 0.75 * own[1]), rel=1e-12)
    assert c["L"] == max(d.constants()["L"] for _, d in pairs)
    assert rc.worlds.federated([1.0, 2.0], K=3, dial=0.0).constants()["Gamma"] == pytest.approx(0, abs=1e-30)


def test_growth_does_not_depend_on_where_the_origin_is() -> None:
    for shift in (0.0, 0.3):
        centres = [shift + a for a in (0.1, 0.1, -0.1, -0.1)]
        found = rc.worlds.FiniteSum(H=[1.0, 3.0, 1.0, 3.0], a=centres).constants()["M_V"]
        assert found == pytest.approx(0.25, rel=1e-9)


def test_least_squares_are_a_finite_sum() -> None:
    """Every term has rank one, and eigenvalues that are zero up to rounding."""
    rows = np.random.default_rng(0).standard_normal((20, 4, 3))
    for features in rows:
        assert rc.worlds.FiniteSum(H=[np.outer(u, u) for u in features], a=np.zeros((4, 3))).n == 4


def test_a_regularised_world_says_its_noise_at_its_own_minimiser() -> None:
    world = rc.worlds.Regularised(smooth=rc.worlds.SingleLevel(H=1.0, a=3.0, E=[0.5]), lam=2.0)
    assert world.constants()["sigma_star"] == pytest.approx(
        1.0, rel=1e-14
    )  # half of the distance from 3 to 1


def test_noise_is_bounded_where_all_terms_have_one_hessian_alone() -> None:
    """Var of (1, 3) is 1 at any point; with curvatures 1 and 2 it grows with the distance."""
    alike, apart = (rc.worlds.FiniteSum(H=H, g=[1.0, 3.0]).constants() for H in ([2.0, 2.0], [1.0, 2.0]))
    assert (alike["sigma"], alike["sigma_star"], alike["n"]) == (1.0, 1.0, 2.0)
    assert (apart["sigma"], np.isfinite(apart["sigma_star"])) == (np.inf, True)


COVARIED = {  # a world, and the covariance of its sampled gradients at the minimiser
    "signs": (rc.worlds.SingleLevel(H=np.eye(2), c=[[1.0, 2.0]], s=0.5), [[1.25, 2.0], [2.0, 4.25]]),
    "terms": (rc.worlds.FiniteSum(H=np.stack([np.eye(2)] * 2), g=[[3.0, 1.0], [1.0, 1.0]]), [[1.0, 0.0], [0.0, 0.0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", COVARIED)
def test_the_deviation_in_one_direction_is_that_of_the_covariance(name: str) -> None:
    """No smaller than the root of its largest eigenvalue, and less than that of its trace in a plane."""
    world, covariance = COVARIED[name]
    found = world.sigma_in_one_direction
    assert found == pytest.approx(np.sqrt(np.linalg.eigvalsh(covariance)[-1]), rel=1e-14)
    assert found**2 <= np.trace(covariance)
    assert world.constants()["sigma"] ** 2 == pytest.approx(np.trace(covariance), rel=1e-14)
