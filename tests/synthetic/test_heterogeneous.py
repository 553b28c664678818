"""Devices that differ: the bias of their own inverses, and the directions in which they differ."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ratecert.synthetic.worlds.heterogeneous import heterogeneous

Array = NDArray[np.float64]


def norm(v: Any) -> float:
    return float(np.linalg.norm(v))


# The truth, found again by SymPy from the mean of the devices' own g_k.


def test_the_local_slope_of_the_bias_is_two() -> None:
    world, x = heterogeneous(), np.array([0.3, -2.0])
    small, twice = (norm(replace(world, dial=dial).local_inverse_bias(x)) for dial in (1e-5, 2e-5))
    assert math.log2(twice / small) == pytest.approx(2.0, abs=1e-4)
    assert math.log2(twice / small) != pytest.approx(1.0, abs=0.5)


def test_no_bias_where_the_devices_have_one_curvature_or_the_dial_is_zero() -> None:
    world, columns = heterogeneous(), np.array([[0.3, 1.0, -2.0], [2.0, 0.0, 1.0]])
    for unbiased in (replace(world, dA=np.zeros_like(world.dA)), replace(world, dial=0.0)):
        np.testing.assert_array_equal(unbiased.local_inverse_bias(columns), np.zeros((2, 3)))
        np.testing.assert_array_equal(unbiased.x_local, world.x_star)
    for biased in (replace(world, dB=np.zeros_like(world.dB)), replace(world, dc=np.zeros_like(world.dc))):
        assert norm(biased.local_inverse_bias(columns)) > 0.1
        assert norm(biased.x_local - world.x_star) > 1e-4


def test_the_bias_is_that_of_the_devices_and_x_local_is_where_their_mean_is_zero() -> None:
    """Lemma 1 by each device's own oracles, at y* of the mean; and its zero."""
    world = heterogeneous(d_x=3, d_y=2, dial=0.7, seed=4)

    def local(x: Array) -> Array:
        y = world.y_star(x)
        own = [d.P @ (x - d.a) + d.B.T @ np.linalg.solve(d.A, d.D @ (y - d.b)) for d in world.devices]
        return np.mean(own, axis=0)

    for x in np.random.default_rng(0).standard_normal((5, 3)):
        np.testing.assert_allclose(local(x) - world.hypergradient(x), world.local_inverse_bias(x), rtol=1e-11)
    assert norm(local(world.x_local)) < 1e-13 * norm(local(world.x_star + 1.0))
    assert norm(local(world.x_star)) > 1e-3


# The dial and the other arguments.


def test_directions_are_centred_and_of_norm_one_at_most() -> None:
    world = heterogeneous(d_x=3, d_y=2, K=5, seed=7)
    for directions in (world.dA, world.dB, world.dc):
        assert max(np.linalg.norm(d, 2) for d in directions) == pytest.approx(1.0, rel=1e-14)
        assert np.abs(directions.sum(axis=0)).max() < 1e-15
    for name in ("A", "B", "c"):
        mean = np.mean([getattr(d, name) for d in world.devices], axis=0)
        np.testing.assert_allclose(mean, getattr(world, name), atol=1e-15)
