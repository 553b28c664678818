"""What theorems call the numbers of a start: never below the truth, and above it by a rounding at most."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from oracles.small_papers import descent, small_paper
from ratecert.binding.setting import Setting, Within, radius_before, radius_of_run, root_above
from ratecert.errors import OutsideConditionsError, UserError

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
    """y*(x) = B x/A; rounded up, and 0 only where it begins there exactly. There is none on one level."""

    def lower(A: float, B: float, x: float, y: float) -> float:
        world = rc.worlds.Quadratic(A=A, B=B, P=1.0, D=1.0)
        return Setting(world, 1, 1, {"x": np.array([x]), "y": np.array([y])}).constants["lower_distance"]

    assert lower(1.0, 2.0, 3.0, 1.0) == 5.0
    assert lower(2.0, 1.0, 2.0, 1.0) == 0.0
    assert 0 <= lower(3.0, 1.0, 1.0, 2.0) - (2 - 1 / 3) <= 1e-15
    assert 0 < lower(3.0, 1.0, 1.0, 1 / 3) < 1e-16
    assert "lower_distance" not in on_a_line(3.0)


# Constants that hold where a run can go: the ball has the iterates in it, and the truth beside them.


def setting(x: float, y: float, **world: float) -> Setting:
    """y*(x) = B x with curvature 1 below; x* = D B b/(P + D B^2), around a = 0 and b."""
    given = {"A": 1.0, "B": 2.0, "P": 0.5, "D": 0.0, "b": 0.0, "s_f": 0.0, "s_g": 0.0, **world}
    return Setting(rc.worlds.Quadratic(**given), 1, 4, {"x": np.array([x]), "y": np.array([y])})


@pytest.mark.parametrize(
    ("x", "y", "world", "farthest"),
    [
        (3.0, 6.0, {}, 3.0),  # x_0 from x* = 0, where y begins at y*
        (-3.0, -6.0, {}, 3.0),
        (3.0, 1.0, {}, 5.0),  # y_0 from y*(x_0)
        (0.1, 0.2, {}, 1.0),  # never less than 1
        (8.0, 16.0, {"D": 1.0, "P": 0.0, "b": 10.0}, 5.0),  # x* = 5 from a
        (2.0, 4.0, {"D": 1.0, "P": 0.0, "b": 10.0}, 5.0),
    ],
)
def test_the_ball_for_choosing_steps_is_four_times_as_large_as_the_start_asks_for(
    x: float, y: float, world: dict[str, float], farthest: float
) -> None:
    assert radius_before(setting(x, y, **world)) == pytest.approx(4 * farthest)


def slow(rho_2: float) -> Any:
    return rc.methods.LocalBSGM(eta=1e-2, alpha=1.0, beta=1.0, rho_1=10.0, rho_2=rho_2, theta=0.5, Q=2, p=1)


def test_the_ball_of_a_run_holds_the_iterates_and_the_truth() -> None:
    """With a slow lower level y stays near 0, where it begins, and y*(x_0) = 9 is beyond all iterates."""
    found = radius_of_run(setting(3.0, 0.0, B=3.0), slow(0.1))
    assert found >= math.hypot(3.0, 9.0)
    assert radius_of_run(setting(3.0, 20.0, B=3.0), slow(0.1)) >= math.hypot(3.0, 20.0)


def test_the_ball_of_a_run_at_rest_has_a_positive_radius() -> None:
    found = radius_of_run(setting(0.0, 0.0), slow(1.0))
    assert 0 < found <= 1e-11


def test_a_constant_is_that_of_the_ball() -> None:
    """||grad_y f|| = D |y - b| is at most the radius there: with D = 2, twice that."""
    here = setting(0.0, 0.0, D=2.0)
    assert Within("L_0").on(here, 5.0) == pytest.approx(2 * Within("L_0").on(here, 2.5))
    assert Within("mu").on(here, 5.0) == 1.0
    with pytest.raises(UserError, match="Quadratic gives no constant 'L_9' on a ball"):
        Within("L_9").on(here, 5.0)
    with pytest.raises(UserError, match="Within is for problems of two levels"):
        radius_before(Setting(rc.worlds.SingleLevel(H=1.0), 1, 1, {"x": np.array([1.0])}))


# Steps that are made of the ball's own constants.

s = rc.statements
NUMBERS = {"alpha": 1.0, "beta": 1.0, "rho_1": 1.0, "rho_2": 10.0, "theta": 0.5, "Q": 2, "p": 1}


def run_with(eta: float, x: float) -> Any:
    """Steps eta/(1 + 1e-6 L_0) from (x, 0), where y* = x: on another ball they are others."""
    steps = {"eta": lambda values: eta / (1 + 1e-6 * values["L_0"])}
    binding = descent(
        method=rc.methods.LocalBSGM,
        hyperparameters={**NUMBERS, **steps},
        constants={"L_0": Within("L_0")},
        worlds=("two_level",),
    )
    run, here = s.Binding(**binding), setting(x, 0.0, B=1.0, D=1.0)
    paper = small_paper("balls-by-hand", terms={"all": s.letter("L_0")}, letters="L_0 T")
    return run.run(paper, paper.the(s.Theorem, "theorem-1"), here, run.given_by(here))


def test_steps_made_of_a_ball_keep_it_where_the_run_stays_inside() -> None:
    """From x_0 = 0.1 the ball with room has the radius 4, and no outcome comes near its edge."""
    found = run_with(1e-3, x=0.1)
    assert found.radius == 4.0
    assert found.letters()["L_0"] == Within("L_0").on(setting(0.1, 0.0, B=1.0, D=1.0), 4.0)


def test_steps_made_of_a_ball_that_the_run_may_leave_are_refused() -> None:
    """From x_0 = 3 it has the radius 12, and slow steps are known to stay within 19.5 alone."""
    with pytest.raises(
        OutsideConditionsError, match=r"ball of radius 12, and the run may leave it: .* radius 19\.\d+ is"
    ):
        run_with(1e-3, x=3.0)
