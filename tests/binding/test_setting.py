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


def constants(world: Any, x: float, **y: float) -> dict[str, float]:
    start = {"x": np.array([x]), **{name: np.array([value]) for name, value in y.items()}}
    return Setting(world, 1, 1, start).constants


def just_above(found: float, exact: Fraction) -> bool:
    return exact <= Fraction(found) <= exact * (1 + Fraction(1, 2**51))


@pytest.mark.parametrize("x", [0.3, 0.7, 1e-8, 1e8])
def test_numbers_of_the_start_are_rounded_up(x: float) -> None:
    """||x_0 - x*||^2, its root, and F(x_0) - F* = 3/2 ||x_0 - x*||^2, in fractions of the doubles, x* = 0.1."""
    found, exact = constants(rc.worlds.SingleLevel(H=3.0, a=0.1), x), (Fraction(x) - Fraction(0.1)) ** 2
    assert just_above(found["squared_distance"], exact)
    assert Fraction(found["distance"]) ** 2 >= exact
    assert found["distance"] == pytest.approx(abs(x - 0.1), rel=1e-14)
    assert just_above(found["gap"], Fraction(3, 2) * exact)


@pytest.mark.parametrize("square", [2.0, 3.0, 5.0, 1e-300, 0.1, 1e300])
def test_a_root_is_rounded_up_and_not_moved_where_it_is_a_double(square: float) -> None:
    """The nearest double to the root of 3 is below it."""
    root = root_above(square)
    assert Fraction(root) ** 2 >= Fraction(square) > Fraction(math.nextafter(root, 0.0)) ** 2
    assert [root_above(square) for square in (0.0, 0.25, 4.0, 9.0)] == [0.0, 0.5, 2.0, 3.0]


class Hill:
    """F = 3 + (x - 1)^2 and y*(x) = x^2, without a Hessian or a matrix."""

    x_star = np.array([1.0])

    def objective(self, x: Any) -> float:
        return 3.0 + float((x[0] - 1.0) ** 2)

    def constants(self) -> dict[str, float]:
        return {"L": 2.0}

    def y_star(self, x: Any) -> Any:
        return x**2


@pytest.mark.parametrize(
    ("world", "x", "y", "exact"),
    [
        (rc.worlds.SingleLevel(H=4.0), 3.0, {}, {"squared_distance": 9.0, "distance": 3.0, "gap": 18.0}),
        # steps up to 1/L never lead farther from the minimiser 1 than x_0 = 4: 2 (4 - 1)
        (rc.worlds.SingleLevel(H=2.0, a=1.0), 4.0, {}, {"largest_gradient": 6.0, "lower_distance": None}),
        # the gap and the lower distance are differences of two values
        (Hill(), 3.0, {"y": 1.0}, {"gap": 4.0, "squared_distance": 4.0, "L": 2.0, "lower_distance": 8.0,
                                   "largest_gradient": None}),
        (rc.worlds.LinearMap(M=0.5, b=1.0), 5.0, {}, {"distance": 3.0, "gap": None}),  # from the fixed point 2
        # y*(x) = B x/A: 0 only where the lower level begins there exactly
        (rc.worlds.Quadratic(A=1.0, B=2.0, P=1.0, D=1.0), 3.0, {"y": 1.0}, {"lower_distance": 5.0}),
        (rc.worlds.Quadratic(A=2.0, B=1.0, P=1.0, D=1.0), 2.0, {"y": 1.0}, {"lower_distance": 0.0}),
    ],
)  # fmt: skip
def test_numbers_that_are_doubles_are_not_rounded_and_what_is_none_is_not_there(
    world: Any, x: float, y: dict[str, float], exact: dict[str, float | None]
) -> None:
    found = constants(world, x, **y)
    assert {name: found.get(name) for name in exact} == exact


def test_the_lower_distance_is_rounded_up() -> None:
    world = rc.worlds.Quadratic(A=3.0, B=1.0, P=1.0, D=1.0)
    assert 0 <= constants(world, 1.0, y=2.0)["lower_distance"] - (2 - 1 / 3) <= 1e-15
    assert 0 < constants(world, 1.0, y=1 / 3)["lower_distance"] < 1e-16


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


def test_the_ball_of_a_run_holds_the_iterates_and_the_truth_and_has_a_positive_radius() -> None:
    """With a slow lower level y stays near 0, where it begins, and y*(x_0) = 9 is beyond all iterates."""
    assert radius_of_run(setting(3.0, 0.0, B=3.0), slow(0.1)) >= math.hypot(3.0, 9.0)
    assert radius_of_run(setting(3.0, 20.0, B=3.0), slow(0.1)) >= math.hypot(3.0, 20.0)
    assert 0 < radius_of_run(setting(0.0, 0.0), slow(1.0)) <= 1e-11


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
    steps = NUMBERS | {"eta": lambda values: eta / (1 + 1e-6 * values["L_0"])}
    ball = {"method": rc.methods.LocalBSGM, "constants": {"L_0": Within("L_0")}, "worlds": ("two_level",)}
    run, here = s.Binding(**descent(hyperparameters=steps, **ball)), setting(x, 0.0, B=1.0, D=1.0)
    paper = small_paper("balls-by-hand", terms={"all": s.letter("L_0")}, letters="L_0 T")
    return run.run(paper, paper.the(s.Theorem, "theorem-1"), here, run.given_by(here))


def test_steps_made_of_a_ball_keep_it_where_the_run_stays_inside_and_are_refused_where_it_may_leave() -> None:
    """From x_0 = 0.1 the ball with room has the radius 4, and no outcome comes near its edge; from x_0 = 3 it has the
    radius 12, and slow steps are known to stay within 19.5 alone."""
    found = run_with(1e-3, x=0.1)
    assert found.radius == 4.0
    assert found.letters()["L_0"] == Within("L_0").on(setting(0.1, 0.0, B=1.0, D=1.0), 4.0)
    with pytest.raises(
        OutsideConditionsError, match=r"radius 12, and the run may leave it: .* radius 19\.\d+ is"
    ):
        run_with(1e-3, x=3.0)
