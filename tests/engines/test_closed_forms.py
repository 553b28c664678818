"""Published closed forms on one level, each on forty random settings: the exact engine against equalities of others.

SGD, its heavy ball and its moving average on a noisy quadratic (Zhang and others 2019), Nesterov's method (Aybat and
others), the stationary covariance of SGD, the averaged iterate in the limit (Polyak and Juditsky) and at every n as an
inequality (Bach and Moulines 2013), local gradient descent on devices that differ (Li and others 2020).
"""

from typing import Any

import mpmath
import numpy as np
import pytest

import ratecert as rc

SETTINGS = range(40)
GAP = {"gap": rc.measures.gap()}


def drawn(seed: int, *names: str) -> tuple[float, ...]:
    """Curvatures and noise between 1/4 and 4; alpha, beta, gamma as fractions of what is stable."""
    rng = np.random.default_rng([21, seed])
    ranges = {
        "h": (0.25, 4.0),
        "s": (0.25, 4.0),
        "alpha": (0.02, 0.9),
        "beta": (0.05, 0.95),
        "gamma": (0.05, 0.95),
    }
    return tuple(float(rng.uniform(*ranges[name])) for name in names)


@pytest.mark.parametrize("seed", SETTINGS)
def test_sgd_at_every_k(seed: int) -> None:
    """E l(w_k) = (1 - alpha h)^2k l(w_0) + (1 - (1 - alpha h)^2k) alpha c / (2 (2 - alpha h))."""
    h, s, part = drawn(seed, "h", "s", "alpha")
    alpha, start = part / h, 1.7
    world, solver = rc.worlds.single_level([h], s=s), rc.methods.SGD(alpha=alpha)
    for k in (1, 2, 7, 1000):
        exact = rc.expect(
            world, solver, K=1, T=k, x0=start, measures={"gap": rc.measures.gap().last()}, times=[]
        )
        left = (1 - alpha * h) ** (2 * k)
        expected = left * h * start**2 / 2 + (1 - left) * alpha * s**2 / (2 * (2 - alpha * h))
        assert exact.gap == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", SETTINGS)
def test_heavy_ball_at_rest(seed: int) -> None:
    """(1 + beta) alpha c / (2 (2 beta + 2 - alpha h) (1 - beta))."""
    h, s, part, beta = drawn(seed, "h", "s", "alpha", "beta")
    alpha = part / h
    limit = rc.stationary(
        rc.worlds.single_level([h], a=3.0, s=s),
        rc.methods.HeavyBall(alpha=alpha, beta=beta),
        K=1,
        measures=GAP,
    )
    expected = (1 + beta) * alpha * s**2 / (2 * (2 * beta + 2 - alpha * h) * (1 - beta))
    assert limit.gap == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", SETTINGS)
