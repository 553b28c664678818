"""Worlds on one level have a single minimiser: a curvature that is zero in some direction is refused."""

import pytest

import ratecert as rc
from ratecert.errors import UserError


@pytest.mark.parametrize("H", [0.0, -1.0, [[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, -1e-9]]])
def test_a_curvature_that_is_not_positive_is_refused(H: object) -> None:
    with pytest.raises(UserError, match="H must be positive definite, but its smallest eigenvalue is"):
        rc.worlds.SingleLevel(H=H)


@pytest.mark.parametrize("H", [1e-100, [[1.0, 0.0], [0.0, 1e-9]]])
def test_a_small_curvature_is_taken(H: object) -> None:
    assert rc.worlds.SingleLevel(H=H).constants()["mu"] > 0
