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

from oracles.world_signs import every_outcome
from ratecert.synthetic.ridge import Ridge, SplitRidge, ridge

Array = NDArray[np.float64]
RNG = np.random.default_rng(3)
FEATURES = RNG.standard_normal((60, 3)) @ np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
TARGETS = FEATURES @ [1.0, -0.5, 0.0] + 0.7 * RNG.standard_normal(60)  # one feature does not matter


@cache
def small(**options: Any) -> Ridge:
    return ridge(features=FEATURES, targets=TARGETS, **options)


@cache
def diabetes(**options: Any) -> Ridge:
    pytest.importorskip("sklearn")
    return ridge(**options)


@pytest.mark.parametrize("x", [*np.full((3, 10), [[-1.7], [0.0], [1.05]]), np.linspace(-2.5, 2.5, 10)])
def test_weights_equal_those_of_scikit_learn(x: Array) -> None:
    """||t - U w||^2 + n ||w||^2 there is 2n times the mean loss here; penalties scale the columns."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    world = diabetes()
    U, t, scale = world.training.features, world.training.targets, np.sqrt(world.penalties(x))
    fitted = linear_model.Ridge(alpha=len(t), fit_intercept=False).fit(U / scale, t).coef_ / scale
    np.testing.assert_allclose(world.y_star(x), fitted, rtol=1e-9)
    assert np.abs(world.y_star(x + 0.01) - fitted).max() > 1e-5


# Rows: standardised, dealt, left out; samples are blocks of them, each exactly equally likely.


@pytest.mark.parametrize(("batch", "blocks_g", "blocks_f"), [(1, 32, 16), (4, 8, 4), (None, 1, 1)])
def test_every_block_is_one_outcome(batch: int | None, blocks_g: int, blocks_f: int) -> None:
    world = small(batch=batch)
    draws = ((world.sample_g, blocks_g), (world.sample_hessian, blocks_g), (world.sample_f, blocks_f))
    for draw, blocks in draws:
        sample, outcomes = every_outcome(draw)
        numbers = [] if sample.number is None else sorted(sample.number.tolist())
        assert (outcomes, numbers) == (blocks, list(range(blocks)) if blocks > 1 else [])
    assert every_outcome(world.sample_jacobian)[1] == 1


def test_columns_are_standardised_and_rows_are_dealt_like_cards() -> None:
    world = small(devices=3)
    assert isinstance(world, SplitRidge)
    hands = [(d.training.numbers, d.validation.numbers) for d in world.devices]
    assert hands == [(tuple(range(k, 24, 3)), tuple(range(24 + k, 36, 3))) for k in range(3)]
    assert world.left_out == tuple(range(36, 60))
    standard = (FEATURES - FEATURES.mean(axis=0)) / FEATURES.std(axis=0)
    np.testing.assert_allclose(world.devices[2].training.features, standard[2:24:3], rtol=1e-12, atol=1e-14)
    assert np.abs(world.devices[1].training.features - standard[2:24:3]).max() > 0.1


@pytest.mark.parametrize("devices", [2, 64])
def test_diabetes_split_in_powers_of_two_is_the_same_mean_problem(devices: int) -> None:
    """256 rows for training and 128 for validation; the last 58 are left out. Devices alone have other weights."""
    world, whole, x = diabetes(devices=devices), diabetes(), np.linspace(-2.0, 2.0, 10)
    assert world.left_out == whole.left_out == tuple(range(384, 442))
    np.testing.assert_allclose(world.y_star(x), whole.y_star(x), rtol=1e-10)
    np.testing.assert_allclose(world.hypergradient(x), whole.hypergradient(x), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(world.b, whole.y_star(np.zeros(10)), rtol=1e-10)
    assert isinstance(world, SplitRidge)
    assert {device.b.tobytes() for device in world.devices} == {world.b.tobytes()}
    of_devices = np.mean([device.y_star(x) for device in world.devices], axis=0)
    assert np.abs(of_devices - world.y_star(x)).max() > 1e-3


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_of_the_data_do_not_matter(unit: float) -> None:
    gradient = ridge(features=unit * FEATURES, targets=TARGETS / unit).hypergradient(np.ones(3))
    np.testing.assert_allclose(gradient, small().hypergradient(np.ones(3)), rtol=1e-10)


# The minimiser.


def searched(world: Ridge, starts: Array) -> float:
    how: dict[str, Any] = {"jac": world.hypergradient, "method": "BFGS", "options": {"gtol": 1e-7}}
    return float(min(minimize(world.objective, start, **how).fun for start in starts))


WORLDS: dict[str, Callable[[], Ridge]] = {
    "small": small,
    "small m=1 batch=4": lambda: small(m=1.0, batch=4),
    "small m=3 split": lambda: small(m=3.0, devices=3),
    "diabetes": diabetes,
}


@pytest.mark.parametrize("name", WORLDS)
def test_x_star_is_a_local_minimum_that_no_search_beats(name: str) -> None:
    world, h = WORLDS[name](), 1e-5
    x, unit = world.x_star, np.eye(world.d_x)
    assert np.linalg.norm(world.hypergradient(x)) < 1e-10
    assert np.linalg.norm(world.hypergradient(x + 1e-3)) > 1e-8
    H = (world.hypergradient(x[:, None] + h * unit) - world.hypergradient(x[:, None] - h * unit)) / (2 * h)
    assert np.linalg.eigvalsh((H + H.T) / 2).min() > 1e-6
    assert np.abs(x).max() <= world.m * math.pi / 2 * (1 + 1e-9)
    starts = world.m * np.random.default_rng(9).uniform(-1.5, 1.5, (3, world.d_x))
    assert searched(world, starts) >= world.objective(x) - 1e-12


def test_x_star_needs_starts_with_unequal_penalties(monkeypatch: pytest.MonkeyPatch) -> None:
    """On this table searches from points with equal entries alone end in worse minima."""
    rng = np.random.default_rng(56)
    table = {"features": rng.standard_normal((10, 6)), "targets": rng.standard_normal(10)}
    world = ridge(**table)
    least = searched(world, world.m * rng.uniform(-1.5, 1.5, (6, 6)))
    assert least >= world.objective(world.x_star) - 1e-12
    monkeypatch.setattr(sys.modules["ratecert.synthetic.ridge"], "SCATTERED", 0)
    assert world.objective(ridge(**table).x_star) > least + 0.05


def test_most_penalties_of_the_diabetes_data_are_best_at_an_end() -> None:
    """There Phi still falls outwards: with a map that never reaches the end Phi would have no minimiser.

    dPhi/d(log-penalty) is read just before the end, where d(log-penalty)/dx = cos(x_j/m) is not zero yet.
    """
    world = diabetes()
    at_end = np.abs(np.abs(world.x_star) - math.pi) < 1e-6
    assert {name for name, end in zip(world.names, at_end, strict=True) if not end} == {"sex", "s3", "s5"}
    for j in np.flatnonzero(at_end):
        x, outward = world.x_star.copy(), math.copysign(1.0, math.log(world.penalties(world.x_star)[j]))
        x[j] = outward * (math.pi - 1e-3)
        assert outward * world.hypergradient(x)[j] / math.cos(x[j] / world.m) < -1e-6
