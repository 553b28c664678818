"""Bad input is refused before any work, in one sentence with the name, the value and what is allowed.

One table: what is called, with which wrong arguments, the name and the value that the sentence has to have, and
arguments next to them that are accepted, so that nothing is refused for another reason than the one that is named.
"""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ratecert as rc
from ratecert.errors import UserError
from ratecert.synthetic import Quadratic, aligned, random_quadratic, scalar
from ratecert.synthetic.algebra import rotation, symmetric
from ratecert.synthetic.devices import Heterogeneous, heterogeneous
from ratecert.synthetic.huberised import huberised
from ratecert.synthetic.ridge import ridge
from ratecert.synthetic.wavy import wavy

GOOD: dict[str, Any] = {
    "A": [[2.0, 0.5], [0.5, 2.0]], "E": [[[0.3, 0.1], [0.1, 0.0]], [[0.0, 0.2], [0.2, 0.1]]],
    "B": [[1.0, 0.0, 2.0], [0.5, 1.0, 0.0]], "F": [[0.1, 0.2, 0.0], [0.0, 0.3, 0.1]], "c": [0.1, 0.2],
    "P": [[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.5]], "D": [[1.0, 0.1], [0.1, 3.0]], "a": [1.0, 2.0, 3.0],
    "b": [-1.0, 0.5], "s_f": 0.1, "s_g": 0.2,
}  # d_x = 3, d_y = 2  # fmt: skip
SCALAR = {"A": 2.0, "B": 1.0, "P": 1.0, "D": 1.0}
ROWS = np.random.default_rng(3).standard_normal((60, 3))
DATA = {"features": ROWS, "targets": ROWS @ [1.0, -0.5, 0.0] + ROWS[:, 0] ** 2}
PLAIN = random_quadratic(d_x=2, d_y=3, seed=0)
ONE = scalar(a=0.7, b=-1.1, c=0.4)
# Phi of the mean is convex, but not that of a device whose slope is larger
TWO_DEVICES = Heterogeneous(
    A=1.0, B=1.0, P=1.2, D=-1.0, dA=np.zeros((2, 1, 1)), dB=np.array([[[-1.0]], [[1.0]]]), dc=np.zeros((2, 1)), dial=0.0
)  # fmt: skip
eye, ones, inf, nan = np.eye, np.ones, math.inf, math.nan

world, number, learned = partial(Quadratic, **GOOD), partial(Quadratic, **SCALAR), partial(ridge, **DATA)
of_two, of_three, of_five = (partial(Quadratic, P=1.0, A=eye(d), B=ones((d, 1)), D=eye(d)) for d in (2, 3, 5))
constants, differing, two_devices = (
    world().constants,
    partial(replace, heterogeneous()),
    partial(replace, TWO_DEVICES),
)
random_world = partial(random_quadratic, d_x=2, d_y=3, seed=0, sigma_H=0.5, sigma_J=0.5)
far_linear = partial(huberised, world=PLAIN, radius=1.0)
terms = partial(
    rc.worlds.BilevelSum, A=[1.0, 2.0], B=[1.0, 1.0], c=[0.0, 0.0], P=[1.0], D=[1.0], a=[0.0], b=[0.0]
)


def point(x: Any, of: Any = PLAIN) -> Any:
    return [getattr(of, truth)(x) for truth in ("y_star", "objective", "hypergradient")]


def with_one_entry(value: Any, entry: float) -> Any:
    array = np.array(value, dtype=float)
    array[(-1,) * array.ndim] = entry
    return array if array.ndim else float(array)


