"""Where a world is asked for its truth: y*, Phi and grad Phi at a point (d_x,) or at columns (d_x, n).

A wrong point is refused in one sentence; an array of columns may have entries that are not finite, since the
engines pass such columns at every step and find a divergence themselves.
"""

import math
import re
from typing import Any

import numpy as np
import pytest

from ratecert.errors import UserError
from ratecert.synthetic import Quadratic, random_quadratic, scalar

TRUTHS = ["y_star", "objective", "hypergradient"]
ONE = scalar(a=0.7, b=-1.1, c=0.4)
TWO = random_quadratic(d_x=2, d_y=3, seed=0)
SHAPES = "x must have shape (2,) or (2, n), got "
SHAPES_OF_ONE = "x must be a number or have shape (1,) or (1, n), got "

WRONG: dict[str, tuple[Quadratic, Any, str]] = {
    "a number": (TWO, 3.0, f"{SHAPES}the number 3.0."),
    "an array of no dimension": (TWO, np.array(3.0), f"{SHAPES}the number 3.0."),
    "too long": (TWO, np.ones(3), f"{SHAPES}shape (3,)."),
    "too short": (TWO, [1.0], f"{SHAPES}shape (1,)."),
    "empty": (TWO, [], f"{SHAPES}shape (0,)."),
    "transposed columns": (TWO, np.ones((5, 2)), f"{SHAPES}shape (5, 2)."),
    "three dimensions": (TWO, np.ones((2, 1, 1)), f"{SHAPES}shape (2, 1, 1)."),
    "several numbers": (ONE, [1.0, 2.0], f"{SHAPES_OF_ONE}shape (2,)."),
    "nan": (TWO, np.array([1.0, math.nan]), "x must be finite, got x[1] = nan."),
    "inf in a list": (TWO, [-math.inf, 0.0], "x must be finite, got x[0] = -inf."),
    "nan in rows of a list": (TWO, [[0.0, 1.0], [2.0, math.nan]], "x must be finite, got x[1][1] = nan."),
    "nan as a number": (ONE, math.nan, "x must be finite, got x = nan."),
    "text": (TWO, "origin", "x must be real numbers in rows of one length, got 'origin'."),
    "None": (ONE, None, "x must be real numbers in rows of one length, got None."),
    "complex": (
        TWO,
        np.array([1.0, 1.0j]),
        "x must be real numbers in rows of one length, got [(1+0j), 1j].",
    ),
    "complex columns": (ONE, np.array([[1.0j]]), "x must be real numbers in rows of one length, got [[1j]]."),
}


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_point_is_refused(case: str, truth: str) -> None:
    world, x, message = WRONG[case]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as caught:
        getattr(world, truth)(x)
    assert caught.type is UserError


@pytest.mark.parametrize("truth", TRUTHS)
def test_its_neighbours_are_accepted(truth: str) -> None:
    """The same point as an array, a list, integers, a column; twin: another point has another value."""
    value = getattr(TWO, truth)
    expected = value(np.array([3.0, -1.0]))
    for same in ([3.0, -1.0], (3, -1), np.array([3, -1]), np.array([3, -1], dtype=np.float32)):
        np.testing.assert_array_equal(value(same), expected)
    for column in ([[3.0], [-1.0]], np.array([[3.0], [-1.0]]), np.array([[3], [-1]])):
        np.testing.assert_allclose(value(column)[..., 0], expected, rtol=1e-14)
    assert not np.any(value([3.0, -1.5]) == expected)


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_number_is_a_point_of_one_dimension(truth: str) -> None:
    value = getattr(ONE, truth)
    for number in (2, 2.0, np.float64(2.0), np.array(2.0)):
        np.testing.assert_array_equal(value(number), value(np.array([2.0])))
        assert np.shape(value(number)) == np.shape(value(np.array([2.0])))
    assert not np.any(value(2.5) == value(2.0))


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


@pytest.mark.parametrize("truth", TRUTHS)
def test_no_columns_give_no_values(truth: str) -> None:
    assert getattr(TWO, truth)(np.ones((2, 0))).shape[-1] == 0
    assert getattr(TWO, truth)(np.ones((2, 4))).shape[-1] == 4
