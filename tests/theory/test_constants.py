"""The constants of Section 3 against brute force, on every world of oracles/constants_zoo.py.

What is measured, and how, is in oracles/constants_measured.py. Every check has a negative test: the same formula with
a part left out is exceeded somewhere in the zoo.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy

from oracles import constants_measured as measures
from oracles.constants_measured import radius_of, tilde, upper_points
from oracles.constants_zoo import STIFF, ZOO, Cubic
from ratecert.base.asked import VARIANTS
from ratecert.catalogue.find import paper
from ratecert.claims.claim import build
from ratecert.papers.federated_bilevel import notation as letters
from ratecert.synthetic import Quadratic
from ratecert.synthetic.constants import Reading
from ratecert.theory.numbers.evaluation import number, with_constants
from ratecert.theory.statements import Definition

Values = Mapping[str, float]
Formula = Callable[[Values], float]

READINGS: list[Reading] = ["joint", "block"]
FRACTIONS = [0.1, 0.3, 0.95]  # theta, as a part of 1/L_1
TERMS = range(4)  # Q
CONSTANTS = ["L_Phi", "L_tilde", "L_hat", "G", "Delta_Q"]


@cache
def measured(constant: str, name: str, radius: float, **of_the_sum: float) -> float:
    """L_Phi and L_tilde depend on the world alone, the others on the Neumann sum."""
    value: float = getattr(measures, f"measured_{constant}")(ZOO[name], radius, **of_the_sum)
    return value


@cache
def assumed(name: str, reading: Reading, radius: float) -> Values:
    """The constants of the assumptions."""
    constants: Values = ZOO[name].constants(radius=radius, reading=reading)
    return constants


def theta_of(name: str, fraction: float) -> float:
    """Below 1/L_1 under both readings."""
    return fraction / max(assumed(name, reading, radius_of(ZOO[name]))["L_1"] for reading in READINGS)


@cache
def defined(variant: str, known: tuple[tuple[str, float], ...]) -> Values:
    return with_constants(paper(variant), dict(known))


def claimed(constant: str, variant: str) -> Formula:
    """The constant in numbers; of the printed G, a second moment, the root."""

    def formula(known: Values) -> float:
        value = defined(variant, tuple(known.items()))[constant]
        return math.sqrt(value) if (constant, variant) == ("G", "printed") else value

    return formula


def without(constant: str, *parts: str) -> Formula:
    """The repaired constant with these summands of its right side left out."""
    definition = paper("repaired").the(Definition, f"constant.{constant}")
    right = sympy.expand(definition.right, multinomial=False)
    left_out = {sympy.sympify(part, locals=vars(letters)) for part in parts}
    assert left_out <= set(right.args), f"the summands of {constant} are {right.args}"
    _, power = definition.left.as_base_exp()
    return lambda known: number((right - sympy.Add(*left_out)) ** (1 / power), known)


def exceeded(constant: str, name: str, formula: Formula) -> list[tuple[Reading, float, int]]:
    """The cases in which more is measured than the formula allows."""
    radius, found = radius_of(ZOO[name]), []
    for reading, fraction, Q in product(READINGS, FRACTIONS, TERMS):
        of_the_sum = {"theta": theta_of(name, fraction), "Q": Q}
        there = measured(constant, name, radius, **({} if constant in ("L_Phi", "L_tilde") else of_the_sum))
        if there > (1 + measures.ROUNDING) * formula({**assumed(name, reading, radius), **of_the_sum}):
            found.append((reading, fraction, Q))
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("name", ZOO)
def test_nothing_measured_exceeds_the_constants(name: str, constant: str, variant: str) -> None:
    assert exceeded(constant, name, claimed(constant, variant)) == []


@pytest.mark.parametrize(
    "parts",
    [
        ("L_Phi", "L_1**3/mu**2"),
        ("L_Phi", "L_0*L_21/mu", "L_0*L_1*L_21/mu**2"),
        ("L_Phi", "L_0*L_1*L_22/mu**2", "L_0*L_1**2*L_22/mu**3"),
        ("L_tilde", "L_1**2/mu"),
        ("L_tilde", "L_0*L_1*L_22/mu**2"),
        ("L_hat", "2*L_1**2"),
        ("L_hat", "8*theta**2*L_1**4*(Q + 1)**2"),
        ("L_hat", "4*theta**2*L_0**2*L_21**2*(Q + 1)**2"),
        ("L_hat", "2*theta**4*L_0**2*L_1**2*L_22**2*Q**2*(Q + 1)**2"),
        ("G", "2*L_0**2"),
        ("G", "12*theta**2*L_0**2*L_1**2*(Q + 1)**2"),
    ],
    ids=" - ".join,
)
def test_a_constant_without_one_of_its_parts_is_exceeded(parts: tuple[str, ...]) -> None:
    constant, *left_out = parts
    assert any(exceeded(constant, name, without(constant, *left_out)) for name in ZOO)


def test_a_shorter_Delta_Q_is_exceeded() -> None:
    """With the power Q + 2 of 1 - theta mu, and without the factor L_1/mu."""
    Delta_Q = claimed("Delta_Q", "repaired")
    for wrong in (lambda v: Delta_Q({**v, "Q": v["Q"] + 1}), lambda v: Delta_Q(v) * v["mu"] / v["L_1"]):
        assert exceeded("Delta_Q", "aligned", wrong)


@pytest.mark.parametrize("kappa", [5.0, 40.0, 1000.0])
def test_the_order_of_L_Phi_and_L_tilde_in_the_condition_number_is_attained(kappa: float) -> None:
    """On a scalar world in which, under `block`, every derivative is as large as L_1 = 4 allows and L_1/mu = kappa."""
    world = build({**STIFF, "mu": 4.0 / kappa})
    radius = radius_of(world)
    known = {**world.constants(radius=radius, reading="block"), "theta": 0.1, "Q": 1}
    for constant, part in (("L_Phi", (kappa**2 + 1) / (kappa + 1) ** 2), ("L_tilde", kappa / (kappa + 1))):
        found = getattr(measures, f"measured_{constant}")(world, radius)
        assert found / claimed(constant, "repaired")(known) == pytest.approx(part, rel=1e-9)


@pytest.mark.parametrize("name", ZOO)
def test_what_is_measured_is_the_truth_of_the_world(name: str) -> None:
    """Its hypergradient is Lemma 1 from its oracles at (x, y*(x)), and not beside it; on quadratic worlds the search
    finds the norms of P + B'A^{-1} D A^{-1} B, the Hessian of Phi, and of B'A^{-1} D, the slope of tilde in y.
    """
    world, radius = ZOO[name], radius_of(ZOO[name])
    x = upper_points(world, radius)
    y, gradient = world.y_star(x), world.hypergradient(x)
    np.testing.assert_allclose(tilde(world)(np.vstack([x, y])), gradient, rtol=1e-11, atol=1e-12)
    assert np.abs(tilde(world)(np.vstack([x, y + 1e-3])) - gradient).max() > 1e-7
    if isinstance(world, Quadratic):
        slope = np.linalg.solve(world.A, world.B)
        for constant, matrix in (
            ("L_Phi", world.P + slope.T @ world.D @ slope),
            ("L_tilde", slope.T @ world.D),
        ):
            assert measured(constant, name, radius) == pytest.approx(np.linalg.norm(matrix, 2), rel=1e-9)


# What is printed is too small.


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("Q", TERMS)
def test_the_printed_G_is_a_second_moment(Q: int, reading: Reading) -> None:
    """What is printed as G, and squared in the theorems, is too small in a small set; its root never is."""
    small, of_the_sum = 1e-3, {"theta": theta_of("aligned", 0.95), "Q": Q}
    known = {**assumed("aligned", reading, small), **of_the_sum}
    printed, repaired = (with_constants(paper(variant), known)["G"] for variant in VARIANTS)
    assert printed < measured("G", "aligned", small, **of_the_sum) <= repaired


MADE_UP = {"mu": 0.5, "L_1": 2.0, "L_22": 0.3, "sigma": 0.0, "sigma_H": 0.0, "theta": 0.1, "Q": 2}
CUBIC = Cubic(M=1e4, slope=0.1, r=1e-8)


def test_the_printed_L_Phi_is_exceeded_where_all_is_read_per_variable() -> None:
    """Where slope < 1 and M is large. With constants Lipschitz in (x, y) the print is not exceeded: L_21 and L_22 are
    sqrt(2) M and, as on every world, L_1/mu >= sqrt(1 + ||dy*/dx||^2).
    """
    rise, known = CUBIC.rise(), CUBIC.constants()
    per_variable = {**MADE_UP, **known["per variable"]}
    printed, repaired = (claimed("L_Phi", variant)(per_variable) for variant in VARIANTS)
    assert 1.25 * printed < rise <= repaired
    assert rise > 0.99 * repaired
    assert rise < claimed("L_Phi", "printed")({**MADE_UP, **known["joint"]})


@pytest.mark.parametrize("x", [-0.5e-8, 0.0, 0.3e-8])
def test_the_gradient_of_the_cubic_is_that_of_its_lower_level(x: float) -> None:
    """y* by Newton's method on grad_y g, and Phi' = slope dy*/dx by the implicit function theorem."""
    M, y = CUBIC.M, 0.0
    for _ in range(50):
        y -= (y - x - M * (x + y) ** 2 / 2) / (1 - M * (x + y))
    assert abs(y) < CUBIC.r
    derivative = (1 + M * (x + y)) / (1 - M * (x + y))
    assert CUBIC.gradient(x) == pytest.approx(CUBIC.slope * derivative, rel=1e-13)


def test_the_constants_of_the_cubic_hold_in_the_corners() -> None:
    """g_xx = -M y, g_xy = -1 - M(x + y), g_yy = 1 - M(x + y) are affine: they are largest in a corner of the set."""
    M, r = CUBIC.M, CUBIC.r
    joint, per_variable = (CUBIC.constants()[reading] for reading in ("joint", "per variable"))
    for x, y in [(0, 0), *product((-r, r), repeat=2)]:
        hessian = np.array([[-M * y, -1 - M * (x + y)], [-1 - M * (x + y), 1 - M * (x + y)]])
        assert np.linalg.norm(hessian, 2) <= joint["L_1"]
        assert np.abs(hessian).max() <= per_variable["L_1"] * (1 + 1e-15)
        assert hessian[1, 1] >= joint["mu"] * (1 - 1e-15)
    assert joint["L_21"] == joint["L_22"] == pytest.approx(math.hypot(M, M))