LETTERS = {name: getattr(PLAIN, name) for name in ("P", "D", "a", "b", "s_f", "d_x", "d_y", "y_star")}
SKEW, FLAT = [[0.0, 0.125], [0.0, 0.0]], np.arange(180.0).reshape(60, 3)
LARGE = 1.7e308 * eye(2) + 1.6e308 * eye(2)[::-1]  # its entries are finite, and its norm is not
SINGULAR = np.array([[5.0, -5.0, 2.0], [-5.0, 5.0, -2.0], [2.0, -2.0, 1.0]])
TABLE: list[Any] = [
    # the matrices of a world: symmetric, positive definite for every sign, Phi with a minimum
    (world, {"A": [[2.0, 0.5], [0.25, 2.0]]}, "A", "0.25", {}),
    (world, {"D": [[1.0, 0.5], [-0.5, 1.0]]}, "D", "-0.5"),
    (world, {"E": [eye(2), SKEW]}, "E[1]", "0.125"),
    (number, {"A": 0.0}, "A", "eigenvalue is 0,", {"A": 1e-6}),
    (world, {"A": 2 * eye(2), "E": [[0.0, 2.25], [2.25, 0.0]]}, "A + e E", "-0.25",
     {"A": 2 * eye(2), "E": [[0.0, 1.75], [1.75, 0.0]]}),
    (number, {"E": -2.0}, "A + e E", "e = [1]", {"E": -1.9}),
    (world, {"P": np.diag([1.0, 1.0, -5.0]), "B": np.zeros((2, 3))}, "Phi", "-5", {"P": np.diag([1.0, 1.0, 0])}),
    (number, {"A": 1.0, "P": -1.0, "b": 2.0}, "Phi", "slope -2", {"A": 1.0, "P": -1.0}),
    (world, {"s_f": -0.5}, "s_f", "-0.5", {"s_f": 0.0}),
    (world, {"s_g": -1e-9}, "s_g", "-1e-09", {"s_g": 0.0}),
    (world, {"E": 0.5}, "E", "0.5", {"E": 0.0}),
    (world, {"s_f": [0.1, 0.2]}, "s_f", "[0.1, 0.2]"),
    (world, {"E": 0.01 * ones((13, 2, 2))}, "E", "got 13", {"E": 0.01 * ones((12, 2, 2))}),
    (world, {"F": ones((13, 2, 3))}, "F", "got 13", {"F": ones((12, 2, 3))}),
    # what is too large for a float
    (number, {"A": 1e-300, "B": 1e300}, "A^-1 B", "inf", {"A": 1e-70, "B": 1e70}),
    (number, {"A": 1e-300, "B": 0.0, "c": 1e10}, "A^-1 c", "inf", {"A": 1e-300, "B": 0.0, "c": 1e7}),
    (world, {"B": 1e200 * ones((2, 3)), "D": np.diag([1.0, 0.0])}, "P + B'A^-1 D A^-1 B", "inf",
     {"B": 1e200 * ones((2, 3)), "D": np.zeros((2, 2))}),
    (number, {"B": 1e100, "b": 1e250}, "The gradient of Phi at 0", "inf", {"B": 1e100, "b": 1e200}),
    (number, {"A": 1.0, "B": 1e-200, "P": 0.0, "D": 1e100, "b": 1e150}, "The minimiser of Phi", "inf",
     {"A": 1.0, "B": 1e-100, "P": 0.0, "D": 1e100, "b": 1e150}),
    (number, {"A": 1.7e308, "E": 1e308}, "A + e E", "inf", {"A": 1.7e308, "E": 1e306}),
    (of_five, {"A": 1.7e308 * eye(5), "E": 1e308 * eye(5)}, "A + e E", "inf"),
    (world, {"A": LARGE, "E": 0.0}, "A + e E", "inf", {"A": 1e-8 * LARGE, "E": 0.0}),
    (of_two, {"B": [[1e200], [1.0]], "D": np.diag([0.0, 1.0])}, "||P|| + ||A^-1 B||^2 ||D||", "inf",
     {"B": [[1e150], [1.0]]}),
    (of_three, {"A": SINGULAR}, "A", "its smallest eigenvalue is", {"A": SINGULAR + np.diag([0.0, 0.1, 0.0])}),
    # what is no number
    (number, {"D": None}, "D", "None"),
    (number, {"D": 10**400}, "D", "1000", {"D": 10**30}),
    (world, {"P": eye(3) + 0.0j}, "P", "j", {"P": eye(3)}),
    (number, {"s_f": np.array(1.0j)}, "s_f", "j", {"s_f": np.array(1.0)}),
    # constants
    *((constants, {"radius": radius}, "radius", str(radius), {"radius": 1e-3})
      for radius in (0.0, -1.0, nan, -inf, None, 1.0j, [1], 1e-320, 1e-151)),
    (constants, {"radius": ones(2)}, "radius", "[1.0, 1.0]", {"radius": inf}),
    (world(a=1e50).constants, {"radius": 1e-120}, "radius", ">= 1.73e-100", {"radius": 2e-100}),
    *((make, {"reading": reading}, "reading", f"'joint' or 'block', got {reading!r}", {"reading": "block"})
      for make in (constants, scalar, random_world) for reading in ("Joint", "", None, ["joint"])),
    # the constructors
    *((make, {"mu": mu}, "mu", str(mu), {"mu": near}) for make in (scalar, random_world, aligned)
      for mu, near in ((0.0, 1e-3), (-0.5, 1e-3), (4.0, 1.5))),
    *((make, {name: -0.25}, name, "-0.25", {name: 0.25}) for make in (scalar, random_world)
      for name in ("sigma_H", "sigma_J", "s_f", "s_g")),
    (aligned, {"s_g": -0.5}, "s_g", "-0.5", {"s_g": 0.5}),
    (scalar, {"L_1": 0.5}, "L_1", "0.5", {"L_1": 1.5}),
    (scalar, {"sigma_H": 1.75}, "sigma_H", "4.5", {"sigma_H": 1.4}),
    (scalar, {"sigma_J": 3.5}, "sigma_J", "3.5", {"sigma_J": 3.4}),
    (scalar, {"P": 4.5}, "P", "4.5", {"P": 4.0}),
    (scalar, {"mu": [1.0]}, "mu", "[1.0]", {"mu": np.float64(1.0)}),
    (scalar, {"L_1": "4"}, "L_1", "'4'", {"L_1": 4}),
    (random_world, {"sigma_H": 1.5}, "sigma_H", "1.5", {"sigma_H": 1.25}),
    (random_world, {"sigma_J": 37.5}, "sigma_J", "37.5", {"sigma_J": 1.5}),
    *((make, {name: wrong}, name, f"got {wrong}", {name: least})
      for make, names in ((random_world, ("d_x", "d_y")), (aligned, ("d_x", "d_y")), (heterogeneous, ("d_x", "d_y")),
                          (wavy, ("d",)), (learned, ("devices", "batch")))
      for name in names for least in (1,) for wrong in (0, -1, 2.5, 2.0, True)),
    *((make, {"seed": wrong}, "seed", f"{wrong}", {"seed": 0}) for make in (random_world, heterogeneous)
      for wrong in (0.5, -1)),
    # devices that differ
    (heterogeneous, {"K": 1}, "K", "got 1", {"K": 2}),
    (heterogeneous, {"dial": -0.1}, "dial", "dial = -0.1", {"dial": 0.0}),
    (heterogeneous, {"s_g": -1.0}, "s_g", "-1.0", {"s_g": 0.0}),
    (differing, {"dA": np.zeros((4, 2, 3))}, "dA", "(4, 2, 2)", {"dA": np.zeros((4, 2, 2))}),
    (differing, {"dA": np.array([[[0.0, 1.0], [0.0, 0.0]], [[0.0, -1.0], [0.0, 0.0]]] * 2)}, "dA[0]", "1"),
    (differing, {"dB": ones((4, 2, 2))}, "dB", "the entry 4", {"dB": np.zeros((4, 2, 2))}),
    (differing, {"dc": np.zeros((3, 2))}, "dc", "(4, 2)", {"dc": np.zeros((4, 2))}),
    (differing, {"dc": np.full((4, 2), inf)}, "dc", "inf"),
    (two_devices, {"dial": 0.5}, "Phi", "device 1 at dial = 0.5", {"dial": 0.05}),
    # waves
    (wavy, {"dial": nan}, "dial", "nan", {"dial": 0.1}),
    (wavy, {"dial": 4.61}, "dial", "4.6033388487517", {"dial": 4.6}),
    (wavy, {"omega": 0.0}, "omega", "omega = 0.0", {"omega": 1e-9}),
    (wavy, {"omega": 1e-308, "dial": 4.0}, "dial/omega", "inf", {"omega": 1e-307, "dial": 4.0}),
    (wavy, {"d": 2, "B": [1, 2, 3]}, "B", "(3,)", {"d": 2, "B": [1, 2]}),
    (wavy, {"d": 2, "B": [1.0, 0.0]}, "B", "0.0", {"d": 2, "B": [1, -1]}),
    (wavy, {"D": -1.0}, "D", "-1.0", {"D": 1e-3}),
    (wavy, {"E": 1.0}, "A + e E", "0,", {"E": 0.99}),
    (wavy, {"a": 1e200, "B": 1e200}, "c = Ab - Ba", "inf", {"a": 1e20, "B": 1e20}),
    (wavy(omega=2.0).stationary_offsets, {"within": -1}, "within", "500000], got -1", {"within": 0.0}),
    (wavy().stationary_offsets, {"within": inf}, "within", "inf", {"within": 1e6}),
    # f made linear far away
    *((far_linear, {"radius": radius}, "radius", "radius = ", {"radius": np.float32(2)})
      for radius in (0.0, -1.0, nan, inf, "1", None, [1.0, 2.0], 1e-200, 1j, True)),
    (far_linear, {"world": Quadratic(A=1.0, B=1.0, P=-0.125, D=1.0)}, "P", "-0.125"),
    (far_linear, {"world": 3.0}, "world", "3.0 without P, D, a, b, s_f, d_x, d_y"),
    (far_linear, {"world": huberised(PLAIN)}, "world", "without P, D, s_f"),
    (far_linear, {"world": SimpleNamespace(devices=[PLAIN, PLAIN])}, "world", "SimpleNamespace with 2"),
    (far_linear, {"world": SimpleNamespace(**LETTERS, objective=lambda x: 1.0)}, "Phi", "got 1 instead of"),
    (far_linear, {"world": SimpleNamespace(**{**LETTERS, "D": ones(3)})}, "D", "shape (3, 3)"),
    (far_linear, {"world": number(P=1e200), "radius": 1e120}, "the largest slope of f,", "inf"),
    # rows
    (learned, {"targets": None}, "targets", "must be given together"),
    (learned, {"features": None, "targets": None, "names": ["a"]}, "names", "go with them"),
    (learned, {"features": with_one_entry(ones((60, 3)), nan)}, "features", "features[59][2] = nan"),
    (learned, {"targets": [*range(59), inf]}, "targets", "targets[59] = inf"),
    (learned, {"features": FLAT * [1, 0, 1] + 7, "names": ["age", "sex", "bmi"]}, "sex", "7 in every row"),
    (learned, {"targets": np.full(60, -2.5)}, "targets", "-2.5 in every row"),
    (learned, {"features": [[1.0, 2.0]], "targets": [1.0]}, "features", "got 1"),
    (learned, {"features": np.arange(60.0)}, "features", "(60,)"),
    (learned, {"targets": np.arange(59.0)}, "targets", "(59,)"),
    (learned, {"names": ["a", "b"]}, "names", "['a', 'b']", {"names": ["a", "b", "c"]}),
    (learned, {"names": 5}, "names", "got 5"),
    (learned, {"devices": 31}, "devices", "device 30 would have 1", {"devices": 30}),
    (learned, {"batch": 3}, "batch", "batch = 3", {"batch": 4}),
    (learned, {"batch": 32}, "batch", "from 1 to 16", {"batch": 16}),
    (learned, {"m": 0.0}, "m", "m = 0.0", {"m": 0.01}),
    (learned, {"m": 11.0}, "m", "m = 11.0", {"m": 10.0}),
    (learned, {"training": 1.0}, "training", "training = 1.0", {"training": 0.99}),
    (lambda m: replace(learned(devices=3), m=m), {"m": 1.0}, "m", "2.0, got m = 1.0", {"m": 2.0}),
    # sums of terms on both levels
    (terms, {"A": [1.0, -1.0]}, "A[1]", "-1", {"A": [1.0, 1e-3]}),
    (terms, {"B": [1.0]}, "B", "(2, 1, 1), one entry for each term, got (1, 1, 1)"),
    (terms, {"P": [-9.0]}, "Phi", "-8.5", {"P": [-0.1]}),
    *((terms, {"A": A}, "A", "list of numbers or of matrices") for A in (1.0, [])),
    (terms, {"c": [nan, 0.0]}, "c", "nan"),
    # one level: curvatures are positive, however small
    *((rc.worlds.SingleLevel, {"H": H}, "H", "smallest eigenvalue is", {"H": least}) for H, least in (
        (0.0, 1e-100), (-1.0, 1.0), ([[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1e-9]]),
        ([[1.0, 0.0], [0.0, -1e-9]], 1e-9))),
    (rc.worlds.LinearMap, {"M": [[1.5, 0.0], [0.0, 0.5]]}, "M", "1.5", {"M": [[0.9, 0.0], [0.0, 0.5]]}),
    (rc.worlds.LinearMap, {"M": [[1.0, 0.0], [0.0, 0.5]]}, "M", "smallest singular value is 0"),
    (rc.worlds.LinearMap, {"M": [[0.5, 0.0]]}, "M", "(1, 2)"),
    (rc.worlds.LinearMap, {"M": 0.5, "b": [1.0, 2.0]}, "b", "(1,)", {"M": 0.5, "b": 1.0}),
    (lambda H: rc.worlds.FiniteSum(H=H, a=[0.0, 0.0]), {"H": [1.0, -1e-6]}, "H", "-1e-06", {"H": [1.0, 1e-6]}),
    # points
    *((point, {"x": x}, "x", f"(2,) or (2, n), got {form}", {"x": [3, -1]})
      for x, form in ((3.0, "the number 3.0"), (np.array(3.0), "the number 3.0"), (ones(3), "shape (3,)"),
                      ([1.0], "shape (1,)"), ([], "shape (0,)"), (ones((5, 2)), "shape (5, 2)"),
                      (ones((2, 1, 1)), "shape (2, 1, 1)"))),
    (point, {"x": [1.0, 2.0], "of": ONE}, "x", "a number or have shape (1,) or (1, n), got shape (2,)",
     {"x": 2, "of": ONE}),
    *((point, {"x": x}, "x", f"{where}", {"x": ones((2, 0))})
      for x, where in ((np.array([1.0, nan]), "x[1] = nan"), ([-inf, 0.0], "x[0] = -inf"),
                       ([[0.0, 1.0], [2.0, nan]], "x[1][1] = nan"), ("origin", "'origin'"), (None, "None"),
                       (np.array([1.0, 1.0j]), "[(1+0j), 1j]"), (np.array([[1.0j]]), "[[1j]]"))),
    (point, {"x": nan, "of": ONE}, "x", "x = nan", {"x": np.float32(2.0), "of": ONE}),
    # shapes, text, and what is not finite, in every field
    *((world, {name: ones(shape)}, name, str(shape)) for name, shapes in {
        "A": [(2, 3), (3, 2), (2,), (2, 2, 2), (0, 0)], "E": [(3, 3), (2, 3, 3), (2,), (1, 1, 2, 2)],
        "B": [(3, 2), (2, 2), (6,), (1, 2, 3)], "F": [(3, 2), (4, 3, 2), (6,), (1, 1, 2, 3)],
        "c": [(3,), (2, 1), (0,)], "P": [(3, 2), (2, 3), (3,), (0, 0)], "D": [(3, 3), (2, 3), (2,)],
        "a": [(2,), (3, 1)], "b": [(3,), (1, 2)]}.items() for shape in shapes),
    *((world, {name: value}, name, text) for name in GOOD
      for value, text in (("two", "'two'"), ([[1.0, 2.0], [3.0]], "[[1.0, 2.0], [3.0]]"))),
    *((world, {name: with_one_entry(value, entry)}, name, f"= {entry}") for name, value in GOOD.items()
      for entry in (nan, inf, -inf)),
]  # fmt: skip


