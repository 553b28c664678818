"""The maximum of a weighted square on a ball, and sigma, which needs it, for sets of every size.

Witnesses: a local maximisation from many starts; closed forms for equal weights and in the hard case, where
the centre is orthogonal to the heaviest direction; and a bound on what a small step of the centre can do.
"""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from ratecert.synthetic import Quadratic
from ratecert.synthetic.constants import largest_on_ball

Array = NDArray[np.float64]
HEAVY = np.array([2.0, 1.0])


def brute_force(weights: Array, middle: Array, radius: float) -> float:
    """max of sum_i w_i (c_i + radius u_i)^2 over the sphere; the maximum of a convex function lies there."""

    def minus(u: Array) -> float:
        return -float(np.sum(weights * (middle + radius * u / np.linalg.norm(u)) ** 2))

    starts = np.random.default_rng(23).standard_normal((12, len(weights)))
    return -float(min(minimize(minus, u, method="BFGS").fun for u in starts))


@pytest.mark.parametrize(
    ("weights", "middle", "radius"),
    [
        ([2.0], [0.7], 1.5),
        ([0.3, 1.1, 2.0], [0.4, -1.0, 0.2], 1.5),
        ([0.1, 0.5, 0.9, 1.4, 1.5], [1.0, -2.0, 0.3, 0.1, -0.4], 0.8),
        ([0.3, 1.1, 2.0], [0.0, 0.0, 0.0], 1.5),
        ([1.3, 1.3, 1.3], [0.4, -1.0, 0.2], 0.6),
        ([1.3, 1.3], [0.0, 0.0], 0.6),
        ([0.4, 2.0, 2.0], [0.5, 0.3, -0.6], 1.0),  # a double top
        ([0.5, 1.0, 2.0], [0.4, 0.3, 0.0], 2.0),  # orthogonal to the top: the hard case
        ([0.5, 1.0, 2.0], [0.4, 9.0, 0.0], 0.5),
        ([0.5, 2.0, 2.0], [0.9, 0.0, 0.0], 1.0),
        ([0.0, 0.0, 1.2], [5.0, -3.0, 0.4], 1.0),
        ([0.0, 0.0, 1.2], [5.0, -3.0, 0.0], 1.0),  # the centre lies where there is no weight
        ([0.3, 1.1, 2.0], [0.4, -1.0, 0.2], 1e-3),
    ],
)
def test_largest_on_ball_equals_brute_force(weights: list[float], middle: list[float], radius: float) -> None:
    ball = np.array(weights), np.array(middle), radius
    largest, found = largest_on_ball(*ball), brute_force(*ball)
    assert largest == pytest.approx(found, rel=1e-7)
    assert found <= largest * (1 + 1e-12)


def in_the_hard_case(c_2: float) -> float:
    """max of 2 z_1^2 + (c_2 + z_2)^2 on the unit ball: z_2 = c_2 while that is <= 1."""
    z_2 = min(1.0, c_2)
    return 2 * (1 - z_2**2) + (c_2 + z_2) ** 2


@pytest.mark.parametrize("c_2", [0.0, 1e-9, 0.1, 0.3, 0.99, 1.0, 1.01, 7.0])
def test_largest_on_ball_in_the_hard_case_and_near_it(c_2: float) -> None:
    """The root of the maximum is a largest norm: a step s along the top changes it by sqrt(top) s at most."""
    at_it = in_the_hard_case(c_2)
    assert largest_on_ball(HEAVY, np.array([0.0, c_2]), 1.0) == pytest.approx(at_it, rel=1e-11)
    assert at_it != pytest.approx(in_the_hard_case(c_2 + 0.1), rel=1e-3)
    for step in 10.0 ** -np.arange(1, 21):
        near = largest_on_ball(HEAVY, np.array([step, c_2]), 1.0)
        assert at_it * (1 - 1e-13) <= near <= (math.sqrt(at_it) + math.sqrt(2.0) * step) ** 2 * (1 + 1e-13)


@pytest.mark.parametrize("exponent", [*range(-20, -3), 0, 3], ids=lambda k: f"centre 1e{k}")
def test_largest_on_ball_for_centres_of_every_size(exponent: int) -> None:
    """With equal weights the maximum is w (||c|| + radius)^2, also where the centre almost vanishes."""
    for middle in np.random.default_rng(31).uniform(1.0, 10.0, (40, 2)) * 10.0**exponent:
        for scale in (1e-8, 1.0, 1e8):
            largest = largest_on_ball(np.array([1.7, 1.7]), scale * middle, scale)
            assert largest == pytest.approx(1.7 * scale**2 * (np.linalg.norm(middle) + 1) ** 2, rel=1e-11)


def test_a_maximum_beyond_all_floats_is_inf() -> None:
    assert largest_on_ball(np.array([0.25, 0.1]), np.array([1.0, 2.0]), 1e200) == math.inf
    assert largest_on_ball(np.array([0.25, 0.1]), np.array([1.0, 2.0]), 1e150) == pytest.approx(2.5e299)


# sigma


def sigma_of(radius: float, **given: Any) -> float:
    plane = {"A": 9.0 * np.eye(2), "B": np.ones((2, 1)), "P": 1.0, "D": np.eye(2)}
    return Quadratic(**{**plane, **given}).constants(radius=radius)["sigma"]


@pytest.mark.parametrize("radius", [1e-149, 1e-120, 1e-80, 1e-20], ids=lambda r: f"radius {r:g}")
def test_sigma_on_the_smallest_sets(radius: float) -> None:
    """The centre is 1 away along a direction without noise, so sigma = 3 radius; or along one with noise."""
    one, both = np.diag([3.0, 0.0]), np.diag([3.0, 2.0])
    assert sigma_of(radius, E=one, b=[0.0, 1.0]) == pytest.approx(3.0 * radius, rel=1e-11, abs=0.0)
    assert sigma_of(radius, E=one, b=[1.0, 1.0]) == pytest.approx(3.0, rel=1e-11)
    assert sigma_of(radius, E=both, b=[1.0, 1.0]) == pytest.approx(math.sqrt(13.0))


@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1.0, 1e150], ids=lambda s: f"noise {s:g}")
def test_noise_of_every_size(scale: float) -> None:
    """sigma and sigma_H have the unit of E and F; one per cent more noise is seen."""
    parts = {"B": np.zeros((2, 1)), "P": 1.0, "D": np.eye(2), "b": [0.0, 1.0]}
    A, E, F = 9.0 * np.eye(2), np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([[0.5], [0.25]])
    there = Quadratic(**parts, A=scale * A, E=scale * E, F=scale * F).constants(radius=2.0, reading="block")
    here = Quadratic(**parts, A=A, E=E, F=F).constants(radius=2.0)
    for name in ("sigma", "sigma_H"):
        assert there[name] == pytest.approx(scale * here[name], rel=1e-12, abs=0.0)
        assert there[name] != pytest.approx(1.01 * scale * here[name], rel=1e-6, abs=0.0)