def test_a_moving_average_at_rest(seed: int) -> None:
    """alpha c / (2 (2 - alpha h)) times (1 - gamma)(1 + r gamma) / ((1 + gamma)(1 - r gamma)), r = 1 - alpha h."""
    h, s, part, gamma = drawn(seed, "h", "s", "alpha", "gamma")
    alpha = part / h
    limit = rc.stationary(
        rc.worlds.single_level([h], s=s),
        rc.methods.AveragedSGD(alpha=alpha, gamma=gamma),
        K=1,
        measures={"gap": rc.measures.gap("z"), "plain": rc.measures.gap("x")},
    )
    r, plain = 1 - alpha * h, alpha * s**2 / (2 * (2 - alpha * h))
    less = (1 - gamma) * (1 + r * gamma) / ((1 + gamma) * (1 - r * gamma))
    assert limit.plain == pytest.approx(plain, rel=1e-12, abs=0)
    assert limit.gap == pytest.approx(plain * less, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", SETTINGS)
def test_nesterov_at_rest(seed: int) -> None:
    """(alpha/2) (1 + beta r) / ((1 - beta r)(2 + 2 beta - alpha h (1 + 2 beta))), r = 1 - alpha h, s = 1."""
    h, part, beta = drawn(seed, "h", "alpha", "beta")
    alpha = part / h
    limit = rc.stationary(
        rc.worlds.single_level([h], s=1.0), rc.methods.Nesterov(alpha=alpha, beta=beta), K=1, measures=GAP
    )
    r = 1 - alpha * h
    expected = (alpha / 2) * (1 + beta * r) / ((1 - beta * r) * (2 + 2 * beta - alpha * h * (1 + 2 * beta)))
    assert limit.gap == pytest.approx(expected, rel=1e-12, abs=0)


def test_nesterov_and_heavy_ball_are_cases_of_triple_momentum() -> None:
    world, common = (
        rc.worlds.single_level([1.0, 3.0], seed=0, s=0.5, noise_H=0.1),
        {"alpha": 0.1, "beta": 0.5},
    )
    run: dict[str, Any] = {"K": 2, "T": 100, "x0": [1.0, 2.0], "times": []}
    triple = rc.methods.TripleMomentum(**common, gamma=0.5, delta=0.25)
    expected = rc.expect(world, rc.methods.Nesterov(**common), **run).values
    assert rc.expect(world, triple, **run).values == pytest.approx(expected, rel=1e-12)
    other = rc.expect(world, rc.methods.TripleMomentum(**common, gamma=0.4, delta=0.25), **run).values
    assert other["gap"] != pytest.approx(expected["gap"], rel=1e-3)


@pytest.mark.parametrize("seed", SETTINGS)
def test_the_stationary_covariance_of_sgd(seed: int) -> None:
    """Sigma H + H Sigma - gamma H Sigma H = gamma C (Dieuleveut, Durmus, Bach)."""
    rng = np.random.default_rng([7, seed])
    spectrum, s = rng.uniform(0.5, 4.0, 2), float(rng.uniform(0.25, 2.0))
    world = rc.worlds.single_level(spectrum.tolist(), seed=seed, a=1.5, s=s)
    gamma = float(rng.uniform(0.05, 0.45))
    solver = rc.methods.SGD(alpha=gamma)

    def second(u: Any) -> float:
        weight = np.outer(u, u)
        measure = rc.measures.form(lambda problem, x: x.x - problem.x_star[:, None], weight=weight)
        return float(rc.stationary(world, solver, K=1, measures={"square": measure}).square)

    e, f = np.eye(2)
    across = (second(e + f) - second(e) - second(f)) / 2
    Sigma, H = np.array([[second(e), across], [across, second(f)]]), world.H
    left = Sigma @ H + H @ Sigma - gamma * H @ Sigma @ H
    assert left == pytest.approx(gamma * s**2 * np.eye(2), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_of_the_iterates_in_the_limit(seed: int) -> None:
    """n Cov(wbar_n) -> H^-1 S H^-1 (Polyak and Juditsky), here tr H of it over two: n E gap -> tr(H^-1 S)/2."""
    rng = np.random.default_rng([3, seed])
    spectrum, s = rng.uniform(0.5, 4.0, 2), float(rng.uniform(0.25, 2.0))
    world, solver = (
        rc.worlds.single_level(spectrum.tolist(), seed=seed, a=2.0, s=s),
        rc.methods.SGD(alpha=0.1),
    )
    n = 2**40
    found = rc.expect(
        world, solver, K=1, T=n, x0=[1.0, 1.0], measures={"gap": rc.measures.gap().at_mean()}, times=[]
    )
    assert n * found.gap == pytest.approx(s**2 * float(np.sum(1 / spectrum)) / 2, rel=1e-9)


@pytest.mark.parametrize("seed", SETTINGS)
def test_the_mean_of_the_iterates_by_hand(seed: int) -> None:
    """x_t - a = r^t (x_0 - a) - alpha s sum_{j<t} r^{t-1-j} n_j, averaged over t < n."""
    h, s, part = drawn(seed, "h", "s", "alpha")
    alpha, n, start, a = part / h, 9, 1.7, 0.5
    r = 1 - alpha * h
    bias = (start - a) * sum(r**t for t in range(n)) / n
    weights = [-alpha * s * sum(r ** (t - 1 - j) for t in range(j + 1, n)) / n for j in range(n)]
    expected = h / 2 * (bias**2 + sum(w**2 for w in weights))
    world, solver = rc.worlds.single_level([h], a=a, s=s), rc.methods.SGD(alpha=alpha)
    run: dict[str, Any] = {"K": 1, "T": n, "x0": start, "times": []}
    run["measures"] = {"gap": rc.measures.gap().at_mean()}
    for found in (rc.expect(world, solver, **run, certified=c) for c in (False, True)):
        assert found.gap == pytest.approx(expected, rel=1e-12, abs=0)
    assert rc.enumerate_outcomes(world, solver, **run).gap == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", SETTINGS)
def test_averaged_least_squares(seed: int) -> None:
    """E f(wbar) - f* <= (1/2n) (sigma sqrt d/(1 - sqrt(gamma R^2)) + R ||w_0 - w*||/sqrt(gamma R^2))^2, gamma < 1/R^2.

    Features are +-r: E[x x'] = H = r^2, E[|x|^2 x x'] = R^2 H with R^2 = r^2; the noise of the gradient has the
    covariance sigma^2 H.
    """
    rng = np.random.default_rng([5, seed])
    r, sigma, part, start = (float(rng.uniform(0.2, 0.95)) for _ in range(4))
    n, gamma = int(rng.integers(1, 2000)), part / r**2
    world, solver = rc.worlds.SingleLevel(H=r**2, s=sigma * r), rc.methods.SGD(alpha=gamma)
    found = rc.expect(
        world, solver, K=1, T=n, x0=start, measures={"gap": rc.measures.gap().at_mean()}, times=[]
    )
    bound = (sigma / (1 - np.sqrt(part)) + r * start / np.sqrt(part)) ** 2 / (2 * n)
    assert found.gap <= bound
    assert found.gap > 1e-4 * bound  # or the inequality would say nothing


@pytest.mark.parametrize("seed", SETTINGS)
def test_heavy_ball_at_every_k(seed: int) -> None:
    """w_k = A r_1^k + B r_2^k - alpha sum_i g_{k-i} n_i, g_j = (r_1^j - r_2^j)/(r_1 - r_2).

    r_1 and r_2 are the roots of z^2 - (1 - alpha h + beta) z + beta; they may be complex.
    """
    h, s, part, beta = drawn(seed, "h", "s", "alpha", "beta")
    alpha, start, T = part * (1 + beta) / h, 1.3, 40
    expected = []
    with mpmath.workdps(40):
        b = 1 - mpmath.mpf(alpha) * h + mpmath.mpf(beta)
        root = mpmath.sqrt(mpmath.mpc(b**2 - 4 * mpmath.mpf(beta)))
        r_1, r_2 = (b + root) / 2, (b - root) / 2
        A = start * (1 - 1 / r_2) / (1 / r_1 - 1 / r_2)  # w_{-1} = w_0: no momentum yet
        g = [((r_1**j - r_2**j) / (r_1 - r_2)).real for j in range(T + 1)]
        for k in range(T + 1):
            mean = (A * r_1**k + (start - A) * r_2**k).real
            spread = (mpmath.mpf(alpha) * s) ** 2 * sum(g[k - i] ** 2 for i in range(k))
            expected.append(float(mpmath.mpf(h) / 2 * (mean**2 + spread)))
    world, solver = rc.worlds.single_level([h], s=s), rc.methods.HeavyBall(alpha=alpha, beta=beta)
    found = rc.expect(world, solver, K=1, T=T, x0=start, times=range(T + 1), measures=GAP)
    np.testing.assert_allclose(found.curves.gap, expected, rtol=1e-12)
    other = rc.methods.HeavyBall(alpha=alpha, beta=beta * 0.999)
    off = rc.expect(world, other, K=1, T=T, x0=start, times=range(T + 1), measures=GAP)
    assert not np.allclose(off.curves.gap, expected, rtol=1e-7)


@pytest.mark.parametrize("seed", SETTINGS)
def test_local_gradient_descent_where_devices_differ(seed: int) -> None:
    """It rests at (sum_k p_k S_k)^{-1} sum_k p_k S_k w_k*, S_k = I - (I - eta H_k)^E: off w* unless E = 1."""
    rng = np.random.default_rng([22, seed])
    K, E, d = int(rng.integers(2, 5)), int(rng.integers(2, 9)), int(rng.integers(1, 4))
    weights = rng.dirichlet(np.ones(K))
    weights[-1] = 1 - weights[:-1].sum()
    world = rc.worlds.federated(rng.uniform(0.3, 2.0, d).tolist(), K=K, dial=2.0, weights=weights, seed=seed)
    if d == 1:  # there all devices of that world have one curvature
        lines = [rc.worlds.SingleLevel(H=float(rng.uniform(0.3, 2.0)), a=own.a) for own in world.devices]
        world = rc.worlds.Federated(devices=lines, weights=weights)
    eta = float(rng.uniform(0.05, 0.45))
    S = [np.eye(d) - np.linalg.matrix_power(np.eye(d) - eta * own.H, E) for own in world.devices]
    left = sum(p * part for p, part in zip(weights, S, strict=True))
    right = sum(p * part @ own.a for p, part, own in zip(weights, S, world.devices, strict=True))
    limit = np.linalg.solve(left, right)
    rest = rc.fixed_point(world, rc.methods.LocalGD(alpha=eta, p=E))
    np.testing.assert_allclose(rest.x, limit, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rest.x - rest.excess_x, world.x_star, rtol=1e-12, atol=1e-13)
    assert np.linalg.norm(limit - world.x_star) > 1e-6
    away = {"away": rc.measures.form(lambda _world, s: s.x - limit[:, None], reads="x").last()}
    size = float(np.square(limit - world.x_star).sum())
    end = rc.expect(
        world, rc.methods.LocalGD(alpha=eta, p=E), K=K, T=E * 2**14, x0=np.ones(d), measures=away, times=[]
    )
    assert end.away <= 1e-22 * (1 + size)
