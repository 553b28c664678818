"""Hypergradients from the oracles alone: exact, truncated after Q + 1 terms, and sampled factor by factor."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.pseudocode import Bits
from oracles.sampled import full_sum
from oracles.world_signs import every_outcome
from ratecert.solvers import (
    StochasticNeumann,
    exact_hypergradient,
    neumann_hypergradient,
    stochastic_hypergradient,
)
from ratecert.solvers.contract.signs import Draws
from ratecert.synthetic import Quadratic, random_quadratic, scalar

Array = NDArray[np.float64]
E_STACK = 0.2 * np.array([[[1.0, 0.5], [0.5, -1.0]], [[0.0, 1.0], [1.0, 0.3]]])
WORLDS: dict[str, Quadratic] = {
    "scalar": scalar(sigma_H=0.4, sigma_J=0.9, s_f=0.5, a=0.7, b=-1.1, c=0.4),
    "2x2": replace(random_quadratic(d_x=2, d_y=2, sigma_J=0.3, s_f=0.3, seed=4), E=E_STACK),
}
each_world = pytest.mark.parametrize("name", WORLDS)


def point(world: Quadratic, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(world.d_x), rng.standard_normal(world.d_y)


def truncated(world: Quadratic, x: Array, y: Array, *, theta: float, power: int) -> Array:
    """P(x - a) + B'A^{-1}(I - (I - theta A)^power) D(y - b)."""
    shrunk = np.linalg.matrix_power(np.eye(world.d_y) - theta * world.A, power)
    r = np.linalg.solve(world.A, (np.eye(world.d_y) - shrunk) @ world.D @ (y - world.b))
    return world.P @ (x - world.a) + world.B.T @ r


@each_world
def test_the_exact_hypergradient_is_that_of_the_world(name: str) -> None:
    world, (x, _) = WORLDS[name], point(WORLDS[name], 13)
    np.testing.assert_allclose(exact_hypergradient(world, x), world.hypergradient(x), rtol=1e-12)
    moved = replace(world, b=world.b + 1e-6)
    assert np.abs(exact_hypergradient(moved, x) - world.hypergradient(x)).max() > 1e-9


@pytest.mark.parametrize("Q", [0, 1, 2, 7, 40])
@each_world
def test_the_truncated_one_has_its_closed_form(name: str, Q: int) -> None:
    """theta sum_{q=0}^{Q} (I - theta A)^q = A^{-1}(I - (I - theta A)^{Q+1}); one term fewer is seen."""
    world, (x, y) = WORLDS[name], point(WORLDS[name], 14)
    theta = 0.2 / world.curvature[1]
    measured = neumann_hypergradient(world, x, y, theta=theta, Q=Q)
    np.testing.assert_allclose(measured, truncated(world, x, y, theta=theta, power=Q + 1), rtol=1e-12)
    assert np.abs(measured - truncated(world, x, y, theta=theta, power=Q)).max() > 1e-9


@pytest.mark.parametrize("Q", [0, 1, 3])
@each_world
def test_the_sampled_one_is_the_printed_product_at_every_outcome(name: str, Q: int) -> None:
    """Its mean is the truncated one. Other factors in other order, or one sample for all, are other sums."""
    world, (x, y) = WORLDS[name], point(WORLDS[name], 16)
    neumann = StochasticNeumann(theta=0.4 / world.curvature[1], Q=Q)
    sample, n = every_outcome(lambda bits: neumann.sample(world, bits))
    columns = [np.repeat(v[:, None], n, axis=1) for v in (x, y)]
    expected = full_sum(world, Bits(np.arange(n)), theta=neumann.theta, Q=Q)(x, y).T
    told = neumann.evaluate(world, sample, *columns)
    np.testing.assert_allclose(told, expected, rtol=1e-11, atol=1e-12)
    mean = neumann_hypergradient(world, x, y, theta=neumann.theta, Q=Q)
    np.testing.assert_allclose(told.mean(axis=1), mean, rtol=1e-12)
    reverse = replace(sample, factors=Draws(sample.factors[::-1]))  # a Horner scheme
    assert (np.abs(neumann.evaluate(world, reverse, *columns) - expected).max() > 1e-3) == (Q >= 2)
    shared = neumann.evaluate(world, replace(sample, factors=Draws(sample.factors[:1] * Q)), *columns)
    assert (np.linalg.norm(shared.mean(axis=1) - mean) > 1e-4 * np.linalg.norm(mean)) == (Q >= 2)


# One draw, for people who want to look at one.

POINT = {"x": np.array([1.0, -1.0]), "y": np.array([0.5, 2.0, 1.0]), "theta": 0.2, "Q": 4}


def test_a_draw_is_a_function_of_the_seed_and_without_noise_the_truncated_sum() -> None:
    noisy = random_quadratic(d_x=2, d_y=3, sigma_H=0.3, sigma_J=0.2, s_f=0.5, seed=0)
    one, again, other = (stochastic_hypergradient(noisy, **POINT, seed=seed) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist() != other.tolist()
    plain = random_quadratic(d_x=2, d_y=3, seed=0)
    told = stochastic_hypergradient(plain, **POINT, seed=0)
    np.testing.assert_allclose(told, neumann_hypergradient(plain, **POINT), rtol=1e-13)