def titled(row: Any) -> str:
    return f"{getattr(getattr(row[0], 'func', row[0]), '__name__', 'call')}({', '.join(row[1])}): {row[3]}"[
        :80
    ]


def assert_refused(make: Callable[[], Any], name: str, value: str) -> None:
    """A UserError and no LinAlgError, which is a ValueError too: one sentence with name, value and what is allowed."""
    with pytest.raises(ValueError, match=rf"(?<!\w){re.escape(name)}(?!\w)") as caught:
        make()
    message = str(caught.value)
    assert caught.type is UserError
    assert value in message
    assert re.search(r"\b(must|needs|allowed)\b", message)
    assert re.fullmatch(r"[^\n]*[^.\n]\.", message)
    assert not re.search(r"\.\s", message)


@pytest.mark.parametrize("row", TABLE, ids=titled)
def test_bad_input_is_refused_and_its_neighbour_is_accepted(row: Any) -> None:
    make, wrong, name, value, *mended = row
    assert_refused(partial(make, **wrong), name, value)
    for good in mended:
        assert make(**good) is not None


# Refusals that depend on several values.


def test_directions_that_only_together_leave_the_cone_are_refused() -> None:
    """2 I - E_1 and 2 I - E_2 are positive definite; 2 I - E_1 - E_2 has the eigenvalue -1/2."""
    A, E_1, E_2 = 2.0 * np.eye(2), np.diag([1.5, 0.0]), np.diag([1.0, 0.0])
    for alone in (E_1, E_2, [E_1, np.diag([0.0, 1.0])]):
        world(A=A, E=alone)
    for signs in ([-1, -1], [-1, 1], [1, -1], [1, 1]):
        for value in ("-0.5", f"e = {signs}"):
            assert_refused(partial(world, A=A, E=[-signs[0] * E_1, -signs[1] * E_2]), "A + e E", value)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12], ids=lambda s: f"scale {s:g}")
