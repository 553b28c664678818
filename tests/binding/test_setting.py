"""What theorems call the numbers of a start: never below the truth, and above it by a rounding at most."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.binding.setting import Setting, root_above

NEAR = [0.3, 0.7, 1e-8, 1e8]  # starts; the solution is at 0.1, so that differences of doubles are rounded


def on_a_line(x: float, H: float = 3.0) -> dict[str, float]:
    return Setting(rc.worlds.SingleLevel(H=H, a=0.1), 1, 1, {"x": np.array([x])}).constants


def just_above(found: float, exact: Fraction) -> bool:
    return exact <= Fraction(found) <= exact * (1 + Fraction(1, 2**51))


@pytest.mark.parametrize("x", NEAR)
def test_numbers_of_the_start_are_rounded_up(x: float) -> None:
    """||x_0 - x*||^2, its root, and F(x_0) - F* = 3/2 ||x_0 - x*||^2, in fractions of the doubles."""
    found, exact = on_a_line(x), (Fraction(x) - Fraction(0.1)) ** 2
    assert just_above(found["squared_distance"], exact)
    assert Fraction(found["distance"]) ** 2 >= exact
    assert found["distance"] == pytest.approx(abs(x - 0.1), rel=1e-14)
    assert just_above(found["gap"], Fraction(3, 2) * exact)


def test_numbers_that_are_doubles_are_not_rounded() -> None:
    found = Setting(rc.worlds.SingleLevel(H=4.0), 1, 1, {"x": np.array([3.0])}).constants
    assert (found["squared_distance"], found["distance"], found["gap"]) == (9.0, 3.0, 18.0)


@pytest.mark.parametrize("square", [2.0, 3.0, 5.0, 1e-300, 0.1, 1e300])
def test_a_root_is_rounded_up(square: float) -> None:
    """The nearest double to the root of 3 is below it."""
    root = root_above(square)
    assert Fraction(root) ** 2 >= Fraction(square) > Fraction(math.nextafter(root, 0.0)) ** 2


def test_a_root_that_is_a_double_is_not_moved() -> None:
    assert [root_above(square) for square in (0.0, 0.25, 4.0, 9.0)] == [0.0, 0.5, 2.0, 3.0]


class Hill:
    """F = 3 + (x - 1)^2, without a Hessian."""

    x_star = np.array([1.0])

    def objective(self, x: Any) -> float:
        return 3.0 + float((x[0] - 1.0) ** 2)

    def constants(self) -> dict[str, float]:
        return {"L": 2.0}


def test_without_a_hessian_the_gap_is_a_difference_of_two_values() -> None:
    found = Setting(Hill(), 1, 1, {"x": np.array([3.0])}).constants
    assert (found["gap"], found["squared_distance"], found["L"]) == (4.0, 4.0, 2.0)


def test_a_map_that_is_no_gradient_has_no_gap() -> None:
    world = rc.worlds.LinearMap(M=0.5, b=1.0)
    found = Setting(world, 1, 1, {"x": np.array([5.0])}).constants
    assert "gap" not in found
    assert found["distance"] == 3.0  # from the fixed point 2


class Curve(Hill):
    """y*(x) = x^2, which no matrix gives."""

    def y_star(self, x: Any) -> Any:
        return x**2


def test_without_a_matrix_the_lower_distance_is_a_difference_of_two_values() -> None:
    found = Setting(Curve(), 1, 1, {"x": np.array([3.0]), "y": np.array([1.0])}).constants
    assert found["lower_distance"] == 8.0


def test_the_largest_gradient_of_a_run_is_known_on_one_level() -> None:
    """Steps up to 1/L never lead farther from the minimiser 1 than x_0 = 4: 2 (4 - 1)."""
    found = Setting(rc.worlds.SingleLevel(H=2.0, a=1.0), 1, 1, {"x": np.array([4.0])}).constants
    assert found["largest_gradient"] == 6.0
    assert "largest_gradient" not in Setting(Hill(), 1, 1, {"x": np.array([3.0])}).constants


def test_the_lower_level_begins_off_its_minimiser() -> None:
    """y*(x) = B x/A = 6 at x = 3; there is no lower level on one level."""
    world = rc.worlds.Quadratic(A=1.0, B=2.0, P=1.0, D=1.0)
    found = Setting(world, 1, 1, {"x": np.array([3.0]), "y": np.array([1.0])}).constants
    assert found["lower_distance"] == 5.0
    assert "lower_distance" not in on_a_line(3.0)
