"""Bad input is refused before any work, in one sentence with the name, the value and what is allowed.

A refused call has a neighbour that is accepted, so that nothing is refused for another reason than the one
that is named.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ratecert.errors import UserError
from ratecert.synthetic import Quadratic, aligned, random_quadratic, scalar
from ratecert.synthetic.algebra.spectra import rotation, symmetric

GOOD: dict[str, Any] = {
    "A": [[2.0, 0.5], [0.5, 2.0]],
    "E": [[[0.3, 0.1], [0.1, 0.0]], [[0.0, 0.2], [0.2, 0.1]]],
    "B": [[1.0, 0.0, 2.0], [0.5, 1.0, 0.0]],
    "F": [[0.1, 0.2, 0.0], [0.0, 0.3, 0.1]],
    "c": [0.1, 0.2],
    "P": [[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.5]],
    "D": [[1.0, 0.1], [0.1, 3.0]],
    "a": [1.0, 2.0, 3.0],
    "b": [-1.0, 0.5],
    "s_f": 0.1,
    "s_g": 0.2,
}  # d_x = 3, d_y = 2
SCALAR = {"A": 2.0, "B": 1.0, "P": 1.0, "D": 1.0}


def world(**changes: Any) -> Quadratic:
    return Quadratic(**{**GOOD, **changes})


def scalar_world(**changes: Any) -> Quadratic:
    return Quadratic(**{**SCALAR, **changes})


def constants(**arguments: Any) -> dict[str, float]:
    return world().constants(**arguments)


def random_world(**changes: Any) -> Quadratic:
    return random_quadratic(**{"d_x": 2, "d_y": 3, "seed": 0, "sigma_H": 0.5, "sigma_J": 0.5, **changes})


@dataclass(frozen=True)
class Bad:
    """make(**wrong) has to be refused with the name and the value; make(**mended) is accepted."""

    make: Callable[..., Any]
    wrong: dict[str, Any]
    name: str
    value: str
    mended: dict[str, Any] = field(default_factory=dict)


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


@pytest.mark.parametrize(
    "error",
    [
        ValueError("B must be finite, got B = nan."),
        ValueError("A must be finite."),
        ValueError("A is nan."),
        ValueError("A must be finite, got A = nan"),
        ValueError("A must be finite, got A = nan. It is not."),
        ValueError("A must be finite,\ngot A = nan."),
        np.linalg.LinAlgError("A must be finite, got A = nan."),
    ],
    ids=["name", "value", "allowed", "sentence", "two sentences", "two lines", "LinAlgError"],
)
def test_a_poor_refusal_is_seen(error: ValueError) -> None:
    def make() -> None:
        raise error

    with pytest.raises(AssertionError):
        assert_refused(make, "A", "nan")


def test_no_refusal_is_seen() -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_refused(world, "A", "nan")


# The fields of a world.

MATRICES: dict[str, Bad] = {
    "A not symmetric": Bad(
        world, {"A": [[2.0, 0.5], [0.25, 2.0]]}, "A", "0.25", {"A": [[2.0, 0.5], [0.5, 2.0]]}
    ),
    "P not symmetric": Bad(world, {"P": np.eye(3) + np.eye(3, k=1)}, "P", "P[0,1] = 1", {"P": np.eye(3)}),
    "D not symmetric": Bad(world, {"D": [[1.0, 0.5], [-0.5, 1.0]]}, "D", "-0.5"),
    "E not symmetric": Bad(world, {"E": [[0.0, 0.125], [0.0, 0.0]]}, "E", "0.125"),
    "E[1] not symmetric": Bad(world, {"E": [np.eye(2), [[0.0, 0.125], [0.0, 0.0]]]}, "E[1]", "0.125"),
    "A indefinite": Bad(world, {"A": np.diag([2.0, -0.75]), "E": 0.0}, "A", "-0.75"),
    "A singular": Bad(scalar_world, {"A": 0.0}, "A", "eigenvalue is 0,", {"A": 1e-6}),
    "A + E indefinite": Bad(
        world,
        {"A": np.diag([2.0, 2.0]), "E": [[0.0, 2.25], [2.25, 0.0]]},
        "A + e E",
        "-0.25",
        {"A": np.diag([2.0, 2.0]), "E": [[0.0, 1.75], [1.75, 0.0]]},
    ),
    "A + E singular": Bad(scalar_world, {"E": -2.0}, "A + e E", "e = [1]", {"E": -1.9}),
    "no minimum: P": Bad(
        world,
        {"P": np.diag([1.0, 1.0, -5.0]), "B": np.zeros((2, 3))},
        "Phi",
        "-5",
        {"P": np.diag([1.0, 1.0, 0])},
    ),
    "no minimum: D": Bad(scalar_world, {"P": 1.0, "D": -8.0}, "Phi", "is -1,", {"P": 1.0, "D": -4.0}),
    "no minimum, flat": Bad(
        scalar_world, {"A": 1.0, "P": -1.0, "b": 2.0}, "Phi", "slope -2", {"A": 1.0, "P": -1.0}
    ),
    "s_f < 0": Bad(world, {"s_f": -0.5}, "s_f", "-0.5", {"s_f": 0.0}),
    "s_g < 0": Bad(world, {"s_g": -1e-9}, "s_g", "-1e-09", {"s_g": 0.0}),
    "E a number": Bad(world, {"E": 0.5}, "E", "0.5", {"E": 0.0}),
    "F a number": Bad(world, {"F": -0.5}, "F", "-0.5", {"F": 0}),
    "B a number": Bad(world, {"B": 0.5}, "B", "0.5"),
    "s_f a vector": Bad(world, {"s_f": [0.1, 0.2]}, "s_f", "[0.1, 0.2]"),
    "13 directions of E": Bad(
        world, {"E": 0.01 * np.ones((13, 2, 2))}, "E", "got 13", {"E": 0.01 * np.ones((12, 2, 2))}
    ),
    "13 directions of F": Bad(world, {"F": np.ones((13, 2, 3))}, "F", "got 13", {"F": np.ones((12, 2, 3))}),
}

OVERFLOWS: dict[str, Bad] = {
    "slope": Bad(scalar_world, {"A": 1e-300, "B": 1e300}, "A^-1 B", "inf", {"A": 1e-70, "B": 1e70}),
    "slope, negative": Bad(scalar_world, {"A": 1e-300, "B": -1e300}, "A^-1 B", "-inf"),
    "intercept": Bad(
        scalar_world, {"A": 1e-300, "B": 0.0, "c": 1e10}, "A^-1 c", "inf", {"A": 1e-300, "B": 0.0, "c": 1e7}
    ),
    "Hessian": Bad(scalar_world, {"B": 1e200}, "P + B'A^-1 D A^-1 B", "inf", {"B": 1e150}),
    "Hessian, without D": Bad(
        world,
        {"B": 1e200 * np.ones((2, 3)), "D": np.diag([1.0, 0.0])},
        "P + B'A^-1 D A^-1 B",
        "inf",
        {"B": 1e200 * np.ones((2, 3)), "D": np.zeros((2, 2))},
    ),
    "gradient": Bad(
        scalar_world, {"B": 1e100, "b": 1e250}, "The gradient of Phi at 0", "inf", {"B": 1e100, "b": 1e200}
    ),
    "minimiser": Bad(
        scalar_world,
        {"A": 1.0, "B": 1e-200, "P": 0.0, "D": 1e100, "b": 1e150},
        "The minimiser of Phi",
        "inf",
        {"A": 1.0, "B": 1e-100, "P": 0.0, "D": 1e100, "b": 1e150},
    ),
    "A + e E": Bad(scalar_world, {"A": 1.7e308, "E": 1e308}, "A + e E", "inf", {"A": 1.7e308, "E": 1e306}),
    "A + e E of size 5": Bad(
        lambda A, E: Quadratic(A=A, E=E, B=np.ones((5, 1)), P=1.0, D=np.eye(5)),
        {"A": 1.7e308 * np.eye(5), "E": 1e308 * np.eye(5)},
        "A + e E",
        "inf",
        {"A": 1.7e300 * np.eye(5), "E": 1e300 * np.eye(5)},
    ),
    "eigenvalue of A": Bad(
        world,
        {"A": 1.7e308 * np.eye(2) + 1.6e308 * np.eye(2)[::-1], "E": 0.0},
        "A + e E",
        "inf",
        {"A": 1.7e300 * np.eye(2) + 1.6e300 * np.eye(2)[::-1], "E": 0.0},
    ),
    "size of the Hessian": Bad(
        lambda B: Quadratic(A=np.eye(2), B=B, P=1.0, D=np.diag([0.0, 1.0])),
        {"B": [[1e200], [1.0]]},
        "||P|| + ||A^-1 B||^2 ||D||",
        "inf",
        {"B": [[1e150], [1.0]]},
    ),
    "A singular to rounding": Bad(
        lambda A: Quadratic(A=A, B=np.ones((3, 1)), P=1.0, D=np.eye(3)),
        {"A": [[5.0, -5.0, 2.0], [-5.0, 5.0, -2.0], [2.0, -2.0, 1.0]]},
        "A",
        "its smallest eigenvalue is",  # which is of the size of rounding, of either sign
        {"A": [[5.0, -5.0, 2.0], [-5.0, 5.1, -2.0], [2.0, -2.0, 1.0]]},
    ),
}

WRONG_SHAPES: dict[str, list[tuple[int, ...]]] = {
    "A": [(2, 3), (3, 2), (2,), (2, 2, 2), (0, 0)],
    "E": [(3, 3), (2, 3, 3), (2,), (1, 1, 2, 2)],
    "B": [(3, 2), (2, 2), (6,), (1, 2, 3)],
    "F": [(3, 2), (4, 3, 2), (6,), (1, 1, 2, 3)],
    "c": [(3,), (2, 1), (0,)],
    "P": [(3, 2), (2, 3), (3,), (0, 0)],
    "D": [(3, 3), (2, 3), (2,)],
    "a": [(2,), (3, 1)],
    "b": [(3,), (1, 2)],
}
SHAPES: dict[str, Bad] = {
    f"{name} {shape}": Bad(world, {name: np.ones(shape)}, name, str(shape))
    for name, shapes in WRONG_SHAPES.items()
    for shape in shapes
}

NOT_NUMBERS: dict[str, Bad] = {
    f"{kind} in {name}": Bad(world, {name: value}, name, text)
    for name in GOOD
    for kind, value, text in [
        ("text", "two", "'two'"),
        ("ragged", [[1.0, 2.0], [3.0]], "[[1.0, 2.0], [3.0]]"),
    ]
} | {
    "text array in D": Bad(world, {"D": np.array([["a", "b"], ["c", "d"]])}, "D", "['a', 'b']"),
    "digits in c": Bad(scalar_world, {"c": "2.0"}, "c", "'2.0'", {"c": 2.0}),
    "arrays of two shapes in E": Bad(world, {"E": [np.eye(2), np.eye(3)]}, "E", "[0.0, 1.0]"),
    "None in D": Bad(scalar_world, {"D": None}, "D", "None"),
    "too large in D": Bad(scalar_world, {"D": 10**400}, "D", "1000", {"D": 10**30}),
    "complex in P": Bad(world, {"P": np.eye(3) + 0.0j}, "P", "j", {"P": np.eye(3)}),
    "complex in E": Bad(world, {"E": np.zeros((2, 2), dtype=complex)}, "E", "j", {"E": np.zeros((2, 2))}),
    "complex list in A": Bad(scalar_world, {"A": [[2.0 + 1.0j]]}, "A", "1j"),
    "complex array in A": Bad(scalar_world, {"A": np.array([[2.0 + 1.0j]])}, "A", "j", {"A": [[2.0]]}),
    "complex array in c": Bad(scalar_world, {"c": np.array([1.0j])}, "c", "j", {"c": [1.0]}),
    "complex array in s_f": Bad(scalar_world, {"s_f": np.array(1.0j)}, "s_f", "j", {"s_f": np.array(1.0)}),
}


def with_one_entry(value: Any, entry: float) -> Any:
    """The value with its last entry replaced."""
    array = np.array(value, dtype=float)
    array[(-1,) * array.ndim] = entry
    return array if array.ndim else float(array)


NOT_FINITE: dict[str, Bad] = {
    f"{entry} in {name}": Bad(world, {name: with_one_entry(value, entry)}, name, f"= {entry}")
    for name, value in GOOD.items()
    for entry in (math.nan, math.inf, -math.inf)
}

CONSTANTS: dict[str, Bad] = {
    **{
        f"radius {radius}": Bad(constants, {"radius": radius}, "radius", str(radius), {"radius": 1e-3})
        for radius in (0.0, -1.0, math.nan, -math.inf, None, [1], 1e-320, 1e-151)
    },
    "radius text": Bad(constants, {"radius": "a"}, "radius", "'a'", {"radius": np.float64(2.0)}),
    "radius digits": Bad(constants, {"radius": "1.0"}, "radius", "'1.0'", {"radius": 1}),
    "radius complex": Bad(constants, {"radius": 1.0j}, "radius", "1j", {"radius": np.array(1.0)}),
    "radius an array": Bad(constants, {"radius": np.ones(2)}, "radius", "[1.0, 1.0]", {"radius": math.inf}),
    "radius beside a far centre": Bad(
        lambda radius: world(a=1e50).constants(radius=radius),
        {"radius": 1e-120},
        "radius",
        ">= 1.73e-100",
        {"radius": 2e-100},
    ),
    **{
        f"reading {reading!r}": Bad(
            constants, {"reading": reading}, "reading", repr(reading), {"reading": "block"}
        )
        for reading in ("Joint", "", None, ["joint"])
    },
}

# The constructors.

SCALARS: dict[str, Bad] = {
    "mu = 0": Bad(scalar, {"mu": 0.0}, "mu", "0.0", {"mu": 1e-3}),
    "mu < 0": Bad(scalar, {"mu": -0.5}, "mu", "-0.5"),
    "mu = L_1": Bad(scalar, {"mu": 4.0}, "mu", "4.0", {"mu": 3.9}),
    "L_1 < mu": Bad(scalar, {"L_1": 0.5}, "L_1", "0.5", {"L_1": 1.5}),
    "sigma_H too large": Bad(scalar, {"sigma_H": 1.75}, "sigma_H", "4.5", {"sigma_H": 1.4}),
    "sigma_H < 0": Bad(scalar, {"sigma_H": -0.25}, "sigma_H", "-0.25", {"sigma_H": 0.25}),
    "sigma_J too large": Bad(scalar, {"sigma_J": 3.5}, "sigma_J", "3.5", {"sigma_J": 3.4}),
    "sigma_J < 0": Bad(scalar, {"sigma_J": -0.25}, "sigma_J", "-0.25", {"sigma_J": 0.25}),
    "P > L_1": Bad(scalar, {"P": 4.5}, "P", "4.5", {"P": 4.0}),
    "D < 0": Bad(scalar, {"D": -0.5}, "D", "-0.5", {"D": 0.0}),
    "mu a list": Bad(scalar, {"mu": [1.0]}, "mu", "[1.0]", {"mu": np.float64(1.0)}),
    "L_1 text": Bad(scalar, {"L_1": "4"}, "L_1", "'4'", {"L_1": 4}),
    "s_f < 0": Bad(scalar, {"s_f": -0.5}, "s_f", "-0.5", {"s_f": 0.5}),
    "reading": Bad(scalar, {"reading": "blok"}, "reading", "'blok'", {"reading": "block"}),
}
RANDOM: dict[str, Bad] = {
    "d_x = 0": Bad(random_world, {"d_x": 0}, "d_x", "d_x = 0", {"d_x": 1}),
    "d_y < 0": Bad(random_world, {"d_y": -1}, "d_y", "d_y = -1", {"d_y": 1}),
    "d_x = 2.5": Bad(random_world, {"d_x": 2.5}, "d_x", "2.5", {"d_x": 2}),
    "d_y = 2.5": Bad(random_world, {"d_y": 2.5}, "d_y", "2.5", {"d_y": 2}),
    "mu = 0": Bad(random_world, {"mu": 0.0}, "mu", "mu = 0.0", {"mu": 1e-3}),
    "sigma_H too large": Bad(random_world, {"sigma_H": 1.5}, "sigma_H", "1.5", {"sigma_H": 1.25}),
    "sigma_H < 0": Bad(random_world, {"sigma_H": -0.25}, "sigma_H", "-0.25", {"sigma_H": 0.25}),
    "sigma_J < 0": Bad(random_world, {"sigma_J": -0.25}, "sigma_J", "-0.25", {"sigma_J": 0.25}),
    "sigma_J too large": Bad(random_world, {"sigma_J": 37.5}, "sigma_J", "37.5", {"sigma_J": 1.5}),
    "s_g < 0": Bad(random_world, {"s_g": -0.5}, "s_g", "-0.5", {"s_g": 0.5}),
    "d_x = 2.0": Bad(random_world, {"d_x": 2.0}, "d_x", "2.0", {"d_x": np.int64(2)}),
    "d_y a list": Bad(random_world, {"d_y": [3]}, "d_y", "[3]"),
    "seed no integer": Bad(random_world, {"seed": 0.5}, "seed", "0.5", {"seed": 0}),
    "seed missing": Bad(random_world, {"seed": None}, "seed", "None"),
    "seed < 0": Bad(random_world, {"seed": -1}, "seed", "-1", {"seed": 1}),
    "reading": Bad(random_world, {"reading": "blok"}, "reading", "'blok'", {"reading": "block"}),
}
ALIGNED: dict[str, Bad] = {
    "d_x = 0": Bad(aligned, {"d_x": 0}, "d_x", "d_x = 0", {"d_x": 1}),
    "d_y = 0": Bad(aligned, {"d_y": 0}, "d_y", "d_y = 0", {"d_y": 1}),
    "d_x = 2.5": Bad(aligned, {"d_x": 2.5}, "d_x", "2.5", {"d_x": 2}),
    "d_y = 2.5": Bad(aligned, {"d_y": 2.5}, "d_y", "2.5", {"d_y": 2}),
    "mu = 0": Bad(aligned, {"mu": 0.0}, "mu", "mu = 0.0", {"mu": 1e-3}),
    "mu = L_1": Bad(aligned, {"mu": 4.0}, "mu", "mu = 4.0", {"mu": 3.9}),
    "s_g < 0": Bad(aligned, {"s_g": -0.5}, "s_g", "-0.5", {"s_g": 0.5}),
}
LEVELS = ["mu", "L_1", "sigma_H", "sigma_J", "s_f", "s_g"]
NOT_FINITE_LEVELS: dict[str, Bad] = {
    f"{name}({level} = {value})": Bad(make, {level: value}, level, str(value))
    for name, make, levels in [
        ("scalar", scalar, [*LEVELS, "P", "D", "a", "b", "c"]),
        ("random_quadratic", random_world, LEVELS),
        ("aligned", aligned, ["mu", "L_1", "s_g"]),
    ]
    for level in levels
    for value in (math.nan, math.inf, -math.inf)
}

ALL: dict[str, Bad] = {
    f"{group}: {name}": bad
    for group, cases in {
        "world": MATRICES,
        "overflow": OVERFLOWS,
        "shape": SHAPES,
        "not numbers": NOT_NUMBERS,
        "not finite": NOT_FINITE,
        "constants": CONSTANTS,
        "scalar": SCALARS,
        "random_quadratic": RANDOM,
        "aligned": ALIGNED,
        "level": NOT_FINITE_LEVELS,
    }.items()
    for name, bad in cases.items()
}


@pytest.mark.parametrize("case", ALL)
def test_bad_input_is_refused(case: str) -> None:
    bad = ALL[case]
    assert_refused(lambda: bad.make(**bad.wrong), bad.name, bad.value)


@pytest.mark.parametrize("case", [name for name, bad in ALL.items() if bad.mended])
def test_its_neighbour_is_accepted(case: str) -> None:
    assert ALL[case].make(**ALL[case].mended) is not None


@pytest.mark.smoke
def test_what_the_cases_start_from_is_accepted() -> None:
    for make in (world, scalar_world, constants, scalar, random_world, aligned):
        assert make() is not None


# Refusals that depend on several values.


def test_directions_that_only_together_leave_the_cone_are_refused() -> None:
    """2 I - E_1 and 2 I - E_2 are positive definite; 2 I - E_1 - E_2 has the eigenvalue -1/2."""
    A, E_1, E_2 = 2.0 * np.eye(2), np.diag([1.5, 0.0]), np.diag([1.0, 0.0])
    for alone in (E_1, E_2, [E_1, np.diag([0.0, 1.0])]):
        world(A=A, E=alone)
    for signs in ([-1, -1], [-1, 1], [1, -1], [1, 1]):
        together = [-signs[0] * E_1, -signs[1] * E_2]
        assert_refused(lambda E=together: world(A=A, E=E), "A + e E", "-0.5")
        assert_refused(lambda E=together: world(A=A, E=E), "A + e E", f"e = {signs}")


SCALES = [1e-12, 1e-6, 1.0, 1e6, 1e12]


@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"scale {s:g}")
def test_asymmetry_is_refused_in_every_unit(scale: float) -> None:
    skew = np.array([[2.0, 0.5], [0.25, 2.0]])
    assert_refused(lambda: world(A=scale * skew, E=0.0), "A", f"{0.25 * scale:.6g}")
    world(A=scale * (skew + skew.T) / 2, E=0.0)


@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"scale {s:g}")
def test_a_maximum_is_refused_in_every_unit(scale: float) -> None:
    """Phi(x) = -3/2 scale (x - 1)^2 has a maximum at 1 and no minimum."""
    assert_refused(lambda: scalar_world(P=-3.0 * scale, D=0.0, a=1.0), "Phi", f"{-3.0 * scale:.6g}")
    assert scalar_world(P=3.0 * scale, D=0.0, a=1.0).x_star == pytest.approx([1.0], rel=1e-12)


@pytest.mark.parametrize("scale", SCALES, ids=lambda s: f"scale {s:g}")
def test_a_slope_without_curvature_is_refused_in_every_unit(scale: float) -> None:
    """Phi(x) = scale (1/2 (x - 2)^2 - 1/2 x^2) = scale (2 - 2 x) falls without bound; with b = 0 it is 0."""
    linear = {"A": 1.0, "P": -scale, "D": scale}
    assert_refused(lambda: scalar_world(**linear, b=2.0), "Phi", f"slope {-2.0 * scale:.6g}")
    assert_refused(lambda: scalar_world(**linear, b=-2.0), "Phi", "along [-1.0]")
    assert_refused(lambda: scalar_world(**linear, b=2.0), "Phi", "unbounded below")
    np.testing.assert_array_equal(scalar_world(**linear).x_star, [0.0])


@pytest.mark.parametrize("far", [1.0, 1e3, 1e9])
def test_a_slope_is_seen_beside_a_steep_direction(far: float) -> None:
    """In a rotated basis Phi(x) = 1/2 (x_1 - far)^2 - 2 x_2 + constant."""
    U = rotation(np.random.default_rng(7), 2)
    parts = {
        "A": np.eye(2),
        "B": np.eye(2),
        "P": symmetric(np.random.default_rng(7), np.array([1.0, -1.0])),
        "D": symmetric(np.random.default_rng(7), np.array([0.0, 1.0])),
        "a": U @ [far, 0.0],
    }
    assert_refused(lambda: Quadratic(**parts, b=U @ [0.0, 2.0]), "Phi", "slope -2")
    np.testing.assert_allclose(Quadratic(**parts).x_star, parts["a"], rtol=1e-12)


def test_all_constructors_refuse_a_reading_alike() -> None:
    messages = set()
    for make in (scalar, random_world, constants):
        with pytest.raises(ValueError, match="reading") as caught:
            make(reading="blok")
        messages.add(str(caught.value))
    assert messages == {"reading must be 'joint' or 'block', got 'blok'."}


@pytest.mark.parametrize("value", ["x" * 1000, [[1.0] * 500, [1.0]], np.full((40, 40), 1.0j)], ids=type)
def test_a_long_value_is_shortened(value: Any) -> None:
    assert_refused(lambda: world(A=value), "A", "…")
    with pytest.raises(ValueError, match=r"^.{,200}$"):
        world(A=value)


def test_rounding_is_not_asymmetry() -> None:
    A = np.array(GOOD["A"])
    A[0, 1] = np.nextafter(A[0, 1], 1.0)
    assert world(A=A).A[0, 1] == A[0, 1]


def test_a_matrix_that_only_looks_positive_is_refused_by_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding can make the least eigenvalue of a singular A positive; on which processors, nobody knows beforehand."""
    monkeypatch.setattr(Quadratic, "_require_strong_convexity", lambda self: None)
    assert_refused(
        lambda: Quadratic(A=[[1.0, 1.0], [1.0, 1.0]], B=np.ones((2, 1)), P=1.0, D=np.eye(2)),
        "A",
        "its largest 2",
    )
    Quadratic(A=[[1.0, 1.0], [1.0, 1.1]], B=np.ones((2, 1)), P=1.0, D=np.eye(2))
