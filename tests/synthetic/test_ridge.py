"""What is special about the world `ridge`: its rows, scikit-learn's weights, and a minimiser that a search has to find.

Truth, samples and constants are tested with those of the other worlds.
"""

import math
import sys
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from oracles.world_signs import every_outcome, noise_free
from ratecert.solvers import LocalBSGM, LocalBSGVRM, enumerate_outcomes, simulate
from ratecert.synthetic.worlds.ridge import Ridge, SplitRidge, ridge

Array = NDArray[np.float64]


@cache
def data() -> dict[str, Array]:
    """60 rows of three features, one of which does not matter."""
    rng = np.random.default_rng(3)
    features = rng.standard_normal((60, 3)) @ np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    targets = features @ [1.0, -0.5, 0.0] + 0.7 * rng.standard_normal(60)
    return {"features": features, "targets": targets}


@cache
def small(**options: Any) -> Ridge:
    return ridge(**data(), **options)


@cache
def diabetes(**options: Any) -> Ridge:
    pytest.importorskip("sklearn")
    return ridge(**options)


def devices_of(world: Ridge) -> tuple[Ridge, ...]:
    return world.devices if isinstance(world, SplitRidge) else (world,)


WORLDS: dict[str, Callable[[], Ridge]] = {
    "small": small,
    "small m=1 batch=4": lambda: small(m=1.0, batch=4),
    "small m=3 split": lambda: small(m=3.0, devices=3),
    "diabetes": diabetes,
}


