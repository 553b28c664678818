"""One draw of the stochastic hypergradient, for people who want to look at one."""

import numpy as np

from ratecert.solvers import neumann_hypergradient, stochastic_hypergradient
from ratecert.synthetic import random_quadratic

POINT = {"x": np.array([1.0, -1.0]), "y": np.array([0.5, 2.0, 1.0]), "theta": 0.2, "Q": 4}


def test_a_draw_is_a_function_of_the_seed() -> None:
    world = random_quadratic(d_x=2, d_y=3, sigma_H=0.3, sigma_J=0.2, s_f=0.5, seed=0)
    one, again, other = (stochastic_hypergradient(world, **POINT, seed=seed) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist() != other.tolist()


def test_without_noise_it_is_the_truncated_sum() -> None:
    world = random_quadratic(d_x=2, d_y=3, seed=0)
    np.testing.assert_allclose(
        stochastic_hypergradient(world, **POINT, seed=0), neumann_hypergradient(world, **POINT), rtol=1e-13
    )


def test_its_mean_is_the_truncated_sum() -> None:
    """Over 4000 seeds each component is within 5 standard errors: false alarm 1e-6. Fixed seeds."""
    world = random_quadratic(d_x=2, d_y=3, sigma_H=0.3, sigma_J=0.2, s_f=0.5, seed=0)
    draws = np.array([stochastic_hypergradient(world, **POINT, seed=seed) for seed in range(4000)])
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - neumann_hypergradient(world, **POINT)) < 5 * error)
    shorter = neumann_hypergradient(world, **{**POINT, "Q": 3})
    assert np.any(np.abs(draws.mean(axis=0) - shorter) > 10 * error)
