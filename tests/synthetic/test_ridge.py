"""What is special about the world `ridge`: its rows, scikit-learn's weights, and a minimiser that a search has to find.

Truth, samples and constants are tested with those of the other worlds.
"""

import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from oracles.world_signs import every_outcome, noise_free
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