@pytest.mark.parametrize("log_penalty", [-1.5, 0.0, 1.0])
def test_weights_equal_those_of_scikit_learn(log_penalty: float) -> None:
    """||t - U w||^2 + n phi ||w||^2 there is 2n times the mean loss here; unequal penalties scale the columns."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    world = diabetes()
    U, t, n = world.training.features, world.training.targets, len(world.training.targets)
    x = np.full(10, 2.0 * math.asin(log_penalty / 2.0))
    fitted = linear_model.Ridge(alpha=n * math.exp(log_penalty), fit_intercept=False).fit(U, t).coef_
    np.testing.assert_allclose(world.y_star(x), fitted, rtol=1e-9)
    assert np.abs(world.y_star(x + 0.01) - fitted).max() > 1e-5
    x = np.linspace(-2.5, 2.5, 10)
    scale = np.sqrt(world.penalties(x))
    fitted = linear_model.Ridge(alpha=n, fit_intercept=False).fit(U / scale, t).coef_ / scale
    np.testing.assert_allclose(world.y_star(x), fitted, rtol=1e-9)


# Samples are rows, each exactly equally likely.


@pytest.mark.parametrize(("batch", "blocks_g", "blocks_f"), [(1, 32, 16), (4, 8, 4), (None, 1, 1)])
def test_every_block_is_one_outcome(batch: int | None, blocks_g: int, blocks_f: int) -> None:
    world = small(batch=batch)
    for draw, blocks in (
        (world.sample_g, blocks_g),
        (world.sample_hessian, blocks_g),
        (world.sample_f, blocks_f),
    ):
        sample, outcomes = every_outcome(draw)
        numbers = [] if sample.number is None else sorted(sample.number.tolist())
        assert (outcomes, numbers) == (blocks, list(range(blocks)) if blocks > 1 else [])
    assert every_outcome(world.sample_jacobian)[1] == 1


def test_an_enumerated_run_equals_loops_over_rows() -> None:
    """LocalBSGM with K = 1, Q = 1 for two iterations: the mean over all choices of rows, written out."""
    rng = np.random.default_rng(8)
    world = ridge(features=rng.standard_normal((6, 2)), targets=rng.standard_normal(6), m=1.0)
    U, t, V, s = (
        getattr(rows, k) for rows in (world.training, world.validation) for k in ("features", "targets")
    )
    assert (len(t), len(s)) == (4, 2)
    eta, alpha, beta, rho_1, rho_2, theta = 0.2, 2.0, 1.5, 3.0, 0.4, 0.1
    solver = LocalBSGM(
        eta=eta, alpha=alpha, beta=beta, rho_1=rho_1, rho_2=rho_2, p=1, theta=theta, Q=1
    )  # fmt: skip

    def gradients(x: Array, y: Array, i_f: int, i_h: int, i_g: int) -> tuple[Array, Array]:
        phi, v = np.exp(np.sin(x)), V[i_f]
        r = theta * v * (v @ y - s[i_f])
        total = 2 * r - theta * (U[i_h] * (U[i_h] @ r) + phi * r)
        return -phi * np.cos(x) * y * total, U[i_g] * (U[i_g] @ y - t[i_g]) + phi * y

    x0, y0, measured = np.array([0.4, -0.3]), np.array([0.2, 0.1]), []
    for rows in product(range(2), range(4), range(4)):
        u_0, v_0 = gradients(x0, y0, *rows)
        x, y = x0 - rho_1 * eta * u_0, y0 - rho_2 * eta * v_0
        for again in product(range(2), range(4), range(4)):
            h, g = gradients(x, y, *again)
            x_2 = x - rho_1 * eta * ((1 - alpha * eta) * u_0 + alpha * eta * h)
            y_2 = y - rho_2 * eta * ((1 - beta * eta) * v_0 + beta * eta * g)
            measured.append([(world.hypergradient(x_2) ** 2).sum(), ((y_2 - world.y_star(x_2)) ** 2).sum()])
    exact = enumerate_outcomes(world, solver, K=1, T=2, x0=x0, y0=y0).curves
    np.testing.assert_allclose(
        [exact.gradient[-1], exact.tracking[-1]], np.mean(measured, axis=0), rtol=1e-12
    )
    some = np.mean(measured[:-1], axis=0)  # one outcome of 1024 is missing
    assert abs(some[1] / exact.tracking[-1] - 1) > 1e-5


# Rows: standardised, dealt, left out.


def test_columns_are_standardised_and_rows_are_dealt_like_cards() -> None:
    world = small(devices=3)
    assert isinstance(world, SplitRidge)
    hands = [(d.training.numbers, d.validation.numbers) for d in world.devices]
    assert hands == [(tuple(range(k, 24, 3)), tuple(range(24 + k, 36, 3))) for k in range(3)]
    assert world.left_out == tuple(range(36, 60))
    table = data()["features"]
    standard = (table - table.mean(axis=0)) / table.std(axis=0)
    np.testing.assert_allclose(world.devices[2].training.features, standard[2:24:3], rtol=1e-12, atol=1e-14)
    assert np.abs(world.devices[1].training.features - standard[2:24:3]).max() > 0.1


@pytest.mark.parametrize("devices", [2, 64])
def test_diabetes_split_in_powers_of_two_is_the_same_mean_problem(devices: int) -> None:
    """256 rows for training and 128 for validation; the last 58 are left out."""
    world, whole, x = diabetes(devices=devices), diabetes(), np.linspace(-2.0, 2.0, 10)
    assert world.left_out == whole.left_out == tuple(range(384, 442))
    np.testing.assert_allclose(world.y_star(x), whole.y_star(x), rtol=1e-10)
    np.testing.assert_allclose(world.hypergradient(x), whole.hypergradient(x), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(world.b, whole.y_star(np.zeros(10)), rtol=1e-10)
    assert {device.b.tobytes() for device in devices_of(world)} == {world.b.tobytes()}
    of_devices = np.mean([device.y_star(x) for device in devices_of(world)], axis=0)
    assert np.abs(of_devices - world.y_star(x)).max() > 1e-3


def test_a_homogeneous_world_has_no_devices() -> None:
    assert not hasattr(small(), "devices")
    assert len(devices_of(small(devices=5))) == 5


# The minimiser.


def hessian_of_Phi(world: Ridge, x: Array) -> Array:
    h = 1e-5
    H = np.stack(
        [(world.hypergradient(x + h * e) - world.hypergradient(x - h * e)) / (2 * h) for e in np.eye(len(x))]
    )
    return (H + H.T) / 2


@pytest.mark.parametrize("name", WORLDS)
def test_x_star_is_a_local_minimum_that_no_search_beats(name: str) -> None:
    world, rng = WORLDS[name](), np.random.default_rng(9)
    assert np.linalg.norm(world.hypergradient(world.x_star)) < 1e-10
    assert np.linalg.norm(world.hypergradient(world.x_star + 1e-3)) > 1e-8
    assert np.linalg.eigvalsh(hessian_of_Phi(world, world.x_star)).min() > 1e-6
    assert np.abs(world.x_star).max() <= world.m * math.pi / 2 * (1 + 1e-9)
    for _ in range(5):
        start = world.m * rng.uniform(-1.5, 1.5, world.d_x)
        found = minimize(
            world.objective, start, jac=world.hypergradient, method="BFGS", options={"gtol": 1e-7}
        ).fun
        assert found >= world.objective(world.x_star) - 1e-12


def test_x_star_needs_starts_with_unequal_penalties(monkeypatch: pytest.MonkeyPatch) -> None:
    """On this table searches from points with equal entries alone end in worse minima."""
    rng = np.random.default_rng(56)
    table = {"features": rng.standard_normal((10, 6)), "targets": rng.standard_normal(10)}
    world = ridge(**table)
    starts = world.m * rng.uniform(-1.5, 1.5, (6, 6))
    runs = [minimize(world.objective, start, jac=world.hypergradient, method="BFGS") for start in starts]
    assert min(run.fun for run in runs) >= world.objective(world.x_star) - 1e-12
    monkeypatch.setattr(sys.modules["ratecert.synthetic.worlds.ridge"], "SCATTERED", 0)
    assert world.objective(ridge(**table).x_star) > min(run.fun for run in runs) + 0.05


def test_most_penalties_of_the_diabetes_data_are_best_at_an_end() -> None:
    """There Phi still falls outwards: with a map that never reaches the end Phi would have no minimiser."""
    world = diabetes()
    at_end = np.abs(np.abs(world.x_star) - math.pi) < 1e-6
    assert {name for name, end in zip(world.names, at_end, strict=True) if not end} == {"sex", "s3", "s5"}
    logs = np.log(world.penalties(world.x_star))

    def slope(j: int) -> float:
        """dPhi/d(log-penalty j), just before the end, where d(log-penalty)/dx = cos(x_j/m) is not zero yet."""
        x = world.x_star.copy()
        x[j] = math.copysign(math.pi - 1e-3, logs[j])
        return float(world.hypergradient(x)[j] / math.cos(x[j] / world.m))

    outward = np.array([slope(j) * math.copysign(1.0, logs[j]) for j in range(10)])
    assert (outward[at_end] < -1e-6).all()
    assert (np.abs(world.hypergradient(world.x_star)) < 1e-10).all()


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_of_the_data_do_not_matter(unit: float) -> None:
    given = data()
    world = ridge(features=unit * given["features"], targets=given["targets"] / unit)
    np.testing.assert_allclose(world.hypergradient(np.ones(3)), small().hypergradient(np.ones(3)), rtol=1e-10)


def test_the_same_arguments_make_the_same_world_and_keep_nothing_of_the_callers() -> None:
    given = {k: v.copy() for k, v in data().items()}
    world, again = ridge(**given), ridge(**given)
    given["features"] *= 2.0
    given["targets"][:] = 0.0
    x = np.array([0.3, -1.0, 2.0])
    np.testing.assert_array_equal(world.hypergradient(x), again.hypergradient(x))
    np.testing.assert_array_equal(world.hypergradient(x), small().hypergradient(x))


def test_devices_that_differ_have_another_limit() -> None:
    """The mean of the devices' own hypergradients is not zero at x*: an inverse of means is not a mean of inverses."""
    world = diabetes(devices=4, batch=None)
    x, y = world.x_star[:, None], world.y_star(world.x_star)[:, None]

    def local(device: Ridge) -> Array:
        xi, zeta = noise_free(device.sample_f), noise_free(device.sample_g)
        H = np.hstack([device.hessian_g(zeta, x, y, e[:, None]) for e in np.eye(10)])
        return -device.jacobian_g(zeta, x, y, np.linalg.solve(H, device.grad_y_f(xi, x, y)))[:, 0]

    size = np.linalg.norm(world.hypergradient(np.zeros(10)))
    assert np.linalg.norm(np.mean([local(device) for device in devices_of(world)], axis=0)) > 0.02 * size
    assert np.linalg.norm(local(diabetes(batch=None))) < 1e-9 * size  # with all rows on every device it is


@pytest.mark.nightly
@pytest.mark.parametrize(("solver", "weight"), [(LocalBSGM, 9.9), (LocalBSGVRM, 99.0)])
def test_without_noise_the_gradient_vanishes_but_for_the_bias_of_the_neumann_sum(
    solver: Any, weight: float
) -> None:
    """With m = 1, every sample all rows: 1e-6 after 700 iterations with Q = 80. With Q = 15 the bias is left."""
    world = diabetes(m=1.0, batch=None)
    steps = {
        "eta": 0.1,
        "rho_1": 2000.0,
        "rho_2": 2.0,
        "p": 4,
        "theta": 0.14,
        "alpha": weight,
        "beta": weight,
    }
    run: dict[str, Any] = {
        "K": 1,
        "T": 700,
        "x0": np.zeros(10),
        "y0": world.b,
        "replicates": 1,
        "seed": 0,
        "times": [700],
    }
    left = [
        math.sqrt(simulate(world, solver(Q=Q, **steps), **run, times=[700]).curves.gradient[0])
        for Q in (80, 15)
    ]
    assert left[0] < 1e-6 < 1e-4 < left[1]
