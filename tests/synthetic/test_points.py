"""Points at which a world is asked for its truth, as numbers, lists or columns; and its minimiser.

An array of columns may have entries that are not finite, since the engines pass such columns at every step and find a
divergence themselves. What is refused stands in test_refusals.py.
"""

import math

import numpy as np
import pytest

from ratecert.synthetic import Quadratic, random_quadratic, scalar
from ratecert.synthetic.algebra.spectra import rectangular, symmetric

TRUTHS = ["y_star", "objective", "hypergradient"]
ONE = scalar(a=0.7, b=-1.1, c=0.4)
TWO = random_quadratic(d_x=2, d_y=3, seed=0)


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_point_is_an_array_a_list_a_column_or_for_one_dimension_a_number(truth: str) -> None:
    value, of_one = getattr(TWO, truth), getattr(ONE, truth)
    expected = value(np.array([3.0, -1.0]))
    for same in ([3.0, -1.0], (3, -1), np.array([3, -1]), np.array([3, -1], dtype=np.float32)):
        np.testing.assert_array_equal(value(same), expected)
    for column in ([[3.0], [-1.0]], np.array([[3], [-1]])):
        np.testing.assert_allclose(value(column)[..., 0], expected, rtol=1e-14)
    assert not np.any(value([3.0, -1.5]) == expected)
    for number in (2, 2.0, np.float64(2.0), np.array(2.0)):
        np.testing.assert_array_equal(of_one(number), of_one(np.array([2.0])))
        assert np.shape(of_one(number)) == np.shape(of_one(np.array([2.0])))
    assert value(np.ones((2, 0))).shape[-1] == 0


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("entry", [math.nan, math.inf])
@pytest.mark.parametrize("truth", TRUTHS)
def test_columns_that_diverged_pass_through(truth: str, entry: float, kind: type) -> None:
    """Only their own column is lost; the same column alone, as a point, is refused."""
    x = np.array([[1.0, entry, -2.0], [0.5, 1.0, 3.0]], dtype=kind)
    value = getattr(TWO, truth)
    with np.errstate(invalid="ignore"):
        measured = value(x)
    assert not np.isfinite(measured[..., 1]).any()
    np.testing.assert_allclose(measured[..., [0, 2]], value(x[:, [0, 2]]), rtol=1e-6)
    with pytest.raises(ValueError, match=r"^x must be finite"):
        value(x[:, 1])


def test_x_star_of_a_flat_objective_is_the_shortest_minimiser() -> None:
    """Phi(x) = 1/2 (x_1 - 3)^2 is minimal on a line; its point of least norm is (3, 0)."""
    world = Quadratic(A=1.0, B=[[1.0, 1.0]], P=np.diag([1.0, 0.0]), D=0.0, a=[3.0, 5.0])
    np.testing.assert_allclose(world.x_star, [3.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_semidefinite_worlds_have_a_minimiser(seed: int) -> None:
    """With P and D semidefinite Phi has a minimum, however many directions are flat to rounding."""
    rng = np.random.default_rng(seed)
    d_x, d_y = (int(d) for d in rng.integers(1, 12, 2))
    P, D = (
        symmetric(rng, 10.0 ** rng.uniform(-3, 3) * rng.uniform(0.1, 1.0, d) * rng.integers(0, 2, d))
        for d in (d_x, d_y)
    )
    made = Quadratic(
        A=symmetric(rng, rng.uniform(0.1, 2.0, d_y)), B=rectangular(rng, d_y, d_x, rng.uniform(0.1, 2.0, 1)),
        P=P, D=D, a=100.0 * rng.standard_normal(d_x), b=100.0 * rng.standard_normal(d_y),
    )  # fmt: skip
    size = 1e3 * (1.0 + max(np.linalg.norm(P, 2), np.linalg.norm(D, 2)))
    assert np.linalg.norm(made.hypergradient(made.x_star)) < 1e-9 * size