def test_what_is_wrong_is_wrong_in_every_unit(scale: float) -> None:
    """An asymmetry; a maximum of Phi = -3/2 scale (x - 1)^2; and Phi = scale (2 - 2x), which falls without bound."""
    skew, linear = np.array([[2.0, 0.5], [0.25, 2.0]]), {"A": 1.0, "P": -scale, "D": scale}
    wrong: list[tuple[Any, dict[str, Any], str, str]] = [
        (world, {"A": scale * skew, "E": 0.0}, "A", f"{0.25 * scale:.6g}"),
        (number, {"P": -3.0 * scale, "D": 0.0, "a": 1.0}, "Phi", f"{-3.0 * scale:.6g}"),
        (number, {**linear, "b": 2.0}, "Phi", f"slope {-2.0 * scale:.6g}"),
        (number, {**linear, "b": 2.0}, "Phi", "unbounded below"),
        (number, {**linear, "b": -2.0}, "Phi", "along [-1.0]"),
    ]
    for make, given, name, value in wrong:
        assert_refused(partial(make, **given), name, value)
    world(A=scale * (skew + skew.T) / 2, E=0.0)
    assert number(P=3.0 * scale, D=0.0, a=1.0).x_star == pytest.approx([1.0], rel=1e-12)
    assert number(**linear).x_star == 0.0


@pytest.mark.parametrize("far", [1.0, 1e9])
def test_a_slope_is_seen_beside_a_steep_direction(far: float) -> None:
    """In a rotated basis Phi(x) = 1/2 (x_1 - far)^2 - 2 x_2 + constant."""
    U = rotation(np.random.default_rng(7), 2)
    P, D = (symmetric(np.random.default_rng(7), np.array(e)) for e in ([1.0, -1.0], [0.0, 1.0]))
    parts = {"A": np.eye(2), "B": np.eye(2), "P": P, "D": D, "a": U @ [far, 0.0]}
    assert_refused(partial(Quadratic, **parts, b=U @ [0.0, 2.0]), "Phi", "slope -2")
    np.testing.assert_allclose(Quadratic(**parts).x_star, parts["a"], rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_largest_dial_is_where_a_device_loses_strong_convexity(seed: int) -> None:
    made = heterogeneous(sigma_H=0.3, seed=seed)
    most = made.largest_dial
    least = [device.curvature[0] for device in replace(made, dial=(1 - 1e-9) * most).devices]
    assert min(least) == pytest.approx(0.0, abs=1e-8)
    beyond = partial(replace, made, dial=(1 + 1e-6) * most)
    assert_refused(beyond, "dial", f"smallest eigenvalue of device {int(np.argmin(least))}, ")
    assert replace(made, dA=np.zeros_like(made.dA), dial=1e6).largest_dial == math.inf


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'ratecert\[data\]'") as error:
        ridge()
    assert str(error.value).endswith(".")
    assert learned().d_x == 3  # data of one's own needs none


@pytest.mark.parametrize("value", ["x" * 1000, [[1.0] * 500, [1.0]], np.full((40, 40), 1.0j)], ids=type)
def test_a_long_value_is_shortened(value: Any) -> None:
    assert_refused(partial(world, A=value), "A", "…")
    with pytest.raises(ValueError, match=r"^.{,200}$"):
        world(A=value)


def test_rounding_is_no_mistake() -> None:
    """Neither an asymmetry of one digit nor a singular P whose eigenvalue is rounded below zero."""
    A = np.array(GOOD["A"])
    A[0, 1] = np.nextafter(A[0, 1], 1.0)
    assert world(A=A).A[0, 1] == A[0, 1]
    rng = np.random.default_rng(0)
    for _ in range(20):
        root = rng.standard_normal((4, 2))
        P = 0.5 * (root @ root.T + (root @ root.T).T)
        linear = huberised(Quadratic(A=1.0, B=np.ones((1, 4)), P=P, D=1.0), radius=1.0)
        assert np.isfinite(linear.objective(rng.standard_normal((4, 10)))).all()


def test_a_matrix_that_only_looks_positive_is_refused_by_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding can make the least eigenvalue of a singular A positive; on which processors, nobody knows beforehand."""
    monkeypatch.setattr(Quadratic, "_require_strong_convexity", lambda self: None)
    singular = {"B": np.ones((2, 1)), "P": 1.0, "D": np.eye(2)}
    assert_refused(partial(Quadratic, A=ones((2, 2)), **singular), "A", "its largest 2")
    Quadratic(A=[[1.0, 1.0], [1.0, 1.1]], **singular)
